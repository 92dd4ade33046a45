"""`seasoned knowledge`: add, list, search, update, remove."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Answer = Callable[..., Any]
Call = Callable[..., Result]
Process = Callable[..., subprocess.CompletedProcess[str]]

TEXT = "# Handbook\n\n## Parking\n\nVisitors park behind the brewery.\n\n## Travel\n\n{}\n"
LONG = "Trips are booked by the office in Lyon, ten days ahead, by whoever goes. " * 4


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "handbook.md").write_text(TEXT.format(LONG))
    (folder / "broken.pdf").write_bytes(b"no PDF")
    monkeypatch.chdir(tmp_path)
    return folder


def test_add_imports_and_says_what_came_and_what_could_not(seasoned: Call, folder: Path) -> None:
    result = seasoned("knowledge", "add", "docs")
    assert result.exit_code == 0, result.output
    assert "1 added, 1 failed" in result.stdout
    assert "2 added" in result.stdout
    assert result.stderr.startswith("docs/broken.pdf: the PDF cannot be read")
    again = seasoned("knowledge", "add", "docs/handbook.md")
    assert "1 unchanged" in again.stdout


def test_the_answers_for_machines_are_one_document_each(answer: Answer, folder: Path) -> None:
    added = answer("knowledge", "add", "docs")
    assert added["documents"] == {
        "added": 1,
        "updated": 0,
        "unchanged": 0,
        "removed": 0,
        "failed": 1,
    }
    assert added["passages"] == {"added": 2, "kept": 0, "removed": 0}
    assert added["problems"][0]["name"] == str(folder / "broken.pdf")
    (listed,) = answer("knowledge", "list")
    assert (listed["name"], listed["title"]) == (str(folder / "handbook.md"), "Handbook")
    shown = answer("knowledge", "show", "handbook.md")
    assert [one["trigger"] for one in shown["passages"]] == [
        "Handbook › Parking",
        "Handbook › Travel",
    ]
    (hit, *_) = answer("knowledge", "search", "where", "do", "visitors", "park")
    assert hit["content"] == "Visitors park behind the brewery."
    assert answer("knowledge", "update")["documents"]["unchanged"] == 1
    assert answer("knowledge", "remove", "handbook.md")["documents"]["removed"] == 1
    assert answer("knowledge", "list") == []


def test_people_see_names_titles_and_passages(seasoned: Call, folder: Path) -> None:
    assert "no documents yet" in seasoned("knowledge", "list").stderr
    seasoned("knowledge", "add", "docs")
    listed = seasoned("knowledge", "list").stdout
    for told in ("Handbook", "docs/handbook.md", "markdown", "just now"):
        assert told in listed
    shown = seasoned("knowledge", "show", "handbook.md").stdout
    assert "Handbook › Parking" in shown
    assert "  Visitors park behind the brewery." in shown
    assert "behind the brewery" in seasoned("knowledge", "search", "visitors park").stdout
    nothing = seasoned("knowledge", "search", "zzz")
    assert (nothing.exit_code, nothing.stdout) == (0, "")
    assert "[Handbook › Parking] Visitors" in seasoned("recall", "where do visitors park").stdout


def test_update_says_what_is_gone_and_prune_removes_it(seasoned: Call, folder: Path) -> None:
    seasoned("knowledge", "add", "docs")
    (folder / "handbook.md").unlink()
    result = seasoned("knowledge", "update")
    assert "docs/handbook.md: no longer there" in result.stderr
    assert "--prune" in result.stderr
    assert "1 removed" in seasoned("knowledge", "update", "--prune").stdout


def test_remove_takes_a_folder_too(seasoned: Call, folder: Path) -> None:
    (folder / "other.txt").write_text("Other words.")
    seasoned("knowledge", "add", "docs")
    result = seasoned("knowledge", "remove", "docs")
    assert result.stdout == "Removed 2 documents, 3 passages.\n"


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("add", "nowhere"), 3, "error: no file or folder 'nowhere'"),
        (("add", "docs/broken.pdf"), 3, "error: nothing could be imported"),
        (("add", "ftp://example.com/x"), 3, "only http and https"),
        (("add",), 2, "PATH|URL"),
        (("show", "nothing"), 3, "error: no document 'nothing'"),
        (("remove", "nothing"), 3, "error: no document 'nothing'"),
        (("search",), 2, "QUERY"),
    ],
)
def test_errors_have_their_exit_codes(
    seasoned: Call, folder: Path, args: tuple[str, ...], code: int, told: str
) -> None:
    result = seasoned("knowledge", *args)
    assert result.exit_code == code
    assert told in result.stderr
    assert "Traceback" not in result.output


def test_projects_do_not_share_their_documents(answer: Answer, folder: Path) -> None:
    answer("knowledge", "add", "docs", "--project", "web")
    assert answer("knowledge", "list", "--project", "shop") == []
    assert len(answer("knowledge", "list", "--project", "web")) == 1


def test_a_real_process_imports_and_another_finds(process: Process, folder: Path) -> None:
    added = process("knowledge", "add", folder, "--json")
    assert added.returncode == 0, added.stderr
    assert json.loads(added.stdout)["passages"]["added"] == 2
    found = process("recall", "where do visitors park?")
    assert "Visitors park behind the brewery." in found.stdout
    (folder / "handbook.md").write_text(TEXT.format("Nothing.").replace("brewery", "bakery"))
    updated = process("knowledge", "update")
    assert "1 updated" in updated.stdout
    found = process("recall", "where do visitors park?")
    assert "bakery" in found.stdout
    assert "brewery" not in found.stdout
