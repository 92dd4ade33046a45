"""SKILL.md files: lossless round trips, and clear errors."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.core.errors import BadInput, NotFound
from seasoned.skills.skill import Skill
from seasoned.skills.skill_file import (
    join_front_matter,
    skill_from,
    skill_text,
    skills_in,
    split_front_matter,
    write_skill,
)

FULL = """---
# how we write them
name: release-notes
description: >
  Write release notes from merged
  pull requests.
license: 'Apache-2.0'
allowed-tools: [git_log, "write, file"]
metadata:
  author: Ana  # of the docs team
  tags:
    - notes
    - release
  nested:
    deep: "yes: it is"
note: |
  line one
    indented
  line two
---

# Release notes

1. Ask git.
"""

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,10}", fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
TABLES: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    NAMES,
    st.recursive(
        TEXTS | st.lists(TEXTS.filter(str.strip), max_size=4),
        lambda inner: st.dictionaries(NAMES, inner, min_size=1, max_size=3),
        max_leaves=6,
    ),
    max_size=5,
)


def test_the_usual_heads_are_read() -> None:
    skill = skill_from(FULL)
    assert skill.name == "release-notes"
    assert skill.description == "Write release notes from merged pull requests."
    assert skill.body == "# Release notes\n\n1. Ask git."
    assert skill.meta == {
        "license": "Apache-2.0",
        "allowed-tools": ["git_log", "write, file"],
        "metadata": {
            "author": "Ana",
            "tags": ["notes", "release"],
            "nested": {"deep": "yes: it is"},
        },
        "note": "line one\n  indented\nline two",
    }


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("2025-01-31", "2025-01-31"),
        ("2025-01-31T09:00:00Z", "2025-01-31T09:00:00Z"),
        ("1.0", "1.0"),
        ("yes", "yes"),
        ("null", "null"),
        ("", ""),
        ("https://example.com/a#b", "https://example.com/a#b"),
        ("Use when: the user asks", "Use when: the user asks"),
        ("Reads PDFs. Triggers: pdf, form: 'fill'", "Reads PDFs. Triggers: pdf, form: 'fill'"),
        ("Use when: it fits\n  and: it is late  # or so", "Use when: it fits and: it is late"),
        ("- not a list", "- not a list"),
        ("it's 50% off", "it's 50% off"),
        ("{b: c}", {"b": "c"}),
        ("[a, 2, 'b, c']", ["a", "2", "b, c"]),
        ("\n- a\n- 3.5", ["a", "3.5"]),
    ],
)
def test_values_stay_strings_and_colons_need_no_quotes(line: str, value: object) -> None:
    text = f"---\nname: x\ndescription: y\nunknown-key: {line}\nlast: z\n---\nbody"
    assert skill_from(text).meta == {"unknown-key": value, "last": "z"}


def test_a_skill_comes_back_as_it_was_written() -> None:
    skill = skill_from(FULL)
    assert skill_from(skill_text(skill)) == skill


@given(TABLES)
def test_any_head_comes_back_as_it_was_written(head: dict[str, Any]) -> None:
    wanted = {key: value for key, value in head.items() if value != {}}
    assert split_front_matter(join_front_matter(head, "body"))[0] == wanted


@given(st.text(max_size=200))
def test_any_text_is_a_skill_or_an_error_that_says_why(text: str) -> None:
    for file in (text, f"---\n{text}\n---\nbody"):
        with suppress(BadInput):
            skill_from(file)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Just words.", "no front matter"),
        ("---\nname: x\n", "never ends"),
        ("---\nname: x\n---\nbody", "description of x is empty"),
        ("---\nname: x\ndescription: y\n---\n", "body of x is empty"),
        ("---\nname: Not Good\ndescription: y\n---\nbody", "'Not Good' is not valid"),
        ("---\nname: ../up\ndescription: y\n---\nbody", "is not valid"),
        ("---\nname: x\nname: y\n---\nbody", "line 3: name is given twice"),
        ("---\nname: x\n\tdescription: y\n---\nbody", "line 3: found character '\\t'"),
        ("---\nname: x\nwhat\n---\nbody", "line 3"),
        ("---\nname: x\na: [b\n---\nbody", "line 3: expected ',' or ']'"),
        ("---\nname: x\na: &b c\n---\nbody", "line 3: anchors"),
        ("---\nname: x\na: *b\n---\nbody", "line 3: anchors"),
        ("---\nname: x\na: !!python/name:os c\n---\nbody", "line 3: anchors"),
        ("---\nname: x\na: [[[[[[[[[[b]]]]]]]]]]\n---\nbody", "line 3: nested more than 8 deep"),
        ("---\njust words\n---\nbody", "must be lines of `name: value`"),
        ('---\nname: "x\n---\nbody', "line 2"),
        ("---\nname: [a]\ndescription: y\n---\nbody", "must be strings"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=r"SKILL\.md") as caught:
        skill_from(text)
    assert said in str(caught.value)


def test_folders_of_skills_are_read(tmp_path: Path) -> None:
    one, two = Skill("one", "The first.", "Do one."), Skill("two", "The second.", "Do two.")
    written = [write_skill(skill, tmp_path) for skill in (one, two)]
    assert list(skills_in(tmp_path)) == list(zip(written, (one, two), strict=True))
    assert list(skills_in(tmp_path / "two")) == [(written[1], two)]
    assert list(skills_in(written[0])) == [(written[0], one)]
    with pytest.raises(BadInput, match="exists already"):
        write_skill(one, tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotFound, match=r"no SKILL\.md in"):
        list(skills_in(tmp_path / "empty"))
    with pytest.raises(NotFound, match="no file or folder"):
        list(skills_in(tmp_path / "nowhere"))
