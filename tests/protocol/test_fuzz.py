"""Fuzzing: every message gets an answer, and the host keeps serving."""

import json
import os
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seasoned import Seasoned
from seasoned.protocol.host.host import Host
from seasoned.protocol.host.sessions import AgentSession
from seasoned.protocol.wire import LONGEST_ID

MESSAGES = 5  # per example
EXAMPLES = 20_000 if os.environ.get("HYPOTHESIS_PROFILE") == "search" else 80

names = st.sampled_from(["", "a", "plan", "grep", "é\u2028", "\ud800", "x" * 300]) | st.text(
    st.characters(), max_size=20
)
numbers = (
    st.sampled_from([0, 1, -1, 0.5, 5.0, 1e300, -1e300, 10**30, -(10**400), 2**63, True])
    | st.floats()
    | st.integers()
)
anything = st.recursive(
    st.none() | st.booleans() | numbers | names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
# Mostly valid: a message that is wrong everywhere is refused too early to test much.
cases = st.sampled_from
objects = st.dictionaries(names, anything, max_size=3)
turns = st.fixed_dictionaries(
    {},
    optional={
        "prompt": names,
        "response": names,
        "model": names | st.none(),
        "environment": objects
        | st.none()
        | st.fixed_dictionaries({"skill": anything})
        | st.fixed_dictionaries({"tool": names}),
        "version": names | st.none(),
    },
)
feedbacks = st.fixed_dictionaries(
    {"polarity": cases(["positive", "NEGATIVE", "neutral", "corrective", "?"])},
    optional={
        "feedback_id": names,
        "correlation_id": names,
        "session_id": names,
        "rated_turn": turns | st.none() | anything,
        "score": numbers,
        "dimension": cases(["tone", "SAFETY", "plan_quality", "beauty"]),
        "confidence": numbers,
        "comment": names,
        "correction": names,
        "correction_span": st.lists(st.integers(), max_size=3) | st.none() | objects,
        "source": cases(["human", "ENV", "self", "cat"]),
        "annotator_id": names | st.none(),
        "ts": numbers | st.none(),
        "more": anything,
    },
)
actions = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("skill", "skill_name", "component_name", "tool", "arm"), names | anything),
        "duration_ms": numbers,
        "success": st.booleans() | anything,
    },
)
experiences = st.fixed_dictionaries(
    {},
    optional={
        "experience_id": names,
        "state": objects | anything,
        "action": actions | anything,
        "reward": numbers,
        "next_state": objects | st.none(),
        "done": st.booleans(),
        "episode_id": names,
        "step": st.integers(),
        "ts": numbers,
        "policy": names,
        "propensity": numbers | st.none(),
    },
)
strategies = cases(["ucb1", "EPSILON_GREEDY", "softmax", "thompson", "custom", "bogus", ""])
bodies: dict[str, st.SearchStrategy[Any]] = {
    "learn/feedback/req": st.fixed_dictionaries({"feedbacks": st.lists(feedbacks, max_size=3)}),
    "learn/experience/req": st.fixed_dictionaries(
        {"experiences": st.lists(experiences, max_size=3)}
    ),
    "learn/adapt/req": st.fixed_dictionaries(
        {"strategy": strategies}, optional=dict.fromkeys(("skill_name", "component_name"), names)
    ),
    "learn/stats/req": st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("skill_name", "tool_name", "component_name"), names)
    ),
    "handshake/req": st.fixed_dictionaries(
        {}, optional={"agent_id": names, "agent_caps": st.lists(anything), "auth_token": names}
    ),
    "ping": st.just({}),
    "shutdown": st.fixed_dictionaries({"timeout": anything}),
}
ids = st.text(st.characters(), min_size=1, max_size=12) | anything


@st.composite
def told(draw: st.DrawFn) -> bytes:
    """An almost valid message."""
    kind = draw(st.sampled_from([*bodies] * 4 + ["learn/nope/req", "pong", "error"]))
    body = draw(bodies.get(kind, objects))
    message = {"type": kind, "id": draw(ids), "version": "1.0", **body}
    return json.dumps(message, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")


@st.composite
def torn(draw: st.DrawFn) -> bytes:
    """A message with one piece removed, doubled or replaced."""
    raw = draw(told())
    start = draw(st.integers(0, len(raw)))
    end = draw(st.integers(start, len(raw)))
    middle = draw(st.sampled_from([b"", raw[start:end] * 2]) | st.binary(max_size=5))
    return raw[:start] + middle + raw[end:]


messages = told() | torn() | st.binary(max_size=40) | anything.map(lambda v: json.dumps(v).encode())


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[Seasoned, Host]]:
    variables = {"SEASONED_HOME": str(tmp_path_factory.mktemp("home"))}
    with Seasoned(":memory:", environment=variables) as s:
        yield s, s.inner.app.learn_host(s.inner.scope, concurrent=False)


@pytest.mark.timeout(1800)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    print_blob=True,
)
@given(raws=st.lists(messages, min_size=MESSAGES, max_size=MESSAGES))
def test_every_message_is_answered(host: tuple[Seasoned, Host], raws: list[bytes]) -> None:
    s, served = host
    run = s.inner.app.db.run
    session = served.sessions.open()
    for raw in raws:
        if session.closed:
            session = served.sessions.open()
        check(run(served.answer(session, raw)), raw, session)
        s.inner.app.bus.deliver()
    if not session.closed:
        last = run(served.answer(session, b'{"type":"ping","id":"still there?"}'))
        assert last is not None
        assert json.loads(last)["type"] == "pong"
        run(served.sessions.close(session))


def check(reply: bytes | None, raw: bytes, session: AgentSession) -> None:
    if reply is None:
        assert session.closed
        assert json.loads(raw.decode("utf-8-sig"))["type"] == "shutdown"
        return
    assert reply.isascii()
    assert b"\n" not in reply
    answer = json.loads(reply, parse_constant=pytest.fail)
    assert answer.get("code") != "internal_error", (raw, answer)
    assert answer["version"] == "1.0"
    try:
        message: Any = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        assert answer["type"] == "error"
        return
    if not isinstance(message, dict):
        assert answer["type"] == "error"
        return
    name: Any = message.get("id")  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    if isinstance(name, str) and 0 < len(name) <= LONGEST_ID and name.isalnum() and name.isascii():
        assert answer["req_id"] == name, (raw, answer)
