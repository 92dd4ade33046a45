"""Values that no JSON, no database and no recursion can bear: the call is recorded all the same."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seasoned import Seasoned
from seasoned.bandit.experience import Experience
from seasoned.core.ids import new_id


class Mute:
    """An object that cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")


def nested(levels: int, *, keyed: bool) -> Any:
    value: Any = "bottom"
    for _ in range(levels):
        value = {"a": value} if keyed else [value]
    return value


def circle() -> Any:
    value: dict[str, Any] = {"name": "round"}
    value["self"] = [value, value]
    return value


ODD: dict[str, Any] = {
    "an integer of 5000 digits": 10**5000,
    "such an integer as a key": {10**5000: 1},
    "a deep list": nested(50_000, keyed=False),
    "a deep dict": nested(900, keyed=True),
    "a circle": circle(),
    "NaN": float("nan"),
    "infinity": float("inf"),
    "NUL": "a\x00b",
    "a lone surrogate": "a\ud800b",
    "bytes": b"\x00\xff",
    "keys of many types": {1: 2, None: 3, (4, 5): 6, "\x00": 7, "\ud800": 8},
    "a mute object": Mute(),
    "a mute key": {Mute(): 1},
    "many megabytes": "x" * 3_000_000,
    "a set": {1, 2},
}


@pytest.mark.parametrize("value", ODD.values(), ids=ODD)
def test_a_call_with_an_odd_value_is_recorded(seasoned: Seasoned, value: Any) -> None:
    use_everywhere(seasoned, value)
    assert seasoned.verify_audit().intact


def use_everywhere(s: Seasoned, value: Any) -> None:
    """Give a value to every method that takes values of an agent, and count what was recorded."""
    before = {one.name: one.calls for one in s.tools()}
    seen = s.experiences.count()
    s.observe("read", {"v": value}, "ok")
    s.observe("read", {"v": 1}, value)
    s.observe("read", {"v": value}, error="it broke on line 7")
    s.observe("read", {"v": 2}, {"id": value})
    s.observe("read", value, "ok")
    s.reward("search", "bm25", 1.0, context={"v": value})
    s.experiences.add([Experience(new_id(), {"v": value}, {"skill": value}, 1.0)])
    s.feedback.add("positive", prompt="p", response="r", environment={"v": value})
    s.turn("and now?", "done", tool_calls=[{"tool": "read", "params": {"v": value}}])
    assert s.tools()[0].calls == before.get("read", 0) + 5
    assert s.experiences.count() == seen + 2
    assert len(s.experiences.list(limit=2)) == 2


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b"], ids=["NUL", "surrogate"])
def test_odd_characters_in_names_are_replaced(seasoned: Seasoned, text: str) -> None:
    s = seasoned
    s.observe(text, {text: text}, text, session=text)
    s.observe(text, {"x": 1}, error=f"failed on {text}", session=text)
    s.observe(text, {"x": 2}, "ok", session=text)
    assert [(one.name, one.calls) for one in s.tools()] == [("a\ufffdb", 3)]
    s.teach(text, fix=f"Say {text}.", tool=text)
    s.teach(text, rule=f"Always say {text}.")
    s.correct(f"No, use {text}, not x.", request=text, reply="x", session=text)
    s.feedback.add("corrective", correction=f"Use {text}.", session=text, skill=text, id=text)
    s.turn(text, text, session=text, denied=(text, text))
    s.reward(text, text, 1.0)
    assert s.adapt(text, arms=[text]).choice is not None
    s.rules.add(f"Never say {text}.")
    s.examples.add(text, text)
    s.recall(text, session=text)
    s.search(text)
    chat = s.conversation(text)
    chat.user(text)
    chat.assistant(text)
    chat.end()
    assert s.verify_audit().intact


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(codec=None)),
    st.binary(max_size=20),
    st.sampled_from(["\x00", "\ud800"]),
    st.builds(lambda: 10**5000),
    st.builds(Mute),
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=5) | st.integers() | st.none(), inner, max_size=4)
        | st.tuples(inner, inner)
    ),
    max_leaves=12,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=values)
def test_any_value_is_recorded(seasoned: Seasoned, value: Any) -> None:
    use_everywhere(seasoned, value)
