"""Numbers that would spoil sums for good: refused where they come in, healed where they are."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from seasoned import Seasoned
from seasoned.bandit.experience import Experience
from seasoned.core.clock import FixedClock
from seasoned.core.errors import BadInput
from seasoned.core.ids import new_id
from seasoned.db.connection import Connection
from seasoned.db.migrations import migrations

ABSURD = (1.7e308, math.inf, math.nan, -math.inf, 10**400, 10**5000, "3", True)


def test_an_absurd_duration_of_a_call_is_unknown(seasoned: Seasoned) -> None:
    for took in (*ABSURD, -1, 40.0):
        seasoned.observe("shell", {}, "ok", duration_ms=took)  # pyright: ignore
    (tool,) = seasoned.tools()
    assert (tool.calls, tool.average_ms) == (len(ABSURD) + 2, 40.0)
    (record,) = seasoned.stats()
    assert (record.calls_total, record.avg_duration_ms) == (len(ABSURD) + 2, 40.0)


def test_an_absurd_reward_is_refused_and_spoils_nothing(seasoned: Seasoned) -> None:
    seasoned.reward("search", "bm25", 1.0)
    for reward in (1.1e100, *ABSURD):
        with pytest.raises(BadInput, match="reward"):
            seasoned.reward("search", "bm25", reward)  # pyright: ignore
    assert seasoned.adapt("search", "ucb1").choice is not None
    assert seasoned.evaluate("ucb1", name="search").earned == 1.0


def test_an_absurd_duration_of_an_experience_is_refused(seasoned: Seasoned) -> None:
    for took in ABSURD:
        with pytest.raises(BadInput, match="duration"):
            seasoned.experiences.add([tried(duration_ms=took)])
    assert seasoned.experiences.list() == []


def test_other_absurd_numbers_are_refused() -> None:
    for value in (10**30, 5e-324, math.nan, -1, "x"):
        with pytest.raises(BadInput, match="propensity"):
            Experience("a", propensity=value)  # pyright: ignore
    for value in (10**30, math.nan, -(10**30), "x"):
        with pytest.raises(BadInput, match="step"):
            Experience("a", step=value)  # pyright: ignore
        with pytest.raises(BadInput, match="time"):
            Experience("a", at=value)  # pyright: ignore


def tried(name: str = "", **action: Any) -> Experience:
    return Experience(name or new_id(), action={"skill": "search", **action}, reward=1.0)


def test_a_database_that_holds_absurd_numbers_heals(
    database_url: str, opened: Callable[..., Seasoned], clock: FixedClock
) -> None:
    """As version 11 stored them: 1.7e308 ms twice are infinite."""
    s = opened(database_url, clock=clock)
    for number in range(3):
        s.experiences.add([tried(duration_ms=40.0)])
        s.reward("search", "bm25", 1.0, id=f"r{number}")
    s.observe("shell", {}, "ok", duration_ms=30.0)
    s.stats()
    s.adapt("search", "ucb1")
    s.inner.app.db.run(_spoil(s))
    s.close()
    s = opened(database_url, clock=clock)
    by_name = {one.name: one for one in s.stats()}
    assert by_name["search"].avg_duration_ms == 40.0  # from its sane days
    s.experiences.add([tried(duration_ms=20.0)])
    assert math.isfinite({one.name: one for one in s.stats()}["search"].avg_duration_ms or 0)
    assert all(math.isfinite(one.average_ms or 0) for one in s.tools())
    assert s.adapt("search", "ucb1").choice is not None
    result = s.evaluate("ucb1", name="search")
    assert result.earned == 1.0
    assert all(math.isfinite(one.value) for one in result.estimates)
    assert len(s.experiences.list()) == 7
    assert s.experiences.sample(20)


async def _spoil(s: Seasoned) -> None:
    async def spoil(tx: Connection) -> None:
        await tx.execute("UPDATE performance SET duration_ms = ? WHERE day = -1", (math.inf,))
        await tx.execute(
            "UPDATE performance SET durations = ? WHERE day = -1",
            ('{"zeros":0,"counts":{"35489":2}}',),
        )
        await tx.execute("UPDATE tools SET duration_ms = ?", (math.inf,))
        await tx.execute(
            "UPDATE experiences SET reward = 1.5e308, propensity = 5e-324 WHERE id = 'r0'"
        )
        await tx.execute("DELETE FROM strategies")
        healing = next(one for one in migrations(s.inner.app.db.dialect) if one.version == 12)
        await tx.script(healing.sql)

    async with s.inner.app.db.write() as tx:
        await spoil(tx)
