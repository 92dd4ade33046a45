"""The host over HTTP, as any agent sees it."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psutil
import pytest
from tests.protocol.fixed_plugin import FixedPlugin
from tests.protocol.serving import Agent, Served, feedback

from seasoned.core.scope import Scope
from seasoned.protocol.host.host_config import HostConfig

Start = Callable[..., Served]
Meet = Callable[..., Agent]


def test_feedback_is_answered_on_the_stream(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    agent = agents(served(plugin))
    reply = agent.ask(feedback("a", score=0.9))
    assert list(reply) == [
        *("type", "id", "version", "ts", "req_id"),
        *("recorded", "new_score", "scores_by_dimension", "note"),
    ]
    assert (reply["type"], reply["req_id"], reply["recorded"]) == ("learn/feedback/resp", "a", 1)
    assert plugin.feedbacks[0].score == 0.9


def test_replies_wait_until_the_stream_attaches(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    agent = agents(served(plugin), reads=False)
    for name in ("a", "b"):
        assert agent.send(feedback(name)) == 200
    agent.read()
    assert [agent.reply()["req_id"] for _ in "ab"] == ["a", "b"]  # type: ignore[index]


def test_a_new_stream_takes_over(served: Start, agents: Meet, plugin: FixedPlugin) -> None:
    agent = agents(served(plugin))
    assert agent.ask({"type": "ping", "id": "p"})["type"] == "pong"
    agent.read()
    assert agent.reply() is None  # the old stream has ended
    assert agent.ask({"type": "ping", "id": "q"})["req_id"] == "q"


def test_a_retry_gets_the_same_reply_and_counts_once(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    agent = agents(served(plugin))
    assert agent.ask(feedback("a")) == agent.ask(feedback("a"))
    assert agent.ask({"type": "ping", "id": "dup"}) == agent.ask({"type": "ping", "id": "dup"})
    assert len(plugin.feedbacks) == 1


def test_another_message_under_the_same_id_is_not_lost(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    agent = agents(served(plugin))
    agent.ask(feedback("a", comment="one"))
    agent.ask(feedback("a", comment="two"))
    assert [each.comment for each in plugin.feedbacks] == ["one", "two"]


def test_a_retry_of_a_running_message_does_not_run_it_again(served: Start, agents: Meet) -> None:
    class Slow(FixedPlugin):
        def _record_feedback(self, feedbacks: Any) -> Any:
            time.sleep(0.3)
            return super()._record_feedback(feedbacks)

    plugin = Slow()
    host = served(plugin)
    agent = agents(host)
    others: list[Agent] = [Agent(host.port, agent.session, reads=False) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        sent = [pool.submit(one.send, feedback("a")) for one in others]
        assert [each.result() for each in sent] == [200] * 3
    replies = [agent.reply() for _ in others]
    assert replies[0] is not None
    assert replies[0] == replies[1] == replies[2]
    assert len(plugin.feedbacks) == 1
    for one in others:
        one.close()


def test_sessions_and_replies_survive_a_restart(
    served: Start, agents: Meet, plugin: FixedPlugin, database_url: str
) -> None:
    first = served(plugin, database_url=database_url, config=HostConfig(token="secret"))
    agent = agents(first)
    assert agent.ask(hello("secret"))["ok"]
    before = agent.ask(feedback("a"))
    first.stop()
    assert agent.reply() is None  # the stream was closed in an orderly way
    again = served(
        plugin, database_url=database_url, port=first.port, config=HostConfig(token="secret")
    )
    later = agents(again, agent.session)
    assert later.ask(feedback("a")) == before
    assert len(plugin.feedbacks) == 1
    assert later.ask(feedback("b"))["recorded"] == 1


def test_a_session_must_show_a_changed_token_anew(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    first = served(plugin, config=HostConfig(token="old"))
    agent = agents(first)
    assert agent.ask(hello("old"))["ok"]
    first.stop()
    later = agents(served(plugin, config=HostConfig(token="new")), agent.session)
    assert later.ask(feedback("a"))["code"] == "auth_failed"


def hello(token: str, name: str = "hello") -> dict[str, Any]:
    caps = ["learning", "streaming"]
    return {"type": "handshake/req", "id": name, "agent_caps": caps, "auth_token": token}


def test_a_wrong_token_is_refused_and_the_right_one_is_not(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    agent = agents(served(plugin, config=HostConfig(token="sécret")))
    refused = agent.ask(hello("wrong"))
    assert (refused["ok"], refused["reason"], refused["accepted_caps"]) == (
        False,
        "auth_failed",
        [],
    )
    said = agent.ask(feedback("a"))
    assert (said["type"], said["code"], said["req_id"]) == ("error", "auth_failed", "a")
    assert agent.ask(hello("sécret", "again"))["ok"]
    assert agent.ask(feedback("b"))["recorded"] == 1
    assert len(plugin.feedbacks) == 1


@pytest.mark.parametrize("caps", [[], ["learn"], ["learning", "streaming"], [{"odd": 1}]])
def test_every_handshake_is_offered_learning_alone(
    served: Start, agents: Meet, plugin: FixedPlugin, caps: list[Any]
) -> None:
    reply = agents(served(plugin)).ask({"type": "handshake/req", "id": "h", "agent_caps": caps})
    assert reply["ok"] is True
    assert reply["accepted_caps"] == [{"capability": "learning", "enabled": True, "metadata": {}}]


ODD: list[tuple[bytes, str, str]] = [
    (b'{"type":', "", "not valid JSON"),
    (b"", "", "not valid JSON"),
    (b"\xff\xfe", "", "not UTF-8"),
    (b"[1,2]", "", "a message is a JSON object; this is an array"),
    (b"null", "", "this is null"),
    (b"7", "", "this is a number"),
    (b'{"id":"u2"}', "u2", "needs a type"),
    (b'{"type":["x"],"id":"u2"}', "u2", "needs a type"),
    (b'{"type":"learn/nope/req","id":"u1"}', "u1", "unsupported learn/nope/req"),
    (b'{"type":"tool/list/req","id":"u14"}', "u14", "unsupported tool/list/req"),
    (b'{"type":"learn/feedback/resp","id":"u7"}', "u7", "unsupported learn/feedback/resp"),
    (b'{"type":"pong","id":"u12"}', "u12", "unsupported pong"),
    (b'{"type":"error","id":"u13","code":"x"}', "u13", "unsupported error"),
    (b'{"type":"learn/feedback/req","id":"u3"}', "u3", "feedbacks: Field required"),
    (b'{"type":"ping","id":5}', "5", "id must be a text"),
    (b'{"type":"ping","id":"%b"}' % (b"x" * 300), "x" * 300, "id must be a text"),
    (b'{"type":"ping","id":"d","deep":' + b"[" * 100 + b"]" * 100 + b"}", "d", "levels deep"),
    (b'{"type":"ping","id":"d","deep":' + b"[" * 10**5 + b"]" * 10**5 + b"}", "d", "levels deep"),
    (b'{"type":"x","id":"big","n":' + b"9" * 5000 + b"}", "big", "not valid JSON"),
]
FEEDBACK = b'{"type":"learn/feedback/req","id":"f","feedbacks":[{"polarity":"positive",%b}]}'
BAD_FEEDBACK = [
    (b'"score":NaN', "NaN is no number"),
    (b'"score":-Infinity', "-Infinity is no number"),
    (b'"score":1e999', "1e999 is too large a number"),
    (b'"rated_turn":{"environment":{"x":NaN}}', "NaN is no number"),
    (b'"dimension":"beauty"', "feedbacks.0.dimension"),
    (b'"source":"cat"', "feedbacks.0.source"),
    (b'"ts":1794766465222', "feedbacks.0.ts"),
    (b'"correction_span":[1]', "feedbacks.0.correction_span"),
    (b'"polarity":"corrective"', "say in correction what would be right"),
    (b'"polarity":"corrective","correction":" "', "say in correction what would be right"),
    (b'"polarity":"great"', "feedbacks.0.polarity"),
    (b'"score":"high"', "feedbacks.0.score"),
]


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Yield an agent and its plugin, on one host for all tests of the module."""
    plugin = FixedPlugin()
    host = Served(str(tmp_path_factory.mktemp("host") / "seasoned.db"), [plugin])
    agent = Agent(host.port)
    yield agent, plugin
    agent.close()
    host.stop()


