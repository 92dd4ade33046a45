"""Health: counts for a scope, and failures of workers and listeners."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from seasoned.core.scope import Scope
from seasoned.db.database import Connection

if TYPE_CHECKING:
    from seasoned.app.services import AppServices
    from seasoned.app.workers import Workers

QUEUE_LABELS = {
    "green": "",
    "yellow": "High — corrections pending analysis",
    "red": "Near cap",
}


async def status_of(app: AppServices, workers: Workers, scope: Scope) -> dict[str, Any]:
    """Return counts for a scope, and failures of workers and listeners."""
    from seasoned.llm.cost.spending import SpendingStore

    async with app.db.read() as tx:
        tools = await app.tools.count(tx, scope)
        counts: dict[str, Any] = {
            **tools,
            "errors": await app.errors.count(tx, scope),
            "lessons": await app.lessons.count(tx, scope),
            "episodes": await app.episodes.count(tx, scope),
            "audit_events": await app.audit.count(tx),
            "embedding": await app.embedding.status(tx),
            "graph": asdict(await app.graph.status(tx, scope)) | workers.counters("graph"),
        }
        counts["conversations"] = await _conversations(app, workers, tx)
        counts["fixes"] = await _fixes(app, workers, tx, scope)
        counts["skills"] = await _skills(app, workers, tx, scope)
        counts |= await _memory(app, workers, tx, scope)
        counts["models"] = [asdict(row) for row in await SpendingStore(app.db).summary(tx, 1)]
        counts["corrections"] = {
            "analysed": await app.cases.count(tx),
            "conflicts": await app.conflicts.count(tx),
        }
    counts["corrections"]["queue"] = await app.pending.status(app.clock.now())
    return {
        "database": app.db.where,
        "dialect": app.db.dialect,
        "learning": app.config.settings.knowledge.enabled,
        "hints": app.config.settings.agent.error_correction_enabled,
        "hint_confidence": app.config.settings.agent.auto_apply_confidence,
        **counts,
        "buffers": {name: workers.counters(name) for name in workers.buffers},
        "notices": asdict(app.notices.counters) if app.notices else None,
        "listener_failures": dict(app.bus.failures),
    }


def worker_errors(app: AppServices, workers: Workers) -> dict[str, str]:
    """Return the last error of each worker whose latest batch failed."""
    buffers = workers.buffers.items()
    found = {name: one.counters.last_error for name, one in buffers if one.counters.last_error}
    if app.notices is not None and app.notices.counters.last_error:
        found["notices"] = app.notices.counters.last_error
    return found


def buffers_of(workers: Workers) -> dict[str, dict[str, Any]]:
    """Return each worker's buffer: its depth, and what spilled over it."""
    return {
        name: {"depth": one.waiting, "capacity": one.config.capacity, **asdict(one.counters)}
        for name, one in workers.buffers.items()
    }


async def _conversations(app: AppServices, workers: Workers, tx: Connection) -> dict[str, Any]:
    """Return who reads conversations, and how many ended ones wait."""
    from seasoned.sessions.session_store import SessionStore

    least = app.config.settings.session.min_messages
    waiting = await SessionStore().unlearned(tx, least, 1000)
    reader = app.config.settings.llm.model or "plain"
    return {"by": reader, "sessions_waiting": len(waiting)} | workers.counters("conversations")


async def _fixes(
    app: AppServices, workers: Workers, tx: Connection, scope: Scope
) -> dict[str, Any]:
    """Return who words fixes, and how many wait for a model."""
    from seasoned.lessons.distilled import count_undistilled

    model = app.config.settings.llm.model
    waiting = await count_undistilled(tx, scope.tenant, scope.project) if model else 0
    return {"by": model or "plain", "waiting": waiting} | workers.counters("fixes")


async def _memory(
    app: AppServices, workers: Workers, tx: Connection, scope: Scope
) -> dict[str, Any]:
    """Return the size of memory, its backlog, and the librarian's inquiries."""
    from seasoned.memory.inquiries import InquiryStore
    from seasoned.memory.memory_store import MemoryStore

    settings = app.config.settings
    tokens, model = settings.memory.observe_tokens, settings.llm.model
    waiting = await MemoryStore().waiting(tx, "observed_to", tokens, 1000)
    memory = {"enabled": settings.memory.enabled, "by": model or "plain"}
    memory |= await MemoryStore().count(tx, scope) | {"sessions_waiting": len(waiting)}
    note = "" if model else "there is no model (llm.model), so nothing is asked"
    asked = {"enabled": settings.librarian.enabled, "by": model, "note": note}
    asked |= await InquiryStore().count(tx, scope)
    return {
        "memory": memory | workers.counters("memory"),
        "librarian": asked | workers.counters("librarian"),
    }


async def _skills(
    app: AppServices, workers: Workers, tx: Connection, scope: Scope
) -> dict[str, Any]:
    """Count active, proposed and retired skills."""
    from seasoned.skills.skill_store import SkillStore

    return await SkillStore().count(tx, scope) | workers.counters("skills")
