"""The two indexes of texts, by meaning and by words: what SQLite and Postgres have in common.

Each text has one row, under a key that is never used again. A row belongs to a group: the rows
that pass the same filters. A search is given the groups that it may answer from.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seasoned.core.words import IndexedText, WordMatches
from seasoned.db.connection import Connection

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    Vector = NDArray[np.float32]


# Returns the cosines of the nearest keys, best first, then those of these other keys.
Nearest = Callable[[Sequence[int]], Awaitable[dict[int, float]]]


@dataclass(frozen=True, slots=True)
class Space:
    """The vectors of one model; those of two models are never compared."""

    id: int
    model: str
    dimensions: int


NO_SPACE = Space(0, "", 64)  # while nothing is embedded
KEYS_AT_ONCE = 10_000  # values in one statement: SQLite takes some 32,000


@dataclass(frozen=True, slots=True)
class VectorCounts:
    """How many rows have a vector in a space, and how many wait for one."""

    embedded: int
    waiting: int


class VectorIndex(ABC):
    """The vectors of one kind of thing, `lesson` or `error`, filtered by these columns."""

    def __init__(self, kind: str, columns: Sequence[str]) -> None:
        self.table = f"{kind}_vectors"
        self.groups_table = f"{kind}_groups"
        self.columns = tuple(columns)
        names = ", ".join(columns)
        marks = ", ".join("?" for _ in columns)
        same = " AND ".join(f"{name} = ?" for name in columns)
        self._find_group = f"SELECT id FROM {self.groups_table} WHERE {same}"
        self._add_group = (
            f"INSERT INTO {self.groups_table} ({names}) VALUES ({marks}) "
            f"ON CONFLICT ({names}) DO NOTHING"
        )
        self._add = (
            f"INSERT INTO {self.table} (group_id, length) "
            f"SELECT id, ? FROM {self.groups_table} WHERE {same} RETURNING key"
        )
        self._regroup = f"UPDATE {self.table} SET group_id = ? WHERE key = ?"
        self._remove = f"DELETE FROM {self.table} WHERE key = ?"

    async def add(self, tx: Connection, values: Sequence[str], length: int) -> int:
        """Add a row without a vector; return its key."""
        row = await tx.fetch_one(self._add, (length, *values))
        if row is None:
            await self._group(tx, values)
            row = await tx.fetch_one(self._add, (length, *values))
        assert row is not None, "a group that was added is there"
        return int(row[0])

    async def regroup(self, tx: Connection, key: int, values: Sequence[str]) -> None:
        """Change the columns that a row is filtered by."""
        await tx.send(self._regroup, (await self._group(tx, values), key))

    async def remove(self, tx: Connection, key: int) -> None:
        await tx.send(self._remove, (key,))

    async def groups(
        self, tx: Connection, wanted: Sequence[Collection[str] | None]
    ) -> frozenset[int]:
        """Return the groups whose columns have one of the wanted values; None allows any."""
        tests: list[str] = []
        values: list[Any] = []
        for column, allowed in zip(self.columns, wanted, strict=True):
            if allowed is not None:
                tests.append(f"{column} IN ({', '.join('?' for _ in allowed)})")
                values += allowed
        where = " AND ".join(tests) or "1 = 1"
        rows = await tx.fetch(f"SELECT id FROM {self.groups_table} WHERE {where}", values)
        return frozenset(row[0] for row in rows)

    async def waiting(self, tx: Connection, space: int, most: int) -> list[int]:
        """Return keys without a vector in this space, the newest first."""
        # One query per space: sorting by both columns would read all that wait.
        keys: list[int] = []
        asked = -1
        while len(keys) < most:
            row = await tx.fetch_one(
                f"SELECT min(space) FROM {self.table} WHERE space > ? AND space < ?", (asked, space)
            )
            if row is None or row[0] is None:
                break
            asked = row[0]
            rows = await tx.fetch(
                f"SELECT key FROM {self.table} WHERE space = ? ORDER BY key DESC LIMIT ?",
                (asked, most - len(keys)),
            )
            keys += [row[0] for row in rows]
        return keys

    async def count(self, tx: Connection, space: int) -> VectorCounts:
        rows = await tx.fetch(f"SELECT space, count(*) FROM {self.table} GROUP BY space")
        by_space: dict[int, int] = dict(rows)
        embedded = by_space.pop(space, 0)
        return VectorCounts(embedded, sum(by_space.values()))

    @abstractmethod
    async def why_unusable(self, tx: Connection) -> str:
        """Return why vectors cannot be stored here; empty if they can."""

    @abstractmethod
    async def put(
        self, tx: Connection, space: Space, keys: Sequence[int], vectors: "Matrix"
    ) -> None:
        """Store rows' vectors; skip a row that was removed meanwhile."""

    @abstractmethod
    async def nearest(
        self, tx: Connection, space: Space, vector: "Vector", groups: Collection[int], most: int
    ) -> list[tuple[int, float]]:
        """Return the nearest keys of these groups with their cosines, best first."""

    async def begin(
        self, tx: Connection, space: Space, vector: "Vector", groups: Collection[int], most: int
    ) -> Nearest:
        """Start a search whose result is awaited later in this transaction."""

        async def nearest(others: Sequence[int]) -> dict[int, float]:
            near = dict(await self.nearest(tx, space, vector, groups, most))
            left = [key for key in others if key not in near]
            return near | (await self.likeness(tx, space, vector, left) if left else {})

        return nearest

    @abstractmethod
    async def likeness(
        self, tx: Connection, space: Space, vector: "Vector", keys: Sequence[int]
    ) -> dict[int, float]:
        """Return the cosines of these keys, for those with a vector in the space."""

    @abstractmethod
    async def tend(self, tx: Connection, space: Space) -> None:
        """Keep a large collection fast; called now and then after embedding."""

    async def _group(self, tx: Connection, values: Sequence[str]) -> int:
        row = await tx.fetch_one(self._find_group, values)
        if row is None:
            await tx.execute(self._add_group, values)
            row = await tx.fetch_one(self._find_group, values)
        assert row is not None, "a group that was added is there"
        return int(row[0])


