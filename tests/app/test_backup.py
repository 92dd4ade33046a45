"""A backup holds everything that was acknowledged before it began, and comes back whole."""

import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from seasoned import Seasoned
from seasoned.app.archive import read_archive
from seasoned.app.backup import backup, without_secrets
from seasoned.app.restore import restore
from seasoned.config import load
from seasoned.core.errors import BadInput, Unsupported

OBSERVER = """
import sys
from seasoned import Seasoned
with Seasoned(sys.argv[1]) as s:
    for number in range(10**6):
        s.observe("shell", {"command": f"step {number}"}, error=f"no such file: part{number}.txt",
                  session=sys.argv[2])
        print(number, flush=True)
"""


def back_up(s: Seasoned, target: Path | None = None) -> Any:
    return s.inner.app.db.run(backup(s.inner.app, target))


def test_a_backup_comes_back_with_its_audit(
    seasoned: Seasoned, database_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    seasoned.teach("tests", rule="Run the tests with make test")
    made = back_up(seasoned, tmp_path / "all.tar.gz")
    assert made.counts["lessons"] == 1
    assert made.path.stat().st_mode & 0o777 == 0o600
    kind = "empty_postgres_url" if database_url.startswith("postgres") else None
    target = request.getfixturevalue(kind) if kind else str(tmp_path / "fresh" / "seasoned.db")
    report = restore(load(), target, made.path)
    assert report.audit.intact
    assert report.audit.events == made.counts["audit"]
    with Seasoned(target) as other:
        assert [one.content for one in other.lessons()] == ["Run the tests with make test"]
        other.teach("docs", rule="Write plain words")  # numbering goes on where it was
        assert other.verify_audit().intact


def test_a_filled_store_is_replaced_only_when_asked_and_kept_aside(
    seasoned: Seasoned, database_url: str, tmp_path: Path
) -> None:
    seasoned.teach("tests", rule="Old")
    made = back_up(seasoned, tmp_path / "all.tar.gz")
    seasoned.teach("docs", rule="Newer than the backup")
    with pytest.raises(BadInput, match="not empty"):
        restore(load(), database_url, made.path)
    assert len(seasoned.lessons()) == 2
    seasoned.close()
    report = restore(load(), database_url, made.path, replace=True)
    assert report.aside
    assert report.audit.intact
    with Seasoned(database_url) as again:
        assert [one.content for one in again.lessons()] == ["Old"]
    if not database_url.startswith("postgres"):
        with Seasoned(report.aside) as old:
            assert len(old.lessons()) == 2


def test_a_backup_under_load_has_everything_acknowledged_before(
    home: Path, tmp_path: Path, database_url: str, request: pytest.FixtureRequest
) -> None:
    command = [sys.executable, "-c", OBSERVER, database_url]
    writers: list[Any] = [
        subprocess.Popen([*command, f"load-{name}"], stdout=subprocess.PIPE, text=True)
        for name in "ab"
    ]
    before = [max(int(one.stdout.readline()) for _ in range(60)) for one in writers]
    with Seasoned(database_url) as s:
        made = back_up(s, tmp_path / "load.tar.gz")
    after = [int(one.stdout.readline()) for one in writers]
    for one in writers:
        assert one.poll() is None
        one.kill()
        one.communicate()
    assert all(later > earlier for later, earlier in zip(after, before, strict=True))
    is_postgres = database_url.startswith("postgres")
    clean = tmp_path / "other"
    os.environ["SEASONED_HOME"] = str(clean)  # `home` puts it back
    target = request.getfixturevalue("empty_postgres_url") if is_postgres else str(clean / "x.db")
    report = restore(load(), target, made.path)
    assert report.audit.intact
    assert report.audit.events == made.counts["audit"]
    with Seasoned(target) as other:
        for name, number in zip("ab", before, strict=True):
            assert _stored(other, f"load-{name}") > number
        other.teach("docs", rule="Write plain words")
        assert other.verify_audit().intact


def _stored(s: Seasoned, session: str) -> int:
    async def read() -> int:
        async with s.inner.app.db.read() as tx:
            row = await tx.fetch_one("SELECT count(*) FROM episodes WHERE session = ?", (session,))
            return int(row[0]) if row else 0

    return s.inner.app.db.run(read())


@pytest.mark.sqlite_only
@pytest.mark.parametrize("harm", ["truncated", "bit", "member", "text"])
def test_a_damaged_backup_is_refused_and_nothing_is_touched(
    opened: Callable[..., Seasoned], sqlite_url: str, tmp_path: Path, harm: str
) -> None:
    s = opened(sqlite_url)
    s.teach("tests", rule="Stays")
    path = back_up(s, tmp_path / "all.tar.gz").path
    content = bytearray(path.read_bytes())
    if harm == "truncated":
        path.write_bytes(content[: len(content) // 2])
    elif harm == "bit":
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    elif harm == "text":
        path.write_text("not a backup")
    else:
        _alter_a_member(path, tmp_path / "unpacked")
    with pytest.raises(BadInput, match="no whole backup"):
        restore(load(), sqlite_url, path, replace=True)
    assert [one.content for one in s.lessons()] == ["Stays"]
    assert not list(tmp_path.glob("*.before-*"))
    assert not list(tmp_path.glob(".seasoned-*"))


def _alter_a_member(path: Path, folder: Path) -> None:
    folder.mkdir()
    with tarfile.open(path) as tar:
        tar.extractall(folder, filter="data")
    with (folder / "database/seasoned.db").open("r+b") as file:
        file.seek(5000)
        file.write(b"other")
    with tarfile.open(path, "w:gz") as tar:
        for name in ("manifest.json", "database/seasoned.db"):
            tar.add(folder / name, name)


@pytest.mark.sqlite_only
def test_a_backup_of_a_newer_schema_is_refused(
    opened: Callable[..., Seasoned], sqlite_url: str, tmp_path: Path
) -> None:
    path = back_up(opened(sqlite_url), tmp_path / "all.tar.gz").path
    folder = tmp_path / "unpacked"
    folder.mkdir()
    with tarfile.open(path) as tar:
        tar.extractall(folder, filter="data")
    told = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(told | {"schema": 9999}))
    with tarfile.open(path, "w:gz") as tar:
        for name in ("manifest.json", "database/seasoned.db"):
            tar.add(folder / name, name)
    with pytest.raises(Unsupported, match="newer Seasoned"):
        restore(load(), str(tmp_path / "fresh" / "seasoned.db"), path)
    assert not (tmp_path / "fresh" / "seasoned.db").exists()


@pytest.mark.sqlite_only
def test_secrets_of_a_plain_profile_stay_out_and_the_vault_goes_along(
    opened: Callable[..., Seasoned], home: Path, sqlite_url: str, tmp_path: Path
) -> None:
    home.mkdir(exist_ok=True)
    (home / "seasoned.toml").write_text('[llm]\nkey = "sk-plain-1234"\n[graph]\nenabled = true\n')
    (home / "vault.json").write_bytes(b"encrypted")
    path = back_up(opened(sqlite_url), tmp_path / "all.tar.gz").path
    with gzip.open(path) as whole:
        assert b"sk-plain-1234" not in whole.read()
    other = tmp_path / "other"
    os.environ["SEASONED_HOME"] = str(other)  # `home` puts it back
    report = restore(load(), str(other / "seasoned.db"), path)
    assert len(report.files) == 2
    assert (other / "vault.json").read_bytes() == b"encrypted"
    assert "enabled = true" in (other / "seasoned.toml").read_text()


def test_a_profile_that_cannot_be_told_from_its_secrets_is_left_out() -> None:
    text, why = without_secrets('llm = { key = "sk-hidden" }\n')
    assert not text
    assert "not in the backup" in why


@pytest.mark.sqlite_only
def test_only_the_latest_backups_of_a_folder_stay(
    home: Path, sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEASONED_BACKUP__KEEP", "2")
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / "mine.tar.gz").touch()
    with Seasoned(sqlite_url) as s:
        made = [back_up(s, folder).path for _ in range(4)]
    there = sorted(folder.glob("seasoned-*"))
    assert len(there) == 2
    assert made[-1] in there
    assert (folder / "mine.tar.gz").exists()
    (folder / "unpacked").mkdir()
    assert read_archive(made[-1], folder / "unpacked").dialect == "sqlite"


@pytest.mark.sqlite_only
def test_the_sqlite_tables_of_another_program_are_not_overwritten(
    opened: Callable[..., Seasoned], sqlite_url: str, tmp_path: Path
) -> None:
    path = back_up(opened(sqlite_url), tmp_path / "all.tar.gz").path
    other = tmp_path / "theirs.db"
    with closing(sqlite3.connect(other)) as theirs:
        theirs.execute("CREATE TABLE theirs (x)")
        theirs.commit()
    with pytest.raises(BadInput, match="not empty"):
        restore(load(), str(other), path)
    with closing(sqlite3.connect(other)) as theirs:
        assert theirs.execute("SELECT count(*) FROM theirs").fetchone() == (0,)


def test_the_postgres_tables_of_another_program_are_not_dropped(
    opened: Callable[..., Seasoned], postgres_url: str, empty_postgres_url: str, tmp_path: Path
) -> None:
    path = back_up(opened(postgres_url), tmp_path / "all.tar.gz").path
    with psycopg.connect(empty_postgres_url, autocommit=True) as theirs:
        theirs.execute("CREATE TABLE theirs (x int)")
        with pytest.raises(BadInput, match="not empty"):
            restore(load(), empty_postgres_url, path)
        assert theirs.execute("SELECT count(*) FROM theirs").fetchone() == (0,)
