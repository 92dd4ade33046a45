"""Builds the parts that the settings ask for, in the order in which they need one another."""

from functools import cache

from seasoned.app.app import App
from seasoned.app.background import (
    conversations_of,
    distiller_of,
    librarian_of,
    memory_of,
    skills_of,
)
from seasoned.app.buffers import buffers_of
from seasoned.app.joining import join
from seasoned.app.optional import embedder_of, graph_rag_of, notices_of, propagation_of
from seasoned.bandit.performance import Performance
from seasoned.config import Configuration
from seasoned.core.bus import Bus
from seasoned.core.clock import Clock, SystemClock
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
from seasoned.learning.pending import open_pending
from seasoned.learning.tool_records import ToolRecordStore
from seasoned.recall.retriever import Retriever, RetrieverConfig
from seasoned.recall.search import Search, SearchConfig
from seasoned.security.audit import AuditStore


def build(config: Configuration, database_url: str, clock: Clock | None = None) -> App:
    settings = config.settings
    clock = clock or SystemClock()
    bus = Bus()
    db = open_database(database_url, busy_seconds=settings.database.busy_seconds)
    embedder, missing = embedder_of(config)
    at_once = Alike(embedder, clock) if embedder is not None and embedder.local else None
    audit, lessons, errors = AuditStore(db), LessonStore(db), ErrorStore(db, at_once)
    episodes, tools = EpisodeStore(), ToolRecordStore()
    threshold = settings.agent.auto_apply_confidence
    propagation = propagation_of(config, lessons) if settings.graph.enabled else None
    fixes = Fixes(lessons, FixConfig(hint_confidence=threshold), propagation)
    hints = Hints(lessons, HintConfig(confidence=threshold))
    engine = Engine(
        *(db, lessons, errors, episodes, tools, fixes, hints, audit, bus, clock),
        EngineConfig(settings.knowledge.enabled, settings.agent.error_correction_enabled),
    )
    embedding = Embedding(db, lessons.vectors, errors.similar, embedder, clock, missing)
    seconds = settings.knowledge.deadline_seconds
    search = Search(db, lessons, embedding, clock, SearchConfig(seconds=seconds))
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
        given=Given(db, lessons, clock),
        performance=Performance(db, clock),
        notices=notices_of(config),
        embedding=embedding,
        search=search,
        retriever=Retriever(
            *(db, lessons, tools, search, graph_rag_of(config, db, lessons), conflicts),
            RetrieverConfig(
                limit=settings.knowledge.max_context_per_layer,
                least_confidence=threshold,
                budget_tokens=settings.knowledge.context_tokens,
                seconds=seconds,
            ),
        ),
        make_buffers=cache(lambda: buffers_of(app)),
        make_conversations=cache(lambda: conversations_of(app, app.background("conversations"))),
        make_distiller=cache(lambda: distiller_of(app, app.background("skills"))),
        make_skills=cache(lambda: skills_of(app)),
        make_memory=cache(lambda: memory_of(app, app.background("memory"))),
        make_librarian=cache(lambda: librarian_of(app, app.background("librarian"))),
    )
    app.make_buffers()  # here, once: several threads will ask for them
    join(app, embedder)
    return app
