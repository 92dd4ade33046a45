"""The composition root: builds every part once, in the order in which they need one another."""

import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from seasoned.config import Configuration
from seasoned.core.buffer import Buffer, BufferConfig
from seasoned.core.bus import Bus
from seasoned.core.clock import Clock, SystemClock
from seasoned.core.errors import Unsupported
from seasoned.core.events import LessonChanged, LessonLearned, ToolFinished
from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.db.opening import open_database
from seasoned.learning.alike import Alike
from seasoned.learning.embedding import Embedding
from seasoned.learning.engine import Engine, EngineConfig
from seasoned.learning.episodes import EpisodeStore
from seasoned.learning.error_store import ErrorStore
from seasoned.learning.explanation import Explainer
from seasoned.learning.fixes import FixConfig, Fixes
from seasoned.learning.hints import HintConfig, Hints
from seasoned.learning.history import History
from seasoned.learning.lessons import LessonStore
from seasoned.learning.teaching import Teacher
from seasoned.learning.tool_records import ToolRecordStore
from seasoned.recall.retriever import Retriever, RetrieverConfig
from seasoned.recall.search import Search, SearchConfig
from seasoned.security.audit import AuditStore

if TYPE_CHECKING:
    from seasoned.learning.knowledge_graph import KnowledgeGraph
    from seasoned.learning.library import Library
    from seasoned.learning.propagation import Propagation
    from seasoned.llm.embedder import Embedder
    from seasoned.recall.graph_rag import GraphRag

log = logging.getLogger("seasoned.app")

MIGRATED_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class App:
    """The parts, built and joined; the facade, the CLI and the servers work on these."""

    config: Configuration
    db: Database
    clock: Clock
    bus: Bus
    audit: AuditStore
    lessons: LessonStore
    errors: ErrorStore
    episodes: EpisodeStore
    tools: ToolRecordStore
    engine: Engine
    teacher: Teacher
    explainer: Explainer
    history: History
    embedding: Embedding
    search: Search
    retriever: Retriever
    buffers: tuple[Buffer, ...]

    @property
    def library(self) -> "Library":
        """Imports documents. Its readers are loaded by those who do, not by every command."""
        from seasoned.learning.document_store import DocumentStore
        from seasoned.learning.library import Library

        documents = DocumentStore()
        return Library(self.db, self.lessons, documents, self.audit, self.bus, self.clock)

    @property
    def graph(self) -> "KnowledgeGraph":
        from seasoned.graph.store import GraphStore
        from seasoned.learning.graph_writer import GraphWriter
        from seasoned.learning.knowledge_graph import KnowledgeGraph, KnowledgeGraphConfig

        settings, store = self.config.settings.graph, GraphStore(self.db)
        return KnowledgeGraph(
            *(self.db, store, GraphWriter(self.db, store, self.clock), self.lessons, self.audit),
            *(self.clock, KnowledgeGraphConfig(settings.enabled, settings.propagation_rate)),
        )

    async def begin(self) -> None:
        """After opening: indexes what an older version stored, and takes up work left behind."""
        done = MIGRATED_AT_ONCE
        while done == MIGRATED_AT_ONCE and await self._unindexed():
            async with self.db.write() as tx:
                done = await self.lessons.index_missing(tx, MIGRATED_AT_ONCE)
                done = max(done, await self.errors.similar.index_missing(tx, MIGRATED_AT_ONCE))
        if await self.embedding.behind():
            self.nudge("embedding")
        if self.config.settings.graph.enabled and await self.graph.writer.behind():
            self.nudge("graph")

    async def _unindexed(self) -> bool:
        async with self.db.read() as tx:
            lacking = await self.lessons.is_missing_some(tx)
            return lacking or await self.errors.similar.is_missing_some(tx)

    def nudge(self, name: str) -> None:
        """Wakes a buffer's worker, which is started by the first nudge."""
        for buffer in self.buffers:
            if buffer.name == name:
                buffer.enqueue()
                buffer.start()

    def end(self) -> None:
        """Before closing: the workers do what was enqueued, and stop."""
        for buffer in self.buffers:
            buffer.stop()

    async def status(self, scope: Scope) -> dict[str, Any]:
        """What this scope has, in numbers, and whether a part has failed."""
        async with self.db.read() as tx:
            tools = await self.tools.count(tx, scope)
            counts = {
                **tools,
                "errors": await self.errors.count(tx, scope),
                "lessons": await self.lessons.count(tx, scope),
                "episodes": await self.episodes.count(tx, scope),
                "audit_events": await self.audit.count(tx),
                "embedding": await self.embedding.status(tx),
                "graph": asdict(await self.graph.status(tx, scope)) | self._counters("graph"),
            }
        return {
            "database": self.db.where,
            "dialect": self.db.dialect,
            "learning": self.config.settings.knowledge.enabled,
            "hints": self.config.settings.agent.error_correction_enabled,
            "hint_confidence": self.config.settings.agent.auto_apply_confidence,
            **counts,
            "buffers": {buffer.name: self._counters(buffer.name) for buffer in self.buffers},
            "listener_failures": dict(self.bus.failures),
        }

    def _counters(self, name: str) -> dict[str, Any]:
        for buffer in self.buffers:
            if buffer.name == name:
                return asdict(buffer.counters) | {"nudges": buffer.waiting}
        return {}


