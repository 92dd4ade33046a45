"""The composition root: builds every part once, in the order in which they need one another."""

from dataclasses import dataclass
from typing import Any

from seasoned.config import Configuration
from seasoned.core.bus import Bus
from seasoned.core.clock import Clock, SystemClock
from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.db.opening import open_database
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
from seasoned.security.audit import AuditStore


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
    retriever: Retriever

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
            }
        return {
            "database": self.db.where,
            "dialect": self.db.dialect,
            "learning": self.config.settings.knowledge.enabled,
            "hints": self.config.settings.agent.error_correction_enabled,
            "hint_confidence": self.config.settings.agent.auto_apply_confidence,
            **counts,
            "listener_failures": dict(self.bus.failures),
        }


def build(config: Configuration, database_url: str, clock: Clock | None = None) -> App:
    settings = config.settings
    clock = clock or SystemClock()
    bus = Bus()
    db = open_database(database_url, busy_seconds=settings.database.busy_seconds)
    audit, lessons, errors = AuditStore(db), LessonStore(db), ErrorStore(db)
    episodes, tools = EpisodeStore(), ToolRecordStore()
    threshold = settings.agent.auto_apply_confidence
    fixes = Fixes(lessons, FixConfig(hint_confidence=threshold))
    hints = Hints(lessons, HintConfig(confidence=threshold))
    engine = Engine(
        *(db, lessons, errors, episodes, tools, fixes, hints, audit, bus, clock),
        EngineConfig(settings.knowledge.enabled, settings.agent.error_correction_enabled),
    )
    return App(
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
        retriever=Retriever(
            db,
            lessons,
            RetrieverConfig(
                limit=settings.knowledge.max_context_per_layer,
                least_confidence=threshold,
                budget_tokens=settings.knowledge.context_tokens,
            ),
        ),
    )
