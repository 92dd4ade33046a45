"""A killed backup or restore leaves the store whole, and the next one clears up after it."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from seasoned import Seasoned
from seasoned.app.backup import backup
from seasoned.app.restore import restore
from seasoned.config import load

pytestmark = pytest.mark.sqlite_only

MEGABYTES = 80


@pytest.fixture
def store(home: Path, sqlite_url: str) -> Path:
    """A store that takes a while to copy and to pack."""
    with Seasoned(sqlite_url) as s:
        s.teach("tests", rule="Stays")
    with closing(sqlite3.connect(sqlite_url)) as there:
        there.execute("CREATE TABLE filling (data BLOB)")
        for _ in range(MEGABYTES):
            there.execute("INSERT INTO filling VALUES (?)", (os.urandom(2**20),))
        there.commit()
    return Path(sqlite_url)


def start(*args: str | Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "seasoned", *map(str, args)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def reaches(process: subprocess.Popen[bytes], place: Path, pattern: str, size: int) -> None:
    """Wait until the process has written that much of a file."""
    until = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < until:
        if any(_size(one) >= size for one in place.glob(pattern)):
            return
        time.sleep(0.001)
    raise AssertionError(f"it never came to {pattern}; it ended with {process.poll()}")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return -1


def kill(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def lessons(url: str | Path) -> list[str]:
    with Seasoned(str(url)) as s:
        assert s.verify_audit().intact
        return sorted(one.content for one in s.lessons())


@pytest.mark.parametrize("moment", ["database/seasoned.db", "archive"])
def test_a_killed_backup_leaves_no_half_file_and_the_next_one_clears_up(
    store: Path, tmp_path: Path, moment: str
) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    target = folder / "all.tar.gz"
    working = start("backup", target, "--db", store)
    reaches(working, folder, f".seasoned-backup-*/{moment}", 2**20)
    kill(working)
    assert not target.exists()
    assert len(list(folder.iterdir())) == 1, "the kill came in the middle of the work"
    assert lessons(store) == ["Stays"]
    with Seasoned(str(store)) as s:
        s.inner.app.db.run(backup(s.inner.app, target))
    assert list(folder.iterdir()) == [target]
    report = restore(load(), str(tmp_path / "fresh" / "seasoned.db"), target)
    assert report.audit.intact
    assert report.manifest.counts["filling"] == MEGABYTES


def test_the_work_of_a_backup_that_still_runs_is_left_alone(store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    slow = start("backup", folder / "slow.tar.gz", "--db", store)
    reaches(slow, folder, ".seasoned-backup-*/database/seasoned.db", 2**20)
    slow.send_signal(signal.SIGSTOP)
    os.utime(next(folder.glob(".seasoned-*")), (0, 0))  # however old it is
    with Seasoned(str(store)) as s:
        s.inner.app.db.run(backup(s.inner.app, folder / "quick.tar.gz"))
    slow.send_signal(signal.SIGCONT)
    _, told = slow.communicate(timeout=60)
    assert slow.returncode == 0, told
    assert {one.name for one in folder.iterdir()} == {"slow.tar.gz", "quick.tar.gz"}


@pytest.mark.parametrize("moment", [".seasoned-restore-*/database/seasoned.db", "*.before-*"])
def test_a_killed_restore_leaves_the_old_content_or_the_new(
    store: Path, tmp_path: Path, moment: str
) -> None:
    with Seasoned(str(store)) as s:
        path = s.inner.app.db.run(backup(s.inner.app, tmp_path / "all.tar.gz")).path
        s.teach("docs", rule="Newer")
    again: Any = ("restore", "--replace", path, "--db", store)
    working = start(*again)
    reaches(working, store.parent, moment, 2**20)
    kill(working)
    assert list(store.parent.glob(".seasoned-restore-*"))
    assert lessons(store) == ["Newer", "Stays"]  # the old content, as the new was not ready yet
    finished = start(*again)
    _, told = finished.communicate(timeout=60)
    assert finished.returncode == 0, told
    assert lessons(store) == ["Stays"]
    assert not list(store.parent.glob(".seasoned-restore-*"))


def test_a_restore_killed_while_it_writes_is_undone_or_done(store: Path, tmp_path: Path) -> None:
    with Seasoned(str(store)) as s:
        path = s.inner.app.db.run(backup(s.inner.app, tmp_path / "all.tar.gz")).path
        s.teach("docs", rule="Newer")
    for written in (2**20, 30 * 2**20):
        working = start("restore", "--replace", path, "--db", store)
        reaches(working, store.parent, f"{store.name}-wal", written)
        kill(working)
        assert lessons(store) in (["Newer", "Stays"], ["Stays"])


def test_without_a_database_the_error_says_that_there_is_nothing_to_back_up(
    home: Path, tmp_path: Path
) -> None:
    from seasoned.cli.main import app

    told = CliRunner().invoke(app, ["backup", str(tmp_path / "all.tar.gz")])
    assert told.exit_code == 3
    assert f"no database at {home / 'seasoned.db'} yet" in told.stderr
    assert "nothing to back up" in told.stderr
    assert "memory" not in told.stderr
    assert list(tmp_path.iterdir()) == []
