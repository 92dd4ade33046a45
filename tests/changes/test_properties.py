"""Properties of changes between any two calls."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from seasoned.changes.agreement import common_repair
from seasoned.changes.named_by_error import named_by_error
from seasoned.changes.relatedness import Step, looks_only, relation
from seasoned.changes.repair import Repair, apply_repair, repair_between, steps_for
from seasoned.changes.wording import sentence_for

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
    repair = repair_between(failed, worked, error, between)
    assert repair is not None or failed != worked
    if repair is None:
        return
    assert Repair.from_json(json.loads(json.dumps(repair.to_json()))) == repair
    assert 0 < len(sentence_for(repair, "tool")) < 300
    assert named_by_error(repair, error) in {True, False}
    steps_for(repair, failed, error)
    assert 0 <= relation(failed, worked) <= 1
    assert all(looks_only(step) in {True, False} for step in between)


@given(params, params, text)
@settings(max_examples=250, deadline=None)
def test_a_change_replayed_on_its_own_failure_gives_its_own_success(
    failed: dict[str, Any], worked: dict[str, Any], error: str
) -> None:
    repair = repair_between(failed, worked, error)
    if repair is None or same(failed, worked):
        return
    assert same(apply_repair(repair, failed, error), worked)


@given(command, command, text)
@settings(max_examples=300, deadline=None)
def test_a_rewritten_command_is_remade_to_the_letter(old: str, new: str, error: str) -> None:
    repair = repair_between({"command": old}, {"command": new}, error)
    assert repair is not None
    if old != new:
        assert apply_repair(repair, {"command": old}, error) == {"command": new}


@given(params, params, text, steps)
@settings(max_examples=150, deadline=None)
def test_a_change_agrees_with_itself(
    failed: dict[str, Any], worked: dict[str, Any], error: str, between: list[Step]
) -> None:
    repair = repair_between(failed, worked, error, between)
    if repair is None:
        return
    both = common_repair(repair, repair)
    assert both is not None
    assert same(apply_repair(both, failed, error), apply_repair(repair, failed, error))


@given(params, params, params, text, text)
@settings(max_examples=150, deadline=None)
def test_replaying_on_a_strange_call_never_raises_and_never_changes_nothing(
    failed: dict[str, Any], worked: dict[str, Any], other: dict[str, Any], error: str, said: str
) -> None:
    repair = repair_between(failed, worked, error)
    if repair is None:
        return
    before = json.dumps(other)
    made = apply_repair(repair, other, said)
    assert json.dumps(other) == before
    assert made is None or not same(made, other)
