"""The audit chain detects any tampering."""

import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from seasoned import Seasoned
from seasoned.core.errors import DatabaseError
from seasoned.db.database import Database


def observe(s: Seasoned, count: int) -> None:
    for number in range(count):
        s.observe("shell", {"n": number}, result="ok")


def tamper(db: Database, *statements: str) -> None:
    """Drop the triggers and run the statements, like someone with full access."""
    if db.dialect == "sqlite":
        lifted = ["DROP TRIGGER audit_is_never_changed", "DROP TRIGGER audit_is_never_shortened"]
    else:
        lifted = ["DROP TRIGGER audit_is_never_changed ON audit"]

    async def done() -> None:
        async with db.write() as tx:
            for statement in (*lifted, *statements):
                await tx.execute(statement)

    db.run(done())


def test_an_untouched_chain_is_intact(seasoned: Seasoned) -> None:
    observe(seasoned, 20)
    report = seasoned.verify_audit()
    assert (report.intact, report.events) == (True, 20)


@pytest.mark.parametrize(
    ("statement", "event"),
    [
        ("UPDATE audit SET detail = '{}' WHERE seq = 4", 4),
        ("UPDATE audit SET at = at + 1 WHERE seq = 1", 1),
        ("DELETE FROM audit WHERE seq = 6", 6),
        ("DELETE FROM audit WHERE seq > 8", 9),
        ("UPDATE audit SET seq = 11 WHERE seq = 10", 10),
        ("INSERT INTO audit VALUES (11, 0, 'x', '', '{}', 'forged')", 11),
        ("UPDATE audit_head SET digest = 'forged'", 10),
        ("DELETE FROM audit_head", 11),
    ],
)
def test_tampering_is_found_where_it_happened(
    seasoned: Seasoned, statement: str, event: int
) -> None:
    observe(seasoned, 10)
    tamper(seasoned.inner.app.db, statement)
    report = seasoned.verify_audit()
    assert not report.intact
    assert report.broken_at == event
    assert report.reason


@pytest.mark.parametrize("statement", ["UPDATE audit SET kind = 'x'", "DELETE FROM audit"])
def test_the_database_itself_refuses_to_change_an_event(seasoned: Seasoned, statement: str) -> None:
    observe(seasoned, 1)
    db = seasoned.inner.app.db

    async def change() -> None:
        async with db.write() as tx:
            await tx.execute(statement)

    with pytest.raises(DatabaseError, match="append-only"):
        db.run(change())


def test_threads_append_to_one_chain(seasoned: Seasoned) -> None:
    threads = [threading.Thread(target=observe, args=(seasoned, 25)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report = seasoned.verify_audit()
    assert (report.intact, report.events) == (True, 100)


WRITER = """
import sys
from seasoned import Seasoned
with Seasoned(sys.argv[1]) as s:
    for number in range(25):
        s.observe("shell", {"n": number}, result="ok")
"""


def test_processes_append_to_one_chain(database_url: str, opened: Callable[..., Seasoned]) -> None:
    s = opened(database_url)
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, database_url]) for _ in range(3)]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    report = s.verify_audit()
    assert (report.intact, report.events) == (True, 75)
    assert s.status()["calls"] == 75
