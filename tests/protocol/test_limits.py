"""Limits and deadlines of connections and bodies; whoever exceeds them is the one who is hit."""

import socket
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack

import pytest
from tests.protocol.fixed_plugin import FixedPlugin
from tests.protocol.serving import Agent, Served, feedback

from seasoned.protocol.host.host_config import HostConfig

pytestmark = pytest.mark.sqlite_only
Start = Callable[..., Served]
Meet = Callable[..., Agent]
SEND = b"POST /send HTTP/1.1\r\nHost: localhost\r\nX-Session-Id: %b\r\nContent-Length: %d\r\n\r\n"


@pytest.fixture
def dial() -> Generator[Callable[[Served], socket.socket]]:
    with ExitStack() as open_sockets:

        def connect(host: Served) -> socket.socket:
            raw = socket.create_connection(("127.0.0.1", host.port), 10)
            return open_sockets.enter_context(raw)

        yield connect


Dial = Callable[[Served], socket.socket]


def ended_after(raw: socket.socket, drip: bytes = b"") -> float:
    """Return the seconds until the host closes; send `drip` from time to time."""
    began = time.monotonic()
    raw.settimeout(0.1)
    while time.monotonic() - began < 10:
        try:
            if drip:
                raw.sendall(drip)
            if not raw.recv(65536):
                break
        except TimeoutError:
            continue
        except OSError:
            break
    return time.monotonic() - began


@pytest.mark.parametrize(
    ("start", "drip"),
    [
        (b"", b""),
        (b"GET /health HTTP/1.1\r\n", b""),
        (b"GET /health HTTP/1.1\r\n", b"X-More: 1\r\n"),
        (b"", b"\r\n"),
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\r\n"),
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /he", b"a"),
    ],
)
def test_headers_have_a_deadline(
    served: Start, agents: Meet, dial: Dial, plugin: FixedPlugin, start: bytes, drip: bytes
) -> None:
    host = served(plugin, config=HostConfig(header_seconds=0.5))
    raw = dial(host)
    raw.sendall(start)
    assert 0.3 < ended_after(raw, drip) < 5
    assert agents(host).ask(feedback("a"))["recorded"] == 1


def test_huge_headers_are_refused_at_once(
    served: Start, agents: Meet, dial: Dial, plugin: FixedPlugin
) -> None:
    host = served(plugin)
    raw = dial(host)
    raw.sendall(b"GET /health HTTP/1.1\r\nX-Huge: ")
    began = time.monotonic()
    sent = 0
    try:
        while sent < 64 * 2**20:
            sent += raw.send(b"x" * 65536)
    except OSError:
        pass
    assert sent < 32 * 2**20  # what the sockets hold, and not what it wanted to send
    assert time.monotonic() - began < 5
    assert agents(host).ask(feedback("a"))["recorded"] == 1


def test_half_sent_messages_take_no_turn_from_whole_ones(
    served: Start, agents: Meet, dial: Dial, plugin: FixedPlugin
) -> None:
    host = served(plugin, config=HostConfig(in_flight=2, read_seconds=1))
    halves = [agents(host, reads=False) for _ in range(5)]
    sockets = [dial(host) for _ in halves]
    for raw, agent in zip(sockets, halves, strict=True):
        raw.sendall(SEND % (agent.session.encode(), 1000) + b"{")
    assert agents(host).ask(feedback("a"))["recorded"] == 1
    for raw in sockets:
        raw.settimeout(5)
        assert b" 408 " in raw.recv(4096)


def test_the_largest_half_sent_message_makes_room(
    served: Start, agents: Meet, dial: Dial, plugin: FixedPlugin
) -> None:
    host = served(plugin, config=HostConfig(in_flight_bytes=1000))
    large = agents(host, reads=False)
    raw = dial(host)
    raw.sendall(SEND % (large.session.encode(), 5000) + b"{" * 900)
    time.sleep(0.1)
    assert agents(host).ask(feedback("a", comment="x" * 100))["recorded"] == 1
    raw.settimeout(5)
    assert b" 408 " in raw.recv(4096)


def test_a_crowd_of_silent_connections_makes_room_for_agents(
    served: Start, agents: Meet, dial: Dial, plugin: FixedPlugin
) -> None:
    config = HostConfig(token="secret", stranger_connections=20)
    host = served(plugin, config=config)
    agent = agents(host)
    assert agent.ask({"type": "handshake/req", "id": "h", "auth_token": "secret"})["ok"]
    crowd = [dial(host) for _ in range(60)]
    assert agent.ask(feedback("a"))["recorded"] == 1  # over the connections it had before
    late = agents(host)
    assert late.ask({"type": "handshake/req", "id": "h", "auth_token": "secret"})["ok"]
    assert late.ask(feedback("b"))["recorded"] == 1
    assert ended_after(crowd[0]) < 1  # the oldest


def test_unread_replies_of_all_sessions_have_a_limit(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    host = served(plugin, config=HostConfig(unread_bytes=20_000))
    reading = agents(host)
    hoarding = agents(host, reads=False)
    for number in range(200):
        assert hoarding.send({"type": "ping", "id": f"{number}"}) in (200, 404, 429)
        assert host.host.sessions.unread.total <= 20_000
    assert reading.ask(feedback("a"))["recorded"] == 1


def test_a_stream_that_shows_no_token_ends(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    host = served(plugin, config=HostConfig(token="secret", stranger_seconds=0.3))
    stranger = agents(host)
    assert stranger.reply(5) is None  # the end of the stream
    agent = agents(host)
    assert agent.ask({"type": "handshake/req", "id": "h", "auth_token": "secret"})["ok"]
    time.sleep(0.5)
    assert agent.ask(feedback("a"))["recorded"] == 1