def build(config: Configuration, database_url: str, clock: Clock | None = None) -> App:
    settings = config.settings
    clock = clock or SystemClock()
    bus = Bus()
    db = open_database(database_url, busy_seconds=settings.database.busy_seconds)
    embedder, missing = _embedder(config)
    at_once = Alike(embedder, clock) if embedder is not None and embedder.local else None
    audit, lessons, errors = AuditStore(db), LessonStore(db), ErrorStore(db, at_once)
    episodes, tools = EpisodeStore(), ToolRecordStore()
    threshold = settings.agent.auto_apply_confidence
    propagation = _propagation(config, lessons) if settings.graph.enabled else None
    fixes = Fixes(lessons, FixConfig(hint_confidence=threshold), propagation)
    hints = Hints(lessons, HintConfig(confidence=threshold))
    engine = Engine(
        *(db, lessons, errors, episodes, tools, fixes, hints, audit, bus, clock),
        EngineConfig(settings.knowledge.enabled, settings.agent.error_correction_enabled),
    )
    embedding = Embedding(db, lessons.vectors, errors.similar, embedder, clock, missing)
    seconds = settings.knowledge.deadline_seconds
    search = Search(db, lessons, embedding, clock, SearchConfig(seconds=seconds))
    buffers = (_buffer("embedding", embedding.work, settings.embedding.batch, config),)
    if settings.graph.enabled:
        from seasoned.graph.store import GraphStore
        from seasoned.learning.graph_writer import GraphWriter

        writer = GraphWriter(db, GraphStore(db), clock)
        buffers += (_buffer("graph", writer.work, settings.graph.batch, config),)
    app = App(
        config=config,
        db=db,
        clock=clock,
        bus=bus,
        audit=audit,
        lessons=lessons,
        errors=errors,
        episodes=episodes,
        tools=tools,
        engine=engine,
        teacher=Teacher(db, lessons, errors, audit, bus, clock),
        explainer=Explainer(db, lessons, errors, episodes, audit),
        history=History(db, engine, audit, bus, clock),
        embedding=embedding,
        search=search,
        retriever=Retriever(
            *(db, lessons, tools, search, _graph_rag(config, db, lessons)),
            RetrieverConfig(
                limit=settings.knowledge.max_context_per_layer,
                least_confidence=threshold,
                budget_tokens=settings.knowledge.context_tokens,
                seconds=seconds,
            ),
        ),
        buffers=buffers,
    )
    for event in (LessonLearned, LessonChanged):
        if embedder is not None:
            bus.subscribe(event, lambda _: app.nudge("embedding"))
        if settings.graph.enabled:
            bus.subscribe(event, lambda _: app.nudge("graph"))
    if embedder is not None and not embedder.local:
        bus.subscribe(ToolFinished, lambda call: app.nudge("embedding") if call.error else None)
    if settings.graph.enabled:
        bus.subscribe(ToolFinished, lambda call: app.nudge("graph") if call.error else None)
    return app


def _buffer(name: str, work: Callable[[int], int], batch: int, config: Configuration) -> Buffer:
    common = config.settings.buffer
    return Buffer(name, work, BufferConfig(batch, common.flush_seconds, common.capacity))


def _propagation(config: Configuration, lessons: LessonStore) -> "Propagation":
    from seasoned.learning.propagation import Propagation, PropagationConfig

    rate = config.settings.graph.propagation_rate
    threshold = config.settings.agent.auto_apply_confidence
    return Propagation(lessons, PropagationConfig(rate, threshold))


def _graph_rag(config: Configuration, db: Database, lessons: LessonStore) -> "GraphRag | None":
    if not config.settings.graph.enabled:
        return None
    from seasoned.graph.store import GraphStore
    from seasoned.recall.graph_rag import GraphRag, GraphRagConfig

    threshold = config.settings.agent.auto_apply_confidence
    return GraphRag(GraphStore(db), lessons, GraphRagConfig(least_confidence=threshold))


def _embedder(config: Configuration) -> "tuple[Embedder | None, str]":
    """The embedder that the settings ask for; else why there is none, and words must do."""
    from seasoned.llm.cached import Cached
    from seasoned.llm.embedders import embedder_from
    from seasoned.llm.sifted import Sifted

    try:
        embedder = embedder_from(config.settings.embedding)
    except Unsupported as error:
        log.warning("search by meaning is off: %s", error)
        return None, str(error)
    if embedder is None:
        return None, "embedding.provider is none"
    return Cached(Sifted(embedder)), ""
