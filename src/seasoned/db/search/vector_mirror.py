"""Mirror in memory what a search in SQLite reads of every row: its group, its length, its code.

The rows nearest by code are compared exactly, by their vectors, which are read from the database
once and kept. While there are few rows, all are compared exactly. Keys are dense, grow, and are
never used again, so a key is an index into the arrays.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seasoned.db.search.sign_codes import FAR, Codes, Scan, Visible, codes_of

EXACT = 5_000  # keys up to which every vector is compared
SCALE_BYTES = 4  # before each packed vector
REMEMBERED = 1_500_000  # keys up to which vectors stay in memory
NOWHERE = -1  # the group of a key that does not exist
MOST_FILTERS = 8  # sets of groups whose filter is kept

Groups = NDArray[np.int32]
Flags = NDArray[np.bool_]


class Filter:
    """Which rows of some groups a search may see; kept in step with changes.

    Looking at every row again after each change would cost more than the search itself.
    """

    def __init__(self, wanted: frozenset[int], groups: Groups, coded: Flags) -> None:
        self._wanted = np.fromiter(wanted, np.int32, len(wanted))
        self._allowed = self._among(groups)
        self._coded = self._allowed & coded
        self._hidden = np.where(self._coded, 0, FAR).astype(np.uint8)
        self.many = int(np.count_nonzero(self._allowed))
        self._many_coded = int(np.count_nonzero(self._coded))

    def allowed(self, size: int) -> Flags:
        return self._allowed[:size]

    def visible(self, size: int) -> Visible:
        return Visible(self._coded[:size], self._many_coded, self._hidden[:size])

    def change(self, keys: NDArray[np.int64], groups: Groups, coded: Flags) -> None:
        """Update the rows of these keys."""
        now = self._among(groups[keys])
        self.many += int(np.count_nonzero(now)) - int(np.count_nonzero(self._allowed[keys]))
        self._allowed[keys] = now
        now = now & coded[keys]
        self._many_coded += int(np.count_nonzero(now)) - int(np.count_nonzero(self._coded[keys]))
        self._coded[keys] = now
        self._hidden[keys] = np.where(now, 0, FAR)

    def _among(self, groups: Groups) -> Flags:
        most = int(groups.max(initial=0))
        lut = np.zeros(most + 2, np.bool_)  # NOWHERE reads its last place
        lut[self._wanted[self._wanted <= most]] = True
        return lut[groups]


class Filters:
    """The filters used last."""

    def __init__(self) -> None:
        self._kept: dict[frozenset[int], Filter] = {}

    def of(self, wanted: Collection[int], groups: Groups, coded: Flags) -> Filter:
        asked = frozenset(wanted)
        if asked not in self._kept:
            if len(self._kept) >= MOST_FILTERS:
                self._kept.pop(next(iter(self._kept)))
            self._kept[asked] = Filter(asked, groups, coded)
        return self._kept[asked]

    def change(self, keys: NDArray[np.int64], groups: Groups, coded: Flags) -> None:
        for kept in self._kept.values():
            kept.change(keys, groups, coded)

    def clear(self) -> None:
        self._kept.clear()


class VectorMirror:
    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.size = 0  # the first key beyond all rows
        self.version = 0
        self._group: Groups = np.full(0, NOWHERE, np.int32)
        self._length: NDArray[np.float32] = np.zeros(0, np.float32)
        self._codes = Codes(dimensions)
        self._vectors: NDArray[np.float32] | None = np.zeros((0, dimensions), np.float32)
        self._read = np.zeros(0, np.bool_)
        self._packed: NDArray[np.int8] = np.zeros((0, dimensions + SCALE_BYTES), np.int8)
        self._filters = Filters()
        self._lengths = 0.0  # of all rows together
        self._present = 0

    @property
    def exact(self) -> bool:
        """Whether it holds the vectors themselves."""
        return self._vectors is not None

    @property
    def remembers(self) -> bool:
        """Whether vectors stay in memory once they were read."""
        return self.size <= REMEMBERED

    @property
    def lengths(self) -> NDArray[np.float32]:
        return self._length[: self.size]

    @property
    def mean_length(self) -> float:
        return self._lengths / max(1, self._present)

    def clear(self) -> None:
        """Forget everything, before it is read again."""
        self._group[:] = NOWHERE
        self._codes.coded[:] = False
        self._read[:] = False
        self._present, self._lengths = 0, 0.0
        self._filters.clear()
        self.version += 1

    def put(self, rows: Sequence[tuple[int, int, int, bytes | None]]) -> None:
        """Take rows as they are now: key, group, length, and code (None without a vector)."""
        if not rows:
            return
        keys = np.fromiter((row[0] for row in rows), np.int64, len(rows))
        self._reach(int(keys.max()))
        self._leave(keys)
        self._group[keys] = np.fromiter((row[1] for row in rows), np.int32, len(rows))
        self._length[keys] = np.fromiter((row[2] for row in rows), np.float32, len(rows))
        self._codes.put(keys, [row[3] for row in rows])
        self._read[keys[keys < len(self._read)]] = False
        self._present += len(keys)
        self._lengths += float(self._length[keys].sum(dtype=np.float64))
        self._count_change(keys)

    def keep(self, keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Hold the vectors of these rows, while there are few rows."""
        if self._vectors is not None and len(keys):
            self._vectors[np.asarray(keys)] = vectors

    def unread(self, keys: Sequence[int]) -> list[int]:
        """Return the keys whose vectors are not in memory."""
        if not self.remembers:
            return list(keys)
        self._make_room()
        there = np.asarray(keys, np.int64)
        return there[~self._read[there]].tolist()

    def remember(self, read: Sequence[tuple[int, bytes]]) -> None:
        """Keep vectors of the space that were read ahead."""
        if self.remembers:
            self._make_room()
            self.vectors((), [(key, blob) for key, blob in read if key < self.size])

    def vectors(
        self, keys: Sequence[int], read: Sequence[tuple[int, bytes]]
    ) -> tuple[list[int], NDArray[np.float32]]:
        """Return the vectors of these keys, and keep those that were just read."""
        width = self._packed.shape[1]
        new = np.array([key for key, _ in read], np.int64)
        raw = rows_of([blob for _, blob in read], width)
        if not self.remembers:
            return new.tolist(), unpack(raw)
        self._packed[new] = raw
        self._read[new] = True
        there = np.asarray(keys, np.int64)
        there = there[self._read[there]]
        return there.tolist(), unpack(self._packed[there])

    def drop(self, keys: Iterable[int]) -> None:
        gone = np.array([key for key in keys if key < self.size], np.int64)
        self._leave(gone)
        self._group[gone] = NOWHERE
        self._codes.coded[gone] = False
        self._count_change(gone)

    def allowed(self, groups: Collection[int]) -> Flags:
        """Flag the keys that exist and are in one of these groups."""
        return self._filter(groups).allowed(self.size)

    def among(self, groups: Collection[int]) -> int:
        """Count the rows of these groups."""
        return self._filter(groups).many

    def hides(self, groups: Collection[int]) -> bool:
        """Whether there are keys outside these groups, or removed ones."""
        return self.among(groups) < self.size - 1  # no key is 0

    def _filter(self, groups: Collection[int]) -> Filter:
        return self._filters.of(groups, self._group, self._codes.coded)

    def compared(
        self, vector: NDArray[np.float32], groups: Collection[int], most: int
    ) -> list[tuple[int, float]]:
        """Compare all vectors exactly; only while there are few."""
        assert self._vectors is not None, "the vectors are held"
        there = np.flatnonzero(self.allowed(groups) & self._codes.coded[: self.size])
        held = self._vectors[: self.size]
        likeness = (held @ vector)[there] if 4 * len(there) > self.size else held[there] @ vector
        if len(there) > most:
            top = np.argpartition(likeness, len(there) - most)[-most:] if most else there[:0]
            there, likeness = there[top], likeness[top]
        best = np.argsort(-likeness, kind="stable")
        return [(int(there[place]), float(likeness[place])) for place in best]

    def with_vector(self, keys: Sequence[int]) -> list[int]:
        """Return the keys that have a vector in the space."""
        return [key for key in keys if key < self.size and self._codes.coded[key]]

    def begin(self, vector: NDArray[np.float32], groups: Collection[int]) -> Scan:
        """Start to look for the rows of these groups whose codes differ least."""
        return self._codes.begin(codes_of(vector[None])[0], self._filter(groups).visible(self.size))

    def _make_room(self) -> None:
        if len(self._read) < self.size:
            self._read = _grown(self._read, len(self._group), False)
            packed = np.zeros((len(self._group), self._packed.shape[1]), np.int8)
            packed[: len(self._packed)] = self._packed
            self._packed = packed

    def _reach(self, key: int) -> None:
        if key >= len(self._group):
            room = max(1024, key + 1, len(self._group) * 3 // 2)
            self._group = _grown(self._group, room, NOWHERE)
            self._length = _grown(self._length, room, 0)
            self._codes.reach(room)
            self._filters.clear()
        self.size = max(self.size, key + 1)
        if self._vectors is not None and self.size > EXACT:
            self._vectors = None
        elif self._vectors is not None and len(self._vectors) < len(self._group):
            held = np.zeros((len(self._group), self.dimensions), np.float32)
            held[: len(self._vectors)] = self._vectors
            self._vectors = held

    def _leave(self, keys: NDArray[np.int64]) -> None:
        """Subtract rows from the totals, before they change."""
        there = keys[self._group[keys] != NOWHERE]
        self._present -= len(there)
        self._lengths -= float(self._length[there].sum(dtype=np.float64))

    def _count_change(self, keys: NDArray[np.int64]) -> None:
        self._filters.change(keys, self._group, self._codes.coded)
        self.version += 1


def pack(vectors: NDArray[np.float32]) -> list[bytes]:
    """Store each vector in a byte per dimension, after its scale: a quarter of the room."""
    scales = np.abs(vectors).max(axis=1, keepdims=True).astype(np.float32) / 127
    scales[scales == 0] = 1
    small = np.rint(vectors / scales).astype(np.int8)
    return [s.tobytes() + v.tobytes() for s, v in zip(scales, small, strict=True)]


def rows_of(blobs: Sequence[bytes], width: int) -> NDArray[np.int8]:
    return np.frombuffer(bytearray().join(blobs), np.int8).reshape(len(blobs), width)


def unpack(raw: NDArray[np.int8]) -> NDArray[np.float32]:
    scales = raw[:, :SCALE_BYTES].copy().view(np.float32)
    return raw[:, SCALE_BYTES:].astype(np.float32) * scales


def _grown(array: NDArray[Any], room: int, fill: Any) -> NDArray[Any]:
    larger = np.full(room, fill, array.dtype)
    larger[: len(array)] = array
    return larger
