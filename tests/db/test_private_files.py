"""Who may read the files: their owner, whatever the umask says, and a group that was given them."""

import os
import stat
from collections.abc import Generator
from pathlib import Path

import pytest

from seasoned import Seasoned
from seasoned.core.private_files import is_private, tighten

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs permissions of POSIX")


@pytest.fixture(autouse=True)
def careless() -> Generator[None]:
    """A umask that gives everybody everything."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_database_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "home" / "x.db"
    with Seasoned(path) as s:
        s.teach("", rule="Be brief.")
        files = sorted(path.parent.iterdir())
        assert [file.name for file in files] == ["x.db", "x.db-shm", "x.db-wal"]
        assert [mode(file) for file in files] == [0o600] * 3
    assert mode(path.parent) == 0o700


def test_a_database_that_everybody_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    Seasoned(path).close()
    path.chmod(0o644)
    with Seasoned(path) as s:
        s.teach("", rule="Be brief.")
        assert [mode(file) for file in tmp_path.glob("x.db*")] == [0o600] * 3


def test_the_default_home_is_closed_and_a_named_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SEASONED_HOME", raising=False)
    for name in (".seasoned", "shared"):
        (tmp_path / name).mkdir(mode=0o755)
    Seasoned().close()
    Seasoned(environment={"SEASONED_HOME": str(tmp_path / "shared")}).close()
    assert mode(tmp_path / ".seasoned") == 0o700
    assert mode(tmp_path / "shared") == 0o755
    assert mode(tmp_path / "shared" / "seasoned.db") == 0o600


@pytest.mark.skipif(os.name == "posix" and os.geteuid() != 0, reason="only root gives files away")
def test_a_group_that_was_given_the_database_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.touch()
    os.chown(path, -1, 12345)
    path.chmod(0o666)
    tighten(path)
    assert mode(path) == 0o660
    assert is_private(path)


def test_exports_are_their_owners_alone(home: Path, tmp_path: Path) -> None:
    with Seasoned(tmp_path / "x.db") as s:
        s.feedback.add("positive", prompt="p", response="r")
        s.export("kto", tmp_path / "rows.jsonl")
        s.graph.export_file(tmp_path / "graph.nt")
    exported = [*tmp_path.glob("rows*"), tmp_path / "graph.nt"]
    assert [mode(file) for file in exported] == [0o600] * len(exported)
    assert len(exported) >= 2
