"""Opening a database: a failed attempt leaves nothing open, and the next call starts again."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import apsw
import pytest

from seasoned import AsyncSeasoned, Seasoned
from seasoned.core.errors import DatabaseBusy, DatabaseDamaged

NO_WAITING = {"SEASONED_DATABASE__BUSY_SECONDS": "0"}


def teach(s: AsyncSeasoned) -> None:
    asyncio.run(_teach(s))


async def _teach(s: AsyncSeasoned) -> None:
    await s.teach("deploying", rule="Deploy to staging first.")


def test_a_database_of_a_newer_version_is_refused_by_every_call(
    database_url: str, home: Path
) -> None:
    with Seasoned(database_url) as s:
        assert s.lessons() == []
        s.inner.app.db.run(_become_newer(s))
    newer = AsyncSeasoned(database_url)
    for _ in range(2):
        with pytest.raises(DatabaseDamaged, match="newer Seasoned"):
            teach(newer)
    asyncio.run(newer.close())
    assert asyncio.run(_lessons_and_versions(database_url)) == (0, 999)


async def _become_newer(s: Seasoned) -> None:
    async with s.inner.app.db.write() as tx:
        await tx.execute(
            "INSERT INTO schema_migrations (version, name, applied_at) VALUES (999, 'newer', 0)"
        )


async def _lessons_and_versions(database_url: str) -> tuple[int, int]:
    if database_url.startswith("postgres"):
        import psycopg

        with psycopg.connect(database_url) as raw:
            lessons = raw.execute("SELECT count(*) FROM lessons").fetchone()
            version = raw.execute("SELECT max(version) FROM schema_migrations").fetchone()
    else:
        file = sqlite3.connect(database_url)
        lessons = file.execute("SELECT count(*) FROM lessons").fetchone()
        version = file.execute("SELECT max(version) FROM schema_migrations").fetchone()
        file.close()
    assert lessons is not None
    assert version is not None
    return int(lessons[0]), int(version[0])


def test_after_a_busy_database_the_next_call_succeeds(tmp_path: Path) -> None:
    path = str(tmp_path / "busy.db")
    other: Any = apsw.Connection(path)  # locks of another library would not count here
    other.execute("PRAGMA journal_mode = WAL").fetchall()
    other.execute("BEGIN IMMEDIATE")
    s = AsyncSeasoned(path, environment=NO_WAITING | {"SEASONED_HOME": str(tmp_path)})
    for _ in range(2):
        with pytest.raises(DatabaseBusy):
            teach(s)
    other.execute("ROLLBACK")
    other.close()
    teach(s)
    asyncio.run(s.close())


def test_when_work_cannot_be_resumed_the_next_call_tries_again(
    database_url: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    s = AsyncSeasoned(database_url)

    async def fail() -> None:
        raise RuntimeError("the disk is full")

    with monkeypatch.context() as then:
        then.setattr(s.app.workers, "resume", fail)
        with pytest.raises(RuntimeError, match="disk is full"):
            teach(s)
    teach(s)
    asyncio.run(s.close())


def test_services_are_built_once(seasoned: Seasoned) -> None:
    app = seasoned.inner.app
    assert app.turns is app.turns
    assert app.learner.rules is app.rules
