"""The composition root: builds every part once, in the order in which they need one another."""

import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from seasoned.bandit.performance import Performance
from seasoned.config import Configuration
from seasoned.core.buffer import Buffer, BufferConfig
from seasoned.core.bus import Bus
from seasoned.core.clock import Clock, SystemClock
from seasoned.core.errors import ConfigError, Unsupported
from seasoned.core.events import (
    Corrected,
    LessonChanged,
    LessonLearned,
    RuleConflicted,
    RuleLearned,
    ToolFinished,
)
from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.db.opening import open_database
from seasoned.learning.alike import Alike
from seasoned.learning.case_store import CaseStore
from seasoned.learning.conflicts import ConflictStore
from seasoned.learning.embedding import Embedding
from seasoned.learning.engine import Engine, EngineConfig
from seasoned.learning.episodes import EpisodeStore
from seasoned.learning.error_store import ErrorStore
from seasoned.learning.explanation import Explainer
from seasoned.learning.fixes import FixConfig, Fixes
from seasoned.learning.given import Given
from seasoned.learning.hints import HintConfig, Hints
from seasoned.learning.lessons import LessonStore
from seasoned.learning.pending import Pending, open_pending
from seasoned.learning.tool_records import ToolRecordStore
from seasoned.recall.retriever import Retriever, RetrieverConfig
from seasoned.recall.search import Search, SearchConfig
from seasoned.security.audit import AuditStore

