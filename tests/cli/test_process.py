"""The command as a real process: exit codes, pipes, signals, unreachable databases."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seasoned import __version__

Process = Callable[..., subprocess.CompletedProcess[str]]
Write = Callable[..., Path]
Episodes = Callable[..., list[dict[str, Any]]]


def test_version_and_help(process: Process) -> None:
    assert process("--version").stdout == f"seasoned {__version__}\n"
    told = process("--help")
    assert told.returncode == 0
    for word in ("learn", "recall", "observe", "teach", "doctor", "demo", "Exit codes"):
        assert word in told.stdout


def test_a_misspelt_command_is_a_usage_error(process: Process) -> None:
    told = process("lern")
    assert told.returncode == 2
    assert "learn" in told.stderr
    assert told.stdout == ""


def test_a_pipe_gets_no_colours_and_no_progress(process: Process, three: Path) -> None:
    told = process("learn", three, COLUMNS="80")
    assert told.returncode == 0
    assert "\x1b" not in told.stdout + told.stderr
    assert told.stderr == ""
    assert max(map(len, told.stdout.splitlines())) <= 80
    assert not any(line.endswith(" ") for line in told.stdout.splitlines())


def test_a_poor_encoding_does_not_end_the_answer(process: Process, home: Path) -> None:
    poor = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    assert process("teach", "--rule", "Überall grüßen.", **poor).returncode == 0
    assert process("doctor", **poor).returncode == 0
    told = process("recall", "überall", "--json", **poor)
    assert json.loads(told.stdout)["lessons"][0]["content"] == "Überall grüßen."


def test_a_database_that_is_locked_is_left_alone(process: Process, three: Path, home: Path) -> None:
    assert process("teach", "--rule", "Be brief.").returncode == 0
    holder = sqlite3.connect(home / "seasoned.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    quick = {"SEASONED_DATABASE__BUSY_SECONDS": "0.2"}
    told = process("learn", three, **quick)
    examined = process("doctor", **quick)
    holder.execute("ROLLBACK")
    holder.close()
    assert told.returncode == 4
    assert told.stdout == ""
    assert told.stderr.startswith("error: ")
    assert "locked" in told.stderr
    assert len(told.stderr.splitlines()) == 1
    assert examined.returncode == 1
    assert "✗ writing" in examined.stdout
    assert json.loads(process("learn", three, "--json").stdout)["calls"] == 6


def test_a_postgres_that_is_down_is_named(process: Process, three: Path) -> None:
    nowhere = "postgresql://ana:s3cret@127.0.0.1:1/x"
    told = process("learn", three, "--db", nowhere)
    assert told.returncode == 4
    assert told.stderr.startswith("error: cannot reach postgresql://ana@127.0.0.1:1/x")
    assert "s3cret" not in told.stderr
    assert len(told.stderr.splitlines()) == 1
    examined = process("doctor", "--db", nowhere)
    assert examined.returncode == 1
    assert "s3cret" not in examined.stdout


def test_a_home_that_cannot_be_made_is_named(process: Process, three: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    told = process("learn", three, SEASONED_HOME=str(tmp_path / "file" / "home"))
    assert told.returncode == 4
    assert told.stderr.startswith("error: cannot make the folder")


@pytest.mark.skipif(os.getuid() == 0, reason="permissions do not bind root")
def test_a_home_that_may_not_be_written_is_named(process: Process, three: Path, home: Path) -> None:
    home.mkdir(mode=0o500)
    told = process("learn", three)
    assert told.returncode == 4
    assert told.stderr.startswith("error: cannot write")


def test_an_address_of_another_kind_is_refused(process: Process, tmp_path: Path) -> None:
    told = process("lessons", "status", "--db", "mysql://localhost/x")
    assert told.returncode == 2
    assert "postgresql://" in told.stderr


def test_debug_shows_where_an_error_arose(process: Process) -> None:
    told = process("lessons", "show", "nosuchlesson", "--debug")
    assert told.returncode == 3
    assert "Traceback" in told.stderr
    assert told.stderr.splitlines()[-1].startswith("error: no lesson")


def test_an_interrupted_run_keeps_what_it_learned_and_goes_on(
    process: Process, transcript: Write, episodes: Episodes, home: Path
) -> None:
    path = transcript(episodes(4000))  # enough that the interrupt comes before the end
    command = [sys.executable, "-m", "seasoned", "learn", str(path), "--json"]
    running = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts background jobs with SIGINT ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    )
    wait_until_learning(home / "seasoned.db")
    running.send_signal(signal.SIGINT)
    stdout, stderr = running.communicate(timeout=60)
    assert running.returncode == 130, stderr
    assert "run the command again" in stderr
    first = json.loads(stdout)
    assert first["interrupted"]
    assert 0 < first["calls"] < 8000
    second = json.loads(process("learn", path, "--json").stdout)
    assert second["calls_learned_before"] == first["calls"]
    assert first["calls"] + second["calls"] == 8000
    assert process("audit", "verify").returncode == 0


def wait_until_learning(database: Path) -> None:
    """Wait until the first part of the transcript is stored."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        time.sleep(0.02)
        if not database.exists():
            continue
        connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
        try:
            (number,) = connection.execute("SELECT count(*) FROM learned_calls").fetchone()
        except sqlite3.OperationalError:
            continue  # the tables do not exist yet
        finally:
            connection.close()
        if number:
            return
    pytest.fail("nothing was learned in 30 s")


