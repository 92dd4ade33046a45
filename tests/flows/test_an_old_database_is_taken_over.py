"""A database of the first version opens, and its lessons are found by words at once."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.embedding_service import eventually

from seasoned import Seasoned
from seasoned.core.ids import digest, new_id, number
from seasoned.db import migrations
from seasoned.db.database import Connection, Database
from seasoned.db.opening import open_database

Opened = Callable[..., Seasoned]

ROOMS = 120
FACTS = {
    "deploying": "Deploy to staging before production.",
    "invoices": "Invoices are numbered per year.",
    "東京": "請求書は日本語で送る。",
}


@pytest.fixture(params=["sqlite", "postgres"])
def old_url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database with the first migration only, and rows as they were written then."""
    url = str(tmp_path / "old.db")
    if request.param == "postgres":
        url = request.getfixturevalue("empty_postgres_url")
    monkeypatch.setattr("seasoned.app.app.INDEX_BATCH", 50)
    every = migrations.migrations

    def first(dialect: str) -> list[migrations.Migration]:
        return every(dialect)[:1]

    with monkeypatch.context() as then:
        then.setattr(migrations, "migrations", first)
        db = open_database(url)
        db.run(db.open())
        db.run(_written(db))
        db.run(db.close())
        db.shutdown()
    return url


async def _written(db: Database) -> None:
    async with db.write() as tx:
        for trigger, content in FACTS.items():
            await _lesson(tx, "fact", "active", trigger, content)
        await _lesson(tx, "rule", "active", "", "Be kind.")
        await _lesson(tx, "fact", "retired", "zebras", "Zebras are striped.")
        for room in range(ROOMS):  # more than one transaction migrates
            await _lesson(tx, "fact", "candidate", "rooms", f"Room {room} is free.")
        error = digest("", "", "podman", "command not found")
        await tx.execute(
            "INSERT INTO errors (id, key, tool, template, shape, category, seen, first_seen_at, "
            "last_seen_at) VALUES (?, ?, 'podman', 'podman: command not found', 's', 'general', "
            "3, 1, 1)",
            (error, int(error[:15], 16)),
        )
        await tx.execute(
            "INSERT INTO errors_text (rowid, template) VALUES (?, 'podman command found')",
            (int(error[:15], 16),),
        )
        fix = await _lesson(tx, "fix", "active", "podman: command not found", "Use docker.")
        await tx.execute(
            "INSERT INTO lesson_fixes (lesson_id, tool, error_id) VALUES (?, 'podman', ?)",
            (fix, error),
        )


async def _lesson(tx: Connection, kind: str, status: str, trigger: str, content: str) -> str:
    name = new_id()
    await tx.execute(
        "INSERT INTO lessons (id, key, kind, status, trigger, content, worked, failed, source, "
        "trust, fingerprint, created_at, updated_at) "
        "VALUES (?, ?, ?, ?, ?, ?, 9, 1, 'operator', 'operator', ?, 1, 1)",
        (name, number(name), kind, status, trigger, content, digest(name)),
    )
    if status != "retired":
        await tx.execute(
            "INSERT INTO lessons_text (rowid, trigger, content) VALUES (?, ?, ?)",
            (number(name), trigger.lower(), content.lower()),
        )
    return name


def recalled(s: Seasoned, query: str) -> list[str]:
    return [one.lesson.content for one in s.recall(query).lessons][1:]  # after the standing rule


def test_what_it_knew_is_found_by_words_at_once_and_later_by_meaning(
    old_url: str, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEASONED_KNOWLEDGE__DEADLINE_SECONDS", "30")
    s = opened(old_url)
    assert s.recall("x").stable == "[LEARNED BEHAVIORAL RULES]\n• [rule] Be kind."
    assert recalled(s, "deploy it")[0] == FACTS["deploying"]
    assert recalled(s, "which number does an invoice get")[0] == FACTS["invoices"]
    assert recalled(s, "東京")[0] == FACTS["東京"]
    assert recalled(s, "podman") == ["Use docker."]
    assert recalled(s, "striped zebras") == []
    assert eventually(lambda: s.status()["embedding"]["waiting"] == 0, 60)
    assert s.status()["embedding"]["embedded"] == ROOMS + len(FACTS) + 2
    assert s.search("deploy it")[0].match.likeness is not None
    hint = s.observe("podman", {}, error="podman: command not found")
    assert hint is not None


def test_it_is_taken_over_once(old_url: str, opened: Opened) -> None:
    for _ in range(2):
        s = opened(old_url)
        assert rows(s) == [ROOMS + len(FACTS) + 2] * 2
        s.close()


def test_several_may_open_it_at_once(old_url: str, opened: Opened) -> None:
    failures: list[BaseException] = []

    def opening() -> None:
        try:
            Seasoned(old_url).close()
        except BaseException as error:  # noqa: BLE001 - the test wants to see it
            failures.append(error)

    threads = [threading.Thread(target=opening) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert rows(opened(old_url)) == [ROOMS + len(FACTS) + 2] * 2


def rows(s: Seasoned) -> list[int]:
    """Count the rows of the indexes."""

    async def counted() -> list[int]:
        async with s.inner.app.db.read() as tx:
            tables = ("lesson_vectors", "lessons_text")
            found = [await tx.fetch_one(f"SELECT count(*) FROM {table}") for table in tables]
            return [row[0] for row in found if row]

    return s.inner.app.db.run(counted())