if TYPE_CHECKING:
    from seasoned.bandit.adaptation import Adaptation
    from seasoned.bandit.evaluation import Evaluation
    from seasoned.bandit.experiences import Experiences
    from seasoned.channels.notifying import Notifying
    from seasoned.corrections import SecondOpinion
    from seasoned.learning.analyst import Analyst
    from seasoned.learning.examples import Examples
    from seasoned.learning.export import Export
    from seasoned.learning.feedbacks import Feedbacks
    from seasoned.learning.history import History
    from seasoned.learning.knowledge_graph import KnowledgeGraph
    from seasoned.learning.learner import Learner
    from seasoned.learning.library import Library
    from seasoned.learning.propagation import Propagation
    from seasoned.learning.rulebook import Rulebook
    from seasoned.learning.rules import Rules
    from seasoned.learning.teaching import Teacher
    from seasoned.learning.turns import Turns
    from seasoned.llm.embedder import Embedder
    from seasoned.protocol.host import Host
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
    explainer: Explainer
    pending: Pending
    cases: CaseStore
    conflicts: ConflictStore
    given: Given
    performance: Performance
    notices: "Notifying | None"
    embedding: Embedding
    search: Search
    retriever: Retriever
    buffers: tuple[Buffer, ...]

    # What compares rules and knows languages is loaded by those who need it, not by every command.

    @property
    def rules(self) -> "Rules":
        from seasoned.learning.rules import Rules, RulesConfig

        behavioral = self.config.settings.behavioral
        config = RulesConfig(
            *(behavioral.duplicate_overlap, behavioral.conflict_overlap),
            self.config.settings.agent.auto_apply_confidence,
        )
        return Rules(self.lessons, self.conflicts, self.embedding, config)

    @property
    def teacher(self) -> "Teacher":
        from seasoned.learning.teaching import Teacher

        parts = (self.db, self.lessons, self.errors, self.rules, self.audit, self.bus, self.clock)
        return Teacher(*parts)

    @property
    def rulebook(self) -> "Rulebook":
        from seasoned.learning.rulebook import Rulebook

        parts = (self.rules, self.conflicts, self.audit, self.bus, self.clock)
        return Rulebook(self.db, self.lessons, *parts)

    @property
    def examples(self) -> "Examples":
        from seasoned.learning.examples import Examples

        return Examples(self.db, self.lessons, self.audit, self.bus, self.clock)

    @property
    def turns(self) -> "Turns":
        from seasoned.learning.exchanges import ExchangeStore
        from seasoned.learning.turns import Turns, TurnsConfig

        behavioral, embedder = self.config.settings.behavioral, self.embedding.embedder
        judged = bool(self.config.settings.llm.model)
        asked = embedder if behavioral.second_opinion == "embedder" else None
        return Turns(
            *(self.db, ExchangeStore(), self.pending, self.rules, self.examples, self.audit),
            *(self.bus, self.clock, TurnsConfig(behavioral.enabled, judged)),
            _opinion(asked) if asked is not None and asked.local else None,
        )

    @property
    def learner(self) -> "Learner":
        from seasoned.learning.exchanges import ExchangeStore
        from seasoned.learning.learner import Learner

        return Learner(
            *(self.db, self.pending, self.cases, self.rules, self.examples, ExchangeStore()),
            *(self.audit, self.bus, self.clock, self._analyst()),
        )

    @property
    def feedbacks(self) -> "Feedbacks":
        from seasoned.learning.feedbacks import FeedbackConfig, Feedbacks

        config = FeedbackConfig(self.config.settings.agent.auto_apply_confidence)
        parts = (self.audit, self.bus, self.clock, config)
        return Feedbacks(self.db, self.lessons, lambda: self.turns, self.performance, *parts)

    @property
    def export(self) -> "Export":
        from seasoned.learning.export import Export

        return Export(self.db, self.lessons, self.cases, self.clock)

    def learn_host(self, scope: Scope, *, token: str = "", concurrent: bool = True) -> "Host":
        """Serves the learn protocol; `concurrent` in an event loop, else inline for one agent."""
        from seasoned.protocol.builtin import Builtin
        from seasoned.protocol.host import Host
        from seasoned.protocol.host_config import HostConfig
        from seasoned.protocol.plugins import installed_plugins
        from seasoned.protocol.work import Work

        work = Work(self.db, self.bus)
        plugins = (*installed_plugins(), Builtin(self, scope, work, concurrent=concurrent))
        config = HostConfig(token=token, concurrent=concurrent)
        return Host(plugins, self.db, work, scope, self.clock, config)

    @property
    def experiences(self) -> "Experiences":
        from seasoned.bandit.experiences import Experiences

        return Experiences(self.db, self.clock, self.performance)

    @property
    def adaptation(self) -> "Adaptation":
        from seasoned.bandit.adaptation import Adaptation

        return Adaptation(self.db, self.performance, self.experiences, self.clock)

    @property
    def evaluation(self) -> "Evaluation":
        from seasoned.bandit.evaluation import Evaluation

        return Evaluation(self.db, self.experiences)

    @property
    def history(self) -> "History":
        from seasoned.learning.history import History

        learner = self.learner if self.config.settings.behavioral.enabled else None
        return History(self.db, self.engine, learner, self.audit, self.bus, self.clock)

    def _analyst(self) -> "Analyst":
        from seasoned.learning.analyst import Grammar, ModelAnalyst
        from seasoned.llm.models import model_from

        settings = self.config.settings.llm
        model = model_from(settings)
        if model is None:
            return Grammar()
        from seasoned.llm.budgeted import Budgeted
        from seasoned.llm.prices import price_from

        budgeted = Budgeted(
            model,
            db=self.db,
            clock=self.clock,
            price=price_from(settings),
            daily_usd=settings.daily_budget_usd,
            purpose="rules",
        )
        return ModelAnalyst(budgeted, self.db, self.lessons)

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
        if self.config.settings.behavioral.enabled and await self._has_pending():
            self._buffer("corrections").start()

    async def _has_pending(self) -> bool:
        """Whether corrections wait; of a queue elsewhere nobody asks before there is time."""
        if self.config.settings.queue.url:
            return True
        return (await self.pending.queue.depth(self.clock.now())).pending > 0

    async def _unindexed(self) -> bool:
        async with self.db.read() as tx:
            lacking = await self.lessons.is_missing_some(tx)
            return lacking or await self.errors.similar.is_missing_some(tx)

    def nudge(self, name: str) -> None:
        """Wakes a buffer's worker, which is started by the first nudge."""
        buffer = self._buffer(name)
        buffer.enqueue()
        buffer.start()

    def _buffer(self, name: str) -> Buffer:
        return next(buffer for buffer in self.buffers if buffer.name == name)

    def end(self) -> None:
        """Before closing: the workers do what was enqueued, and stop."""
        # To ask a model takes seconds: what it is to be asked waits for the next time.
        self._buffer("corrections").stop(drain=not self.config.settings.llm.model)
        for buffer in self.buffers:
            buffer.stop()
        if self.notices is not None:
            self.notices.stop()

    async def status(self, scope: Scope) -> dict[str, Any]:
        """What this scope has, in numbers, and whether a part has failed."""
        async with self.db.read() as tx:
            tools = await self.tools.count(tx, scope)
            counts: dict[str, Any] = {
                **tools,
                "errors": await self.errors.count(tx, scope),
                "lessons": await self.lessons.count(tx, scope),
                "episodes": await self.episodes.count(tx, scope),
                "audit_events": await self.audit.count(tx),
                "embedding": await self.embedding.status(tx),
                "graph": asdict(await self.graph.status(tx, scope)) | self._counters("graph"),
            }
            counts["corrections"] = {
                "analysed": await self.cases.count(tx),
                "conflicts": await self.conflicts.count(tx),
            }
        counts["corrections"]["queue"] = await self.pending.status(self.clock.now())
        return {
            "database": self.db.where,
            "dialect": self.db.dialect,
            "learning": self.config.settings.knowledge.enabled,
            "hints": self.config.settings.agent.error_correction_enabled,
            "hint_confidence": self.config.settings.agent.auto_apply_confidence,
            **counts,
            "buffers": {buffer.name: self._counters(buffer.name) for buffer in self.buffers},
            "notices": asdict(self.notices.counters) if self.notices else None,
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
    given = Given(db, lessons, clock)
    performance = Performance(db, clock)
    buffers = (
        _buffer("embedding", embedding.work, settings.embedding.batch, config),
        _buffer("given", given.work, settings.buffer.capacity, config),
        _buffer("performance", performance.work, settings.buffer.capacity, config),
        Buffer(
            "corrections",
            lambda most: app.learner.work(most),  # noqa: PLW0108 - there is no learner yet
            BufferConfig(
                settings.buffer.capacity,  # so that many do not make it begin before its time
                settings.behavioral.interval_seconds,
                settings.buffer.capacity,
                every_seconds=settings.behavioral.interval_seconds,
            ),
        ),
    )
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
        explainer=Explainer(db, lessons, errors, episodes, audit),
        pending=open_pending(settings.queue.url, db, settings.behavioral.queue_cap),
        cases=CaseStore(),
        conflicts=(conflicts := ConflictStore()),
        given=given,
        performance=performance,
        notices=_notices(config),
        embedding=embedding,
        search=search,
        retriever=Retriever(
            *(db, lessons, tools, search, _graph_rag(config, db, lessons), conflicts),
            RetrieverConfig(
                limit=settings.knowledge.max_context_per_layer,
                least_confidence=threshold,
                budget_tokens=settings.knowledge.context_tokens,
                seconds=seconds,
            ),
        ),
        buffers=buffers,
    )
    bus.subscribe(Corrected, lambda _: app.nudge("corrections"))
    # Only the first that waits wakes the worker: to be observed must stay cheap.
    bus.subscribe(
        ToolFinished,
        lambda call: app.nudge("performance") if performance.gather(call) else None,
    )
    if app.notices is not None:
        from seasoned.channels.notices import conflict_notice, rule_notice

        bus.subscribe(RuleLearned, lambda event: tell(rule_notice(event)))
        bus.subscribe(RuleConflicted, lambda event: tell(conflict_notice(event)))
        tell = app.notices.notify
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


@lru_cache(maxsize=4)
def _opinion(embedder: "Embedder") -> "SecondOpinion":
    """What the embedder thinks of uncertain corrections; one that is far away is not asked."""
    from seasoned.corrections.second_opinion import EmbedderOpinion

    return EmbedderOpinion(embedder.embed)


def _notices(config: Configuration) -> "Notifying | None":
    """Who is told of new rules; a channel that cannot be used is said, and the rest goes on."""
    from seasoned.channels.notifiers import notifier_from
    from seasoned.channels.notifying import Notifying

    try:
        notifier = notifier_from(config.settings.notify)
    except ConfigError as error:
        log.warning("nobody is told of new rules: %s", error)
        return None
    return Notifying(notifier) if notifier is not None else None


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
