"""`seasoned learn --dry-run`: shows what would be learned, and changes nothing."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

pytestmark = pytest.mark.sqlite_only

Answer = Callable[..., Any]
Call = Callable[..., Result]
Episodes = Callable[..., list[dict[str, Any]]]
Write = Callable[..., Path]


def files_in(folder: Path) -> dict[str, str]:
    """Return a digest of every file below a folder."""
    found = [path for path in folder.rglob("*") if path.is_file()] if folder.exists() else []
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def test_an_empty_store_is_not_even_made(seasoned: Call, three: Path, home: Path) -> None:
    result = seasoned("learn", three, "--dry-run")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("Dry run: this would be learned, nothing was changed.")
    assert "eu-west" in result.stdout
    assert not home.exists()


def test_the_bytes_of_the_store_stay_as_they_are(
    seasoned: Call, answer: Answer, transcript: Write, episodes: Episodes, home: Path
) -> None:
    seasoned("learn", transcript(episodes(2)))
    before = files_in(home)
    told = answer("learn", transcript(episodes(4, start=2), "later.jsonl"), "--dry-run")
    assert told["dry_run"] is True
    assert told["new_fixes"] == 0  # it knows what the store knows
    assert told["fixes"][0]["episodes"] == 6
    assert files_in(home) == before
    assert answer("learn", transcript(episodes(4, start=2), "later.jsonl"))["calls"] == 8


def test_candidates_are_shown_with_their_words(
    seasoned: Call, transcript: Write, episodes: Episodes
) -> None:
    calls: list[dict[str, Any]] = [
        {"tool": "sync", "params": {"n": 1}, "error": "quota exhausted for lane", "session": "s"},
        {"tool": "sync", "params": {"n": 1, "lane": "slow"}, "result": "ok", "session": "s"},
    ]
    result = seasoned("learn", transcript(calls), "--dry-run")
    assert "waiting  1 fix\n" in result.stdout
    assert "lane=slow" in result.stdout


def test_the_block_for_a_file_is_printed_and_not_written(
    seasoned: Call, three: Path, tmp_path: Path
) -> None:
    out = tmp_path / "AGENTS.md"
    result = seasoned("learn", three, "--dry-run", "--out", out)
    assert "1 lesson, not written: dry run." in result.stdout
    assert "### Tool `deploy`" in result.stdout
    assert not out.exists()


def test_neither_the_queue_nor_a_channel_nor_a_model_is_used(
    seasoned: Call, three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEASONED_QUEUE__URL", "redis://127.0.0.1:1/0")
    monkeypatch.setenv("SEASONED_NOTIFY__CHANNEL", "webhook")
    monkeypatch.setenv("SEASONED_NOTIFY__URL", "http://127.0.0.1:1/")
    monkeypatch.setenv("SEASONED_LLM__MODEL", "openai:gpt-5.4-mini")
    result = seasoned("learn", three, "--dry-run")
    assert result.exit_code == 0, result.output
    assert "dry run: without openai:gpt-5.4-mini" in result.stderr
