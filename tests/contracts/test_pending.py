"""The queue of corrections: a cap with a warning, and retries after failures."""

import json
import logging
import sys
from typing import Any

import pytest

from seasoned.core.clock import HOUR, SECOND
from seasoned.core.errors import BadInput, DatabaseUnavailable
from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.rules.case import Case
from seasoned.rules.pending import LEASE, Pending, backoff, colour, open_pending

from .conftest import Place

NOW = 1_700_000_000_000_000


def case(name: str, **fields: Any) -> Case:
    told: dict[str, Any] = {"message": "No, use tabs.", "kind": "instead", "score": 0.9, **fields}
    return Case(name, NOW, Scope("t", "p", "u", "s"), **told)


def fill(place: Place, pending: Pending, many: int) -> list[int]:
    return [place.run(pending.push(case(f"c{n:02}"), NOW + n)) for n in range(many)]


def test_a_case_comes_back_as_it_was(place: Place) -> None:
    pending = Pending(place.queue())
    told = case(
        "a",
        request="Format it 🙂",
        reply="\tdone\x01",
        tool_calls=[{"tool": "fmt", "params": {"n": 1}}],
        rules=["r1"],
    )
    assert place.run(pending.push(told, NOW)) == 0
    (claimed,) = place.run(pending.claim(5, NOW))
    assert claimed.case == told
    assert claimed.item.claimed_until == NOW + LEASE


