"""Every queue keeps order, archives beyond its cap, and has leases and retries."""

import asyncio
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from seasoned.core.errors import BadInput, ConfigError, NotFound
from seasoned.db.connection import Connection
from seasoned.db.queue.opening import open_queue
from seasoned.db.queue.queue import Queue, QueueDepth, QueueItem

from .conftest import Place

NOW = 1_700_000_000_000_000
LEASE = 60_000_000


def body(item_id: str, text: str = "") -> str:
    return json.dumps({"id": item_id, "message": text}, ensure_ascii=False)


def fill(place: Place, queue: Queue, *ids: str, now: int = NOW) -> list[int]:
    return [place.run(queue.push(one, body(one), now + n)) for n, one in enumerate(ids)]


def ids(items: Sequence[QueueItem]) -> list[str]:
    return [item.id for item in items]


def listed(place: Place, queue: Queue, *, archived: bool = False) -> list[str]:
    return ids(place.run(queue.list(archived=archived, limit=1000)))


def test_the_newest_is_listed_first_and_the_oldest_is_claimed_first(place: Place) -> None:
    queue = place.queue()
    fill(place, queue, "a", "b", "c")
    assert listed(place, queue) == ["c", "b", "a"]
    assert ids(place.run(queue.list(limit=2))) == ["c", "b"]
    claimed = place.run(queue.claim(2, NOW + 5, LEASE))
    assert claimed == [
        QueueItem("a", body("a"), NOW, NOW, claimed_until=NOW + 5 + LEASE),
        QueueItem("b", body("b"), NOW + 1, NOW + 1, claimed_until=NOW + 5 + LEASE),
    ]


def test_the_same_id_twice_is_one_item(place: Place) -> None:
    queue = place.queue(cap=2)
    fill(place, queue, "a", "a", "b")
    place.run(queue.push("a", body("a", "otherwise"), NOW))
    assert listed(place, queue) == ["b", "a"]
    assert place.run(queue.get("a")).body == body("a")
    fill(place, queue, "c")
    assert fill(place, queue, "a") == [0]  # an archived id counts as present
    assert (listed(place, queue), listed(place, queue, archived=True)) == (["c", "b"], ["a"])


def test_sixty_against_a_cap_of_fifty_leave_fifty_and_an_archive_of_ten(place: Place) -> None:
    queue = place.queue(cap=50)
    names = [f"c{n:02}" for n in range(60)]
    assert fill(place, queue, *names) == [0] * 50 + [1] * 10
    assert listed(place, queue) == names[:9:-1]
    assert listed(place, queue, archived=True) == names[9::-1]
    assert place.run(queue.depth(NOW)) == QueueDepth(50, 0, 0, 10, NOW + 10, 10)


def test_a_smaller_cap_evicts_all_that_is_too_much_at_once(place: Place) -> None:
    fill(place, place.queue(cap=9), *"abcdefghi")
    assert fill(place, place.queue(cap=4), "j") == [6]
    assert listed(place, place.queue()) == ["j", "i", "h", "g"]


def test_queues_of_different_names_are_separate(place: Place) -> None:
    one, other = place.queue(name="one"), place.queue(name="other")
    fill(place, one, "a")
    fill(place, other, "a", "b")
    place.run(one.finish("a"))
    assert (listed(place, one), listed(place, other)) == ([], ["b", "a"])


def test_a_claimed_item_is_exclusive_until_its_lease_ends(place: Place) -> None:
    queue, other = place.queue(), place.queue()
    fill(place, queue, "a", "b")
    assert ids(place.run(queue.claim(1, NOW + 9, LEASE))) == ["a"]
    assert ids(place.run(other.claim(9, NOW + 9, LEASE))) == ["b"]
    assert place.run(other.claim(9, NOW + 8 + LEASE, LEASE)) == []
    assert ids(place.run(other.claim(9, NOW + 9 + LEASE, LEASE))) == ["a", "b"]
    assert place.run(queue.claim(0, NOW + 10 * LEASE, LEASE)) == []


def test_what_is_finished_is_gone_even_if_it_was_archived_meanwhile(place: Place) -> None:
    queue = place.queue(cap=1)
    fill(place, queue, "a")
    place.run(queue.claim(1, NOW, LEASE))
    assert fill(place, queue, "b") == [1]
    assert [place.run(queue.finish(one)) for one in ("a", "a", "b", "?")] == [
        True,
        False,
        True,
        False,
    ]
    assert place.run(queue.depth(NOW)) == QueueDepth(0, 0, 0, 0, None, 1)
    assert fill(place, queue, "a") == [0]  # the id can be pushed again
    assert listed(place, queue) == ["a"]


