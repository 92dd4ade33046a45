"""An acknowledgement is a promise: what the host calls done is on disk, whatever happens to it."""

import json
import queue
import resource
import sqlite3
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.protocol.serving import Agent, Process, feedback
from tests.protocol.test_replay import PipePeer

from seasoned import Seasoned

pytestmark = pytest.mark.sqlite_only


@pytest.fixture
def host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Generator[Callable[..., tuple[Process, Agent]]]:
    """Start a host as a process, and an agent of it that has shown the token."""
    monkeypatch.setenv("SEASONED_DATABASE__BUSY_SECONDS", "1")
    ends: list[Callable[[], Any]] = []

    def start(*more: str) -> tuple[Process, Agent]:
        process = Process(tmp_path, *more)
        ends.append(process.end)
        agent = Agent(process.port)
        ends.append(agent.close)
        token = (tmp_path / "token").read_text().strip()
        assert agent.ask({"type": "handshake/req", "id": "h", "auth_token": token})["ok"]
        return process, agent

    yield start
    for end in reversed(ends):
        end()


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Hold the database as another process would."""
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        holder.execute("ROLLBACK")
        holder.close()


def stored(path: Path) -> int:
    with Seasoned(path) as s:
        return sum(total.count for total in s.feedback.stats().values())


def test_what_a_locked_database_did_not_take_is_not_acknowledged(
    host: Callable[..., tuple[Process, Agent]], tmp_path: Path
) -> None:
    _, agent = host()
    database = tmp_path / "seasoned.db"
    assert agent.ask(feedback("before"))["recorded"] == 1
    headers = {"X-Session-Id": agent.session}
    with locked(database):
        status, said = agent.post("/send", _raw(feedback("during")), headers)
        assert status == 503
        assert "ok" not in said
        assert "locked by another process" in said["detail"]
        told = agent.reply()  # for a client that does not look at the status
        assert told is not None
        assert (told["type"], told["code"], told["retryable"]) == ("error", "unavailable", True)
        assert told["req_id"] == "during"
    assert agent.ask(feedback("during"))["recorded"] == 1
    assert agent.replies.empty()
    assert stored(database) == 2


def test_a_message_sent_again_in_time_gets_its_reply_and_no_error(
    host: Callable[..., tuple[Process, Agent]], tmp_path: Path
) -> None:
    _, agent = host()
    with locked(tmp_path / "seasoned.db"):
        assert agent.send(feedback("a")) == 503
    assert agent.ask(feedback("a"))["recorded"] == 1
    with pytest.raises(queue.Empty):
        agent.reply(3.5)


def test_a_locked_database_holds_up_nobody_who_does_not_need_it(
    host: Callable[..., tuple[Process, Agent]], tmp_path: Path
) -> None:
    process, agent = host()
    other = Agent(process.port)
    with locked(tmp_path / "seasoned.db"):
        _send_without_waiting(agent, feedback("waits"))
        for number in range(5):
            began = time.monotonic()
            assert other.ask({"type": "ping", "id": f"p{number}"})["type"] == "pong"
            assert other.get("/health")[0] == 200
            assert time.monotonic() - began < 0.5  # a blocked loop takes the whole second
    other.close()


def test_a_pipe_tells_that_it_was_not_stored(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("SEASONED_DATABASE__BUSY_SECONDS", "0.2")
    pipe = PipePeer(tmp_path, None)
    pipe.say(_raw(feedback("a")))
    heard = pipe.hear()
    assert heard is not None
    assert heard["recorded"] == 1
    with locked(tmp_path / "seasoned.db"):
        pipe.say(_raw(feedback("b")))
        heard = pipe.hear()
        assert heard is not None
        assert (heard["code"], heard["retryable"]) == ("unavailable", True)
    pipe.say(_raw(feedback("b")))
    heard = pipe.hear()
    assert heard is not None
    assert heard["recorded"] == 1
    assert pipe.end() == (0, b"")


def test_a_full_disk_acknowledges_what_is_on_it_and_no_more(
    host: Callable[..., tuple[Process, Agent]], tmp_path: Path
) -> None:
    process, agent = host()
    assert agent.ask(feedback("first"))["recorded"] == 1
    most = 6 * 2**20
    resource.prlimit(process.process.pid, resource.RLIMIT_FSIZE, (most, most))
    taken = 1
    status = 200
    while status == 200:
        assert taken < 2000
        item = feedback(f"f{taken}", comment=f"{taken} " * 500)
        status = agent.send(item)
        taken += status == 200
    assert status == 503
    health, state = agent.get("/health")
    assert (health, state["status"]) == (503, "failing")
    process.process.kill()
    process.process.wait()
    assert taken > 10
    assert stored(tmp_path / "seasoned.db") == taken


def test_health_recovers_with_the_database(
    host: Callable[..., tuple[Process, Agent]], tmp_path: Path
) -> None:
    _, agent = host()
    with locked(tmp_path / "seasoned.db"):
        assert agent.send(feedback("a")) == 503
        assert agent.get("/health")[0] == 503
    assert agent.ask(feedback("a"))["recorded"] == 1
    time.sleep(0.6)  # the answer is kept for half a second
    status, state = agent.get("/health")
    assert status == 200
    assert (state["status"], state["database"], state["sessions"]) == ("ok", "ok", 1)
    assert state["refused"]["database"] >= 1


def _raw(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode()


def _send_without_waiting(agent: Agent, message: dict[str, Any]) -> None:
    sender = Agent(agent.port, agent.session, reads=False)
    threading.Thread(target=lambda: (sender.send(message), sender.close())).start()
    time.sleep(0.1)
