"""The composition root: builds every part once, in the order in which they need one another."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from seasoned.bandit.performance import Performance
from seasoned.config import Configuration
from seasoned.core.buffer import Buffer, BufferConfig
from seasoned.core.bus import Bus
from seasoned.core.clock import MINUTE, Clock, SystemClock
from seasoned.core.errors import ConfigError, Unsupported
from seasoned.core.events import (
    Corrected,
    LessonChanged,
    LessonLearned,
    RuleConflicted,
    RuleLearned,
    SessionEnded,
    ToolFinished,
    TurnEnded,
)
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
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
    from seasoned.learning.conversations import Conversations
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
    from seasoned.llm.model import Model
    from seasoned.memory.librarian import Librarian
    from seasoned.memory.memory import Memory
    from seasoned.protocol.host import Host
    from seasoned.recall.graph_rag import GraphRag
    from seasoned.skills.distill import Distiller
    from seasoned.skills.search import Rated
    from seasoned.skills.skills import Skills

log = logging.getLogger("seasoned.app")

MIGRATED_AT_ONCE = 1000
LOOK_SECONDS = 60.0  # after which it is seen that a session was left alone
SESSIONS_AT_ONCE = 8


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
    make_conversations: "Callable[[], Conversations]"
    make_distiller: "Callable[[], Distiller]"
    make_skills: "Callable[[], Skills]"
    make_memory: "Callable[[], Memory]"
    make_librarian: "Callable[[], Librarian]"

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
    def conversations(self) -> "Conversations":
        """Learns from what was said; made once, for it remembers what a model could not read."""
        return self.make_conversations()

    @property
    def memory(self) -> "Memory":
        """Observes, reflects on and compacts conversations."""
        return self.make_memory()

    @property
    def librarian(self) -> "Librarian":
        """Asks what would be good to know."""
        return self.make_librarian()

    def remember(self) -> None:
        """From now on recall is told what sessions amount to; until there are any, none asks."""
        from seasoned.memory.context import MemoryContext
        from seasoned.memory.inquiry_store import InquiryStore
        from seasoned.memory.memory_store import MemoryStore

        tokens = self.config.settings.memory.budget_tokens
        context = MemoryContext(MemoryStore(), InquiryStore(), tokens)
        self.retriever.read("observations", context.observations)
        self.retriever.read("reflections", context.reflections)

    @property
    def distiller(self) -> "Distiller":
        """Proposes skills; made once, for it remembers that it still owes some."""
        return self.make_distiller()

    @property
    def skills(self) -> "Skills":
        """Made once, for it holds skills ready to be searched."""
        return self.make_skills()

    async def skill_records(self, scope: Scope) -> "dict[str, Rated]":
        """How skills performed; what is still gathered in memory is not waited for."""
        from seasoned.skills.search import Rated

        async with self.db.read() as tx:
            found = await self.performance.store.find(tx, scope, "skill", None)
        return {name: Rated(tally.succeeded, tally.failed) for _, name, tally in found}

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

        model = self.background("rules")
        return Grammar() if model is None else ModelAnalyst(model, self.db, self.lessons)

    def background(self, purpose: str) -> "Model | None":
        """The model that background learning asks, within its budget; None where there is none."""
        from seasoned.llm.models import model_from

        settings = self.config.settings.llm
        model = model_from(settings)
        if model is None:
            return None
        from seasoned.llm.budgeted import Budgeted
        from seasoned.llm.prices import price_from

        budgeted = Budgeted(
            model,
            db=self.db,
            clock=self.clock,
            price=price_from(settings),
            daily_usd=settings.daily_budget_usd,
            purpose=purpose,
        )
        if not self.config.settings.privacy.redact:
            return budgeted
        from seasoned.llm.redacting import RedactedModel

        return RedactedModel(budgeted)

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
        if self.config.settings.knowledge.enabled and await self._has_sessions():
            self.nudge("conversations")
        await self._take_up_memory()

    async def _take_up_memory(self) -> None:
        """Recalls what sessions amount to, if there is any, and goes on where a crash ended it."""
        from seasoned.memory.inquiry_store import InquiryStore
        from seasoned.memory.memory_store import MemoryStore

        settings = self.config.settings
        async with self.db.read() as tx:
            if await MemoryStore().has_some(tx) or await InquiryStore().has_some(tx):
                self.remember()
            tokens = settings.memory.observe_tokens
            waiting = await MemoryStore().waiting(tx, "observed_to", tokens, 1)
        if settings.memory.enabled and waiting:
            self.nudge("memory")

    async def _has_pending(self) -> bool:
        """Whether corrections wait; of a queue elsewhere nobody asks before there is time."""
        if self.config.settings.queue.url:
            return True
        return (await self.pending.queue.depth(self.clock.now())).pending > 0

    async def _has_sessions(self) -> bool:
        """Whether sessions are over, or were left alone, that nobody has learned from."""
        from seasoned.memory.session_store import SessionStore

        settings, store = self.config.settings.session, SessionStore()
        before = self.clock.now() - int(settings.idle_minutes * MINUTE)
        async with self.db.read() as tx:
            over = await store.unlearned(tx, settings.min_messages, 1)
            return bool(over or await store.idle(tx, before, 1))

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
        for name in ("corrections", "conversations", "skills", "memory", "librarian"):
            self._buffer(name).stop(drain=not self.config.settings.llm.model)
        for buffer in self.buffers:
            buffer.stop()
        if self.notices is not None:
            self.notices.stop()

    async def status(self, scope: Scope) -> dict[str, Any]:
        """What this scope has, in numbers, and whether a part has failed."""
        from seasoned.llm.spending import SpendingStore

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
            counts["conversations"] = await self._heard(tx)
            counts["skills"] = await self._skilled(tx, scope)
            counts |= await self._remembered(tx, scope)
            counts["models"] = [asdict(row) for row in await SpendingStore(self.db).summary(tx, 1)]
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

    async def _heard(self, tx: Connection) -> dict[str, Any]:
        """Who reads conversations, and how many that are over wait to be read."""
        from seasoned.memory.session_store import SessionStore

        least = self.config.settings.session.min_messages
        waiting = await SessionStore().unlearned(tx, least, 1000)
        reader = self.config.settings.llm.model or "plain"
        return {"by": reader, "sessions_waiting": len(waiting)} | self._counters("conversations")

    async def _remembered(self, tx: Connection, scope: Scope) -> dict[str, Any]:
        """What is remembered of conversations, what waits, and what the librarian asks."""
        from seasoned.memory.inquiry_store import InquiryStore
        from seasoned.memory.memory_store import MemoryStore

        settings = self.config.settings
        tokens, model = settings.memory.observe_tokens, settings.llm.model
        waiting = await MemoryStore().waiting(tx, "observed_to", tokens, 1000)
        memory = {"enabled": settings.memory.enabled, "by": model or "plain"}
        memory |= await MemoryStore().count(tx, scope) | {"sessions_waiting": len(waiting)}
        note = "" if model else "there is no model (llm.model), so nothing is asked"
        asked = {"enabled": settings.librarian.enabled, "by": model, "note": note}
        asked |= await InquiryStore().count(tx, scope)
        return {
            "memory": memory | self._counters("memory"),
            "librarian": asked | self._counters("librarian"),
        }

    async def _skilled(self, tx: Connection, scope: Scope) -> dict[str, Any]:
        """How many skills are in use, proposed and retired."""
        from seasoned.skills.store import SkillStore

        return await SkillStore().count(tx, scope) | self._counters("skills")

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
        _buffer("skills", lambda most: app.distiller.work(most), SESSIONS_AT_ONCE, config),  # noqa: PLW0108
        Buffer(
            "conversations",
            lambda most: app.conversations.work(most),  # noqa: PLW0108 - there is no app yet
            BufferConfig(
                SESSIONS_AT_ONCE,
                settings.buffer.flush_seconds,
                settings.buffer.capacity,
                every_seconds=LOOK_SECONDS,
            ),
        ),
        _buffer("memory", lambda most: _remembered(app, most), SESSIONS_AT_ONCE, config),
        _buffer("librarian", lambda most: _inquired(app, most), SESSIONS_AT_ONCE, config),
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
        make_conversations=cache(lambda: conversations_of(app, app.background("conversations"))),
        make_distiller=cache(lambda: distiller_of(app, app.background("skills"))),
        make_skills=cache(lambda: _skills(app)),
        make_memory=cache(lambda: memory_of(app, app.background("memory"))),
        make_librarian=cache(lambda: librarian_of(app, app.background("librarian"))),
    )
    bus.subscribe(Corrected, lambda _: app.nudge("corrections"))
    if settings.knowledge.enabled:
        for ended in (TurnEnded, SessionEnded):
            bus.subscribe(ended, lambda _: app.nudge("conversations"))
    if settings.skills.enabled:
        bus.subscribe(TurnEnded, lambda _: app.nudge("skills"))
        app.retriever.sources.provide(
            "skills",
            lambda request: app.skills.lines(request),  # noqa: PLW0108 - there are none yet
            when=lambda: app.skills.may_have_some,
        )
    if settings.memory.enabled:
        bus.subscribe(TurnEnded, lambda _: app.nudge("memory"))
        bus.subscribe(TurnEnded, lambda _: app.remember())
    if settings.librarian.enabled and settings.llm.model:
        bus.subscribe(TurnEnded, lambda _: app.nudge("librarian"))
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


def _remembered(app: App, most: int) -> int:
    """Memory's work; what it has observed, the librarian may have a question about."""
    done = app.memory.work(most)
    if done and app.config.settings.librarian.enabled and app.config.settings.llm.model:
        app.nudge("librarian")
    return done


