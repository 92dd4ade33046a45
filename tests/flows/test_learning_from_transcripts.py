"""Old transcripts teach what a live agent would have learned, each call exactly once."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import seasoned as package
from seasoned import Seasoned
from seasoned.transcripts.history import HistoryReport

SAMPLES = Path(package.__file__).parent / "samples"


def call(session: str, number: int, command: str, error: str | None = None) -> str:
    record: dict[str, Any] = {
        "tool": "shell",
        "params": {"command": command},
        "session": session,
        "id": f"{session}-{number}",
        "at": f"2026-01-{number + 1:02}T10:00:00Z",
    }
    return json.dumps(record | ({"error": error} if error else {"result": "ok"}))


def episodes(path: Path, *sessions: str) -> Path:
    lines: list[str] = []
    for session in sessions:
        lines.append(call(session, 1, f"docker run {session}", "bash: docker: command not found"))
        lines.append(call(session, 2, f"podman run {session}"))
    path.write_text("\n".join(lines) + "\n")
    return path


def state(s: Seasoned) -> dict[str, Any]:
    """Return everything that learning could have changed."""
    aside = ("embedding", "buffers", "graph", "notices")  # these go on by themselves
    status = {k: v for k, v in s.status().items() if k not in aside}
    beliefs = [(lesson.content, lesson.belief) for lesson in s.lessons()]
    return {**status, "beliefs": beliefs, "errors_seen": [(e.template, e.seen) for e in s.errors()]}


def test_a_transcript_teaches_a_fix(seasoned: Seasoned, tmp_path: Path) -> None:
    report = seasoned.learn([episodes(tmp_path / "a.jsonl", "s1", "s2")])
    assert (report.calls, report.failures, len(report.sessions)) == (4, 2, 2)
    hint = seasoned.observe(
        "shell", {"command": "docker run nginx"}, error="bash: docker: command not found"
    )
    assert hint is not None
    assert hint.params == {"command": "podman run nginx"}


def test_learning_the_same_file_again_changes_nothing(seasoned: Seasoned, tmp_path: Path) -> None:
    path = episodes(tmp_path / "a.jsonl", "s1", "s2")
    seasoned.learn([path])
    before = state(seasoned)
    again = seasoned.learn([path])
    assert (again.calls, again.skipped_files) == (0, 1)
    assert state(seasoned) == before


def test_a_copy_under_another_name_changes_nothing(seasoned: Seasoned, tmp_path: Path) -> None:
    path = episodes(tmp_path / "a.jsonl", "s1", "s2")
    seasoned.learn([path])
    before = state(seasoned)
    shutil.copy(path, tmp_path / "b.jsonl")
    seasoned.learn([tmp_path])
    assert state(seasoned) == before


def test_a_file_that_grew_teaches_only_what_is_new(seasoned: Seasoned, tmp_path: Path) -> None:
    path = episodes(tmp_path / "a.jsonl", "s1")
    seasoned.learn([path])
    episodes(path, "s1", "s2")
    report = seasoned.learn([path])
    assert (report.calls, report.known_calls) == (2, 2)
    assert seasoned.lessons(kind="fix")[0].belief.worked == 3


def test_an_interrupted_run_goes_on_where_it_stopped(
    database_url: str, opened: Callable[..., Seasoned], tmp_path: Path
) -> None:
    path = episodes(tmp_path / "a.jsonl", *(f"s{number}" for number in range(250)))

    def interrupt(_: Path, report: HistoryReport) -> None:
        if report.calls >= 200:
            raise KeyboardInterrupt

    s = opened(database_url)
    with pytest.raises(KeyboardInterrupt):
        s.learn([path], progress=interrupt)
    assert 0 < s.status()["calls"] < 500
    rest = s.learn([path])
    assert rest.known_calls > 0
    assert s.status()["calls"] == 500
    whole = opened(":memory:")
    whole.learn([path])
    assert s.lessons()[0].belief == whole.lessons()[0].belief


def test_nobody_read_the_hints_of_the_past_so_none_is_credited(
    seasoned: Seasoned, tmp_path: Path
) -> None:
    seasoned.teach("bash: docker: command not found", fix="Use podman.", tool="shell")
    seasoned.learn([episodes(tmp_path / "a.jsonl", "s1", "s2", "s3")])
    told = next(lesson for lesson in seasoned.lessons() if lesson.explicit)
    assert (told.belief.worked, told.times_given) == (9, 0)


def test_a_broken_line_is_reported_and_the_rest_is_learned(
    seasoned: Seasoned, tmp_path: Path
) -> None:
    path = episodes(tmp_path / "a.jsonl", "s1", "s2")
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], '{"tool": "shell", "par', *lines[2:]]) + "\n")
    report = seasoned.learn([path])
    assert report.calls == 4
    (problem,) = report.problems
    assert (problem.path, problem.line) == (path, 3)


def test_the_samples_that_ship_teach_several_fixes(opened: Callable[..., Seasoned]) -> None:
    s = opened(":memory:")
    report = s.learn([SAMPLES], project="", user="")
    assert report.problems == []
    assert report.calls >= 300
    assert len(report.formats) >= 3
    believed = [lesson for lesson in s.lessons(kind="fix", limit=100) if lesson.confidence >= 0.7]
    assert len(believed) >= 8
    assert s.verify_audit().intact
    before = state(s)
    s.learn([SAMPLES])
    assert state(s) == before
