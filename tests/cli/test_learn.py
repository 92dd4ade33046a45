"""`seasoned learn`: reports what it learned and could not read; learns nothing twice."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Answer = Callable[..., Any]
Call = Callable[..., Result]
Episodes = Callable[..., list[dict[str, Any]]]
Write = Callable[..., Path]


def test_people_see_the_numbers_and_the_fixes(seasoned: Call, three: Path) -> None:
    result = seasoned("learn", three)
    assert result.exit_code == 0
    assert result.stdout.startswith("1 file: 6 calls in 3 sessions, 3 failures, 0 corrections.")
    assert "active  1 fix" in result.stdout
    assert "eu-west" in result.stdout


def test_machines_get_the_same_with_provenance(answer: Answer, three: Path) -> None:
    told = answer("learn", three)
    assert (told["files"], told["calls"], told["failures"]) == (1, 6, 3)
    assert told["patterns"] == {"distinct": 1, "new": 1, "known": 1}
    assert told["errors"][0]["seen_in_this_run"] == 3
    (fix,) = told["fixes"]
    assert fix["tool"] == "deploy"
    assert fix["episodes"] == 3
    assert sorted(fix["sessions"]) == ["session 0", "session 1", "session 2"]
    assert fix["confidence"] >= 0.7
    assert told["problems"] == []


def test_the_second_run_finds_nothing_new(seasoned: Call, answer: Answer, three: Path) -> None:
    seasoned("learn", three)
    result = seasoned("learn", three)
    assert result.exit_code == 0
    assert result.stdout.startswith("Nothing new: every call in 1 file")
    told = answer("learn", three)
    assert (told["calls"], told["files_learned_before"], told["fixes"]) == (0, 1, [])


def test_a_later_run_counts_only_its_own_calls(
    answer: Answer, transcript: Write, episodes: Episodes
) -> None:
    answer("learn", transcript(episodes(2)))
    told = answer("learn", transcript(episodes(3, start=2), "later.jsonl"))
    assert told["patterns"] == {"distinct": 1, "new": 0, "known": 1}
    assert told["errors"][0]["seen"] == 5
    assert told["errors"][0]["seen_in_this_run"] == 3
    assert told["new_fixes"] == 0
    assert told["fixes"][0]["episodes"] == 5


def test_a_missing_file_is_not_found(seasoned: Call, tmp_path: Path) -> None:
    result = seasoned("learn", tmp_path / "nowhere")
    assert result.exit_code == 3
    assert result.stderr.startswith("error: no file or directory")
    assert result.stdout == ""


def test_a_folder_without_transcripts_is_not_found(seasoned: Call, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "todo.txt").write_text("nothing of ours")
    result = seasoned("learn", tmp_path / "notes")
    assert result.exit_code == 3
    assert "no transcripts in" in result.stderr


@pytest.mark.parametrize(
    "content",
    [
        bytes(range(256)) * 40,
        b"",
        b'{"tool": "deploy", "params": {"te',
        "café, déjà vu\n".encode("latin-1") * 3,
        b"\x00" * 5000,
    ],
    ids=["binary rubbish", "empty", "half a line", "not utf-8", "zeros"],
)
def test_what_is_no_transcript_is_named_and_nothing_is_learned(
    seasoned: Call, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_bytes(content)
    result = seasoned("learn", path)
    assert result.exit_code == 3
    assert str(path) in result.stderr
    assert "error: no readable transcript" in result.stderr
    assert "Traceback" not in result.output


def test_a_broken_line_is_named_by_file_and_line_and_the_rest_is_learned(
    seasoned: Call, answer: Answer, three: Path
) -> None:
    with three.open("a") as file:
        file.write('{"tool": "deploy", "par')
    result = seasoned("learn", three)
    assert result.exit_code == 0
    assert f"{three}:7: " in result.stderr
    assert "6 calls in 3 sessions" in result.stdout
    (problem,) = answer("learn", three)["problems"]
    assert (problem["file"], problem["line"]) == (str(three), 7)


def test_the_first_twenty_problems_are_listed_and_the_others_counted(
    seasoned: Call, three: Path
) -> None:
    with three.open("a") as file:
        file.writelines("{broken\n" for _ in range(25))
    result = seasoned("learn", three)
    assert result.exit_code == 0
    assert result.stderr.count(f"{three}:") == 20
    assert "… and 5 more problems" in result.stderr


def test_good_files_are_learned_beside_bad_ones(
    answer: Answer, three: Path, tmp_path: Path
) -> None:
    (tmp_path / "bad.jsonl").write_bytes(b"\xff\xfe\x00rubbish")
    told = answer("learn", tmp_path)
    assert told["calls"] == 6
    assert [Path(problem["file"]).name for problem in told["problems"]] == ["bad.jsonl"]


def test_what_teaches_nothing_is_told_for_each_kind(
    seasoned: Call, answer: Answer, three: Path, tmp_path: Path
) -> None:
    used = {"type": "tool_use", "name": "Read", "input": {"path": "a"}}
    turn = {"role": "assistant", "message": {"content": [used]}}
    for name in ("one", "two"):
        said = {"role": "user", "message": {"content": [{"type": "text", "text": name}]}}
        lines = "\n".join(json.dumps(record) for record in (said, turn, turn))
        (tmp_path / f"{name}.jsonl").write_text(lines)
    result = seasoned("learn", tmp_path, "--dry-run")
    assert "2 files (Cursor agent session): 4 calls but not one with its result" in result.stdout
    (unused,) = answer("learn", tmp_path)["unused"]
    assert (unused["format"], unused["count"]) == ("Cursor agent session", 4)
    assert len(unused["files"]) == 2


def test_files_of_no_known_format_come_after_broken_lines(seasoned: Call, three: Path) -> None:
    with three.open("a") as file:
        file.write("{broken\n")
    (three.parent / "a.json").write_text('{"name": "left-pad"}')
    told = seasoned("learn", three.parent).stderr
    assert told.index("not valid JSON") < told.index("a.json: not a transcript we know")
    assert "docs/transcripts.md" in told


def test_an_error_with_brackets_and_escapes_is_shown_harmlessly(
    seasoned: Call, transcript: Write
) -> None:
    error = "[bold]cannot[red] \x1b[31mread\x1b[0m \u202eit"
    calls: list[dict[str, Any]] = [
        {"tool": "read", "params": {"n": 1}, "error": error, "session": "s"},
        {"tool": "read", "params": {"n": 1, "raw": True}, "result": "ok", "session": "s"},
    ]
    result = seasoned("learn", transcript(calls), "--dry-run")
    assert result.exit_code == 0
    assert "\x1b" not in result.output
    assert "\u202e" not in result.output
    assert "[bold]cannot[red]" in result.stdout
