"""`seasoned learn --out FILE`: rewrites its own block, and no other byte."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Call = Callable[..., Result]
Episodes = Callable[..., list[dict[str, Any]]]
Write = Callable[..., Path]

BEGIN, END = b"<!-- seasoned:begin -->", b"<!-- seasoned:end -->"


def split(content: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the text before the block, the block, and the text after it."""
    start, stop = content.index(BEGIN), content.index(END) + len(END)
    return content[:start], content[start:stop], content[stop:]


def test_a_file_that_is_not_there_is_made(seasoned: Call, three: Path, tmp_path: Path) -> None:
    out = tmp_path / "AGENTS.md"
    result = seasoned("learn", three, "--out", out)
    assert result.exit_code == 0
    assert f"{out}: 1 lesson, written." in result.stdout
    before, block, after = split(out.read_bytes())
    assert (before, after) == (b"", b"\n")
    assert b"- When `deploy` fails with" in block
    assert b"eu-west" in block


@pytest.mark.parametrize(
    "original",
    [b"# Ours\n\nText.\n", b"# Ours\r\n\r\nText.\r\n", b"# No newline at the end", b""],
    ids=["unix", "windows", "no final newline", "empty"],
)
def test_the_block_is_added_after_what_is_there(
    seasoned: Call, three: Path, tmp_path: Path, original: bytes
) -> None:
    out = tmp_path / "AGENTS.md"
    out.write_bytes(original)
    seasoned("learn", three, "--out", out)
    content = out.read_bytes()
    assert content.startswith(original)
    if b"\r\n" in original:
        assert content.count(b"\n") == content.count(b"\r\n")


def test_an_update_touches_nothing_outside_the_block(
    seasoned: Call, transcript: Write, episodes: Episodes, tmp_path: Path
) -> None:
    out = tmp_path / "AGENTS.md"
    before, after = b"# Caf\xc3\xa9\t \r\n\n", b"  \ntrailing \n\n\nno newline at the end"
    out.write_bytes(before + BEGIN + b"\nold words\n" + END + after)
    result = seasoned("learn", transcript(episodes(3)), "--out", out)
    assert ", updated." in result.stdout
    now_before, block, now_after = split(out.read_bytes())
    assert (now_before, now_after) == (before, after)
    assert b"old words" not in block
    assert b"eu-west" in block


def test_the_same_lessons_leave_the_file_unchanged(
    seasoned: Call, three: Path, tmp_path: Path
) -> None:
    out = tmp_path / "AGENTS.md"
    seasoned("learn", three, "--out", out)
    before = out.stat()
    result = seasoned("learn", three, "--out", out)
    assert ", unchanged." in result.stdout
    assert (out.stat().st_mtime_ns, out.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_permissions_and_links_stay_and_no_other_file_is_left(
    seasoned: Call, three: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "AGENTS.md").write_text("# Ours\n")
    (folder / "AGENTS.md").chmod(0o640)
    (folder / "CLAUDE.md").symlink_to("AGENTS.md")
    assert seasoned("learn", three, "--out", folder / "CLAUDE.md").exit_code == 0
    assert (folder / "CLAUDE.md").is_symlink()
    assert b"eu-west" in (folder / "AGENTS.md").read_bytes()
    assert stat.S_IMODE((folder / "AGENTS.md").stat().st_mode) == 0o640
    assert sorted(os.listdir(folder)) == ["AGENTS.md", "CLAUDE.md"]


@pytest.mark.parametrize(
    "content",
    [
        BEGIN + b"\nno end\n",
        b"no begin\n" + END + b"\n",
        END + b"\nwrong order\n" + BEGIN + b"\n",
        (BEGIN + b"\n" + END + b"\n") * 2,
        b"\xff\xfe not utf-8",
    ],
    ids=["no end", "no begin", "wrong order", "two blocks", "not utf-8"],
)
def test_a_file_that_cannot_be_understood_is_left_as_it_is(
    seasoned: Call, three: Path, tmp_path: Path, content: bytes
) -> None:
    out = tmp_path / "AGENTS.md"
    out.write_bytes(content)
    result = seasoned("learn", three, "--out", out)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: {out}")
    assert out.read_bytes() == content


def test_a_mark_inside_a_sentence_is_only_a_word(
    seasoned: Call, three: Path, tmp_path: Path
) -> None:
    out = tmp_path / "AGENTS.md"
    prose = "The block starts with `<!-- seasoned:begin -->`, see the manual.\n"
    out.write_text(prose)
    assert seasoned("learn", three, "--out", out).exit_code == 0
    assert out.read_text().startswith(prose)


def test_what_was_said_outright_stands_first_and_most_limits_the_rest(
    seasoned: Call, three: Path, tmp_path: Path
) -> None:
    out = tmp_path / "AGENTS.md"
    seasoned("teach", "commits", "--rule", "Sign every commit.")
    seasoned("learn", three, "--out", out)
    lines = [line for line in out.read_text().splitlines() if line.startswith("- ")]
    assert lines[0] == "- commits: Sign every commit."
    assert len(lines) == 2
    seasoned("learn", "--out", out, "--most", "1")
    lines = [line for line in out.read_text().splitlines() if line.startswith("- ")]
    assert lines == ["- commits: Sign every commit."]


def test_a_lesson_cannot_end_the_block(seasoned: Call, tmp_path: Path) -> None:
    out = tmp_path / "AGENTS.md"
    seasoned("teach", "--rule", "Mind the mark:\n<!-- seasoned:end -->\n# A heading of mine")
    seasoned("learn", "--out", out)
    first = out.read_text()
    assert "\n# A heading" not in first
    seasoned("teach", "--rule", "Another rule.")
    assert ", updated." in seasoned("learn", "--out", out).stdout
    assert out.read_text().startswith(first.partition("\n- ")[0])
    assert "Another rule." in out.read_text()


def test_without_lessons_no_file_is_made(seasoned: Call, transcript: Write, tmp_path: Path) -> None:
    out = tmp_path / "AGENTS.md"
    calls = transcript([{"tool": "t", "params": {}, "result": "fine", "session": "s"}])
    result = seasoned("learn", calls, "--out", out, "--json")
    assert json.loads(result.stdout)["out"] == {
        "file": str(out),
        "lessons": 0,
        "outcome": "not made",
    }
    assert not out.exists()


@pytest.mark.parametrize("where", ["", "no/such/folder/AGENTS.md"])
def test_a_place_that_cannot_be_written_is_named_before_anything_is_learned(
    seasoned: Call, three: Path, tmp_path: Path, where: str
) -> None:
    result = seasoned("learn", three, "--out", tmp_path / where)
    assert result.exit_code == 2
    assert "folder" in result.stderr
    assert json.loads(seasoned("learning", "status", "--json").stdout)["calls"] == 0
