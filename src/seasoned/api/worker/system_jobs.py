"""System jobs: what looks after an installation at night, and when."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from seasoned.core.clock import DAY, MINUTE
from seasoned.core.errors import BadInput, Unsupported
from seasoned.jobs.job import Handler, Job, Work
from seasoned.jobs.times import Rule

if TYPE_CHECKING:
    from seasoned.app import App
    from seasoned.db.unit import Change

log = logging.getLogger("seasoned.jobs")

HOUR_SECONDS = 3600
CANARY, RETENTION, VACUUM, BACKUP = "canary", "retention", "vacuum", "backup"
MOST_SESSIONS = 1000  # deleted at once


def system_plan(app: App) -> Sequence[tuple[Work, Rule]]:
    """Return which system jobs run, and when, by the settings."""
    settings, now = app.config.settings, app.clock.now()
    planned = [
        (CANARY, Rule("every", "1h", made_at=now)),
        (RETENTION, Rule("cron", "41 3 * * *", settings.jobs.timezone, now)),
        (VACUUM, Rule("cron", "11 4 * * 0", settings.jobs.timezone, now)),
    ]
    if settings.backup.cron:
        planned.append((BACKUP, Rule("cron", settings.backup.cron, settings.jobs.timezone, now)))
    return [(_work(handler), rule) for handler, rule in planned if _is_right(handler, rule)]


def _is_right(handler: str, rule: Rule) -> bool:
    try:
        rule.check()
    except BadInput as error:  # the others must not fail with it
        log.error("no system job %s: %s", handler, error)
        return False
    return True


def _work(handler: str) -> Work:
    limit = 6 * HOUR_SECONDS if handler in (BACKUP, VACUUM) else HOUR_SECONDS
    return Work(
        *(f"system-{handler}", handler), deliver="none", limit_seconds=limit, is_system=True
    )


def system_handlers(app: App) -> dict[str, Handler]:
    async def canary(job: Job) -> str:
        return await _canary(app)

    async def retention(job: Job) -> str:
        return await _retention(app)

    async def vacuum(job: Job) -> str:
        from seasoned.db.upkeep import tidy

        return await asyncio.to_thread(tidy, app.db.dialect, app.db.where, app.db_url)

    async def backup(job: Job) -> str:
        from seasoned.app.backup import backup

        made = await backup(app)
        return f"{made.path}: {made.bytes} bytes, {len(made.removed)} older ones removed"

    return {CANARY: canary, RETENTION: retention, VACUUM: vacuum, BACKUP: backup}


async def _canary(app: App) -> str:
    """Tell how the last flight went if this process serves, and flies for its health anyway."""
    minutes, flight = app.config.settings.server.canary_minutes, app.canary.last
    age = None if flight.at is None else app.clock.now() - flight.at
    if age is None or not minutes or age > 2 * minutes * MINUTE:
        flight = await asyncio.to_thread(app.canary.fly)
    if flight.state == "failed":
        raise Unsupported(f"learning does not work: {flight.reason}")
    return f"{flight.state} in {flight.seconds} s"


async def _retention(app: App) -> str:
    """Delete what is older than the settings keep it."""
    from seasoned.sessions.session_store import SessionStore
    from seasoned.tools.builtin.schedule_store import ScheduleStore

    settings, now = app.config.settings, app.clock.now()
    before = now - int(settings.jobs.keep_days * DAY)

    async def remove(change: Change) -> str:
        runs = await app.jobs.store.remove_ended(change, before)
        runs += await ScheduleStore().remove_over(change, before)
        sessions, oldest = 0, None
        if settings.session.keep_days:
            oldest = now - int(settings.session.keep_days * DAY)
            sessions = await SessionStore().delete_ended(change, oldest, MOST_SESSIONS)
        await app.lessons.uses.forget_old(change, oldest)
        if sessions:
            change.record("sessions.expired", "", {"sessions": sessions})
        return f"removed {runs} runs and {sessions} sessions"

    return await app.unit.run(app.unit.change(remove))
