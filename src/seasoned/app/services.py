"""The services on one database, each built once.

Services that every program needs are built at once. The others are built on first use, and import
their modules then: a command that records one tool call must not load languages, document readers
or model clients.
"""

from __future__ import annotations

import logging
from functools import cached_property
from typing import TYPE_CHECKING, Any

from seasoned.bandit.performance import Performance
from seasoned.config import Configuration
from seasoned.core.clock import Clock, SystemClock
from seasoned.core.errors import ConfigError, Unsupported
from seasoned.core.events import Bus
from seasoned.core.scope import Scope
from seasoned.db.opening import open_database
from seasoned.db.unit import Unit
from seasoned.errors.error_store import ErrorStore
from seasoned.errors.similar import LocalErrorEmbedder
from seasoned.fixes.engine import Engine, EngineConfig
from seasoned.fixes.episodes import EpisodeStore
from seasoned.fixes.explanation import Explainer
from seasoned.fixes.fixes import FixConfig, Fixes
from seasoned.fixes.hints import HintConfig, Hints
from seasoned.fixes.tool_records import ToolRecordStore
from seasoned.lessons.decisions import DecisionStore
from seasoned.lessons.edits import LessonEdits
from seasoned.lessons.embedding import Embedding
from seasoned.lessons.handouts import Handouts
from seasoned.lessons.lesson_store import LessonStore
from seasoned.proof.progress import Progress
from seasoned.recall.layers import RecallConfig
from seasoned.recall.retriever import Retriever
from seasoned.recall.search import Search, SearchConfig
from seasoned.rules.case_store import CaseStore
from seasoned.rules.conflicts import ConflictStore
from seasoned.rules.pending import open_pending, open_remarks
from seasoned.security.audit import AuditStore
from seasoned.security.stored import stored_params
from seasoned.sessions.recorder import SessionRecorder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seasoned.bandit.adaptation import Adaptation
    from seasoned.bandit.evaluation import Evaluation
    from seasoned.bandit.experiences import Experiences
    from seasoned.channels.notifiers import NoticeQueue
    from seasoned.channels.outlets import Outlets
    from seasoned.conversations.conversations import Conversations
    from seasoned.corrections import SecondOpinion
    from seasoned.db.database import Connection
    from seasoned.documents.library import Library
    from seasoned.feedback.export.export import Export
    from seasoned.feedback.recorder import Feedbacks
    from seasoned.fixes.distiller import FixDistiller
    from seasoned.fixes.propagation import Propagation
    from seasoned.graph.knowledge_graph import KnowledgeGraph
    from seasoned.jobs.delivery import Deliverers
    from seasoned.jobs.jobs import Jobs
    from seasoned.llm.embed.embedder import Embedder
    from seasoned.llm.model import Model
    from seasoned.memory.librarian import Librarian
    from seasoned.memory.memory import Memory
    from seasoned.payment.payments import Payments
    from seasoned.recall.graph_rag import GraphRag
    from seasoned.recall.tool_notes import ToolNotebook
    from seasoned.rules.examples import Examples
    from seasoned.rules.learner import Learner
    from seasoned.rules.rulebook import Rulebook
    from seasoned.rules.rules import Rules
    from seasoned.rules.teaching import Teacher
    from seasoned.rules.turns import Turns
    from seasoned.security.keys import Keys
    from seasoned.skills.distill import Distiller
    from seasoned.skills.search import SkillRecord
    from seasoned.skills.skills import Skills
    from seasoned.transcripts.history import TranscriptLearner

log = logging.getLogger("seasoned.app")


