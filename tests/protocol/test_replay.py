"""Recorded and written exchanges, replayed over HTTP and a pipe, field by field."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, Protocol

import pytest
from tests.protocol.exchanges import (
    RECORDED,
    REFUSED,
    Exchange,
    normalised,
    recorded,
    recorded_exchanges,
    recorded_messages,
    reply_type,
    written_exchanges,
)
from tests.protocol.fixed_plugin import FixedPlugin
from tests.protocol.serving import Agent, Served

needs_recording = pytest.mark.skipif(
    not RECORDED.exists(), reason="the recorded exchanges stand beside the repository, not in it"
)
REVISIONS = pytest.mark.parametrize("revision", ["A", "B"])


class Peer(Protocol):
    def say(self, message: bytes) -> None: ...
    def hear(self) -> dict[str, Any] | None: ...


class HttpPeer:
    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def say(self, message: bytes) -> None:
        assert self.agent.send(message) == 200

    def hear(self) -> dict[str, Any] | None:
        return self.agent.reply()


class PipePeer:
    """A host on a pipe, as a real process; its plugin comes from an installed package."""

    def __init__(self, home: Path, packages: Path | None, *more: str) -> None:
        paths = [str(packages)] if packages else []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "seasoned", "host", "--stdio", *more],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "SEASONED_HOME": str(home), "PYTHONPATH": os.pathsep.join(paths)},
        )

    def say(self, message: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(message.replace(b"\n", b" ") + b"\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any] | None:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.isascii()
        return json.loads(line) if line else None

    def end(self) -> tuple[int, bytes]:
        """Wait for the end; return the exit code and stderr."""
        _, said = self.process.communicate(timeout=30)
        return self.process.returncode, said


@pytest.fixture(params=["http", "stdio"])
def peer(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Peer]:
    """A host with the fixed plugin behind each transport."""
    if request.param == "http":
        served: Callable[..., Served] = request.getfixturevalue("served")
        agents: Callable[..., Agent] = request.getfixturevalue("agents")
        yield HttpPeer(agents(served(FixedPlugin())))
        return
    pipe = PipePeer(tmp_path / "home", request.getfixturevalue("fixed_package"))
    yield pipe
    code, said = pipe.end()
    assert (code, said) == (0, b"")


def replay(peer: Peer, exchanges: list[Exchange]) -> None:
    for step, message, expected in exchanges:
        peer.say(json.dumps(message).encode())
        heard = peer.hear()
        if expected is None:
            assert heard is None, step
        else:
            assert heard is not None, step
            assert heard["req_id"] == message["id"], step
            assert normalised(heard) == normalised(expected), step


@REVISIONS
def test_written_exchanges_are_answered_as_written(peer: Peer, revision: str) -> None:
    replay(peer, written_exchanges(revision))


@needs_recording
@REVISIONS
def test_recorded_exchanges_are_answered_as_recorded(peer: Peer, revision: str) -> None:
    replay(peer, recorded_exchanges(revision))


@needs_recording
@REVISIONS
def test_whatever_clients_were_seen_to_send_is_answered(peer: Peer, revision: str) -> None:
    for step, raw in recorded_messages(revision):
        peer.say(raw)
        heard = peer.hear()
        if step == "disconnect":
            assert heard is None
            continue
        assert heard is not None, step
        if step in REFUSED:
            assert (heard["type"], heard["code"]) == ("error", REFUSED[step]), step
        else:
            assert heard["type"] == reply_type(json.loads(raw)), (step, heard)


@needs_recording
def test_the_recorded_bytes_of_http_are_answered(
    served: Callable[..., Served], plugin: FixedPlugin
) -> None:
    """Replay a recorded run byte by byte, on two connections, with only the session id replaced."""
    import socket

    host = served(plugin)
    run = recorded()["http_bytes"]
    ours = theirs = ""
    sockets: dict[int, socket.socket] = {}
    stream = b""
    for part in run:
        raw: str = part["bytes"]
        if part["dir"] != ">":
            if "session_id" in raw and not theirs:
                theirs = raw.partition('"session_id":"')[2][:32]
                answer = b""
                while not answer.endswith(b'"}'):
                    answer += sockets[1].recv(4096)
                ours = answer.decode().partition('"session_id":"')[2][:32]
            continue
        if part["conn"] not in sockets:
            sockets[part["conn"]] = socket.create_connection(("127.0.0.1", host.port), 10)
        sockets[part["conn"]].sendall(raw.replace(theirs or "\0", ours).encode())
        if part["conn"] == 2:  # the client waits for its stream before it shuts down
            stream += sockets[2].recv(65536)
    while chunk := sockets[2].recv(65536):
        stream += chunk
        if stream.endswith(b"0\r\n\r\n"):
            break
    asked = [json.loads(part["bytes"]) for part in run if part["bytes"].startswith('{"type"')]
    heard = [json.loads(each[6:]) for each in stream.split(b"\n") if each.startswith(b"data: ")]
    assert [each["req_id"] for each in heard] == [each["id"] for each in asked[:-1]]
    assert b"content-type: text/event-stream; charset=utf-8" in stream
    assert b"Transfer-Encoding: chunked" in stream or b"transfer-encoding: chunked" in stream
    for each in sockets.values():
        each.close()


@needs_recording
def test_the_built_in_plugin_answers_in_the_recorded_shapes(tmp_path: Path) -> None:
    """Values may differ; names and types of all fields match the recording."""
    pipe = PipePeer(tmp_path / "home", None)
    for step, message, expected in recorded_exchanges("B"):
        pipe.say(json.dumps(message).encode())
        heard = pipe.hear()
        if expected is not None:
            assert heard is not None
            shape = {key: type(each).__name__ for key, each in heard.items()}
            left = {key: each for key, each in expected.items() if key != "extra_field"}
            wanted = {key: type(each).__name__ for key, each in left.items()}
            assert shape == wanted, step
    assert pipe.end() == (0, b"")
