"""What a user said in one session holds in the next, however soon that begins."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.server.live.scripts import wait_until

from seasoned import Seasoned
from seasoned.api import AsyncSeasoned
from seasoned.core.scope import Scope

Opened = Callable[..., Seasoned]
RULE = "Use podman, not docker."
NEXT = "start the database container"
NEVER = {"SEASONED_BEHAVIORAL__DELAY_SECONDS": "60"}  # longer than a test, but not the interval
SOON = {"SEASONED_BEHAVIORAL__DELAY_SECONDS": "0.05"}


def corrected(s: Seasoned, session: str = "s1") -> None:
    s.turn("start the database in a container", "I ran `docker run postgres`.", session=session)
    assert s.turn("no, use podman, not docker", session=session).lasts


def lasting(s: Seasoned) -> list[str]:
    return [rule.content for rule in s.rules.list()]


def test_another_session_of_the_user_begins_with_it(database_url: str, opened: Opened) -> None:
    s = opened(database_url, user="ana", environment=NEVER)
    corrected(s)
    assert RULE in s.recall(NEXT, session="s1").text
    assert lasting(s) == []  # its own session has it already, and need not wait
    assert RULE in s.recall(NEXT, session="s2").text
    assert lasting(s) == [RULE]


def test_the_end_of_a_session_makes_it_last(database_url: str, opened: Opened) -> None:
    s = opened(database_url, environment=NEVER)
    corrected(s)
    s.end(session="s1")
    assert lasting(s) == [RULE]
    assert s.corrections.pending() == []


def test_it_lasts_soon_if_nothing_else_happens(database_url: str, opened: Opened) -> None:
    s = opened(database_url, environment=SOON)
    corrected(s)
    wait_until(lambda: lasting(s) == [RULE])


def test_what_a_killed_process_left_is_learned_from_soon(database_url: str, opened: Opened) -> None:
    dead = opened(database_url, environment=NEVER)
    corrected(dead)
    dead.inner.app.workers.cancel()
    s = opened(database_url, environment=SOON)
    wait_until(lambda: lasting(s) == [RULE])


@pytest.mark.sqlite_only
def test_in_an_event_loop_only_the_user_waits_for_it(sqlite_url: str, home: Path) -> None:
    async def story() -> list[str]:
        async with AsyncSeasoned(sqlite_url, environment=NEVER) as s:
            ana, bob = (s.acting_for(Scope(user=name)) for name in ("ana", "bob"))
            await ana.turn("start it in a container", "I ran `docker run`.", session="s1")
            await ana.turn("no, use podman, not docker", session="s1")
            others = (await bob.recall(NEXT, session="b1")).text
            assert len(await ana.corrections.pending()) == 1
            return [others, (await ana.recall(NEXT, session="s2")).text]

    others, own = asyncio.run(story())
    assert others == ""
    assert RULE in own


def test_a_long_delay_leaves_it_to_the_interval(database_url: str, opened: Opened) -> None:
    s = opened(database_url, environment={"SEASONED_BEHAVIORAL__DELAY_SECONDS": "120"})
    corrected(s)
    assert s.recall(NEXT, session="s2").text == ""
    s.end(session="s1")
    assert len(s.corrections.pending()) == 1
