"""`POST /v1/chat`: replies, events, approvals, and what happens when a client leaves."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.server.live.scripts import LONG, Door, Gate, calls, wait_until
from tests.server.live.serving import LiveGateway

Live = Callable[..., LiveGateway]

pytestmark = pytest.mark.sqlite_only


def test_a_message_gets_its_reply_and_the_session_goes_on(live: Live) -> None:
    gateway = live("Hello.", "You said hi before.")
    first = gateway.say("hi", "s1")
    assert (first["session"], first["reply"]) == ("s1", "Hello.")
    assert first["used"]["requests"] == 1
    assert gateway.say("What did I say?", "s1")["reply"] == "You said hi before."
    gateway.end()
    assert [role for role, _ in gateway.said_in("s1")] == ["user", "assistant"] * 2


def test_without_a_session_a_new_one_begins(live: Live) -> None:
    gateway = live("one", "two")
    first, second = (gateway.post("/v1/chat", {"message": "hi"}).json() for _ in range(2))
    assert first["session"] != second["session"]


def test_the_answer_tells_which_tools_were_called(live: Live) -> None:
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    gateway = live(calls("add", a=2, b=3), "Five.", tools=[add])
    events = gateway.say("2 + 3?", "s1")["events"]
    assert [(one["type"], one["state"]) for one in events] == [
        ("tool", "started"),
        ("tool", "finished"),
    ]
    assert events[1]["params"] == {"a": 2, "b": 3}
    assert events[1]["text"] == "5"


@pytest.mark.parametrize("how", ["stream", "accept"])
def test_events_come_as_a_stream_with_growing_numbers(live: Live, how: str) -> None:
    gateway = live({"say": "Three short words.", "thinking": "Let me see."})
    body = {"message": "hi", "session": "s1"} | ({"stream": True} if how == "stream" else {})
    headers = gateway.headers() | ({"Accept": "text/event-stream"} if how == "accept" else {})
    with gateway.client.stream("POST", "/v1/chat", json=body, headers=headers) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = list(answer.iter_lines())
    kinds = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    assert kinds[0] == "message"
    assert set(kinds) == {"message", "thinking", "chunk", "done"}
    assert kinds[-1] == "done"
    numbers = [int(line.removeprefix("id: ")) for line in lines if line.startswith("id: ")]
    assert numbers == list(range(numbers[0], numbers[0] + len(kinds)))


def test_without_a_model_it_says_what_to_set(live: Live) -> None:
    answer = live().post("/v1/chat", {"message": "hi"})
    assert answer.status_code == 409
    assert "SEASONED_AGENT__MODEL" in answer.json()["error"]["message"]


@pytest.mark.parametrize("model", ["scripted:/etc/passwd", "local:/etc/passwd", "openai:gpt-9"])
def test_a_request_cannot_choose_a_model_that_is_not_offered(live: Live, model: str) -> None:
    answer = live("Hello.").post("/v1/chat", {"message": "hi", "model": model})
    assert answer.status_code == 400
    assert "server.models" in answer.json()["error"]["message"]
    assert "script.json" not in answer.text


@pytest.mark.parametrize(
    "body",
    [
        {"message": "  "},
        {},
        {"message": 5},
        {"message": "hi", "session": "s" * 501},
        {"message": "hi", "stream": "perhaps"},
        {"message": "hi", "id": "x" * 201},
        {"resume": True},
        ["hi"],
        "hi",
    ],
)
def test_input_that_cannot_be_used_is_refused(live: Live, body: Any) -> None:
    assert live("Hello.").post("/v1/chat", body).status_code in (400, 422)


def test_a_model_that_fails_is_told_with_the_session(live: Live) -> None:
    answer = live({"fail": 400, "message": "no such thing"}).post(
        "/v1/chat", {"message": "hi", "session": "s1"}
    )
    assert answer.status_code == 502
    error = answer.json()["error"]
    assert (error["type"], error["session"]) == ("TurnFailed", "s1")
    assert "no such thing" in error["message"]


def test_a_dangerous_call_that_nobody_answers_is_denied(live: Live) -> None:
    door = Door()
    gateway = live(
        *(calls("open_door", name="front"), "It stays shut."),
        tools=[door.tool()],
        SEASONED_APPROVAL__TIMEOUT_SECONDS="0.2",
    )
    events = gateway.say("Open the door.", "s1")["events"]
    assert [one.get("state", one["type"]) for one in events] == [
        "started",
        "approval",
        "denied",
        "failed",
    ]
    assert door.opened == 0


def test_an_approval_is_answered_by_its_route(live: Live) -> None:
    door = Door()
    steps = [calls("open_door", name="front"), "Open."] * 2
    gateway = live(*steps, tools=[door.tool()])
    with gateway.stream(
        "POST", "/v1/chat", {"message": "Open.", "session": "s1", "stream": True}
    ) as events:
        asked = next(one for one in events if one["type"] == "approval")
        assert asked["call"].startswith("open_door")
        assert gateway.get("/v1/chat/s1").json()["approvals"][0]["id"] == asked["id"]
        path = f"/v1/chat/s1/approvals/{asked['id']}"
        assert gateway.post(path, {"answer": "perhaps"}).status_code == 422
        assert gateway.post(f"{path}x", {"answer": "allow"}).status_code == 404
        assert gateway.post(path, {"answer": "allow"}, scope={"user": "eve"}).status_code == 404
        assert gateway.post(path, {"answer": "always"}).status_code == 200
        assert list(events)[-1]["text"] == "Open."
        assert gateway.post(path, {"answer": "allow"}).status_code == 404
    assert door.opened == 1
    gateway.say("Again.", "s2")  # always: nobody is asked
    assert door.opened == 2


def test_a_client_that_leaves_interrupts_its_turn_and_what_was_said_is_kept(live: Live) -> None:
    gateway = live(LONG, "Here I am.")
    body = {"message": "Tell me a lot.", "session": "s1", "stream": True}
    with gateway.stream("POST", "/v1/chat", body) as events:
        next(one for one in events if one["type"] == "chunk")
    wait_until(lambda: not gateway.get("/v1/chat/s1").json()["busy"])
    assert gateway.say("Are you there?", "s1")["reply"] == "Here I am."
    gateway.end()
    (_, asked), (role, said), *_ = gateway.said_in("s1")
    assert (asked, role) == ("Tell me a lot.", "assistant")
    assert said.startswith("word")
    assert len(said) < len(LONG["say"].strip())


def test_a_plain_request_that_is_given_up_interrupts_its_turn_too(live: Live) -> None:
    gate = Gate()
    gateway = live(calls("pass_gate"), "Never said.", tools=[gate.tool()])

    def ask() -> None:
        with pytest.raises(Exception, match="timed out"):
            gateway.post("/v1/chat", {"message": "Go.", "session": "s1"}, timeout=1)

    ask()
    wait_until(lambda: not gateway.get("/v1/chat/s1").json()["busy"])
    gate.free.set()
    gateway.end()
    assert "Never said." not in [text for _, text in gateway.said_in("s1")]


def test_a_turn_in_the_background_goes_on_without_its_client(live: Live) -> None:
    gate = Gate()
    gateway = live(calls("pass_gate"), "Through.", tools=[gate.tool()])
    body = {"message": "Go.", "session": "s1", "stream": True, "background": True}
    with gateway.stream("POST", "/v1/chat", body) as events:
        started = next(one for one in events if one["type"] == "tool")
    gate.free.set()
    with gateway.stream("GET", f"/v1/chat/s1/events?after={started['seq']}") as events:
        later = [started]
        while later[-1]["type"] != "done":
            later.append(next(events))
    assert later[-1]["text"] == "Through."
    assert [one["seq"] for one in later] == [started["seq"] + n for n in range(len(later))]


def test_one_turn_at_a_time_and_the_same_message_only_once(live: Live) -> None:
    gate = Gate()
    gateway = live(calls("pass_gate"), "Through.", "Second.", tools=[gate.tool()])
    body = {"message": "Go.", "session": "s1", "id": "m1", "stream": True}
    with gateway.stream("POST", "/v1/chat", body) as events:
        next(one for one in events if one["type"] == "tool")
        refused = gateway.post("/v1/chat", {"message": "And now?", "session": "s1"})
        assert (refused.status_code, refused.json()["error"]["type"]) == (409, "Busy")
        gate.free.set()
        list(events)
    again = gateway.post("/v1/chat", body | {"stream": False}).json()
    assert again["reply"] == "Through."
    assert gateway.say("And now?", "s1")["reply"] == "Second."


def test_a_turn_is_cancelled_by_its_route(live: Live) -> None:
    gateway = live(LONG)
    body = {"message": "Tell me a lot.", "session": "s1", "stream": True}
    with gateway.stream("POST", "/v1/chat", body) as events:
        next(one for one in events if one["type"] == "chunk")
        stopped = gateway.post("/v1/chat/s1/cancel").json()
        last = list(events)[-1]
    assert stopped == {"session": "s1", "stopped": True}
    assert (last["type"], last["text"]) == ("error", "stopped by the user")
    assert gateway.post("/v1/chat/s1/cancel").json()["stopped"] is False


def test_a_session_belongs_to_its_caller(live: Live) -> None:
    gateway = live("For Ana.", "For Eve.")
    body = {"message": "hi", "session": "ours"}
    assert gateway.post("/v1/chat", body, scope={"user": "ana"}).json()["reply"] == "For Ana."
    assert gateway.get("/v1/chat/ours", scope={"user": "ana"}).status_code == 200
    assert gateway.get("/v1/chat/ours", scope={"user": "eve"}).status_code == 404
    assert gateway.post("/v1/chat/ours/cancel", scope={"user": "eve"}).status_code == 404
    with gateway.stream("POST", "/v1/chat", body | {"stream": True}, user="eve") as events:
        seen = list(events)
    assert [one["text"] for one in seen if one["type"] in ("message", "done")] == ["hi", "For Eve."]
    assert "Ana" not in str(seen)


def test_what_is_missing_is_told_as_a_gap(live: Live) -> None:
    gateway = live("Hello.")
    last = gateway.say("hi", "s1")["seq"]
    with gateway.stream("GET", "/v1/chat/s1/events?after=1") as events:
        gap = next(events)
        first = next(events)
    assert gap == {"after": 1, "from": first["seq"]}
    assert first["type"] == "message"
    headers = gateway.headers() | {"Last-Event-ID": str(last - 1)}
    with gateway.client.stream("GET", "/v1/chat/s1/events", headers=headers) as answer:
        lines = answer.iter_lines()
        assert next(lines) == f"id: {last}"


def test_half_characters_and_hidden_ones_break_nothing(live: Live) -> None:
    gateway = live("Fine.", "Good.")
    raw = b'{"message": "a \\ud800 b", "session": "s1"}'
    headers = gateway.headers() | {"Content-Type": "application/json"}
    answer = gateway.client.post("/v1/chat", content=raw, headers=headers)
    assert answer.status_code in (200, 422)
    assert gateway.say("a \x00 b", "s\x00\u202e1")["reply"]


def test_a_turn_is_stopped_when_the_server_cannot_wait_any_longer(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seasoned.server.serving.DRAIN_SECONDS", 3.2)
    gateway = live({"say": "word " * 400, "pause_seconds": 0.5})
    body = {"message": "Tell me a lot.", "session": "s1", "stream": True}
    with gateway.stream("POST", "/v1/chat", body) as events:
        next(one for one in events if one["type"] == "chunk")
        gateway.stop()
        last = list(events)[-1]
    assert (last["type"], last["text"].split(",")[0]) == ("error", "the server stops")
    gateway.end()
    assert gateway.said_in("s1")[1][1].startswith("word")