def test_the_command_line_works_on_postgres(
    process: Process, three: Path, postgres_url: str
) -> None:
    first = json.loads(process("learn", three, "--json", "--db", postgres_url).stdout)
    assert (first["calls"], first["fixes"][0]["episodes"]) == (6, 3)
    again = process("learn", three, "--db", postgres_url)
    assert again.stdout.startswith("Nothing new")
    assert process("audit", "verify", "--db", postgres_url).returncode == 0
    assert process("doctor", "--db", postgres_url).returncode == 0


def on_terminal(home: Path, *args: str, typed: str = "") -> tuple[int, str, str]:
    """Run the command on a terminal; return exit code, stdout, and the terminal's text."""
    ours, theirs = os.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "seasoned", *args],
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    os.write(ours, typed.encode())
    try:
        stdout, _ = running.communicate(timeout=60)
    finally:
        running.kill()
    shown = b""
    while part := _read(ours):
        shown += part
    os.close(ours)
    return running.returncode, stdout, shown.decode("utf-8", "replace")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


def test_a_terminal_sees_the_progress_and_stdout_does_not(home: Path, three: Path) -> None:
    code, stdout, shown = on_terminal(home, "learn", str(three))
    assert code == 0
    assert "100%" in shown
    assert "6 calls, 3 failures" in shown
    assert "\x1b" not in stdout
    code, stdout, shown = on_terminal(home, "learn", str(three), "--json")
    assert json.loads(stdout)["files_learned_before"] == 1
    assert shown == ""


def test_erasing_asks_on_a_terminal(process: Process, home: Path) -> None:
    lesson = json.loads(process("teach", "--fact", "The sky is green.", "--json").stdout)["id"]
    forget = ("lessons", "forget", lesson, "--erase")
    code, _, shown = on_terminal(home, *forget, typed="n\n")
    assert code == 0
    assert "nothing changed" in shown
    code, _, shown = on_terminal(home, *forget, typed="\x04")  # the end of input
    assert code == 130
    assert json.loads(process("lessons", "show", lesson, "--json").stdout)["status"] == "active"
    code, stdout, _ = on_terminal(home, *forget, typed="y\n")
    assert code == 0
    assert stdout.startswith("Erased fact")


@pytest.mark.parametrize(
    ("made", "taken"),
    [
        (("rules", "add", "Be brief."), ("rules", "delete")),
        (("examples", "add", "Hello", "Hi!"), ("examples", "delete")),
    ],
)
def test_deleting_asks_on_a_terminal(
    process: Process, home: Path, made: tuple[str, ...], taken: tuple[str, ...]
) -> None:
    name = json.loads(process(*made, "--json").stdout)["id"]
    code, _, shown = on_terminal(home, *taken, name, typed="n\n")
    assert code == 0
    assert "nothing changed" in shown
    code, stdout, _ = on_terminal(home, *taken, name, typed="y\n")
    assert code == 0
    assert stdout.startswith("Deleted ")


def test_clearing_corrections_asks_on_a_terminal(
    process: Process, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEASONED_LLM__MODEL", "ollama:none")
    process("corrections", "add", "No, use podman, not docker.")
    code, _, shown = on_terminal(home, "corrections", "clear", typed="n\n")
    assert code == 0
    assert "Clear 1 correction, unlearned?" in shown
    code, stdout, _ = on_terminal(home, "corrections", "clear", typed="y\n")
    assert stdout.startswith("Cleared 1 correction;")
