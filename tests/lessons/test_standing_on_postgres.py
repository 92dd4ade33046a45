"""Rules that always hold are read by their own index, whatever Postgres estimates."""

from typing import Any, cast

from seasoned.core.scope import Scope
from seasoned.db.connection import Connection, Params, Row
from seasoned.db.opening import open_database
from seasoned.lessons.lesson_store import LessonStore

# Few rules have no situation, but many lessons have none: Postgres cannot estimate both together.
MADE = """
INSERT INTO lessons (id, key, kind, status, tenant, project, user_id, session, trigger, content,
  worked, failed, source, trust, fingerprint, created_at, updated_at)
SELECT 'l' || n, -n, CASE WHEN n % 5 = 0 THEN 'rule' ELSE 'fact' END, 'active', '', '', '', '',
  CASE WHEN n % 5 IN (1, 2) OR n % 4000 = 0 THEN '' ELSE 'when ' || n END, 'lesson ' || n,
  9, 1, 'operator', 'operator', 'f' || n, n, n
FROM generate_series(1, 20000) n;
ANALYZE lessons
"""


class Explained:
    """A connection that fetches the plan of each query instead of its rows."""

    def __init__(self, inner: Connection) -> None:
        self.inner = inner
        self.plan = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def fetch(self, sql: str, params: Params = ()) -> list[Row]:
        self.plan = "\n".join(row[0] for row in await self.inner.fetch(f"EXPLAIN {sql}", params))
        return []


def test_standing_rules_are_read_by_their_own_index(postgres_url: str) -> None:
    db = open_database(postgres_url)
    db.run(db.open())
    store = LessonStore(db)

    async def read() -> tuple[list[str], str]:
        async with db.write() as tx:
            await tx.script(MADE)
        async with db.read() as tx:
            found = await store.standing(tx, Scope(), 0.7, 10)
            explained = Explained(tx)
            await store.standing(cast("Connection", explained), Scope(), 0.7, 10)
        return [lesson.id for lesson in found], explained.plan

    found, plan = db.run(read())
    assert found == ["l4000", "l8000", "l12000", "l16000", "l20000"]
    assert "using lessons_standing" in plan, plan
    assert "lessons_by_age" not in plan, plan
    db.run(db.close())
    db.shutdown()
