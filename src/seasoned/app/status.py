"""What a scope has, in numbers, and whether a part has failed."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from seasoned.core.scope import Scope
from seasoned.db.database import Connection

if TYPE_CHECKING:
    from seasoned.app.parts import Parts


async def status_of(app: Parts, scope: Scope) -> dict[str, Any]:
    """What this scope has, in numbers, and whether a part has failed."""
    from seasoned.llm.spending import SpendingStore

    async with app.db.read() as tx:
        tools = await app.tools.count(tx, scope)
        counts: dict[str, Any] = {
            **tools,
            "errors": await app.errors.count(tx, scope),
            "lessons": await app.lessons.count(tx, scope),
            "episodes": await app.episodes.count(tx, scope),
            "audit_events": await app.audit.count(tx),
            "embedding": await app.embedding.status(tx),
            "graph": asdict(await app.graph.status(tx, scope)) | app.counters("graph"),
        }
        counts["conversations"] = await _heard(app, tx)
        counts["skills"] = await _skilled(app, tx, scope)
        counts |= await _remembered(app, tx, scope)
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
        "buffers": {buffer.name: app.counters(buffer.name) for buffer in app.buffers},
        "notices": asdict(app.notices.counters) if app.notices else None,
        "listener_failures": dict(app.bus.failures),
    }


async def _heard(app: Parts, tx: Connection) -> dict[str, Any]:
    """Who reads conversations, and how many that are over wait to be read."""
    from seasoned.memory.session_store import SessionStore

    least = app.config.settings.session.min_messages
    waiting = await SessionStore().unlearned(tx, least, 1000)
    reader = app.config.settings.llm.model or "plain"
    return {"by": reader, "sessions_waiting": len(waiting)} | app.counters("conversations")


async def _remembered(app: Parts, tx: Connection, scope: Scope) -> dict[str, Any]:
    """What is remembered of conversations, what waits, and what the librarian asks."""
    from seasoned.memory.inquiry_store import InquiryStore
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
        "memory": memory | app.counters("memory"),
        "librarian": asked | app.counters("librarian"),
    }


async def _skilled(app: Parts, tx: Connection, scope: Scope) -> dict[str, Any]:
    """How many skills are in use, proposed and retired."""
    from seasoned.skills.store import SkillStore

    return await SkillStore().count(tx, scope) | app.counters("skills")
