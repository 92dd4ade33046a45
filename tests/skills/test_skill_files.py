"""A SKILL.md is read and written without loss, and what is wrong with one is said."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.core.errors import BadInput, NotFound
from seasoned.skills.files import skills_in, write_skill
from seasoned.skills.front_matter import joined, split
from seasoned.skills.skill import Skill, skill_from, skill_text

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


def test_a_skill_comes_back_as_it_was_written() -> None:
    skill = skill_from(FULL)
    assert skill_from(skill_text(skill)) == skill


@given(TABLES)
def test_any_head_comes_back_as_it_was_written(head: dict[str, Any]) -> None:
    wanted = {key: value for key, value in head.items() if value != {}}
    assert split(joined(head, "body"))[0] == wanted


@given(st.text(max_size=200))
def test_any_text_is_a_skill_or_an_error_that_says_why(text: str) -> None:
    for file in (text, f"---\n{text}\n---\nbody"):
        with suppress(BadInput):
            skill_from(file)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Just words.", "no head"),
        ("---\nname: x\n", "never ends"),
        ("---\nname: x\n---\nbody", "description of x is empty"),
        ("---\nname: x\ndescription: y\n---\n", "body of x is empty"),
        ("---\nname: Not Good\ndescription: y\n---\nbody", "'Not Good' cannot be used"),
        ("---\nname: ../up\ndescription: y\n---\nbody", "cannot be used"),
        ("---\nname: x\nname: y\n---\nbody", "line 3: name is given twice"),
        ("---\nname: x\n\tdescription: y\n---\nbody", "line 3 is indented with a tab"),
        ("---\nname: x\nwhat\n---\nbody", "line 3: 'what' is no `name: value`"),
        ("---\nname: x\na: {b: c}\n---\nbody", "line 3"),
        ('---\nname: "x\n---\nbody', "line 2"),
        ("---\nname: [a]\ndescription: y\n---\nbody", "plain texts"),
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
    with pytest.raises(BadInput, match="there already"):
        write_skill(one, tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotFound, match=r"no SKILL\.md"):
        list(skills_in(tmp_path / "empty"))
    with pytest.raises(NotFound, match="no file or folder"):
        list(skills_in(tmp_path / "nowhere"))