def test_what_failed_is_due_later_and_shows_its_error(place: Place) -> None:
    queue = place.queue()
    fill(place, queue, "a", "b")
    for n in (1, 2):
        place.run(queue.claim(1, NOW + n, LEASE))
        assert place.run(queue.fail("a", f"timed out {n}", NOW + n + 1))
    failed = place.run(queue.get("a"))
    assert failed == QueueItem("a", body("a"), NOW, NOW + 3, attempts=2, error="timed out 2")
    assert ids(place.run(queue.claim(9, NOW + 2, LEASE))) == ["b"]
    assert place.run(queue.depth(NOW + 2)) == QueueDepth(2, 1, 1, 0, NOW, 0)
    assert ids(place.run(queue.claim(9, NOW + 3, LEASE))) == ["a"]
    assert not place.run(queue.fail("nobody", "?", NOW))


def test_retrying_makes_failed_items_due_but_not_claimed_ones(place: Place) -> None:
    queue = place.queue()
    fill(place, queue, "a", "b", "c", "d")
    for one in ("a", "b", "c"):
        place.run(queue.fail(one, "no model", NOW + 10 * LEASE if one != "c" else NOW))
    assert ids(place.run(queue.claim(1, NOW + 5, LEASE))) == ["c"]
    assert place.run(queue.retry(None, NOW + 6)) == 2
    assert ids(place.run(queue.claim(9, NOW + 6, LEASE))) == ["a", "b", "d"]
    assert place.run(queue.retry(None, NOW + 7)) == 0


def test_an_archived_one_comes_back_as_the_newest_if_there_is_room(place: Place) -> None:
    queue = place.queue(cap=2)
    fill(place, queue, "a", "b", "c")
    with pytest.raises(BadInput, match=r"a stays in the archive: 2 wait already.*queueCap"):
        place.run(queue.retry("a", NOW))
    assert listed(place, queue, archived=True) == ["a"]
    place.run(queue.finish("b"))
    assert place.run(queue.retry("a", NOW + 7)) == 1
    back = place.run(queue.get("a"))
    assert (back.archived, back.added_at, back.due_at) == (False, NOW, NOW + 7)
    assert fill(place, queue, "d") == [1]
    assert (listed(place, queue), listed(place, queue, archived=True)) == (["d", "a"], ["c"])


def test_an_item_archived_while_claimed_is_restored_unclaimed(place: Place) -> None:
    queue = place.queue(cap=1)
    fill(place, queue, "a")
    place.run(queue.claim(1, NOW, LEASE))
    fill(place, queue, "b")
    place.run(queue.finish("b"))
    place.run(queue.retry("a", NOW + 1))
    assert ids(place.run(queue.claim(1, NOW + 1, LEASE))) == ["a"]


def test_an_item_is_found_by_a_unique_prefix(place: Place) -> None:
    queue = place.queue(cap=3)
    fill(place, queue, "abcd", "abc", "abd", "x%_*[")
    assert place.run(queue.get("abc")).id == "abc"  # an exact match wins over a prefix
    assert place.run(queue.get("abcd")).archived
    assert place.run(queue.get("abd")).id == "abd"
    assert place.run(queue.get("x%_")).id == "x%_*["
    with pytest.raises(BadInput, match="several items of the queue begin with 'ab'"):
        place.run(queue.get("ab"))
    for nobody in ("_", "%", "abcde", "*", "a\x00", "\ud800"):
        with pytest.raises(NotFound, match="in the queue behavioral"):
            place.run(queue.get(nobody))


def test_clearing_takes_one_or_all_that_is_pending_or_all_that_is_archived(place: Place) -> None:
    queue = place.queue(cap=4)
    fill(place, queue, *"abcdefg")
    assert place.run(queue.clear("b")) == 1
    assert place.run(queue.clear("g")) == 1
    assert place.run(queue.clear()) == 3
    assert (listed(place, queue), listed(place, queue, archived=True)) == ([], ["c", "a"])
    assert place.run(queue.clear(archived=True)) == 2
    assert place.run(queue.depth(NOW)) == QueueDepth(0, 0, 0, 0, None, 3)
    with pytest.raises(NotFound):
        place.run(queue.clear("a"))


def test_any_text_can_wait(place: Place) -> None:
    queue = place.queue()
    told = "\x01\t\r\n\x1f\x7f\u2028 çé漢字 🙂 \\u0000 \\ud800 '\" %s ? {} " + "x" * 1_000_000
    place.run(queue.push("große-🙂", body("große-🙂", told), NOW))
    (item,) = place.run(queue.claim(1, NOW, LEASE))
    assert json.loads(item.body) == {"id": "große-🙂", "message": told}
    assert place.run(queue.fail(item.id, "half a pair \ud800 and \x00 " + "y" * 5000, NOW))
    assert place.run(queue.get("große")).error.startswith("half a pair \ufffd and \ufffd yyy")
    assert place.run(queue.finish(item.id))
    place.run(queue.push("s\ud83d", '{"m": "\ud83d \x00"}', NOW))  # not storable as it is
    (item,) = place.run(queue.claim(1, NOW, LEASE))
    assert (item.id, item.body) == ("s\ufffd", '{"m": "\ufffd \ufffd"}')
    assert place.run(queue.finish("s\ud83d"))


