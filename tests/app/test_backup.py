"""A backup holds everything that was acknowledged before it began, and comes back whole."""

import gzip
import hashlib
import io
import json
import os
import sqlite3
import subprocess
import sys
import tarfile
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
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
from seasoned.db.migrations import own_tables
from seasoned.db.postgres_copy import TABLES

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


def _with_a_bit_flipped(packed: bytearray) -> bytes:
    """Flip one bit that changes what is unpacked: in runs of zeros some change nothing."""
    whole = _unpacked(packed)
    for place in range(len(packed) // 2, len(packed)):
        packed[place] ^= 1
        if _unpacked(packed) != whole:
            return bytes(packed)
        packed[place] ^= 1
    raise AssertionError("no bit matters")


def _unpacked(packed: bytearray) -> bytes:
    reader = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    with suppress(zlib.error):
        return reader.decompress(bytes(packed))
    return b""


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
        path.write_bytes(_with_a_bit_flipped(content))
    elif harm == "text":
        path.write_text("not a backup")
    else:
        _alter_a_member(path, tmp_path / "unpacked")
    with pytest.raises(BadInput, match="no whole backup"):
        restore(load(), sqlite_url, path, replace=True)
    assert [one.content for one in s.lessons()] == ["Stays"]
    assert not list(tmp_path.glob("*.before-*"))
    assert not list(tmp_path.glob(".seasoned-*"))


@pytest.fixture
def ours(
    opened: Callable[..., Seasoned], home: Path, sqlite_url: str, tmp_path: Path
) -> tuple[Any, dict[str, bytes]]:
    """The manifest of a backup, and its files, for tests that write a worse one."""
    path = back_up(opened(sqlite_url), tmp_path / "all.tar.gz").path
    with tarfile.open(path) as tar:
        found = {one.name: _read(tar, one) for one in tar}
    return json.loads(found.pop("manifest.json")), found


def _read(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    content = tar.extractfile(member)
    assert content is not None
    return content.read()


Entry = tuple[str, bytes, dict[str, Any]]


def forged(path: Path, manifest: Any, entries: list[Entry]) -> Path:
    """Write an archive by hand; each entry has what its header says otherwise."""
    with tarfile.open(path, "w:gz") as tar:
        content = json.dumps(manifest).encode()
        for name, data, header in [("manifest.json", content, {}), *entries]:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            for key, value in header.items():
                setattr(info, key, value)
            tar.addfile(info, io.BytesIO(data) if data else None)
    return path


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


EVIL = b"evil"
STRANGE: dict[str, tuple[str, bytes, dict[str, Any]]] = {
    "a path that leads out": ("home/../../evil", EVIL, {}),
    "an absolute path": ("/tmp/evil", EVIL, {}),
    "a symbolic link": ("home/vault.json", b"", {"type": tarfile.SYMTYPE, "linkname": "/etc"}),
    "a hard link": ("home/vault.json", b"", {"type": tarfile.LNKTYPE, "linkname": "manifest.json"}),
    "a device": ("home/vault.json", b"", {"type": tarfile.CHRTYPE}),
    "a pipe": ("home/vault.json", b"", {"type": tarfile.FIFOTYPE}),
    "a folder": ("home/vault.json", b"", {"type": tarfile.DIRTYPE}),
    "a file twice": ("database/seasoned.db", EVIL, {}),
    "a long extension": ("x", bytes(2**17), {"type": tarfile.XHDTYPE}),
}


@pytest.mark.sqlite_only
@pytest.mark.parametrize("harm", STRANGE)
def test_a_backup_with_what_no_backup_has_is_refused(ours: Any, tmp_path: Path, harm: str) -> None:
    manifest, files = ours
    name, data, header = STRANGE[harm]
    manifest["files"].setdefault(name, sha256(data))
    entries: list[Entry] = [*((one, content, {}) for one, content in files.items())]
    path = forged(tmp_path / "evil.tar.gz", manifest, [*entries, (name, data, header)])
    target = tmp_path / "fresh" / "seasoned.db"
    with pytest.raises(BadInput, match="no whole backup"):
        restore(load(), str(target), path)
    assert not target.exists()
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    "change",
    [
        {"files": []},
        {"files": {"database/seasoned.db": 1}},
        {"files": {}},
        {"counts": None},
        {"counts": {"lessons": "many"}},
        {"schema": "19"},
        {"columns": {"lessons": ["id) FROM PROGRAM 'true' --"]}},
        {"columns": {"lessons": ["id"]}},
        {"columns": {'lessons"; DROP TABLE lessons; --': []}},
        {"sequences": {"x": -1}},
        {"more": 1},
    ],
)
def test_a_backup_with_a_manifest_that_is_not_ours_is_refused(
    ours: Any, tmp_path: Path, change: dict[str, Any]
) -> None:
    manifest, files = ours
    entries: list[Entry] = [(one, content, {}) for one, content in files.items()]
    path = forged(tmp_path / "evil.tar.gz", manifest | change, entries)
    with pytest.raises(BadInput, match="its manifest cannot be read"):
        restore(load(), str(tmp_path / "fresh" / "seasoned.db"), path)


@pytest.mark.sqlite_only
def test_a_backup_that_is_larger_than_the_disk_is_refused_before_it_fills_it(
    ours: Any, tmp_path: Path
) -> None:
    manifest, _ = ours
    path = tmp_path / "evil.tar.gz"
    head = tarfile.TarInfo("database/seasoned.db")
    head.size = 10**18
    said = json.dumps(manifest).encode()
    first = tarfile.TarInfo("manifest.json")
    first.size = len(said)
    padded = said + bytes(-len(said) % tarfile.BLOCKSIZE)
    path.write_bytes(gzip.compress(first.tobuf() + padded + head.tobuf() + bytes(2**16)))
    with pytest.raises(BadInput, match="GB to unpack"):
        restore(load(), str(tmp_path / "fresh" / "seasoned.db"), path)


@pytest.mark.sqlite_only
def test_only_vault_and_profile_come_back_into_the_home(
    ours: Any, home: Path, tmp_path: Path
) -> None:
    manifest, files = ours
    for name in ("home/token", "home/seasoned.db", "home/vault.json"):
        manifest["files"][name] = sha256(EVIL)
        files[name] = EVIL
    entries: list[Entry] = [(one, content, {}) for one, content in files.items()]
    path = forged(tmp_path / "evil.tar.gz", manifest, entries)
    report = restore(load(), str(tmp_path / "fresh" / "seasoned.db"), path)
    assert report.files == (str(home / "vault.json"),)
    assert not (home / "token").exists()
    assert not (home / "seasoned.db").exists()


@pytest.mark.sqlite_only
def test_a_passphrase_beside_the_vault_is_not_in_the_backup(
    opened: Callable[..., Seasoned], home: Path, sqlite_url: str, tmp_path: Path
) -> None:
    home.mkdir(exist_ok=True)
    (home / "vault.json").write_bytes(b"encrypted")
    for name in ("vault.passphrase", "vault-passphrase", "profiles.txt", "token"):
        (home / name).write_text("the very words")
    path = back_up(opened(sqlite_url), tmp_path / "all.tar.gz").path
    with gzip.open(path) as whole:
        assert b"the very words" not in whole.read()


@pytest.mark.sqlite_only
def test_a_backup_without_the_vault_that_there_should_be_is_not_written(
    opened: Callable[..., Seasoned], home: Path, sqlite_url: str, tmp_path: Path
) -> None:
    home.mkdir(exist_ok=True)
    s = opened(sqlite_url)
    (home / "vault.json").symlink_to("gone.json")
    with pytest.raises(BadInput, match="no backup was written"):
        back_up(s, tmp_path / "all.tar.gz")
    assert not (tmp_path / "all.tar.gz").exists()


@pytest.mark.sqlite_only
def test_a_backup_overwrites_an_earlier_one_and_nothing_else(
    opened: Callable[..., Seasoned], sqlite_url: str, tmp_path: Path
) -> None:
    s = opened(sqlite_url)
    target = tmp_path / "all.tar.gz"
    back_up(s, target)
    assert back_up(s, target).path == target
    with pytest.raises(BadInput, match="is no backup; it is unchanged"):
        back_up(s, Path(sqlite_url))
    assert s.verify_audit().intact


@pytest.mark.sqlite_only
def test_a_restored_vault_follows_its_link_and_the_old_one_is_kept(
    ours: Any, home: Path, tmp_path: Path
) -> None:
    manifest, files = ours
    manifest["files"]["home/vault.json"] = sha256(b"new")
    entries: list[Entry] = [(one, content, {}) for one, content in files.items()]
    path = forged(tmp_path / "other.tar.gz", manifest, [*entries, ("home/vault.json", b"new", {})])
    home.mkdir(exist_ok=True)
    (tmp_path / "kept.json").write_bytes(b"old")
    (home / "vault.json").symlink_to(tmp_path / "kept.json")
    report = restore(load(), str(tmp_path / "fresh" / "seasoned.db"), path)
    assert (home / "vault.json").is_symlink()
    assert (tmp_path / "kept.json").read_bytes() == b"new"
    assert [Path(one).read_bytes() for one in report.old_files] == [b"old"]


def test_a_postgres_backup_has_our_tables_and_no_others(
    opened: Callable[..., Seasoned], postgres_url: str, empty_postgres_url: str, tmp_path: Path
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as theirs:
        there = {row[0] for row in theirs.execute(TABLES).fetchall()}
        assert there <= own_tables("postgres")
        theirs.execute('CREATE TABLE "Their orders" (id serial, x text)')
        theirs.execute("""INSERT INTO "Their orders" (x) VALUES ('not for us')""")
    s = opened(postgres_url)
    s.teach("tests", rule="Run the tests with make test")
    made = back_up(s, tmp_path / "all.tar.gz")
    assert "Their orders" in made.note
    assert set(made.counts) == there
    with gzip.open(made.path) as whole:
        assert b"not for us" not in whole.read()
    assert restore(load(), empty_postgres_url, made.path).audit.intact
    with Seasoned(empty_postgres_url) as other:
        other.teach("docs", rule="Write plain words")  # numbering goes on where it was
        assert len(other.lessons()) == 2


def test_columns_of_a_postgres_backup_cannot_be_commands(
    opened: Callable[..., Seasoned], postgres_url: str, empty_postgres_url: str, tmp_path: Path
) -> None:
    path = back_up(opened(postgres_url), tmp_path / "all.tar.gz").path
    with tarfile.open(path) as tar:
        found = {one.name: _read(tar, one) for one in tar}
    manifest = json.loads(found.pop("manifest.json"))
    mark = tmp_path / "ran"
    manifest["columns"]["tools"] = [f"name\") FROM PROGRAM 'touch {mark}' --"]
    forged(path, manifest, [(one, content, {}) for one, content in found.items()])
    with pytest.raises(BadInput, match="no whole backup"):
        restore(load(), empty_postgres_url, path)
    assert not mark.exists()


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
