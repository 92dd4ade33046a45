"""Nearest vectors behind one interface, and the rows that both dialects keep for it alike.

A row stands for one text under one key that is never used again. It belongs to a group, the
rows that the same filters let through; a search is given the groups it may answer from.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seasoned.db.connection import Connection

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    Vector = NDArray[np.float32]


# The keys nearest to a vector, best first, then these others of the same groups; their cosines.
Nearest = Callable[[Sequence[int]], Awaitable[dict[int, float]]]


@dataclass(frozen=True, slots=True)
class Space:
    """Where the vectors of one model live; those of two models never meet."""

    id: int
    model: str
    dimensions: int


NO_SPACE = Space(0, "", 64)  # while nothing is embedded


@dataclass(frozen=True, slots=True)
class Counted:
    """How many rows have a vector in a space, and how many wait for one."""

    embedded: int
    waiting: int


class Vectors(ABC):
    """The vectors of one kind of thing: `lesson` or `error`, filtered by these columns."""

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
        """A row without a vector yet; its key."""
        row = await tx.fetch_one(self._add, (length, *values))
        if row is None:
            await self._group(tx, values)
            row = await tx.fetch_one(self._add, (length, *values))
        assert row is not None, "a group that was added is there"
        return int(row[0])

    async def regroup(self, tx: Connection, key: int, values: Sequence[str]) -> None:
        """What it is filtered by has changed."""
        await tx.send(self._regroup, (await self._group(tx, values), key))

    async def remove(self, tx: Connection, key: int) -> None:
        await tx.send(self._remove, (key,))

    async def groups(
        self, tx: Connection, wanted: Sequence[Collection[str] | None]
    ) -> frozenset[int]:
        """The groups whose columns have one of the wanted values; None takes any."""
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
        """The keys that have no vector in this space, the newest first: they are asked for."""
        # Each space is asked for by itself: to sort by both would read all that wait.
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

    async def count(self, tx: Connection, space: int) -> Counted:
        rows = await tx.fetch(f"SELECT space, count(*) FROM {self.table} GROUP BY space")
        by_space: dict[int, int] = dict(rows)
        embedded = by_space.pop(space, 0)
        return Counted(embedded, sum(by_space.values()))

    @abstractmethod
    async def usable(self, tx: Connection) -> str:
        """Empty where vectors can be kept; else why not."""

    @abstractmethod
    async def put(
        self, tx: Connection, space: Space, keys: Sequence[int], vectors: "Matrix"
    ) -> None:
        """Gives rows their vectors; one that was removed meanwhile stays away."""

    @abstractmethod
    async def nearest(
        self, tx: Connection, space: Space, vector: "Vector", groups: Collection[int], most: int
    ) -> list[tuple[int, float]]:
        """The keys nearest to a vector in these groups, with their cosine, best first."""

    async def begin(
        self, tx: Connection, space: Space, vector: "Vector", groups: Collection[int], most: int
    ) -> Nearest:
        """The same, to be asked for later in this transaction: some of it may be done meanwhile."""

        async def nearest(others: Sequence[int]) -> dict[int, float]:
            near = dict(await self.nearest(tx, space, vector, groups, most))
            left = [key for key in others if key not in near]
            return near | (await self.likeness(tx, space, vector, left) if left else {})

        return nearest

    @abstractmethod
    async def likeness(
        self, tx: Connection, space: Space, vector: "Vector", keys: Sequence[int]
    ) -> dict[int, float]:
        """The cosine of these keys' vectors, for those that have one in the space."""

    @abstractmethod
    async def tend(self, tx: Connection, space: Space) -> None:
        """What keeps a large collection fast; called now and then by whoever embeds."""

    async def _group(self, tx: Connection, values: Sequence[str]) -> int:
        row = await tx.fetch_one(self._find_group, values)
        if row is None:
            await tx.execute(self._add_group, values)
            row = await tx.fetch_one(self._find_group, values)
        assert row is not None, "a group that was added is there"
        return int(row[0])


class SpaceStore:
    """Owns `vector_spaces`; the newest is the one in use."""

    async def current(self, tx: Connection) -> Space | None:
        row = await tx.fetch_one(
            "SELECT id, model, dimensions FROM vector_spaces ORDER BY id DESC LIMIT 1"
        )
        return Space(*row) if row else None

    async def begin(self, tx: Connection, model: str, dimensions: int, now: int) -> Space:
        """The space of this model: the one in use, or a new one that takes over."""
        current = await self.current(tx)
        if current is not None and (current.model, current.dimensions) == (model, dimensions):
            return current
        space = Space(current.id + 1 if current else 1, model, dimensions)
        begun = await tx.execute(
            "INSERT INTO vector_spaces (id, model, dimensions, at) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (id) DO NOTHING",
            (space.id, space.model, space.dimensions, now),
        )
        # Another process may have begun one at the same moment: then that one is looked at.
        return space if begun else await self.begin(tx, model, dimensions, now)