class AppServices:
    """Everything that works on one database; built from the settings."""

    def __init__(
        self, config: Configuration, database_url: str, clock: Clock | None = None
    ) -> None:
        settings = config.settings
        threshold = settings.agent.auto_apply_confidence
        seconds = settings.knowledge.deadline_seconds
        clock = clock or SystemClock()
        self.config = config
        self.db_url = database_url
        self.clock = clock
        self.db = db = open_database(
            database_url, busy_seconds=settings.database.busy_seconds, clean=stored_params
        )
        self.audit = AuditStore(db)
        self.bus = Bus()
        self.outlets = self._outlets()
        self.unit = Unit(db, self.audit, self.bus, clock)
        embedder, missing = self._embedder()
        local = embedder is not None and embedder.local
        error_embedder = LocalErrorEmbedder(embedder, clock) if embedder and local else None
        self.lessons = LessonStore(db)
        self.errors = ErrorStore(db, error_embedder)
        self.episodes = EpisodeStore()
        self.tools = ToolRecordStore()
        self.cases = CaseStore()
        self.conflicts = ConflictStore()
        self.decisions = DecisionStore()
        self.pending = open_pending(settings.queue.url, db, settings.behavioral.queue_cap)
        self.remarks = open_remarks(settings.queue.url, db, settings.behavioral.queue_cap)
        self.handouts = Handouts(db, self.lessons, clock)
        self.performance = Performance(db, clock)
        self.progress = Progress(db, clock)
        self.embedding = Embedding(
            *(db, self.lessons.vectors, self.errors.similar, embedder, clock, missing)
        )
        self.search = Search(
            *(db, self.lessons, self.embedding, clock),
            SearchConfig(seconds=seconds),
            LessonEdits(self.unit, self.lessons),
        )
        literal_witnesses = settings.privacy.literal_witnesses
        fixes = Fixes(
            *(self.lessons, self.episodes, FixConfig(threshold, literal_witnesses)),
            self._propagation(),
        )
        hints = Hints(self.lessons, HintConfig(confidence=threshold))
        self.engine = Engine(
            *(self.unit, self.errors, self.episodes, self.tools, fixes, hints),
            EngineConfig(settings.knowledge.enabled, settings.agent.error_correction_enabled),
        )
        self.explainer = Explainer(db, self.lessons, self.errors, self.episodes, self.audit)
        self.retriever = Retriever(
            *(db, self.lessons, self.tools, self.search, self._graph_rag(), self.conflicts),
            RecallConfig(
                limit=settings.knowledge.max_context_per_layer,
                least_confidence=threshold,
                budget_tokens=settings.knowledge.context_tokens,
                seconds=seconds,
            ),
        )
        self.recorder = SessionRecorder(self.unit, enabled=settings.knowledge.enabled)
        self.notices = self._notices()
        self._models: dict[str, Model | None] = {}

    @cached_property
    def keys(self) -> Keys:
        from seasoned.security.keys import Keys

        return Keys(self.unit)

    @cached_property
    def payments(self) -> Payments:
        from seasoned.payment.chain import Chain
        from seasoned.payment.networks import atomic, network_of
        from seasoned.payment.payments import PaymentLimits, Payments
        from seasoned.payment.signing import Wallet

        given = self.config.settings.payment
        limits = PaymentLimits(*map(atomic, (given.most_usd, given.daily_usd, given.ask_above_usd)))
        chain = Chain(given.rpc_url) if given.rpc_url else None
        network = network_of(given.network)
        return Payments(self.unit, network, limits, lambda: Wallet(given.key), chain)

    @cached_property
    def deliverers(self) -> Deliverers:
        """Where results of jobs go; channels register themselves here."""
        from seasoned.app.session_delivery import to_session
        from seasoned.jobs.delivery import Deliverers

        return Deliverers(self.config.settings.notify.url, to_session(self.recorder))

    @cached_property
    def jobs(self) -> Jobs:
        from seasoned.jobs.jobs import JobDefaults, Jobs

        given = self.config.settings.jobs
        defaults = JobDefaults(given.deliver, given.timezone, int(60 * given.limit_minutes))
        return Jobs(self.unit, self.deliverers, defaults)

    @cached_property
    def notebook(self) -> ToolNotebook:
        from seasoned.recall.tool_notes import ToolNotebook, ToolNotesConfig

        sure = self.config.settings.agent.auto_apply_confidence
        config = ToolNotesConfig(least_confidence=sure)
        return ToolNotebook(self.db, self.lessons, self.errors, config)

    def remember(self) -> None:
        """Let recall read observations; not before there are any, since each recall would ask."""
        from seasoned.memory.context import MemoryContext
        from seasoned.memory.inquiries import InquiryStore
        from seasoned.memory.memory_store import MemoryStore

        tokens = self.config.settings.memory.budget_tokens
        context = MemoryContext(MemoryStore(), InquiryStore(), tokens)
        self.retriever.read("observations", context.observations)
        self.retriever.read("reflections", context.reflections)

    def lend(self, purpose: str, model: Model) -> None:
        """Use this model for one purpose of background learning, whatever the settings name."""
        self._models[purpose] = model

    def background(self, purpose: str) -> Model | None:
        """Return the model for one purpose of background learning; None without a model."""
        if purpose not in self._models:
            from seasoned.llm.chat.models import background_model

            settings = self.config.settings
            self._models[purpose] = background_model(
                settings.llm,
                purpose,
                db=self.db,
                clock=self.clock,
                redact=settings.privacy.redact,
                environment=self.config.keys,
                addresses=self.config.addresses,
            )
        return self._models[purpose]

    def model_status(self) -> list[dict[str, Any]]:
        """Return what became of the latest questions to background models, by purpose."""
        from seasoned.llm.chat.background import BackgroundModel

        return [
            {"purpose": purpose, **one}
            for purpose, model in self._models.items()
            if isinstance(model, BackgroundModel)
            for one in model.status()
        ]

    @cached_property
    def rules(self) -> Rules:
        from seasoned.rules.rules import Rules, RulesConfig

        behavioral = self.config.settings.behavioral
        config = RulesConfig(
            *(behavioral.duplicate_overlap, behavioral.conflict_overlap),
            self.config.settings.agent.auto_apply_confidence,
        )
        return Rules(self.lessons, self.conflicts, self.embedding, config)

    @cached_property
    def teacher(self) -> Teacher:
        from seasoned.rules.teaching import Teacher

        return Teacher(self.unit, self.lessons, self.errors, self.rules)

    @cached_property
    def rulebook(self) -> Rulebook:
        from seasoned.rules.rulebook import Rulebook

        return Rulebook(self.unit, self.lessons, self.rules, self.conflicts)

    @cached_property
    def examples(self) -> Examples:
        from seasoned.rules.examples import Examples

        return Examples(self.unit, self.lessons)

    @cached_property
    def turns(self) -> Turns:
        from seasoned.rules.exchanges import ExchangeStore
        from seasoned.rules.turns import Turns, TurnsConfig

        judged = self.config.settings.llm.model or "rules" in self._models
        return Turns(
            *(self.unit, ExchangeStore(), self.pending, self.rules, self.examples),
            TurnsConfig(self.config.settings.behavioral.enabled),
            self._second_opinion(),
            self.remarks if judged else None,
        )

    def _second_opinion(self) -> SecondOpinion | None:
        """Let a local embedder judge uncertain corrections; a remote one would be too slow."""
        embedder = self.embedding.embedder
        if self.config.settings.behavioral.second_opinion != "embedder" or embedder is None:
            return None
        from seasoned.corrections.second_opinion import EmbedderOpinion

        return EmbedderOpinion(embedder.embed) if embedder.local else None

    @cached_property
    def learner(self) -> Learner:
        from seasoned.channels.drivers import counts_for_others
        from seasoned.rules.analyst import Grammar, ModelAnalyst
        from seasoned.rules.learner import Learner

        model, settings = self.background("rules"), self.config.settings
        analyst = Grammar() if model is None else ModelAnalyst(model, self.db, self.lessons)
        return Learner(
            *(self.unit, self.pending, self.cases, self.rules, self.examples, analyst),
            None if model is None else self.remarks,
            lambda user: counts_for_others(user, settings),
        )

    @cached_property
    def conversations(self) -> Conversations:
        return self.build_conversations(self.background("conversations"))

    @cached_property
    def memory(self) -> Memory:
        return self.build_memory(self.background("memory"))

    @cached_property
    def librarian(self) -> Librarian:
        return self.build_librarian(self.background("librarian"))

    @cached_property
    def fix_distiller(self) -> FixDistiller:
        return self.build_fix_distiller(self.background("fixes"))

    @cached_property
    def distiller(self) -> Distiller:
        return self.build_distiller(self.background("skills"))

    def build_memory(self, model: Model | None) -> Memory:
        """Build the observer of conversations; without a model it condenses by rules."""
        from seasoned.memory.compact import CompactConfig, SummaryConfig
        from seasoned.memory.memory import Memory, MemorySettings

        memory, history = self.config.settings.memory, self.config.settings.agent.history_tokens
        settings = MemorySettings(
            *(memory.observe_tokens, memory.reflect_tokens, max(2, memory.max_reflections)),
            SummaryConfig(memory.max_reflections, memory.max_observations, memory.budget_tokens),
            CompactConfig(history // 2, history // 4),
        )
        return Memory(self.db, self.clock, model, settings)

    def build_librarian(self, model: Model | None) -> Librarian:
        """Build the librarian; without a model it only records answers."""
        from seasoned.conversations.findings import InquiryAnswers
        from seasoned.memory.inquiry_prompt import alike_in_meaning, alike_in_words
        from seasoned.memory.librarian import Librarian, LibrarianSettings

        settings, embedder = self.config.settings.librarian, self.embedding.embedder
        threshold = self.config.settings.agent.auto_apply_confidence
        return Librarian(
            *(self.unit, InquiryAnswers(self.lessons, threshold), model),
            LibrarianSettings(
                settings.min_observations, settings.cooldown_turns, settings.max_pending
            ),
            alike_in_meaning(embedder.embed) if embedder and embedder.local else alike_in_words,
        )

    def build_fix_distiller(self, model: Model | None) -> FixDistiller:
        """Build what lets a model word fixes; without a model their plain words stand."""
        from seasoned.fixes.distiller import FixDistiller

        witnesses = self.config.settings.privacy.literal_witnesses
        return FixDistiller(self.unit, self.lessons, self.episodes, model, witnesses)

    def build_distiller(self, model: Model | None) -> Distiller:
        """Build the proposer of skills; without a model it words them by rules."""
        from seasoned.bandit.call import Call
        from seasoned.skills.distill import Distiller
        from seasoned.skills.skill_store import SkillStore

        skills, after = SkillStore(), self.config.settings.skills.distill_after

        async def record_use(
            tx: Connection, read: Sequence[tuple[str, bool]], scope: Scope
        ) -> None:
            """Score a skill by the turns that loaded it."""
            known = {one.name for one in await skills.list(tx, scope)}
            calls = [Call("skill", name, success=well) for name, well in read if name in known]
            await self.performance.note_within(tx, calls, scope)

        return Distiller(self.unit, model, after, record_use)

    def build_conversations(self, model: Model | None) -> Conversations:
        """Build the learner from conversations; without a model it reads them by rules."""
        from seasoned.conversations.analyzer import ConversationAnalyzer
        from seasoned.conversations.conversations import (
            AnalysisBuffer,
            AnalysisConfig,
            Conversations,
            SessionLearner,
            SessionLearnerConfig,
        )
        from seasoned.conversations.findings import Findings
        from seasoned.conversations.known import KnownLessons
        from seasoned.conversations.model_reader import ModelReader
        from seasoned.conversations.plain_reader import PhraseReader
        from seasoned.graph.graph_store import GraphStore
        from seasoned.sessions.session_store import SessionStore

        settings, sessions = self.config.settings, SessionStore()
        listening = settings.behavioral.enabled
        reader = ModelReader(model) if model else PhraseReader(corrections_elsewhere=listening)
        known = KnownLessons(self.db, self.lessons, self.embedding)
        graph = GraphStore(self.db) if settings.graph.enabled else None
        threshold = settings.agent.auto_apply_confidence
        findings = Findings(self.lessons, self.rules, known, graph, threshold)
        analyzer = ConversationAnalyzer(
            *(self.unit, sessions, reader, findings, self.pending if listening else None),
        )
        knowledge, session = settings.knowledge, settings.session
        due = AnalysisConfig(knowledge.analysis_turn_threshold, knowledge.analysis_token_threshold)
        over = SessionLearnerConfig(
            session.min_messages, session.sample_above, session.idle_minutes
        )
        return Conversations(
            AnalysisBuffer(self.db, sessions, analyzer, due),
            SessionLearner(self.unit, sessions, analyzer, over),
        )

    @cached_property
    def skills(self) -> Skills:
        from seasoned.skills.skill_store import SkillStore
        from seasoned.skills.skills import Skills

        return Skills(self.unit, SkillStore(), self._skill_records, self.embedding.embedder)

    async def _skill_records(self, scope: Scope) -> dict[str, SkillRecord]:
        """Return the success record of each skill, without calls still gathered in memory."""
        from seasoned.skills.search import SkillRecord

        async with self.db.read() as tx:
            found = await self.performance.store.find(tx, scope, "skill", None)
        return {name: SkillRecord(tally.succeeded, tally.failed) for _, name, tally in found}

    @cached_property
    def feedbacks(self) -> Feedbacks:
        from seasoned.feedback.recorder import FeedbackConfig, Feedbacks

        config = FeedbackConfig(self.config.settings.agent.auto_apply_confidence)
        return Feedbacks(self.unit, self.lessons, lambda: self.turns, self.performance, config)

    @cached_property
    def export(self) -> Export:
        from seasoned.feedback.export.export import Export

        return Export(self.db, self.lessons, self.cases, self.clock)

    @cached_property
    def experiences(self) -> Experiences:
        from seasoned.bandit.experiences import Experiences

        return Experiences(self.db, self.clock, self.performance)

    @cached_property
    def adaptation(self) -> Adaptation:
        from seasoned.bandit.adaptation import Adaptation

        return Adaptation(self.db, self.performance, self.experiences, self.clock)

    @cached_property
    def evaluation(self) -> Evaluation:
        from seasoned.bandit.evaluation import Evaluation

        return Evaluation(self.db, self.experiences)

    @cached_property
    def history(self) -> TranscriptLearner:
        from seasoned.transcripts.history import TranscriptLearner

        learner = self.learner if self.config.settings.behavioral.enabled else None
        return TranscriptLearner(self.engine, learner)

    @cached_property
    def library(self) -> Library:
        from seasoned.documents.document_store import DocumentStore
        from seasoned.documents.library import Library

        return Library(self.unit, self.lessons, DocumentStore())

    @cached_property
    def graph(self) -> KnowledgeGraph:
        from seasoned.fixes.graph_writer import GraphWriter
        from seasoned.graph.graph_store import GraphStore
        from seasoned.graph.knowledge_graph import KnowledgeGraph, KnowledgeGraphConfig

        settings, store = self.config.settings.graph, GraphStore(self.db)
        writer = GraphWriter(self.db, store, self.clock)
        config = KnowledgeGraphConfig(settings.enabled, settings.propagation_rate)
        return KnowledgeGraph(self.unit, store, writer, self.lessons.id_of, config)

    def _embedder(self) -> tuple[Embedder | None, str]:
        """Build the configured embedder; or None and the reason, and search goes by words only."""
        from seasoned.llm.embed.embedder import Cached, Isolating
        from seasoned.llm.embed.embedders import embedder_from

        try:
            embedder = embedder_from(self.config.settings.embedding)
        except Unsupported as error:
            log.warning("search by meaning is off: %s", error)
            return None, str(error)
        if embedder is None:
            return None, "embedding.provider is none"
        return Cached(Isolating(embedder)), ""

    def _propagation(self) -> Propagation | None:
        if not self.config.settings.graph.enabled:
            return None
        from seasoned.fixes.propagation import Propagation, PropagationConfig

        rate = self.config.settings.graph.propagation_rate
        threshold = self.config.settings.agent.auto_apply_confidence
        return Propagation(self.lessons, PropagationConfig(rate, threshold))

    def _graph_rag(self) -> GraphRag | None:
        if not self.config.settings.graph.enabled:
            return None
        from seasoned.graph.graph_store import GraphStore
        from seasoned.recall.graph_rag import GraphRag, GraphRagConfig

        threshold = self.config.settings.agent.auto_apply_confidence
        config = GraphRagConfig(least_confidence=threshold)
        return GraphRag(GraphStore(self.db), self.lessons, config)

    def _outlets(self) -> Outlets:
        from seasoned.channels.outlets import Outlets

        return Outlets()

    def _notices(self) -> NoticeQueue | None:
        """Build the notifier for new rules; a misconfigured channel is logged and left out."""
        from seasoned.channels.notifiers import NoticeQueue, notifier_from

        try:
            notifier = notifier_from(self.config.settings.notify, self.outlets)
        except ConfigError as error:
            log.warning("new rules are not announced: %s", error)
            return None
        return NoticeQueue(notifier) if notifier is not None else None
