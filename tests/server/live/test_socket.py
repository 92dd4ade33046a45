"""WebSocket `/ws`: the agent's events, replay after a lost connection, who hears what."""

import base64
import json
import os
import socket
from collections.abc import Callable
from typing import Any

import pytest
from tests.server.live.scripts import LONG, Door, Gate, calls, wait_until
from tests.server.live.serving import PATIENCE, TOKEN, LiveGateway
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Subprotocol

Live = Callable[..., LiveGateway]

pytestmark = pytest.mark.sqlite_only


def numbers(frames: list[dict[str, Any]]) -> list[int]:
    return [one["seq"] for one in frames if "seq" in one]


def test_a_message_is_accepted_and_its_events_follow_in_order(live: Live) -> None:
    with live("Hello, you.").socket() as ws:
        ws.send(type="message", session="s1", text="hi", id="m1")
        frames = ws.until("done")
    assert frames[0] == {
        "type": "accepted",
        "after": frames[1]["seq"] - 1,
        "id": "m1",
        "session": "s1",
    }
    assert (frames[1]["type"], frames[1]["text"]) == ("message", "hi")
    seen = numbers(frames)
    assert seen == list(range(seen[0], seen[0] + len(seen)))
    assert "".join(one["text"] for one in frames if one["type"] == "chunk") == "Hello, you."


def test_a_lost_connection_gets_every_missed_event_once_while_the_turn_went_on(live: Live) -> None:
    gate = Gate()
    gateway = live(calls("pass_gate"), "Through the gate at last.", tools=[gate.tool()])
    with gateway.socket() as ws:
        ws.send(type="message", session="s1", text="Go.")
        seen = numbers(ws.until("tool"))
    gate.free.set()
    wait_until(lambda: not gateway.get("/v1/chat/s1").json()["busy"])
    with gateway.socket() as ws:
        answer = ws.ask("subscribed", type="subscribe", session="s1", after=seen[-1])
        assert "gap" not in answer
        missed = numbers(ws.until("done"))
    assert [*seen, *missed] == list(range(seen[0], missed[-1] + 1))


def test_a_client_that_comes_back_in_the_middle_hears_the_rest_live(live: Live) -> None:
    gate = Gate()
    gateway = live(calls("pass_gate"), "Through.", tools=[gate.tool()])
    with gateway.socket() as ws:
        ws.send(type="message", session="s1", text="Go.")
        first = ws.until("message")[-1]["seq"]
    with gateway.socket() as ws:
        assert ws.ask("subscribed", type="subscribe", session="s1", after=first)["busy"] is True
        assert ws.receive()["state"] == "started"
        gate.free.set()
        later = numbers(ws.until("done"))
    assert later == list(range(first + 2, first + 2 + len(later)))


def test_what_the_buffer_no_longer_holds_is_told_with_the_number_to_go_on_from(live: Live) -> None:
    gateway = live("Hello.")
    gateway.say("hi", "s1")
    with gateway.socket() as ws:
        answer = ws.ask("subscribed", type="subscribe", session="s1", after=7)
        first = ws.receive()
    assert answer["gap"] == {"after": 7, "from": first["seq"]}
    assert answer["after"] == first["seq"] - 1


def test_a_log_of_many_events_keeps_the_latest(live: Live) -> None:
    gateway = live({"say": "x" * 60_000})  # in pieces of a dozen characters
    last = gateway.say("hi", "s1")["seq"]
    with gateway.socket() as ws:
        answer = ws.ask("subscribed", type="subscribe", session="s1", after=0)
        frames = ws.until("done")
    assert answer["last"] == last
    assert answer["last"] - answer["first"] + 1 == 4096
    assert numbers(frames) == list(range(answer["gap"]["from"], last + 1))


