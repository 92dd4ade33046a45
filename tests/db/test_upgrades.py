"""Upgrades: a database of an earlier version keeps its content."""

import psycopg

from seasoned.db.connection import Connection
from seasoned.db.migrations import migrations
from seasoned.db.opening import open_database
from seasoned.db.search.index import NO_SPACE


def test_words_that_were_indexed_without_their_group_are_found(empty_postgres_url: str) -> None:
    with psycopg.connect(empty_postgres_url) as old:
        old.execute(
            "CREATE TABLE schema_migrations "
            "(version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)"
        )
        for migration in migrations("postgres")[:7]:
            old.execute(migration.sql.encode())
            row = (migration.version, migration.name)
            old.execute("INSERT INTO schema_migrations VALUES (%s, %s, 0)", row)
        old.execute(
            "INSERT INTO lesson_groups (id, tenant, project, user_id, session, kind, status, "
            "source) VALUES (7, '', '', '', '', 'fact', 'active', 'user')"
        )
        old.execute("INSERT INTO lesson_vectors (key, group_id, length) VALUES (3, 7, 2)")
        old.execute("INSERT INTO lessons_text VALUES (3, '', 'one zebra', '', '')")
    db = open_database(empty_postgres_url)
    db.run(db.open())
    words = db.words("lessons_text", db.vectors("lesson", ("tenant",)))

    async def asked(tx: Connection) -> tuple[list[int], int]:
        spoken = await words.search(tx, NO_SPACE, ["zebra"], [7], 5)
        return list(spoken.keys), spoken.total

    async def read() -> tuple[list[int], int]:
        async with db.read() as tx:
            return await asked(tx)

    assert db.run(read()) == ([3], 1)
    db.run(db.close())
    db.shutdown()
