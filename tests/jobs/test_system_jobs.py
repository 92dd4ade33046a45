"""System jobs look after an installation: each is planned once, run by one, and has a history."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from seasoned import AsyncSeasoned
from seasoned.api.worker.job_worker import JobWorker
from seasoned.core.clock import FixedClock
from seasoned.core.scope import Scope
from seasoned.jobs.job import Job

NAMES = ["system-backup", "system-canary", "system-retention", "system-vacuum"]


def opened(
    url: str, home: Path, settings: Mapping[str, str], clock: FixedClock | None = None
) -> AsyncSeasoned:
    environment = {"SEASONED_HOME": str(home), "SEASONED_JOBS__KEEP_DAYS": "7", **settings}
    return AsyncSeasoned(url, clock=clock, environment=environment)


async def settle(*workers: JobWorker) -> None:
    """Let workers begin, and stop at once."""
    stop = asyncio.Event()
    stop.set()
    await asyncio.gather(*(one.run(stop) for one in workers))


def test_all_of_them_run_and_their_results_are_kept(url: str, tmp_path: Path) -> None:
    async def run() -> dict[str, Job]:
        async with opened(url, tmp_path, {"SEASONED_BACKUP__CRON": "30 2 * * *"}) as s:
            worker = JobWorker(s)
            await settle(worker)
            assert sorted(one.work.name for one in await s.jobs.schedules()) == NAMES
            for name in NAMES:
                await s.jobs.run_now(name)
            await worker.engine.idle()
            assert not await s.jobs.list()  # they are not among the jobs of people
            ana = s.acting_for(Scope(user="ana"))
            assert not await ana.jobs.list(system=True)
            assert not await ana.jobs.schedules()
            return {one.work.name: one for one in await s.jobs.list(system=True)}

    ran = asyncio.run(run())
    assert {name: one.error for name, one in ran.items()} == dict.fromkeys(NAMES, "")
    assert ran["system-canary"].result.startswith("present in")
    assert len([*(tmp_path / "backups").iterdir()]) == 1
    assert "VACUUM" in ran["system-vacuum"].result or "optimize" in ran["system-vacuum"].result


def test_settings_that_change_change_the_plan(url: str, tmp_path: Path) -> None:
    async def rules(cron: str = "") -> dict[str, tuple[str, bool]]:
        async with opened(url, tmp_path, {"SEASONED_BACKUP__CRON": cron}) as s:
            await settle(JobWorker(s), JobWorker(s))
            found = await s.jobs.schedules()
            return {one.work.name: (one.rule.text, one.paused) for one in found}

    async def pause() -> None:
        async with opened(url, tmp_path, {}) as s:
            await s.jobs.pause("system-backup")

    assert "system-backup" not in asyncio.run(rules())
    at_two = asyncio.run(rules("0 2 * * *"))
    assert at_two["system-backup"] == ("0 2 * * *", False)
    asyncio.run(pause())
    at_three = asyncio.run(rules("0 3 * * *"))
    assert at_three["system-backup"] == ("0 3 * * *", True)
    assert "system-backup" not in asyncio.run(rules())
    assert sorted(asyncio.run(rules("nonsense"))) == NAMES[1:]


def test_what_is_older_than_the_settings_keep_is_removed(url: str, tmp_path: Path) -> None:
    clock = FixedClock()

    async def run() -> tuple[list[str], list[str]]:
        async with opened(url, tmp_path, {"SEASONED_SESSION__KEEP_DAYS": "5"}, clock) as s:
            await s.jobs.cancel((await s.jobs.start("long ago")).id)
            await s.turn("hello", "hi", session="long ago")
            await s.end(session="long ago")
            clock.advance(days=8)
            await s.jobs.cancel((await s.jobs.start("today")).id)
            await s.turn("hello", "hi", session="today")
            worker = JobWorker(s)
            await settle(worker)
            await s.jobs.run_now("system-retention")
            await worker.engine.idle()
            jobs = [one.work.name for one in await s.jobs.list()]
            return jobs, [one.scope.session for one in await s.sessions.list()]

    assert asyncio.run(run()) == (["today"], ["today"])


def test_a_result_is_told_in_the_session_where_it_was_asked_for(url: str, tmp_path: Path) -> None:
    async def run() -> list[str]:
        async with opened(url, tmp_path, {}) as s:
            ana, eve = (
                s.acting_for(Scope("acme", "", "ana")),
                s.acting_for(Scope("acme", "", "eve")),
            )
            await ana.turn("hello", "hi", session="monday")
            await ana.replied("hello", "hi", session="monday")
            deliver = s.app.deliverers
            await deliver("session:monday", "All is well.", ana.scope)
            with pytest.raises(Exception, match="no session 'monday'"):
                await deliver("session:monday", "Mine now.", eve.scope)
            return [one.text for one in await ana.sessions.messages("monday")]

    said = asyncio.run(run())
    assert said[-1] == "All is well."
    assert "Mine now." not in said
