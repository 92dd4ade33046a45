"""`seasoned skills`: add, find, retire, adopt, export."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Answer = Callable[..., Any]
Call = Callable[..., Result]

TEXT = """---
name: release-notes
description: Write release notes from merged pull requests.
license: MIT
---

1. Ask git for the log.
"""


@pytest.fixture
def added(answer: Answer, tmp_path: Path) -> str:
    file = tmp_path / "SKILL.md"
    file.write_text(TEXT, "utf-8")
    return answer("skills", "add", str(file))[0]["name"]


def test_a_skill_is_added_listed_and_found(seasoned: Call, answer: Answer, added: str) -> None:
    assert added in seasoned("skills", "list").stdout
    assert added in seasoned("skills", "search", "write the release notes").stdout
    (one,) = answer("skills", "list")
    assert (one["status"], one["meta"], one["succeeded"]) == ("active", {"license": "MIT"}, 0)
    (hit,) = answer("skills", "search", "write", "release", "notes")
    assert hit["relevance"] > 0.3
    assert "[skill release-notes]" in seasoned("recall", "write release notes").stdout


def test_an_exported_skill_equals_the_added_one(seasoned: Call, added: str, tmp_path: Path) -> None:
    assert seasoned("skills", "export", added).stdout == TEXT
    told = seasoned("skills", "export", added, "--to", str(tmp_path / "out"))
    assert told.exit_code == 0, told.output
    assert (tmp_path / "out" / added / "SKILL.md").read_text("utf-8") == TEXT
    again = seasoned("skills", "export", added, "--to", str(tmp_path / "out"))
    assert (again.exit_code, "--force replaces it" in again.stderr) == (2, True)


def test_it_is_retired_and_adopted_again(seasoned: Call, answer: Answer, added: str) -> None:
    assert answer("skills", "retire", added)["status"] == "retired"
    assert "no active skill matches" in seasoned("skills", "search", "release notes").stderr
    assert "is active" in seasoned("skills", "adopt", added).stdout
    assert "name: release-notes" in seasoned("skills", "show", added).stdout


def test_nothing_to_distill_is_said(seasoned: Call, answer: Answer) -> None:
    assert "no skill to propose" in seasoned("skills", "distill").stderr
    assert answer("skills", "distill") == []


def test_what_is_wrong_is_said(seasoned: Call, tmp_path: Path) -> None:
    missing = seasoned("skills", "add", str(tmp_path / "nowhere"))
    assert (missing.exit_code, "no file or folder" in missing.stderr) == (3, True)
    (tmp_path / "SKILL.md").write_text("words", "utf-8")
    headless = seasoned("skills", "add", str(tmp_path))
    assert (headless.exit_code, "no front matter" in headless.stderr) == (2, True)
    unknown = seasoned("skills", "show", "nothing")
    assert (unknown.exit_code, "no skill 'nothing'" in unknown.stderr) == (3, True)