def test_an_item_without_an_id_or_a_body_is_refused(place: Place) -> None:
    for item_id, text in (("", "{}"), ("a", "")):
        with pytest.raises(BadInput, match="needs an id and a body"):
            place.run(place.queue().push(item_id, text, NOW))


def test_an_item_is_finished_with_the_work_or_not_at_all(place: Place) -> None:
    queue = place.queue()
    fill(place, queue, "a", "b")

    async def worked(tx: Connection) -> None:
        assert await queue.finish_within(tx, "a")
        await queue.push_within(tx, "b", body("b"), NOW)

    async def done(*, fails: bool) -> None:
        async with place.db.write() as tx:
            await worked(tx)
            if fails:
                raise BadInput("after all")
        await queue.finish("a")

    with pytest.raises(BadInput, match="after all"):
        place.run(done(fails=True))
    assert listed(place, queue) == ["b", "a"]
    place.run(done(fails=False))
    assert listed(place, queue) == ["b"]


def test_it_serves_an_event_loop_too(place: Place) -> None:
    queue = place.queue()

    async def told() -> list[str]:
        pushes = (queue.push(one, body(one), NOW) for one in "abc")
        await asyncio.gather(*(place.db.run_async(push) for push in pushes))
        return ids(await place.db.run_async(queue.claim(5, NOW, LEASE)))

    assert sorted(asyncio.run(told())) == ["a", "b", "c"]


def test_many_threads_push_and_every_eviction_is_counted_once(place: Place) -> None:
    queue = place.queue(cap=10)
    evicted: list[int] = []

    def pushes(worker: int) -> None:
        for n in range(20):
            name = f"w{worker}-{n}"
            evicted.append(place.run(queue.push(name, body(name), NOW)))

    in_threads(4, pushes)
    assert sum(evicted) == 70
    assert place.run(queue.depth(NOW)) == QueueDepth(10, 0, 0, 70, NOW, 70)
    kept = listed(place, queue) + listed(place, queue, archived=True)
    assert sorted(kept) == sorted(f"w{w}-{n}" for w in range(4) for n in range(20))


def test_concurrent_workers_never_claim_the_same_item(place: Place) -> None:
    queue = place.queue(cap=100)
    names = [f"c{n:02}" for n in range(60)]
    fill(place, queue, *names)
    claimed: list[str] = []

    def claims(_: int) -> None:
        while items := place.run(queue.claim(4, NOW + 100, LEASE)):
            claimed.extend(ids(items))

    in_threads(4, claims)
    # A worker may have skipped locked rows and stopped early.
    claimed += ids(place.run(queue.claim(100, NOW + 100, LEASE)))
    assert sorted(claimed) == names


def test_everything_at_once_loses_nothing_and_doubles_nothing(place: Place) -> None:
    queue = place.queue(cap=6)
    finished: list[str] = []
    evicted: list[int] = []

    def works(worker: int) -> None:
        for n in range(25):
            name = f"w{worker}-{n}"
            evicted.append(place.run(queue.push(name, body(name), NOW)))
            for item in place.run(queue.claim(2, NOW, LEASE)):
                if n % 3:
                    assert place.run(queue.finish(item.id))
                    finished.append(item.id)
                else:
                    assert place.run(queue.fail(item.id, "not yet", NOW + LEASE))
            if n % 4 == worker:
                place.run(queue.retry(None, NOW))

    in_threads(4, works)
    kept = [listed(place, queue), listed(place, queue, archived=True)]
    assert sorted([*finished, *kept[0], *kept[1]]) == sorted(
        f"w{w}-{n}" for w in range(4) for n in range(25)
    )
    assert place.run(queue.depth(NOW)).evicted == sum(evicted)


def in_threads(many: int, work: Callable[[int], None]) -> None:
    with ThreadPoolExecutor(many) as threads:
        list(threads.map(work, range(many)))


def test_an_address_that_names_no_queue_is_refused_without_its_password(place: Place) -> None:
    with pytest.raises(ConfigError, match=r"queue\.url is 'amqp://me@host/'") as refused:
        open_queue("amqp://me:secret@host/", place.db, 50)
    assert "secret" not in str(refused.value)