@pytest.mark.parametrize(("body", "req_id", "said"), ODD, ids=range(len(ODD)))
def test_what_is_no_message_is_answered_with_an_error(
    lasting: tuple[Agent, FixedPlugin], body: bytes, req_id: str, said: str
) -> None:
    reply = lasting[0].ask(body)
    assert list(reply) == [
        *("type", "id", "version", "ts", "req_id"),
        *("code", "message", "detail", "retryable", "capability_name"),
    ]
    assert (reply["type"], reply["req_id"]) == ("error", req_id)
    assert (reply["code"], reply["retryable"]) == ("invalid_message", False)
    assert reply["capability_name"] == "learning"
    assert said in reply["message"]


@pytest.mark.parametrize(("part", "said"), BAD_FEEDBACK, ids=range(len(BAD_FEEDBACK)))
def test_nonsensical_feedback_is_refused(
    lasting: tuple[Agent, FixedPlugin], part: bytes, said: str
) -> None:
    agent, plugin = lasting
    before = len(plugin.feedbacks)
    reply = agent.ask(FEEDBACK % part)
    assert (reply["type"], reply["code"], reply["req_id"]) == ("error", "invalid_message", "f")
    assert said in reply["message"]
    assert len(plugin.feedbacks) == before


def test_what_is_out_of_range_is_clamped_and_flagged(
    lasting: tuple[Agent, FixedPlugin],
) -> None:
    agent, plugin = lasting
    assert agent.ask(feedback("range", score=5.0, confidence=3.0))["recorded"] == 1
    assert plugin.feedbacks[-1].flags == (
        "score 5 clamped to 1.0",
        "confidence 3 clamped to 1.0",
    )


