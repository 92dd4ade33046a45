"""Link each new error to similar ones, so that a failure need not search for them.

Words and vectors find the candidates; `likeness` decides how similar two errors are. A link leads
from an error to one whose fixes apply to it: of the same scope and tool, or a wider one.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seasoned.core.clock import Clock
from seasoned.core.errors import SeasonedError
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.search.index import Space, SpaceStore, VectorIndex
from seasoned.errors.likeness import SIMILAR, likeness, meaning_of, telling_words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seasoned.llm.embed.embedder import Embedder

log = logging.getLogger("seasoned.alike")


@dataclass(frozen=True, slots=True)
class EmbeddedError:
    """The vector of an error in a space."""

    space: Space
    vector: "NDArray[Any]"


class LocalErrorEmbedder:
    """Embeds a new error at once, with an embedder that runs in this process.

    With a remote embedder the error waits, as lessons do, for the worker.
    """

    def __init__(self, embedder: "Embedder", clock: Clock) -> None:
        self.embedder = embedder
        self.clock = clock
        self.spaces = SpaceStore()

    async def embed(
        self, tx: Connection, vectors: VectorIndex, key: int, text: str
    ) -> EmbeddedError | None:
        """Embed and store the text of a row; None if it has to wait for the worker."""
        space = await self.spaces.current(tx)
        if space is not None and space.model != self.embedder.model:
            return None  # another model is in use: leave it to the worker
        if await vectors.why_unusable(tx):
            return None
        try:
            rows = self.embedder.embed([text])
        except SeasonedError as error:
            log.warning("comparing a new error by its words alone: %s", error)
            return None
        if space is None:
            now = self.clock.now()
            space = await self.spaces.begin(tx, self.embedder.model, rows.shape[1], now)
        await vectors.put(tx, space, [key], rows)
        return EmbeddedError(space, rows[0])


MOST_BY_WORDS = 50  # candidates that share words
MOST_BY_MEANING = 20  # candidates that are near in meaning
MOST_WORDS = 16

FOUND = "e.id, e.template, e.tenant, e.project, e.tool, e.vector_key"


@dataclass(frozen=True, slots=True)
class ComparableError:
    """The columns of an error that comparing needs."""

    id: str
    template: str
    tenant: str
    project: str
    tool: str
    key: int | None = None

    @property
    def place(self) -> tuple[str, str, str]:
        return (self.tenant, self.project, self.tool)

    def covers(self, other: "ComparableError") -> bool:
        return all(one in ("", two) for one, two in zip(self.place, other.place, strict=True))


class SimilarErrors:
    """Owns `similar_errors`, the index of errors by words, and the rows of their vectors."""

    def __init__(self, db: Database, embedder: LocalErrorEmbedder | None = None) -> None:
        self.db = db
        self.embedder = embedder
        self.vectors = db.vectors("error", ("tenant", "project", "tool"))

    async def add(
        self, tx: Connection, error_id: str, scope: Scope, tool: str, template: str
    ) -> None:
        """Index an error by its template, and link it."""
        words = telling_words_of(template)
        place = (scope.tenant, scope.project, tool)
        await tx.execute(
            "INSERT INTO errors_text (rowid, template) VALUES (?, ?)",
            (word_key(error_id), " ".join(words)),
        )
        key = await self.vectors.add(tx, place, len(words))
        await tx.execute("UPDATE errors SET vector_key = ? WHERE id = ?", (key, error_id))
        point = None
        if self.embedder is not None:
            point = await self.embedder.embed(tx, self.vectors, key, meaning_of(template))
        error = ComparableError(error_id, template, *place, key)
        said = await self._said(tx, error, words)
        await self._link(tx, error, said, await self._cosines(tx, error, said, point))

    async def remove(self, tx: Connection, error_id: str) -> None:
        """Remove an error from the indexes, because its template changed."""
        row = await tx.fetch_one("SELECT vector_key FROM errors WHERE id = ?", (error_id,))
        await self.forget(tx, error_id, row[0] if row else None)

    async def forget(self, tx: Connection, error_id: str, key: int | None) -> None:
        """Remove an error that is already deleted, by the key it had."""
        await tx.execute("DELETE FROM errors_text WHERE rowid = ?", (word_key(error_id),))
        if key is not None:
            await self.vectors.remove(tx, key)

    async def merge(self, tx: Connection, error_id: str, into: str) -> None:
        """Move the links of one error to another that it turned out to be."""
        await self.remove(tx, error_id)
        for own, other in (("error_id", "other_id"), ("other_id", "error_id")):
            await tx.execute(
                f"INSERT INTO similar_errors ({own}, {other}, similarity) "
                f"SELECT ?, {other}, similarity FROM similar_errors "
                f"WHERE {own} = ? AND {other} <> ? ON CONFLICT (error_id, other_id) DO NOTHING",
                (into, error_id, into),
            )

    async def scopes_linked_to(self, tx: Connection, error_id: str) -> set[Scope]:
        """Return the scopes of the errors linked to this one, which may be narrower."""
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
        """Link errors that the worker just embedded; `read` calibrates a cosine."""
        found = {error.key: error for error in await self._keyed(tx, keys)}
        for key, row in zip(keys, rows, strict=True):
            if key in found:
                error, point = found[key], EmbeddedError(space, row)
                near = await self._cosines(tx, error, (), point)
                if await self._link(tx, error, (), {k: read(near[k]) for k in near}):
                    await tx.execute("UPDATE errors SET graphed = 0 WHERE id = ?", (error.id,))

    async def is_missing_some(self, tx: Connection) -> bool:
        """Tell whether an error is missing from the indexes, as after an upgrade."""
        return (
            await tx.fetch_one("SELECT 1 FROM errors WHERE vector_key IS NULL LIMIT 1") is not None
        )

    async def index_missing(self, tx: Connection, most: int) -> int:
        """Index and link the errors that are missing; return how many."""
        # Locked, not only read: several processes may open the same old database at once.
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
        self, tx: Connection, error: ComparableError, words: Sequence[str]
    ) -> Sequence[ComparableError]:
        """Return candidates that share words with it."""
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
                *(project, project, tool, tool, MOST_BY_WORDS),
            ),
        )
        return [ComparableError(*row) for row in rows]

    async def _cosines(
        self,
        tx: Connection,
        error: ComparableError,
        said: Iterable[ComparableError],
        point: EmbeddedError | None,
    ) -> dict[int, float]:
        """Return the cosines of the nearest errors and of those that share words, by key."""
        if point is None or not point.vector.any():
            return {}
        wanted = [{value, ""} if value else None for value in error.place]
        groups = await self.vectors.groups(tx, wanted)
        found = await self.vectors.nearest(
            tx, point.space, point.vector, groups, MOST_BY_MEANING + 1
        )
        near = {key: cosine for key, cosine in found if key != error.key}
        others = [one.key for one in said if one.key is not None and one.key not in near]
        return near | await self.vectors.likeness(tx, point.space, point.vector, others)

    async def _keyed(self, tx: Connection, keys: Sequence[int]) -> list[ComparableError]:
        if not keys:
            return []
        marks = ", ".join("?" for _ in keys)
        rows = await tx.fetch(f"SELECT {FOUND} FROM errors e WHERE e.vector_key IN ({marks})", keys)
        return [ComparableError(*row) for row in rows]

    async def _link(
        self,
        tx: Connection,
        error: ComparableError,
        said: Sequence[ComparableError],
        cosines: dict[int, float],
    ) -> bool:
        """Store how far fixes may be passed on, and in which direction; tell whether any may."""
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
    """Return the key of an error in the word index."""
    return int(error_id[:15], 16)
