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
    assert b"### Tool `deploy`\n\n- When it fails with" in block
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
    assert lines[0] == "- Commits: Sign every commit."
    assert len(lines) == 2
    seasoned("learn", "--out", out, "--most", "1")
    lines = [line for line in out.read_text().splitlines() if line.startswith("- ")]
    assert lines == ["- Commits: Sign every commit."]


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
    (told,) = json.loads(result.stdout)["out"]
    assert (told["file"], told["lessons"]) == (str(out), 0)
    assert told["outcome"] == "not written: there is nothing to say"
    assert not out.exists()


@pytest.mark.parametrize("where", ["", "no/such/folder/AGENTS.md"])
def test_a_place_that_cannot_be_written_is_named_before_anything_is_learned(
    seasoned: Call, three: Path, tmp_path: Path, where: str
) -> None:
    result = seasoned("learn", three, "--out", tmp_path / where)
    assert result.exit_code == 2
    assert "folder" in result.stderr
    assert json.loads(seasoned("lessons", "status", "--json").stdout)["calls"] == 0


def block_lines(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if line.startswith(("- ", "###"))]


def test_rules_and_tools_have_a_group_each(seasoned: Call, three: Path, tmp_path: Path) -> None:
    out = tmp_path / "AGENTS.md"
    seasoned("teach", "--rule", "Sign every commit.")
    seasoned("teach", "no space left", "--fix", "Clear the cache.", "--tool", "build")
    seasoned("learn", three, "--out", out)
    assert block_lines(out) == [
        "### Rules",
        "- Sign every commit.",
        "### Tool `build`",
        "- When it fails with `no space left`: Clear the cache.",
        "### Tool `deploy`",
        "- When it fails with `deploy: no region given for …`: Add `region=eu-west`.",
    ]


def test_only_the_project_at_hand_is_written(
    seasoned: Call, transcript: Write, episodes: Episodes, tmp_path: Path
) -> None:
    out = tmp_path / "AGENTS.md"
    calls = transcript({**call, "project": "shop"} for call in episodes(3))
    seasoned("teach", "--rule", "Bake the bread.", "--project", "bakery")
    seasoned("teach", "--rule", "Sign every commit.", "--user", "ana", "--project", "shop")
    result = seasoned("learn", calls, "--out", out)
    assert f"{out}: 1 lesson of shop, written." in result.stdout
    assert "bread" not in out.read_text()
    assert "commit" not in out.read_text()  # ana's own
    seasoned("learn", "--out", out, "--project", "shop", "--user", "ana")
    assert "Sign every commit." in out.read_text()


def test_several_projects_are_named_and_none_is_written(
    seasoned: Call, transcript: Write, episodes: Episodes, tmp_path: Path
) -> None:
    out = tmp_path / "AGENTS.md"
    rows = [{**call, "project": "shop"} for call in episodes(3)]
    rows += [{**call, "project": "blog"} for call in episodes(3, start=3)]
    result = seasoned("learn", transcript(rows), "--out", out)
    assert result.exit_code == 2
    assert "2 projects: blog, shop" in result.stderr
    assert "--project NAME" in result.stderr
    assert "shop" in result.stdout  # what was learned is reported
    assert not out.exists()
    assert seasoned("learn", "--out", out, "--project", "blog").exit_code == 0
    assert "eu-west" in out.read_text()


def test_a_path_with_project_writes_a_file_for_each(
    seasoned: Call, transcript: Write, episodes: Episodes, tmp_path: Path
) -> None:
    rows = [{**call, "project": "shop"} for call in episodes(3)]
    rows += [{**call, "cwd": "/gone/work/blog"} for call in episodes(3, start=3)]
    result = seasoned("learn", transcript(rows), "--out", tmp_path / "{project}.md")
    assert result.exit_code == 0, result.output
    assert "eu-west" in (tmp_path / "shop.md").read_text()
    assert "eu-west" in (tmp_path / "blog.md").read_text()


def test_what_the_file_says_already_is_left_out(seasoned: Call, tmp_path: Path) -> None:
    out = tmp_path / "AGENTS.md"
    out.write_text("# Ours\n\nBe kind. Always sign every commit you make.\n- Never use tabs.\n")
    seasoned("teach", "--rule", "Always sign every commit.")
    seasoned("teach", "--rule", "Use tabs in makefiles.")
    result = seasoned("learn", "--out", out)
    assert "Left out 1: the file says it already (1)." in result.stdout
    _, block, _ = split(out.read_bytes())
    assert b"- Use tabs in makefiles." in block
    assert b"commit" not in block


def test_neither_a_rejected_reply_nor_a_candidate_is_advice(
    seasoned: Call, transcript: Write, tmp_path: Path
) -> None:
    out = tmp_path / "AGENTS.md"
    rows: list[dict[str, Any]] = [
        {"role": "user", "text": "Install the packages.", "session": "s"},
        {"role": "assistant", "text": "Running npm install for you.", "session": "s"},
        {"role": "user", "text": "No, always use yarn, never npm.", "session": "s"},
        {"tool": "sync", "params": {"n": 1}, "error": "no lane is free", "session": "s"},
        {"tool": "sync", "params": {"n": 1, "lane": "slow"}, "result": "ok", "session": "s"},
    ]
    seasoned("examples", "add", "Write a test.", "I wrote none.", "--negative")
    seasoned("learn", transcript(rows), "--out", out)
    text = out.read_text() if out.exists() else ""
    assert "Running npm" not in text
    assert "I wrote none" not in text
    assert "lane" not in text


@pytest.mark.parametrize(
    "words",
    [
        "Use `<the same word>aml` instead of the other.",
        "Open /home/ana/notes.txt first.",
        "Send the header Authorization: Bearer abcdef0123456789abcdef0123.",
        "Put `-c before the file.",
        "and then try again.",
        "Again " * 60,
    ],
    ids=["placeholder", "home", "secret", "backticks", "no sentence", "long"],
)
def test_what_does_not_read_well_is_left_out_and_counted(
    seasoned: Call, tmp_path: Path, words: str
) -> None:
    out = tmp_path / "AGENTS.md"
    seasoned("teach", "--rule", words)
    seasoned("teach", "--rule", "Sign every commit.")
    result = seasoned("learn", "--out", out)
    assert "Left out 1: " in result.stdout
    assert block_lines(out) == ["### Rules", "- Sign every commit."]
