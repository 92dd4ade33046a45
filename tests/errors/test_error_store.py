"""Errors are stored once per scope, tool and pattern, on both databases."""

import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.errors.error_store import ErrorStore, KnownError
from seasoned.errors.template import Groups

T = TypeVar("T")


def write(db: Database, work: Callable[[Connection], Coroutine[Any, Any, T]]) -> T:
    async def done() -> T:
        async with db.write() as tx:
            return await work(tx)

    return db.run(done())


def see(
    db: Database, message: str, *, tool: str = "shell", scope: Scope | None = None
) -> KnownError:
    store = ErrorStore(db)

    def seen(tx: Connection) -> Coroutine[Any, Any, KnownError]:
        return store.see(tx, scope or Scope(), tool, message, 5)

    return write(db, seen)


def test_occurrences_of_one_error_are_one_row(db: Database) -> None:
    first = see(db, "open /tmp/a.txt: no such file")
    second = see(db, "open /var/b.txt: no such file")
    assert (second.id, second.seen) == (first.id, 2)


def test_each_tool_and_project_has_its_own_errors(db: Database) -> None:
    ids = {
        see(db, "disk full").id,
        see(db, "disk full", tool="copy").id,
        see(db, "disk full", scope=Scope(project="web")).id,
    }
    assert len(ids) == 3


def test_an_error_knows_the_same_error_in_wider_scopes(db: Database) -> None:
    wide = see(db, "disk full", tool="")
    narrow = see(db, "disk full", scope=Scope("acme", "web"))
    assert narrow.wider == (wide.id,)


def test_names_that_keep_changing_become_one_error(db: Database) -> None:
    names = ("alice", "bobby", "carol", "david", "erika", "frank")
    seen = [see(db, f"Invalid user {name} from 10.0.0.7") for name in names]
    assert seen[-1].template.startswith("Invalid user <")
    again = see(db, "Invalid user alice from 10.0.0.8")
    assert again.id == seen[-1].id
    assert again.seen == len(names) + 1


def test_similar_errors_are_linked_where_one_may_help_the_other(db: Database) -> None:
    broad = see(db, "the remote host closed the connection early", tool="")
    close = see(db, "the remote host closed the connection", tool="curl")
    other = see(db, "the remote host closed the connection now", tool="psql")

    async def links(tx: Connection) -> set[tuple[str, str]]:
        rows = await tx.fetch("SELECT error_id, other_id FROM similar_errors")
        return {(row[0], row[1]) for row in rows}

    found = write(db, links)
    assert (close.id, broad.id) in found
    assert (broad.id, close.id) not in found
    assert (close.id, other.id) not in found


def test_the_store_groups_errors_as_the_evaluated_groups_do(db: Database) -> None:
    """`evals/error_patterns.py` measures `Groups`; the product uses the store."""
    vectors = Path(__file__).parent.parent / "vectors" / "error_patterns.json"
    errors: list[str] = [row["error"] for row in json.loads(vectors.read_text("utf-8"))]
    for number, name in enumerate(("alice", "bobby", "carol", "david", "erika", "frank")):
        errors += [
            f"Invalid user {name} from 10.0.0.{number}",
            f"worker w{number} took {number} seconds",
            f"no such table: {name}",
            f"disk {name} is full",
        ]
    groups = Groups()
    placed = [groups.add(error) for error in errors]
    for error in errors:
        see(db, error)
    stored = [see(db, error).id for error in errors]
    ours = [groups.current(group) for group in placed]
    same = [[a == b for b in stored] for a in stored]
    assert same == [[a == b for b in ours] for a in ours]
