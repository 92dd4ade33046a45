"""`seasoned demo`: learns live from the samples, and ends by itself."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.testing import Result

Answer = Callable[..., Any]
Call = Callable[..., Result]
Process = Callable[..., subprocess.CompletedProcess[str]]


def test_the_samples_teach_fixes_and_each_new_failure_gets_its_hint(answer: Answer) -> None:
    told = answer("demo")
    assert told["learned"]["calls"] > 200
    assert told["learned"]["failures"] > 30
    assert told["learned"]["problems"] == []
    fixes = {fix["id"]: fix for fix in told["learned"]["fixes"]}
    for scene in told["scenes"]:
        hint = scene["hint"]
        assert hint["lesson"] in fixes, scene
        assert hint["params"] not in (None, scene["params"])
        assert scene["confidence_after"] > hint["confidence"]
    assert told["scenes"][0]["lessons"]
    assert told["graph"]["triples"] > 150


def test_the_new_calls_are_none_of_the_samples(answer: Answer) -> None:
    from seasoned.cli.demo import samples

    written = "".join(path.read_text("utf-8") for path in samples().rglob("*.jsonl"))
    for scene in answer("demo")["scenes"]:
        for value in scene["params"].values():
            assert value not in written


def test_it_ends_by_itself_without_a_terminal(process: Process, home: Path) -> None:
    told = process("demo", COLUMNS="80")
    assert told.returncode == 0, told.stderr
    assert told.stderr == ""
    for part in ("Recurring errors", "Fixes that worked", "A new request", "Known fix"):
        assert part in told.stdout
    assert "├ resolves" in told.stdout
    assert str(home / "demo.db") in told.stdout
    lines = [line for line in told.stdout.splitlines() if " -m seasoned " not in line]
    assert max(map(len, lines)) <= 80 + len(str(home))  # commands are not wrapped, to be copied
    assert not (home / "seasoned.db").exists()


def test_each_demo_begins_anew(seasoned: Call, answer: Answer, home: Path) -> None:
    first, second = answer("demo"), answer("demo")
    assert first["learned"]["calls"] == second["learned"]["calls"]
    assert seasoned(
        "lessons", "why", second["scenes"][0]["hint"]["lesson"], "--db", home / "demo.db"
    )


def test_the_commands_it_proposes_work(seasoned: Call, home: Path) -> None:
    shown = seasoned("demo").stdout.splitlines()
    groups = ("    seasoned lessons", "    seasoned graph")
    proposed = [line.split()[1:] for line in shown if line.startswith(groups)]
    assert len(proposed) == 3
    for words in proposed:
        assert seasoned(*words).exit_code == 0, words


def test_what_it_proposes_works_as_typed_where_it_was_called(home: Path, tmp_path: Path) -> None:
    here = tmp_path / "clone"
    (here / "bin").mkdir(parents=True)
    script = here / "bin" / "seasoned"
    script.write_text(f"#!{sys.executable}\nfrom seasoned.cli.main import run\nrun()\n")
    script.chmod(0o755)
    elsewhere = {**os.environ, "PATH": "/usr/bin:/bin"}
    on_path = {**os.environ, "PATH": f"{script.parent}:/usr/bin:/bin"}
    for command, env, name in (
        ("bin/seasoned", elsewhere, "bin/seasoned"),
        (str(script), elsewhere, "bin/seasoned"),
        ("seasoned", on_path, "seasoned"),
        (f"{sys.executable} -m seasoned", elsewhere, f"{sys.executable} -m seasoned"),
    ):
        shown = typed(f"{command} demo", here, env)
        proposed = next(line for line in shown.splitlines() if " lessons list " in line).strip()
        assert proposed.startswith(f"{name} lessons list "), proposed
        assert "active" in typed(proposed, here, env)


def typed(line: str, folder: Path, env: dict[str, str]) -> str:
    """Return what a line prints that is typed into a shell."""
    done = subprocess.run(
        ["sh", "-c", line], cwd=folder, env=env, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_home_that_cannot_be_used_is_named(
    seasoned: Call, tmp_path: Path, monkeypatch: Any
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("SEASONED_HOME", str(tmp_path / "file" / "home"))
    result = seasoned("demo")
    assert result.exit_code == 4
    assert result.stderr.startswith("error: ")
    assert json.dumps(result.stdout) == '""'
