"""Common words on Postgres: known from its statistics, and not read."""

from typing import Any, cast

from seasoned.core.words import IndexedText, WordMatches
from seasoned.db.connection import Connection, Params, Row
from seasoned.db.opening import open_database
from seasoned.db.search.index import NO_SPACE
from seasoned.lessons.index import FILTERS

PLACE = ("", "", "", "", "fact", "active", "user")
MANY = 4_500  # more than a query ranks


class Overheard:
    """A connection that records the parameters of its queries."""

    def __init__(self, inner: Connection) -> None:
        self.inner = inner
        self.asked: list[object] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def fetch(self, sql: str, params: Params = ()) -> list[Row]:
        self.asked += params
        return await self.inner.fetch(sql, params)


def test_a_word_that_the_server_knows_as_common_is_not_read(postgres_url: str) -> None:
    db = open_database(postgres_url)
    db.run(db.open())
    vectors = db.vectors("lesson", FILTERS)

    async def filled() -> int:
        async with db.write() as tx:
            await tx.script("ALTER TABLE lessons_text SET (autovacuum_enabled = off)")
            for _ in range(MANY):
                key = await vectors.add(tx, PLACE, 2)
                await db.words("lessons_text", vectors).add(tx, key, IndexedText("", "the printer"))
            rare = await vectors.add(tx, PLACE, 3)
            await db.words("lessons_text", vectors).add(
                tx, rare, IndexedText("", "a zebra printer")
            )
        return rare

    async def asked() -> tuple[WordMatches, list[object]]:
        async with db.read() as tx:
            heard = Overheard(tx)
            groups = await vectors.groups(tx, [None] * len(FILTERS))
            words = db.words("lessons_text", vectors)  # a new index, without counts
            found = await words.search(
                cast("Connection", heard), NO_SPACE, ["printer", "zebra"], groups, 5
            )
            return found, heard.asked

    async def analysed() -> None:
        async with db.write() as tx:
            await tx.script("ANALYZE lessons_text")

    rare = db.run(filled())
    before, heard = db.run(asked())
    assert "'printer'" in heard
    assert (list(before.keys), before.frequencies) == ([rare], {"printer": MANY + 1, "zebra": 1})
    db.run(analysed())
    after, heard = db.run(asked())
    assert "'printer'" not in heard
    assert (list(after.keys), after.frequencies["zebra"]) == ([rare], 1)
    assert abs(after.frequencies["printer"] - MANY) < MANY / 20
    db.run(db.close())
    db.shutdown()
