"""The canary: a lesson travels the whole loop, and leaves nothing behind."""

import re
from pathlib import Path

from seasoned import Seasoned
from seasoned.app.canary import TENANT, Canary
from seasoned.core.events import Event
from seasoned.db.connection import Row

TABLES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table'",
    "postgres": "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()",
}


def rows_of(s: Seasoned) -> dict[str, int]:
    """Count the rows of every table, except logs and segments of indexes that are merged later."""
    app = s.inner.app

    async def count() -> dict[str, int]:
        async with app.db.read() as tx:
            names = [str(row[0]) for row in await tx.fetch(TABLES[app.db.dialect])]
            kept = [name for name in names if not re.search("_vector_changes|_text_", name)]
            found = {name: await tx.fetch_one(f"SELECT count(*) FROM {name}") for name in kept}
        return {name: int(row[0]) for name, row in found.items() if row}

    return app.db.run(count())


def audit_of(s: Seasoned) -> list[Row]:
    app = s.inner.app

    async def read() -> list[Row]:
        async with app.db.read() as tx:
            return await tx.fetch("SELECT subject, detail FROM audit")

    return app.db.run(read())


def test_it_comes_back_leaves_nothing_behind_and_nobody_hears_of_it(seasoned: Seasoned) -> None:
    seasoned.teach("a situation", rule="Answer briefly.")
    heard: list[Event] = []
    seasoned.on(Event, heard.append)
    canary = Canary(seasoned.inner.app)
    assert canary.fly().state == "present", canary.last.reason
    before = rows_of(seasoned)
    assert canary.fly().state == "present", canary.last.reason
    assert rows_of(seasoned) == before
    assert len(seasoned.lessons()) == 1
    assert not heard
    assert all(TENANT not in str(row) for row in audit_of(seasoned))
    assert seasoned.verify_audit().intact


def test_it_says_where_the_lesson_was_lost(seasoned: Seasoned) -> None:
    app = seasoned.inner.app
    seasoned.status()  # opens the database

    async def break_it() -> None:
        async with app.db.write() as tx:
            await tx.execute("ALTER TABLE lesson_fixes RENAME TO gone_fixes")

    app.db.run(break_it())
    flight = Canary(app).fly()
    assert flight.state == "failed"
    assert "lesson_fixes" in flight.reason


def test_strict_settings_are_no_fault(home: Path, database_url: str) -> None:
    environment = {
        "SEASONED_AGENT__AUTO_APPLY_CONFIDENCE": "1",
        "SEASONED_KNOWLEDGE__MAX_CONTEXT_PER_LAYER": "0",
        "SEASONED_AGENT__ERROR_CORRECTION_ENABLED": "false",
        "SEASONED_EMBEDDING__PROVIDER": "none",
    }
    with Seasoned(database_url, environment=environment) as s:
        s.status()
        assert Canary(s.inner.app).fly().state == "present"


def test_an_agents_own_lesson_of_the_same_kind_does_not_hide_it(seasoned: Seasoned) -> None:
    for number in range(1, 6):
        wrong, right = {"day": f"{number} May 2027"}, {"day": f"2027-05-0{number}"}
        error = "day must be YYYY-MM-DD, e.g. 2027-01-31"
        for tool in ("book", "hire", "rent", "visit"):
            seasoned.observe(tool, wrong, error=error, session=f"s{number}")
            seasoned.observe(tool, right, "booked", session=f"s{number}")
    assert Canary(seasoned.inner.app).fly().state == "present"