def test_several_follow_one_session_and_hear_the_same(live: Live) -> None:
    gateway = live("Hello.", "Again.")
    with gateway.socket() as one, gateway.socket() as two:
        two.ask("subscribed", type="subscribe", session="s1")
        one.send(type="message", session="s1", text="hi")
        first = [frame for frame in one.until("done") if "seq" in frame]
        assert first == two.until("done")
        two.ask("unsubscribed", type="unsubscribe", session="s1")
        one.send(type="message", session="s1", text="hi again")
        one.until("done")
        assert two.has_nothing()


def test_another_caller_neither_sees_nor_joins_a_session(live: Live) -> None:
    gate = Gate()
    gateway = live(calls("pass_gate"), "Through.", tools=[gate.tool()])
    with gateway.socket(user="ana") as ana, gateway.socket(user="eve") as eve:
        ana.send(type="message", session="s1", text="Secret words.")
        ana.until("tool")
        state = eve.ask("subscribed", type="subscribe", session="s1", after=0)
        assert (state["busy"], state["approvals"]) == (False, [])
        assert eve.ask("cancelled", type="cancel", session="s1")["stopped"] is False
        gate.free.set()
        ana.until("done")
        assert eve.has_nothing()


def test_cancel_stops_the_turn_and_keeps_what_was_said(live: Live) -> None:
    gateway = live(LONG)
    with gateway.socket() as ws:
        ws.send(type="message", session="s1", text="Tell me a lot.")
        ws.until("chunk")
        ws.send(type="cancel", session="s1", id="c1")
        frames = ws.until("error")
    assert {"type": "cancelled", "stopped": True, "id": "c1", "session": "s1"} in frames
    assert frames[-1]["text"] == "stopped by the user"
    gateway.end()
    assert gateway.said_in("s1")[1][1].startswith("word")


def test_one_who_follows_may_answer_an_approval(live: Live) -> None:
    door = Door()
    gateway = live(calls("open_door", name="front"), "Open.", tools=[door.tool()])
    with gateway.socket() as one, gateway.socket() as two:
        one.send(type="message", session="s1", text="Open.")
        asked = one.until("approval")[-1]
        state = two.ask("subscribed", type="subscribe", session="s1")
        assert [each["id"] for each in state["approvals"]] == [asked["id"]]
        decision = {"session": "s1", "request": asked["id"], "answer": "allow"}
        two.ask("decided", type="approve", **decision)
        assert one.until("done")[-1]["text"] == "Open."
        late = two.ask("refused", type="approve", **decision)
    assert late["error"]["type"] == "NotFound"
    assert door.opened == 1


def test_a_second_message_is_refused_and_a_repeated_one_is_taken_once(live: Live) -> None:
    gate = Gate()
    gateway = live(calls("pass_gate"), "Through.", "Never.", tools=[gate.tool()])
    with gateway.socket() as ws:
        ws.send(type="message", session="s1", text="Go.", id="m1")
        ws.until("tool")
        refused = ws.ask("refused", type="message", session="s1", text="Now?", id="m2")
        assert (refused["error"]["type"], refused["id"]) == ("Busy", "m2")
        accepted = ws.ask("accepted", type="message", session="s1", text="Go.", id="m1")
        assert accepted["id"] == "m1"
        gate.free.set()
        ws.until("done")
    gateway.end()
    assert [text for role, text in gateway.said_in("s1") if role == "user"] == ["Go."]


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "not json",
        "[]",
        "null",
        '{"type": 7}',
        '{"type": "launch"}',
        '{"type": "message"}',
        '{"type": "message", "text": ""}',
        '{"type": "message", "text": "hi", "session": ["s"]}',
        '{"type": "subscribe", "session": "s1", "after": -1}',
        '{"type": "subscribe"}',
        '{"type": "cancel", "session": "nobody-knows"}',
        '{"type": "approve", "session": "s1", "request": "x", "answer": "maybe"}',
        '{"type": "message", "text": "hi", "model": "scripted:/etc/passwd"}',
        "[" * 5000,
        '{"type": "ping", "id": "' + "x" * 300 + '"}',
        b"\xff\xfe\x00",
    ],
)
def test_a_frame_that_cannot_be_used_is_refused_and_the_connection_stays(
    live: Live, frame: str | bytes
) -> None:
    with live("Hello.").socket() as ws:
        ws.line.send(frame)
        refused = ws.receive()
        assert refused["type"] == "refused"
        assert refused["error"]["message"]
        assert ws.ask("pong", type="ping", id="p")["id"] == "p"


