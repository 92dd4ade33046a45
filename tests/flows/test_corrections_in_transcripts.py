"""Corrections in old transcripts become rules."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from seasoned import Seasoned
from seasoned.cli.main import app

TALK = [
    {"role": "user", "content": "start the database in a container"},
    {"role": "assistant", "content": "Done, I ran docker run postgres."},
    {"role": "user", "content": "no, use podman, not docker"},
    {"role": "assistant", "content": "Changed to podman."},
    {"role": "user", "content": "my teacher told me that's wrong, can you check?"},
    {"role": "assistant", "content": "It is right."},
    {"role": "user", "content": "Always answer in German."},
    {"role": "assistant", "content": "Gern."},
    {"role": "user", "content": "Danke!"},
]


@pytest.fixture
def seasoned(database_url: str, opened: Callable[..., Seasoned]) -> Seasoned:
    """Somebody's own Seasoned: the transcripts are of talks that she had."""
    return opened(database_url, user="ana")


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps({"session_id": "old", "messages": TALK}))
    return path


def test_each_correction_in_a_transcript_becomes_a_rule_once(
    seasoned: Seasoned, transcript: Path, tmp_path: Path
) -> None:
    report = seasoned.learn([transcript])
    assert (report.corrections, len(report.rules)) == (2, 2)
    told = {one.rule.content for one in report.rules if one.rule}
    assert told == {"Use podman, not docker.", "Always answer in German."}
    assert report.rules[0].case.message == "no, use podman, not docker"
    assert "docker run postgres" in report.rules[0].case.reply

    longer = tmp_path / "longer.json"  # the same session, continued
    more = [*TALK, {"role": "user", "content": "thanks"}]
    longer.write_text(json.dumps({"session_id": "old", "messages": more}))
    again = seasoned.learn([longer])
    assert (again.corrections, again.known_corrections) == (0, 2)
    assert len(seasoned.rules.list()) == 2


def test_what_was_learned_from_a_transcript_is_recalled(
    seasoned: Seasoned, transcript: Path
) -> None:
    seasoned.learn([transcript])
    context = seasoned.recall("start the container with the database", session="new")
    assert "Use podman, not docker." in context.text
    assert "Always answer in German." in context.stable


def test_what_tools_write_in_the_users_place_corrects_nothing(
    seasoned: Seasoned, tmp_path: Path
) -> None:
    path = tmp_path / "talk.json"
    reminder = "<system-reminder>No, use podman, not docker.</system-reminder>"
    said = [*TALK[:2], {"role": "user", "content": reminder}]
    path.write_text(json.dumps({"messages": said}))
    assert seasoned.learn([path]).corrections == 0


def test_the_command_says_who_corrected_what(transcript: Path, home: Path) -> None:
    told = (
        CliRunner()
        .invoke(app, ["--user", "ana", "learn", str(transcript)], env={"COLUMNS": "100"})
        .output
    )
    assert "“no, use podman, not docker”" in told
    assert "→ Use podman, not docker." in told
