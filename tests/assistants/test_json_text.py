"""Changing JSON in place: what is added can be removed, and nothing else moves."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.assistants.setup.json_text import BrokenJson, added, parse, removed
from seasoned.core.errors import BadInput

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
OURS = {"hooks": [{"type": "command", "command": "seasoned-hook --host codex"}]}


@given(
    st.dictionaries(st.text(max_size=4), VALUES, max_size=3),
    st.lists(VALUES, min_size=1, max_size=2),
    st.sampled_from([None, 2, 4, "\t"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_is_added_and_removed_again_leaves_every_byte(
    members: dict[str, Any], there: list[Any], indent: Any, newline: str
) -> None:
    whole = {**members, "hooks": {"Stop": there}}
    text = json.dumps(whole, indent=indent, ensure_ascii=False).replace("\n", newline) + newline
    assert parse(text).value == whole
    more = added(text, ["hooks", "Stop"], None, OURS)
    assert parse(more).value["hooks"]["Stop"] == [*there, OURS]
    other = added(more, ["hooks"], "SessionStart", [OURS])
    assert parse(other).value["hooks"]["SessionStart"] == [OURS]
    assert removed(other, ["hooks", "SessionStart"]) == more
    assert removed(more, ["hooks", "Stop", len(there)]) == text


COMMENTED = """\
// settings of ana
{
\t"theme": "dark", /* not light */
\t"hooks": {
\t\t"AfterTool": [
\t\t\t{ "hooks": [ { "command": "lint" } ] }, // of the team
\t\t],
\t},
\t// the end
}
"""


def test_comments_trailing_commas_and_tabs_stay() -> None:
    more = added(COMMENTED, ["hooks", "AfterTool"], None, {"a": 1})
    assert '\t\t\t{ "hooks": [ { "command": "lint" } ] }, // of the team\n\t\t\t{\n' in more
    assert parse(more).value["hooks"]["AfterTool"] == [{"hooks": [{"command": "lint"}]}, {"a": 1}]
    assert removed(more, ["hooks", "AfterTool", 1]) == COMMENTED


def test_a_comment_stays_with_what_it_is_about() -> None:
    text = '{\n  "a": 1 // one\n}\n'
    more = added(text, [], "b", 2)
    assert more == '{\n  "a": 1, // one\n  "b": 2\n}\n'
    assert removed(more, ["b"]) == text


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("{", "line 1, column 2"),
        ('{"a" 1}', "line 1, column 6"),
        ('{\n  "a": 1\n  "b": 2\n}', "line 3, column 3"),
        ("{a: 1}", "line 1, column 2"),
        ('{"a": 1} x', "line 1, column 10"),
        ('{"a": "\n"}', "line 1, column 7"),
        ("[" * 200, "nested too deep"),
    ],
)
def test_a_broken_text_is_refused_with_its_place(text: str, where: str) -> None:
    with pytest.raises(BrokenJson, match=where):
        parse(text)


def test_a_value_of_another_kind_in_the_way_is_not_replaced() -> None:
    with pytest.raises(BadInput, match="hooks is no object"):
        added('{"hooks": []}', ["hooks"], "Stop", [])
