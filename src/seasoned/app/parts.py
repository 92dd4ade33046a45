"""The parts, and those made of them by whoever needs them: what compares rules, knows languages or
reads documents is not loaded by every command.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from seasoned.bandit.performance import Performance
from seasoned.config import Configuration
from seasoned.core.buffer import Buffer
from seasoned.core.bus import Bus
from seasoned.core.clock import Clock
from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.learning.case_store import CaseStore
from seasoned.learning.conflicts import ConflictStore
from seasoned.learning.embedding import Embedding
from seasoned.learning.engine import Engine
from seasoned.learning.episodes import EpisodeStore
from seasoned.learning.error_store import ErrorStore
from seasoned.learning.explanation import Explainer
from seasoned.learning.given import Given
from seasoned.learning.lessons import LessonStore
from seasoned.learning.pending import Pending
from seasoned.learning.tool_records import ToolRecordStore
from seasoned.recall.retriever import Retriever
from seasoned.recall.search import Search
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
    from seasoned.learning.rulebook import Rulebook
    from seasoned.learning.rules import Rules
    from seasoned.learning.teaching import Teacher
    from seasoned.learning.turns import Turns
    from seasoned.llm.embedder import Embedder
    from seasoned.llm.model import Model
    from seasoned.memory.librarian import Librarian
    from seasoned.memory.memory import Memory
    from seasoned.skills.distill import Distiller
    from seasoned.skills.search import Rated
    from seasoned.skills.skills import Skills


@dataclass(frozen=True, slots=True)
class Parts:
    """Built once; everything else is made of these."""

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
    make_buffers: "Callable[[], tuple[Buffer, ...]]"
    make_conversations: "Callable[[], Conversations]"
    make_distiller: "Callable[[], Distiller]"
    make_skills: "Callable[[], Skills]"
    make_memory: "Callable[[], Memory]"
    make_librarian: "Callable[[], Librarian]"

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """The workers of the background."""
        return self.make_buffers()

    def counters(self, name: str) -> dict[str, Any]:
        """What a buffer's worker did and failed to do."""
        for buffer in self.buffers:
            if buffer.name == name:
                return asdict(buffer.counters) | {"nudges": buffer.waiting}
        return {}

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

    @property
    def distiller(self) -> "Distiller":
        """Proposes skills; made once, for it remembers that it still owes some."""
        return self.make_distiller()

    @property
    def skills(self) -> "Skills":
        """Made once, for it holds skills ready to be searched."""
        return self.make_skills()

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

    async def skill_records(self, scope: Scope) -> "dict[str, Rated]":
        """How skills performed; what is still gathered in memory is not waited for."""
        from seasoned.skills.search import Rated

        async with self.db.read() as tx:
            found = await self.performance.store.find(tx, scope, "skill", None)
        return {name: Rated(tally.succeeded, tally.failed) for _, name, tally in found}


@lru_cache(maxsize=4)
def _opinion(embedder: "Embedder") -> "SecondOpinion":
    """What the embedder thinks of uncertain corrections; one that is far away is not asked."""
    from seasoned.corrections.second_opinion import EmbedderOpinion

    return EmbedderOpinion(embedder.embed)