def _inquired(app: App, most: int) -> int:
    return app.librarian.work(most)


def memory_of(app: App, model: "Model | None") -> "Memory":
    """What remembers conversations, with a model that condenses them or without."""
    from seasoned.memory.compact import CompactConfig
    from seasoned.memory.memory import Memory, MemorySettings
    from seasoned.memory.memory_store import MemoryStore
    from seasoned.memory.session_store import SessionStore
    from seasoned.memory.summary import SummaryConfig

    memory, history = app.config.settings.memory, app.config.settings.agent.history_tokens
    settings = MemorySettings(
        *(memory.observe_tokens, memory.reflect_tokens, max(2, memory.max_reflections)),
        SummaryConfig(memory.max_reflections, memory.max_observations, memory.budget_tokens),
        CompactConfig(history // 2, history // 4),
    )
    return Memory(app.db, SessionStore(), MemoryStore(), app.clock, model, settings)


def librarian_of(app: App, model: "Model | None") -> "Librarian":
    """What asks, with a model; without one it only takes answers."""
    from seasoned.learning.inquiry_answers import InquiryAnswers
    from seasoned.memory.inquiring import alike_in_meaning, alike_in_words
    from seasoned.memory.inquiry_store import InquiryStore
    from seasoned.memory.librarian import Librarian, LibrarianSettings
    from seasoned.memory.memory_store import MemoryStore
    from seasoned.memory.session_store import SessionStore

    settings, embedder = app.config.settings.librarian, app.embedding.embedder
    threshold = app.config.settings.agent.auto_apply_confidence
    return Librarian(
        *(app.db, SessionStore(), MemoryStore(), InquiryStore()),
        *(InquiryAnswers(app.lessons, app.audit, threshold), app.clock, app.bus, model),
        LibrarianSettings(settings.min_observations, settings.cooldown_turns, settings.max_pending),
        alike_in_meaning(embedder.embed) if embedder and embedder.local else alike_in_words,
    )


def distiller_of(app: App, model: "Model | None") -> "Distiller":
    """What proposes skills, in a model's words or without."""
    from seasoned.bandit.call import Call
    from seasoned.memory.session_store import SessionStore
    from seasoned.skills.distill import Distiller
    from seasoned.skills.procedure_store import ProcedureStore
    from seasoned.skills.store import SkillStore

    stores = (SessionStore(), ProcedureStore(), SkillStore())
    after = app.config.settings.skills.distill_after

    async def used(tx: Connection, read: Sequence[tuple[str, bool]], scope: Scope) -> None:
        """How a skill performs is how the turns go that read it."""
        known = {one.name for one in await stores[2].list(tx, scope)}
        calls = [Call("skill", name, success=well) for name, well in read if name in known]
        await app.performance.note_within(tx, calls, scope)

    return Distiller(app.db, *stores, app.audit, app.clock, model, after, used)


def _skills(app: App) -> "Skills":
    from seasoned.skills.skills import Skills
    from seasoned.skills.store import SkillStore

    parts = (SkillStore(), app.audit, app.clock, app.skill_records)
    return Skills(app.db, *parts, app.embedding.embedder)


def conversations_of(app: App, model: "Model | None") -> "Conversations":
    """What learns from conversations, with a model that reads them or without."""
    from seasoned.graph.store import GraphStore
    from seasoned.learning.analysis_buffer import AnalysisBuffer, AnalysisConfig
    from seasoned.learning.conversation import ConversationAnalyzer, ModelReader
    from seasoned.learning.conversation_findings import Findings
    from seasoned.learning.conversation_known import Known
    from seasoned.learning.conversation_plain import PlainReader
    from seasoned.learning.conversations import Conversations
    from seasoned.learning.session_learner import SessionLearner, SessionLearnerConfig
    from seasoned.memory.session_store import SessionStore

    settings, sessions = app.config.settings, SessionStore()
    listening = settings.behavioral.enabled
    reader = ModelReader(model) if model else PlainReader(corrections_elsewhere=listening)
    known = Known(app.db, app.lessons, app.embedding)
    graph = GraphStore(app.db) if settings.graph.enabled else None
    threshold = settings.agent.auto_apply_confidence
    findings = Findings(app.lessons, app.rules, known, graph, threshold)
    analyzer = ConversationAnalyzer(
        *(app.db, sessions, reader, findings, app.pending if listening else None),
        *(app.audit, app.bus, app.clock),
    )
    knowledge, session = settings.knowledge, settings.session
    due = AnalysisConfig(knowledge.analysis_turn_threshold, knowledge.analysis_token_threshold)
    over = SessionLearnerConfig(session.min_messages, session.sample_above, session.idle_minutes)
    return Conversations(
        AnalysisBuffer(app.db, sessions, analyzer, due),
        SessionLearner(app.db, sessions, analyzer, app.bus, app.clock, over),
    )


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
