"""Performance of skills and tools, for all time and for recent days."""

import asyncio
from collections.abc import Callable
from random import Random

import pytest

from seasoned import AsyncSeasoned, Seasoned
from seasoned.bandit.call import Call
from seasoned.bandit.experience import Experience
from seasoned.bandit.performance import Performance
from seasoned.core.clock import FixedClock
from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.db.database import Database

HERE = Scope()


def test_every_observed_tool_call_counts(seasoned: Seasoned, clock: FixedClock) -> None:
    for ms in range(1, 101):
        seasoned.observe("shell", {"n": ms}, result="ok", duration_ms=float(ms))
    seasoned.observe("shell", {}, error="boom")
    seasoned.observe("browser", {}, result="ok")
    shell, browser = seasoned.stats()
    assert (shell.name, shell.kind, shell.calls_total) == ("shell", "tool", 101)
    assert (shell.calls_success, shell.calls_failed) == (100, 1)
    assert shell.avg_duration_ms == pytest.approx(50.5)
    assert shell.p95_duration_ms == pytest.approx(95, rel=0.011)
    assert shell.last_called == clock.now()
    assert (browser.calls_total, browser.avg_duration_ms, browser.avg_score) == (1, None, None)
    assert seasoned.stats("browser") == [browser]
    assert seasoned.stats(kind="skill") == []


def test_what_was_observed_is_there_after_a_restart(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    s = opened(database_url)
    for _ in range(10):
        s.observe("shell", {}, result="ok", duration_ms=5.0)
    s.close()
    (record,) = opened(database_url).stats()
    assert record.calls_total == 10
    assert record.p95_duration_ms == pytest.approx(5, rel=0.011)


def test_the_last_days_are_told_apart_from_all_time(seasoned: Seasoned, clock: FixedClock) -> None:
    for ms in (10.0, 20.0, 30.0):
        seasoned.observe("shell", {}, result="ok", duration_ms=ms)
        clock.advance(days=1)
    seasoned.observe("shell", {}, error="boom", duration_ms=1000.0)
    totals = [seasoned.stats(days=days)[0].calls_total for days in (1, 2, 3, 4, 400)]
    assert totals == [1, 2, 3, 4, 4]
    assert seasoned.stats(days=1)[0].p95_duration_ms == pytest.approx(1000, rel=0.011)
    assert seasoned.stats()[0].calls_total == 4
    clock.advance(days=50)
    assert seasoned.stats(days=30) == []


def test_experiences_tell_of_calls_and_each_counts_once(seasoned: Seasoned) -> None:
    action = {"skill": "search", "duration_ms": 40, "success": True}
    told = [Experience(f"e{n}", action=action, reward=1.0) for n in range(4)]
    failed = Experience("f", action={"tool": "grep", "success": False})
    silent = Experience("s", action={"skill": "search"})
    seasoned.experiences.add([*told, failed, silent])
    seasoned.experiences.add(told)
    search, grep = seasoned.stats()
    assert (search.name, search.kind, search.calls_total) == ("search", "skill", 5)
    assert (search.calls_success, search.avg_score) == (4, 0.0)  # the silent one has a score
    assert (grep.name, grep.kind, grep.calls_failed) == ("grep", "tool", 1)


def test_scores_are_averaged_and_are_no_calls(db: Database, clock: FixedClock) -> None:
    performance = Performance(db, clock)
    calls = [Call("skill", "search", score=score) for score in (1.0, 0.5, -0.75)]
    db.run(performance.note([*calls, Call("skill", "search", success=True)], HERE))
    (record,) = db.run(performance.records(HERE))
    assert (record.calls_total, record.calls_success, record.scores) == (1, 1, 3)
    assert record.avg_score == pytest.approx(0.25)


def test_the_quantile_stays_right_and_small_over_many_writes(
    db: Database, clock: FixedClock
) -> None:
    performance, rng, took = Performance(db, clock), Random(1), list[float]()
    for _ in range(20):
        some = [rng.lognormvariate(3, 2) for _ in range(100)]
        took += some
        calls = [Call("tool", "shell", True, ms, at=clock.now()) for ms in some]
        db.run(performance.note(calls, HERE))
    (record,) = db.run(performance.records(HERE))
    assert record.p95_duration_ms == pytest.approx(sorted(took)[1899], rel=0.011)

    async def size() -> int:
        async with db.read() as tx:
            rows = await tx.fetch("SELECT durations FROM performance")
            return max(len(row[0]) for row in rows)

    assert db.run(size()) < 8000


def test_nothing_crosses_tenants(database_url: str, opened: Callable[..., Seasoned]) -> None:
    one, other = opened(database_url, tenant="a"), opened(database_url, tenant="b")
    one.observe("shell", {}, result="ok")
    assert other.stats() == []
    assert one.stats()[0].calls_total == 1


def test_asynchronous_code_gets_the_same(database_url: str, home: object) -> None:
    async def run() -> int:
        async with AsyncSeasoned(database_url) as s:
            await asyncio.gather(*(s.observe("shell", {"n": n}, result="ok") for n in range(20)))
            return (await s.stats())[0].calls_total

    assert asyncio.run(run()) == 20


def test_a_window_without_a_day_is_refused(seasoned: Seasoned) -> None:
    with pytest.raises(BadInput, match="give a number of days"):
        seasoned.stats(days=0)


@pytest.mark.parametrize("ms", [-1.0, float("nan"), float("inf")])
def test_an_impossible_duration_is_refused(ms: float) -> None:
    with pytest.raises(BadInput, match="0 or more"):
        Call("tool", "shell", True, ms)
