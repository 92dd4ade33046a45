"""What learns in the background, each made with a model that reads for it or without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seasoned.core.scope import Scope
from seasoned.db.database import Connection

if TYPE_CHECKING:
    from seasoned.app.app import App
    from seasoned.learning.conversations import Conversations
    from seasoned.llm.model import Model
    from seasoned.memory.librarian import Librarian
    from seasoned.memory.memory import Memory
    from seasoned.skills.distill import Distiller
    from seasoned.skills.skills import Skills


def memory_of(app: App, model: Model | None) -> Memory:
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


def librarian_of(app: App, model: Model | None) -> Librarian:
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


def distiller_of(app: App, model: Model | None) -> Distiller:
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


def skills_of(app: App) -> Skills:
    """Holds skills ready to be searched."""
    from seasoned.skills.skills import Skills
    from seasoned.skills.store import SkillStore

    parts = (SkillStore(), app.audit, app.clock, app.skill_records)
    return Skills(app.db, *parts, app.embedding.embedder)


def conversations_of(app: App, model: Model | None) -> Conversations:
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