def test_enums_in_any_case_odd_characters_and_unknown_fields(
    lasting: tuple[Agent, FixedPlugin],
) -> None:
    agent, plugin = lasting
    turn = {"prompt": "café \u2028 😀 \ud800 \x00", "response": "x", "model": "", "more": 1}
    message = feedback(
        "odd", polarity="POSITIVE", source="Env", dimension=" TONE ", rated_turn=turn, extra={}
    )
    assert agent.ask(message | {"later": True})["recorded"] == 1
    told = plugin.feedbacks[-1]
    assert (told.polarity, told.source, told.dimension) == ("positive", "env", "tone")
    assert told.turn is not None
    assert told.turn.prompt == "café \u2028 😀 \ufffd \ufffd"


def test_replies_are_ascii_on_one_line(lasting: tuple[Agent, FixedPlugin]) -> None:
    agent, _ = lasting
    agent.ask({"type": "x\u2028é", "id": "\u2028"})
    line = agent.raw[-1]
    assert line.isascii()
    assert b"\\u2028" in line


def test_a_span_may_be_an_object(lasting: tuple[Agent, FixedPlugin]) -> None:
    agent, plugin = lasting
    span = {"start": 0, "end": 4}
    agent.ask(feedback("span", polarity="corrective", correction="hello", correction_span=span))
    assert plugin.feedbacks[-1].correction_span == (0, 4)


def test_feedback_without_an_id_gets_one_that_a_retry_has_too(
    lasting: tuple[Agent, FixedPlugin],
) -> None:
    agent, plugin = lasting
    one = {"polarity": "positive", "rated_turn": None}
    message = {"type": "learn/feedback/req", "id": "noid", "feedbacks": [one, one]}
    agent.ask(message)
    agent.ask(message | {"ts": 1.0})  # other bytes, so the message is processed again
    names = [each.id for each in plugin.feedbacks[-4:]]
    assert names[:2] == names[2:]
    assert len(set(names)) == 2


def test_a_message_without_an_id_is_answered(lasting: tuple[Agent, FixedPlugin]) -> None:
    assert lasting[0].ask({"type": "ping"})["req_id"] == ""


def test_two_messages_in_one_body_are_both_answered(lasting: tuple[Agent, FixedPlugin]) -> None:
    agent, _ = lasting
    first = agent.ask(b'{"type":"ping","id":"l1"}\n{"type":"ping","id":"l2"}\n')
    second = agent.reply()
    assert second is not None
    assert (first["req_id"], second["req_id"]) == ("l1", "l2")


def test_adapt_and_stats_in_both_revisions(lasting: tuple[Agent, FixedPlugin]) -> None:
    agent, plugin = lasting
    for name in ("skill_name", "component_name"):
        reply = agent.ask({"type": "learn/adapt/req", "id": name, name: "plan", "strategy": "UCB1"})
        assert reply["message"] == "Adapted 1 skills using ucb1"
        assert {reply["updated"][0][each] for each in ("name", "skill_name", "component_name")} == {
            "my_skill"
        }
        assert plugin.adapted[-1] == ("plan", "ucb1")
        stats = agent.ask({"type": "learn/stats/req", "id": f"s-{name}", name: ""})
        assert stats["components"] == stats["skills"] + stats["tools"]
    said = agent.ask({"type": "learn/adapt/req", "id": "b", "skill_name": "x", "strategy": "bogus"})
    assert (said["type"], said["code"]) == ("error", "invalid_message")


