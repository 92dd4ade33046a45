"""What Postgres knows of common words, and what is therefore not read."""

from typing import Any, cast

from seasoned.core.bm25 import Indexed, Spoken
from seasoned.db.connection import Connection, Params, Row
from seasoned.db.opening import open_database
from seasoned.db.vectors import NO_SPACE
from seasoned.learning.lesson_index import FILTERS

PLACE = ("", "", "", "", "fact", "active", "user")
MANY = 4_500  # more than a query ranks


class Overheard:
    """A conversation of which is kept what was asked for."""

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
                await db.words("lessons_text", vectors).add(tx, key, Indexed("", "the printer"))
            rare = await vectors.add(tx, PLACE, 3)
            await db.words("lessons_text", vectors).add(tx, rare, Indexed("", "a zebra printer"))
        return rare

    async def asked() -> tuple[Spoken, list[object]]:
        async with db.read() as tx:
            heard = Overheard(tx)
            groups = await vectors.groups(tx, [None] * len(FILTERS))
            words = db.words("lessons_text", vectors)  # a new one: it has counted nothing
            found = await words.spoken(
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