class WordIndex(ABC):
    """The words of texts. They are stemmed before they come here, so both dialects find the same.

    A search is good enough to choose candidates; the ranking proper reads their texts.
    """

    def __init__(self, table: str) -> None:
        self.table = table

    async def add(self, tx: Connection, key: int, text: IndexedText) -> None:
        await tx.send(
            f"INSERT INTO {self.table} (rowid, trigger, content, near, far) VALUES (?, ?, ?, ?, ?)",
            (key, *text),
        )

    async def remove(self, tx: Connection, key: int) -> None:
        await tx.send(f"DELETE FROM {self.table} WHERE rowid = ?", (key,))

    async def texts(self, tx: Connection, keys: Sequence[int]) -> dict[int, IndexedText]:
        """Return the indexed texts of these keys, for those that still exist."""
        texts: dict[int, IndexedText] = {}
        for some in (
            keys[start : start + KEYS_AT_ONCE] for start in range(0, len(keys), KEYS_AT_ONCE)
        ):
            marks = ", ".join("?" for _ in some)
            rows = await tx.fetch(
                "SELECT rowid, trigger, content, near, far "
                f"FROM {self.table} WHERE rowid IN ({marks})",
                some,
            )
            texts.update({row[0]: IndexedText(*row[1:]) for row in rows})
        return texts

    @abstractmethod
    async def search(
        self,
        tx: Connection,
        space: Space,
        words: Sequence[str],
        groups: Collection[int],
        most: int,
    ) -> WordMatches:
        """Return the rows of these groups that say the most telling of these words."""


class SpaceStore:
    """Owns `vector_spaces`; the newest is the one in use."""

    async def current(self, tx: Connection) -> Space | None:
        row = await tx.fetch_one(
            "SELECT id, model, dimensions FROM vector_spaces ORDER BY id DESC LIMIT 1"
        )
        return Space(*row) if row else None

    async def begin(self, tx: Connection, model: str, dimensions: int, now: int) -> Space:
        """Return this model's space: the current one, or a new one that replaces it."""
        current = await self.current(tx)
        if current is not None and (current.model, current.dimensions) == (model, dimensions):
            return current
        space = Space(current.id + 1 if current else 1, model, dimensions)
        begun = await tx.execute(
            "INSERT INTO vector_spaces (id, model, dimensions, at) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (id) DO NOTHING",
            (space.id, space.model, space.dimensions, now),
        )
        # Another process may have begun one at the same moment: look again.
        return space if begun else await self.begin(tx, model, dimensions, now)