def test_a_shutdown_ends_the_stream_and_the_session(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    agent = agents(served(plugin))
    assert agent.send({"type": "shutdown", "id": "bye", "timeout": 10}) == 200
    assert agent.reply() is None
    assert agent.send({"type": "ping", "id": "p"}) == 404


def test_a_failing_plugin_is_an_answer_and_not_the_end(
    served: Start, agents: Meet, caplog: pytest.LogCaptureFixture
) -> None:
    class Failing(FixedPlugin):
        def _adapt(self, skill_name: str, strategy: str) -> Any:
            raise ZeroDivisionError("a secret")

        def _get_stats(self, skill_name: str, tool_name: str) -> Any:
            time.sleep(5)

    agent = agents(served(Failing(), config=HostConfig(hook_seconds=0.2)))
    said = agent.ask({"type": "learn/adapt/req", "id": "a"})
    assert (said["code"], said["retryable"]) == ("internal_error", False)
    assert "ZeroDivisionError" in said["message"]
    assert "a secret" not in said["message"]
    assert agent.send({"type": "learn/stats/req", "id": "s"}) == 503
    late = agent.reply()
    assert late is not None
    assert (late["code"], late["retryable"]) == ("timeout", True)


def test_the_highest_priority_is_asked_first_and_may_pass(served: Start, agents: Meet) -> None:
    class Upper(FixedPlugin):
        priority = 20

        def _record_feedback(self, feedbacks: Any) -> Any:
            return NotImplemented

        async def _adapt(self, skill_name: str, strategy: str) -> Any:  # type: ignore[override]
            return []

    lower, upper = FixedPlugin(), Upper()
    agent = agents(served(lower, upper))
    assert agent.ask(feedback("a"))["recorded"] == 1
    assert len(lower.feedbacks) == 1
    assert agent.ask({"type": "learn/adapt/req", "id": "x"})["updated"] == []
    assert lower.adapted == []


def test_a_huge_body_is_refused_without_reading_it(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    host = served(plugin)
    agent = agents(host)
    before = psutil.Process().memory_info().rss
    for chunked in (False, True):
        with socket.create_connection(("127.0.0.1", host.port), 10) as raw:
            size = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: 104857600"
            head = b"POST /send HTTP/1.1\r\nHost: localhost\r\nX-Session-Id: %b\r\n%b\r\n\r\n"
            raw.sendall(head % (agent.session.encode(), size))
            sent = _pour(raw, chunked)
            raw.settimeout(10)
            answer = raw.recv(4096)
        assert b" 413 " in answer
        assert b"may have 16777216 bytes" in answer
        assert sent < 40 * 2**20
    assert psutil.Process().memory_info().rss - before < 100 * 2**20
    assert agent.ask({"type": "ping", "id": "p"})["type"] == "pong"


def _pour(raw: socket.socket, chunked: bool) -> int:
    """Send up to 100 MB, and return how much the host accepted."""
    part = b"x" * 65536
    part = b"10000\r\n%b\r\n" % part if chunked else part
    sent = 0
    raw.settimeout(2)
    try:
        while sent < 100 * 2**20:
            sent += raw.send(part)
    except OSError:
        pass  # it stopped reading
    return sent


def test_a_slow_reader_is_told_to_read_and_nothing_grows(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    host = served(plugin, config=HostConfig(outbox_messages=5))
    agent = agents(host, reads=False)
    for number in range(5):
        assert agent.send(feedback(f"m{number}")) == 200
    for _ in range(20):
        assert agent.send(feedback("late")) == 429
    assert len(plugin.feedbacks) == 5  # refused messages were not processed
    agent.read()
    assert [agent.reply()["req_id"] for _ in range(5)] == [f"m{n}" for n in range(5)]  # type: ignore[index]
    assert agent.ask(feedback("late"))["recorded"] == 1


def test_a_reader_that_stops_reading_holds_up_nobody_else(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    host = served(plugin, config=HostConfig(outbox_messages=20, outbox_bytes=2**20))
    stuck, other = agents(host, reads=False), agents(host)
    with socket.create_connection(("127.0.0.1", host.port)) as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        head = f"GET /stream HTTP/1.1\r\nHost: localhost\r\nX-Session-Id: {stuck.session}\r\n\r\n"
        raw.sendall(head.encode())
        # An id that is too long is echoed in full, so replies soon fill any buffer.
        statuses = [stuck.send({"type": "ping", "id": "y" * 300_000})]
        while statuses[-1] == 200 and len(statuses) < 200:
            statuses.append(stuck.send({"type": "ping", "id": "y" * 300_000}))
        assert statuses[-1] == 429
        assert other.ask({"type": "ping", "id": "p"})["type"] == "pong"
    session = host.host.sessions.in_memory[stuck.session]
    assert session.outbox.waiting <= 20


def test_a_client_that_vanishes_mid_stream_finds_its_replies_again(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    host = served(plugin)
    agent = agents(host)
    agent.ask({"type": "ping", "id": "p"})
    agent.vanish()
    assert agent.reply() is None
    _eventually(lambda: not host.host.sessions.in_memory[agent.session].outbox.is_read)
    assert agent.send(feedback("a")) == 200
    agent.read()
    reply = agent.reply()
    assert reply is not None
    assert reply["req_id"] == "a"


def test_a_client_that_vanishes_in_the_middle_of_a_message_leaves_nothing(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    host = served(plugin, config=HostConfig(in_flight=1, in_flight_bytes=600, read_seconds=30))
    agent = agents(host)
    head = (
        b"POST /send HTTP/1.1\r\nHost: localhost\r\nX-Session-Id: %b\r\nContent-Length: 500\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", host.port)) as raw:
        raw.sendall(head % agent.session.encode() + b"{" * 400)
        session = host.host.sessions.in_memory[agent.session]
        _eventually(lambda: session.in_flight == 1)
        assert agent.ask({"type": "ping", "id": "while it is read"})["type"] == "pong"
    # The message and its bytes no longer count as in flight.
    _eventually(lambda: session.in_flight == 0)
    assert agent.ask({"type": "ping", "id": "p", "more": "x" * 500})["type"] == "pong"


def _eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 5
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_many_agents_at_once_each_get_their_own(served: Start, plugin: FixedPlugin) -> None:
    host = served(plugin)

    def converse(number: int) -> list[str]:
        agent = Agent(host.port)
        replies = [agent.ask(feedback(f"{number}-{n}")) for n in range(25)]
        agent.close()
        return [reply["req_id"] for reply in replies]

    with ThreadPoolExecutor(8) as pool:
        heard = list(pool.map(converse, range(8)))
    assert heard == [[f"{number}-{n}" for n in range(25)] for number in range(8)]
    assert len(plugin.feedbacks) == 200


def test_sessions_in_memory_have_an_end(served: Start, agents: Meet, plugin: FixedPlugin) -> None:
    host = served(plugin, config=HostConfig(sessions=10, kept_sessions=150))
    first = agents(host, reads=False)
    for _ in range(210):
        assert first.post("/session", b"")[0] == 200
    assert len(host.host.sessions.in_memory) <= 10

    async def count() -> int:
        async with host.db.read() as tx:
            row = await tx.fetch_one("SELECT count(*) FROM protocol_sessions")
            return row[0] if row else 0

    assert host.db.run(count()) <= 150


def test_status_codes_are_those_of_the_wire(served: Start, plugin: FixedPlugin) -> None:
    host = served(plugin)
    connection = http.client.HTTPConnection("127.0.0.1", host.port, timeout=10)

    def ask(method: str, path: str, **headers: str) -> tuple[int, Any, str | None]:
        connection.request(
            method, path, headers={k.replace("_", "-"): v for k, v in headers.items()}
        )
        response = connection.getresponse()
        return response.status, json.loads(response.read()), response.getheader("allow")

    missing, unknown = {"detail": "Missing X-Session-Id"}, {"detail": "Session not found"}
    refused = {"detail": "Method Not Allowed"}
    assert ask("GET", "/health")[0] == 200
    assert ask("GET", "/session") == (405, refused, "POST")
    assert ask("DELETE", "/session") == (405, refused, "POST")
    assert ask("POST", "/send") == (400, missing, None)
    assert ask("POST", "/send", X_Session_Id="bad") == (404, unknown, None)
    assert ask("GET", "/stream") == (400, missing, None)
    assert ask("GET", "/stream", X_Session_Id="bad") == (404, unknown, None)
    assert ask("GET", "/nowhere")[0] == 404
    connection.close()


def test_two_hosts_of_different_projects_do_not_share_sessions(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    first = served(plugin)
    agent = agents(first)
    first.stop()
    other = served(plugin, scope=Scope(project="other"))
    stranger = Agent(other.port, agent.session, reads=False)
    assert stranger.send({"type": "ping", "id": "p"}) == 404
    stranger.close()


def test_threads_of_a_host_end_with_it(served: Start, agents: Meet, plugin: FixedPlugin) -> None:
    before = threading.active_count()
    host = served(plugin)
    agents(host).ask(feedback("a"))
    host.stop()
    _eventually(lambda: threading.active_count() <= before)