def test_what_the_cap_trims_is_one_line_with_the_exact_count(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    pending = Pending(place.queue(cap=50))
    with caplog.at_level(logging.WARNING):
        fill(place, pending, 50)
        assert caplog.messages == []
        more = [case(f"d{n}") for n in range(10)]
        assert place.run(pending.push_all(more, NOW)) == 10
    (line,) = caplog.messages
    assert line.startswith("behavioral.queue_cap_trimmed count=10 cap=50")
    status = place.run(pending.status(NOW))
    assert (status["pending"], status["archived"], status["evicted"]) == (50, 10, 10)
    archived = place.run(pending.queue.list(archived=True))
    assert [item.id for item in archived] == [f"c{n:02}" for n in range(9, -1, -1)]


def test_an_unreadable_case_keeps_its_error_and_blocks_nothing(place: Place) -> None:
    queue = place.queue()
    pending = Pending(queue)
    bad = {
        "json": '{"id": "json"',
        "list": '["list"]',
        "deep": "[" * 3000 + "]" * 3000,
        "empty": '{"id": "empty"}',
        "number": json.dumps({"id": "number", "message": 5, "kind": "k", "score": 1}),
        "field": json.dumps({"id": "field", "message": "m", "kind": "k", "score": 1, "x": 1}),
    }
    for name, text in bad.items():
        place.run(queue.push(name, text, NOW))
    fill(place, pending, 2)
    assert [one.case.id for one in place.run(pending.claim(2, NOW + 5))] == ["c00", "c01"]
    status = place.run(pending.status(NOW + 5))
    assert (status["pending"], status["failing"], status["claimed"]) == (8, 6, 2)
    for name in bad:
        item = place.run(queue.get(name))
        assert (item.attempts, item.claimed_until) == (1, 0)
        assert item.error.startswith(("not a ", "this correction has no "))
        assert item.due_at == NOW + 5 + backoff(1, name)
    assert place.run(pending.claim(9, NOW + 6)) == []


def test_fields_missing_in_a_foreign_case_come_from_the_queue(place: Place) -> None:
    queue = place.queue()
    place.run(queue.push("z9", '{"message": "no \\ud83d", "kind": "instead", "score": 1}', NOW))
    (claimed,) = place.run(Pending(queue).claim(1, NOW))
    assert claimed.case == Case("z9", NOW, Scope(), "no \ufffd", "instead", 1)


def test_retries_back_off(place: Place) -> None:
    pending = Pending(place.queue())
    place.run(pending.push(case("a"), NOW))
    now, waits = NOW, list[float]()
    for _ in range(10):
        (claimed,) = place.run(pending.claim(1, now))
        due_at = place.run(pending.fail(claimed.item, "no model answers", now))
        assert place.run(pending.claim(1, due_at - 1)) == []
        waits.append((due_at - now) / SECOND)
        now = due_at
    wanted = [30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]
    assert all(0.9 * most <= wait <= most for wait, most in zip(waits, wanted, strict=True))
    assert place.run(pending.queue.get("a")).error == "no model answers"


def test_retries_of_one_batch_are_spread_out() -> None:
    assert len({backoff(3, f"c{n}") for n in range(50)}) > 45
    assert max(backoff(n, "a") for n in range(1, 5000)) <= HOUR


def test_the_status_shows_how_full_it_is_and_how_old_the_oldest(place: Place) -> None:
    pending = Pending(place.queue(cap=10))
    assert place.run(pending.status(NOW))["oldest_age_seconds"] is None
    fill(place, pending, 12)
    assert place.run(pending.status(NOW + 2 + 90 * SECOND)) == {
        "where": pending.queue.where,
        "pending": 10,
        "failing": 0,
        "claimed": 0,
        "archived": 2,
        "evicted": 2,
        "cap": 10,
        "colour": "red",
        "oldest_at": NOW + 2,
        "oldest_age_seconds": 90,
        "aside": 0,
        "error": "",
    }


def test_the_colours_follow_the_cap() -> None:
    assert [colour(n, 10) for n in (0, 3, 4, 7, 8, 11)] == [
        *("green", "green", "yellow", "yellow", "red", "red")
    ]
    assert [colour(n, 1) for n in (0, 1)] == ["green", "red"]


def test_while_redis_is_away_the_database_keeps_what_comes(
    db: Database, redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    nowhere = open_pending("redis://127.0.0.1:1/0", db, 3)
    with caplog.at_level(logging.WARNING):
        for name in "abcd":
            db.run(nowhere.push(case(name), NOW))
    assert "correction a waits in" in caplog.messages[0]
    assert "cannot reach the queue at redis://127.0.0.1:1/0" in caplog.messages[0]
    with caplog.at_level(logging.WARNING):
        status = db.run(nowhere.status(NOW))
    assert caplog.messages[-1].startswith("behavioral.queue_cap_trimmed count=1 cap=3")
    assert (status["aside"], status["colour"], status["pending"]) == (3, "red", 0)
    assert status["error"].startswith("cannot reach the queue")
    with pytest.raises(DatabaseUnavailable):
        db.run(nowhere.claim(9, NOW))

    there = open_pending(redis_url, db, 3)
    db.run(there.push(case("e"), NOW))
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        assert [one.case.id for one in db.run(there.claim(9, NOW))] == ["b", "c", "d"]
    assert [line.split(";")[0] for line in caplog.messages] == [
        "behavioral.queue_cap_trimmed count=1 cap=3"
    ]
    status = db.run(there.status(NOW))
    assert (status["aside"], status["pending"], status["archived"]) == (0, 3, 1)
    for pending in (nowhere, there):
        db.run(pending.queue.close())


def test_without_an_address_the_database_is_the_queue(db: Database) -> None:
    pending = open_pending("", db, 3)
    db.run(pending.push(case("a"), NOW))
    assert db.run(pending.status(NOW))["where"] == db.where
    assert [one.case.id for one in db.run(pending.claim(9, NOW))] == ["a"]


def test_without_the_driver_the_database_keeps_what_comes(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    pending = open_pending("redis://127.0.0.1:1/0", db, 3)
    db.run(pending.push(case("a"), NOW))
    status = db.run(pending.status(NOW))
    assert (status["aside"], status["colour"]) == (1, "red")
    assert "[redis]" in status["error"]


@pytest.mark.parametrize("on_redis", [False, True])
def test_a_case_is_pushed_with_the_rest_of_a_transaction_or_not_at_all(
    db: Database, redis_url: str, on_redis: bool
) -> None:
    pending = open_pending(redis_url if on_redis else "", db, 3)

    async def pushed(name: str, *, fails: bool) -> None:
        async with db.write() as tx:
            assert await pending.push_within(tx, case(name), NOW) == 0
            if fails:
                raise BadInput("after all")

    with pytest.raises(BadInput, match="after all"):
        db.run(pushed("a", fails=True))
    db.run(pushed("b", fails=False))
    assert [one.case.id for one in db.run(pending.claim(9, NOW))] == ["b"]
    db.run(pending.queue.close())
