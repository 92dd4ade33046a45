"""What holds for every pair of calls, whatever their parameters are."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from seasoned.learning.change import Change, Step
from seasoned.learning.change_agreed import agreed
from seasoned.learning.change_applied import applied, prepared
from seasoned.learning.change_between import change_between
from seasoned.learning.change_named import named_by_error
from seasoned.learning.change_phrases import described
from seasoned.learning.relatedness import looks_only, relation

word = st.sampled_from(
    [
        "git",
        "push",
        "--force",
        "-d",
        "-D",
        "a.txt",
        "src/a.txt",
        "'",
        '"',
        "&&",
        "x",
        "ü",
        "3",
        "名",
    ]
)
command = st.lists(st.tuples(word, st.sampled_from([" ", " ", "  ", "", "\n"])), max_size=9).map(
    lambda parts: "".join(w + space for w, space in parts)
)
text = st.one_of(command, st.text(max_size=30))
value = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.floats(allow_nan=False), text),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
params = st.dictionaries(st.sampled_from(["command", "path", "n", "", "名"]), value, max_size=4)
steps = st.lists(st.builds(Step, st.text(max_size=5), params), max_size=4)


def same(a: Any, b: Any) -> bool:
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


@given(params, params, text, steps)
@settings(max_examples=250, deadline=None)
def test_any_two_calls_can_be_compared_and_the_change_survives_json(
    failed: dict[str, Any], worked: dict[str, Any], error: str, between: list[Step]
) -> None:
    change = change_between(failed, worked, error, between)
    assert change is not None or failed != worked
    if change is None:
        return
    assert Change.from_json(json.loads(json.dumps(change.to_json()))) == change
    assert 0 < len(described(change, "tool")) < 300
    assert named_by_error(change, error) in {True, False}
    prepared(change, failed, error)
    assert 0 <= relation(failed, worked) <= 1
    assert all(looks_only(step) in {True, False} for step in between)


@given(params, params, text)
@settings(max_examples=250, deadline=None)
def test_a_change_replayed_on_its_own_failure_gives_its_own_success(
    failed: dict[str, Any], worked: dict[str, Any], error: str
) -> None:
    change = change_between(failed, worked, error)
    if change is None or same(failed, worked):
        return
    assert same(applied(change, failed, error), worked)


@given(command, command, text)
@settings(max_examples=300, deadline=None)
def test_a_rewritten_command_is_remade_to_the_letter(old: str, new: str, error: str) -> None:
    change = change_between({"command": old}, {"command": new}, error)
    assert change is not None
    if old != new:
        assert applied(change, {"command": old}, error) == {"command": new}


@given(params, params, text, steps)
@settings(max_examples=150, deadline=None)
def test_a_change_agrees_with_itself(
    failed: dict[str, Any], worked: dict[str, Any], error: str, between: list[Step]
) -> None:
    change = change_between(failed, worked, error, between)
    if change is None:
        return
    both = agreed(change, change)
    assert both is not None
    assert same(applied(both, failed, error), applied(change, failed, error))


@given(params, params, params, text, text)
@settings(max_examples=150, deadline=None)
def test_replaying_on_a_strange_call_never_raises_and_never_changes_nothing(
    failed: dict[str, Any], worked: dict[str, Any], other: dict[str, Any], error: str, said: str
) -> None:
    change = change_between(failed, worked, error)
    if change is None:
        return
    before = json.dumps(other)
    made = applied(change, other, said)
    assert json.dumps(other) == before
    assert made is None or not same(made, other)
