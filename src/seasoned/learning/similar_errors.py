"""Links each new error with those it is like, so that a failure need not search for them.

What is worth comparing is found by words and by vectors; how alike two errors are is decided in
`error_likeness`. A link leads from an error to one whose fixes apply to it: as wide, or wider.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.vectors import Space
from seasoned.learning.alike import Alike, Point
from seasoned.learning.error_likeness import SIMILAR, likeness, meaning_of, telling

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_SAID = 50  # errors that share words, and are compared
MOST_MEANT = 20  # errors that are near by meaning, and are compared
MOST_WORDS = 16

FOUND = "e.id, e.template, e.tenant, e.project, e.tool, e.vector_key"


@dataclass(frozen=True, slots=True)
class Similar:
    """An error as it is compared."""

    id: str
    template: str
    tenant: str
    project: str
    tool: str
    key: int | None = None

    @property
    def place(self) -> tuple[str, str, str]:
        return (self.tenant, self.project, self.tool)

    def covers(self, other: "Similar") -> bool:
        return all(one in ("", two) for one, two in zip(self.place, other.place, strict=True))


class SimilarErrors:
    """Owns `similar_errors`, the index of errors by words, and the rows of their vectors."""

    def __init__(self, db: Database, alike: Alike | None = None) -> None:
        self.db = db
        self.alike = alike
        self.vectors = db.vectors("error", ("tenant", "project", "tool"))

    async def add(
        self, tx: Connection, error_id: str, scope: Scope, tool: str, template: str
    ) -> None:
        """Makes an error findable under its template, and links it."""
        words = telling(template)
        place = (scope.tenant, scope.project, tool)
        await tx.execute(
            "INSERT INTO errors_text (rowid, template) VALUES (?, ?)",
            (word_key(error_id), " ".join(words)),
        )
        key = await self.vectors.add(tx, place, len(words))
        await tx.execute("UPDATE errors SET vector_key = ? WHERE id = ?", (key, error_id))
        point = None
        if self.alike is not None:
            point = await self.alike.placed(tx, self.vectors, key, meaning_of(template))
        error = Similar(error_id, template, *place, key)
        said = await self._said(tx, error, words)
        await self._link(tx, error, said, await self._cosines(tx, error, said, point))

    async def remove(self, tx: Connection, error_id: str) -> None:
        """Takes an error out of the indexes: its template has changed."""
        row = await tx.fetch_one("SELECT vector_key FROM errors WHERE id = ?", (error_id,))
        await self.forget(tx, error_id, row[0] if row else None)

    async def forget(self, tx: Connection, error_id: str, key: int | None) -> None:
        """The same for an error that is gone already, and stood under this key."""
        await tx.execute("DELETE FROM errors_text WHERE rowid = ?", (word_key(error_id),))
        if key is not None:
            await self.vectors.remove(tx, key)

    async def merge(self, tx: Connection, error_id: str, into: str) -> None:
        """Two errors turned out to be one: what the one is like, the other is like too."""
        await self.remove(tx, error_id)
        for own, other in (("error_id", "other_id"), ("other_id", "error_id")):
            await tx.execute(
                f"INSERT INTO similar_errors ({own}, {other}, similarity) "
                f"SELECT ?, {other}, similarity FROM similar_errors "
                f"WHERE {own} = ? AND {other} <> ? ON CONFLICT (error_id, other_id) DO NOTHING",
                (into, error_id, into),
            )

    async def scopes_linked_to(self, tx: Connection, error_id: str) -> set[Scope]:
        """The scopes of the errors that are similar to this one; theirs may be narrower."""
        rows = await tx.fetch(
            "SELECT DISTINCT e.tenant, e.project FROM similar_errors s "
            "JOIN errors e ON e.id = s.error_id WHERE s.other_id = ?",
            (error_id,),
        )
        return {Scope(*row) for row in rows}

    async def link_embedded(
        self,
        tx: Connection,
        space: Space,
        keys: Sequence[int],
        rows: "NDArray[Any]",
        read: Callable[[float], float],
    ) -> None:
        """Links errors that a worker has just embedded; `read` puts a cosine on our scale."""
        found = {error.key: error for error in await self._keyed(tx, keys)}
        for key, row in zip(keys, rows, strict=True):
            if key in found:
                error, point = found[key], Point(space, row)
                near = await self._cosines(tx, error, (), point)
                if await self._link(tx, error, (), {k: read(near[k]) for k in near}):
                    await tx.execute("UPDATE errors SET graphed = 0 WHERE id = ?", (error.id,))

    async def is_missing_some(self, tx: Connection) -> bool:
        """Whether an error is not in the indexes, as after an upgrade."""
        return (
            await tx.fetch_one("SELECT 1 FROM errors WHERE vector_key IS NULL LIMIT 1") is not None
        )

    async def index_missing(self, tx: Connection, most: int) -> int:
        """Indexes and links errors that are in no index yet; how many there were."""
        # Held, not only read: several processes may open the same old database at once.
        rows = await tx.fetch(
            "UPDATE errors SET vector_key = NULL WHERE vector_key IS NULL AND id IN "
            "(SELECT id FROM errors WHERE vector_key IS NULL LIMIT ?) "
            "RETURNING id, tenant, project, tool, template",
            (most,),
        )
        for error_id, tenant, project, tool, template in rows:
            await self.remove(tx, error_id)
            await self.add(tx, error_id, Scope(tenant, project), tool, template)
        return len(rows)

    async def _said(
        self, tx: Connection, error: Similar, words: Sequence[str]
    ) -> Sequence[Similar]:
        """Those that share words with it."""
        if not words:
            return ()
        tenant, project, tool = error.place
        rows = await tx.fetch(
            f"SELECT {FOUND} "
            f"FROM ({self.db.text_search('errors_text')}) AS t JOIN errors e ON e.key = t.rowid "
            "WHERE e.id <> ? AND (e.tenant = ? OR e.tenant = '' OR ? = '') "
            "AND (e.project = ? OR e.project = '' OR ? = '') "
            "AND (e.tool = ? OR e.tool = '' OR ? = '') ORDER BY t.score DESC LIMIT ?",
            (
                *(self.db.text_query(words[:MOST_WORDS]), error.id, tenant, tenant),
                *(project, project, tool, tool, MOST_SAID),
            ),
        )
        return [Similar(*row) for row in rows]

    async def _cosines(
        self, tx: Connection, error: Similar, said: Iterable[Similar], point: Point | None
    ) -> dict[int, float]:
        """How near by meaning the nearest are, and those that share words."""
        if point is None or not point.vector.any():
            return {}
        wanted = [{value, ""} if value else None for value in error.place]
        groups = await self.vectors.groups(tx, wanted)
        found = await self.vectors.nearest(tx, point.space, point.vector, groups, MOST_MEANT + 1)
        near = {key: cosine for key, cosine in found if key != error.key}
        others = [one.key for one in said if one.key is not None and one.key not in near]
        return near | await self.vectors.likeness(tx, point.space, point.vector, others)

    async def _keyed(self, tx: Connection, keys: Sequence[int]) -> list[Similar]:
        if not keys:
            return []
        marks = ", ".join("?" for _ in keys)
        rows = await tx.fetch(f"SELECT {FOUND} FROM errors e WHERE e.vector_key IN ({marks})", keys)
        return [Similar(*row) for row in rows]

    async def _link(
        self,
        tx: Connection,
        error: Similar,
        said: Sequence[Similar],
        cosines: dict[int, float],
    ) -> bool:
        """Stores in which direction, and how far, fixes may be passed on; whether they may."""
        there = {one.key for one in said}
        meant = await self._keyed(tx, [key for key in cosines if key not in there])
        links: list[tuple[str, str, float]] = []
        for other in (*said, *meant):
            cosine = None if other.key is None else cosines.get(other.key)
            if other.covers(error):
                alike = likeness(error.template, other.template, cosine)
                links.append((error.id, other.id, alike))
            if error.covers(other):
                alike = likeness(other.template, error.template, cosine)
                links.append((other.id, error.id, alike))
        links = [link for link in links if link[2] >= SIMILAR]
        await tx.execute_many(
            "INSERT INTO similar_errors (error_id, other_id, similarity) VALUES (?, ?, ?) "
            "ON CONFLICT (error_id, other_id) DO UPDATE SET similarity = excluded.similarity "
            "WHERE excluded.similarity > similar_errors.similarity",
            links,
        )
        return bool(links)


def word_key(error_id: str) -> int:
    """Under which an error stands in the index by words."""
    return int(error_id[:15], 16)