def test_a_browser_shows_the_token_as_a_subprotocol(live: Live) -> None:
    address = live("Hello.").url.replace("http", "ws") + "/ws"
    offered = [Subprotocol("seasoned"), Subprotocol(f"seasoned.token.{TOKEN}")]
    with connect(address, subprotocols=offered, compression=None) as line:
        assert line.subprotocol == "seasoned"
        line.send('{"type": "ping"}')
        assert json.loads(line.recv(PATIENCE)) == {"type": "pong"}


def test_without_the_token_and_from_other_pages_nobody_gets_in(live: Live) -> None:
    gateway = live("Hello.")
    address = gateway.url.replace("http", "ws") + "/ws"
    for headers, status in (
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        (gateway.headers() | {"Origin": "https://evil.example"}, 403),
    ):
        with pytest.raises(InvalidStatus) as refused:
            connect(address, additional_headers=headers, compression=None).close()
        assert refused.value.response.status_code == status


def test_followers_hear_what_is_learned_in_their_scope(live: Live) -> None:
    gateway = live("Hello.", "Gut.")
    with gateway.socket(user="ana") as ana, gateway.socket(user="eve") as eve:
        ana.ask("following", type="follow", facts=True)
        eve.ask("following", type="follow", facts=True)
        ana.send(type="message", session="s1", text="hi")
        ana.until("done")
        ana.send(type="message", session="s1", text="No. Always answer in German.")
        facts = [ana.until("fact")[-1] for _ in range(2)]
        learned = next(one for one in facts if one["fact"] == "lesson_learned")
        assert {one["fact"] for one in facts} == {"lesson_learned", "correction_noticed"}
        assert (learned["lesson"]["kind"], learned["lesson"]["user"]) == ("rule", "ana")
        ana.until("done")
        assert eve.has_nothing()
        ana.ask("following", type="follow", facts=False)


def test_a_reader_that_does_not_read_is_dropped(live: Live) -> None:
    gateway = live("Hello.")
    port = int(gateway.url.rpartition(":")[2])
    frame = _masked({"type": "unsubscribe", "session": "语" * 500, "id": "语" * 200})
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.settimeout(PATIENCE)
        line.connect(("127.0.0.1", port))
        line.sendall(_opening(port))
        assert line.recv(4096).startswith(b"HTTP/1.1 101")
        with pytest.raises(OSError, match=r"reset|[Bb]roken"):  # noqa: PT012 - until it is dropped
            while True:
                line.sendall(frame * 100)
    wait_until(lambda: gateway.get("/health").json()["live"]["websockets"] == 0)
    assert gateway.get("/health").json()["live"]["websockets_dropped"] == 1


def test_connections_are_told_when_the_server_stops(live: Live) -> None:
    gateway = live("Hello.")
    with gateway.socket() as ws:
        ws.ask("subscribed", type="subscribe", session="s1")
        gateway.stop()
        with pytest.raises(ConnectionClosed) as closed:
            ws.receive()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1012


def _opening(port: int) -> bytes:
    key = base64.b64encode(os.urandom(16)).decode()
    lines = (
        "GET /ws HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Version: 13",
        f"Authorization: Bearer {TOKEN}",
    )
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _masked(frame: dict[str, Any]) -> bytes:
    body = json.dumps(frame, ensure_ascii=False).encode()
    assert 125 < len(body) < 65_536
    head = bytes([0x81, 0x80 | 126]) + len(body).to_bytes(2, "big")
    return head + bytes(4) + body  # a mask of zeros changes nothing
