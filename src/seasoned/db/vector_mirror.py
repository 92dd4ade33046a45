"""Holds in memory what a search in SQLite must see of every row: its group, its length, its code.

A code is the signs of a vector, a bit a dimension: a million of them are 32 MB and are compared
in milliseconds. The nearest by code are then compared exactly, by the vectors in the database.
While there are few rows, the vectors themselves are here, and all are compared exactly.
Rows are found by their key: keys are dense, grow, and are never used again.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seasoned.core.waiting import begun

EXACT = 5_000  # keys up to which every vector is compared
BLOCK = 1 << 15  # rows compared at a time: few enough to stay in the processor's cache,
SHARED_BLOCK = 1 << 18  # but many where two threads compare, else they wait for each other
NOWHERE = -1  # the group of a key that is not there
FAR = 255
MOST_MASKS = 8
SCALE_BYTES = 4  # before each packed vector
REMEMBERED = 1_500_000  # keys up to which a vector that was read once is remembered
SHARED = 200_000  # codes from which two threads compare them


class VectorMirror:
    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.words = -(-dimensions // 64)
        self.size = 0  # the first key that was never seen
        self.version = 0
        self._group: NDArray[np.int32] = np.full(0, NOWHERE, np.int32)
        self._length: NDArray[np.float32] = np.zeros(0, np.float32)
        self._codes: NDArray[np.uint64] = np.zeros((self.words, 0), np.uint64)
        self._coded: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._vectors: NDArray[np.float32] | None = np.zeros((0, dimensions), np.float32)
        self._read = np.zeros(0, np.bool_)
        self._packed: NDArray[np.int8] = np.zeros((0, dimensions + SCALE_BYTES), np.int8)
        self._masks: dict[frozenset[int], tuple[NDArray[np.bool_], int]] = {}
        self._mean = 0.0
        self._present = 0

    @property
    def exact(self) -> bool:
        """Whether it holds the vectors themselves."""
        return self._vectors is not None

    @property
    def present(self) -> int:
        """How many rows there are."""
        return self._present

    @property
    def lengths(self) -> NDArray[np.float32]:
        return self._length[: self.size]

    @property
    def mean_length(self) -> float:
        return self._mean

    def clear(self) -> None:
        """Forgets everything: it will be read anew."""
        self._group[:] = NOWHERE
        self._coded[:] = False
        self._read[:] = False
        self._changed()

    def put(self, rows: Sequence[tuple[int, int, int, bytes | None]]) -> None:
        """Takes rows as they are now: key, group, length, and code if it has one in the space."""
        if not rows:
            return
        keys = np.fromiter((row[0] for row in rows), np.int64, len(rows))
        self._reach(int(keys.max()))
        self._group[keys] = np.fromiter((row[1] for row in rows), np.int32, len(rows))
        self._length[keys] = np.fromiter((row[2] for row in rows), np.float32, len(rows))
        coded = np.fromiter((row[3] is not None for row in rows), np.bool_, len(rows))
        self._coded[keys] = coded
        self._read[keys[keys < len(self._read)]] = False
        if coded.any():
            bits = b"".join(row[3] for row in rows if row[3] is not None)
            self._codes[:, keys[coded]] = np.frombuffer(bits, np.uint64).reshape(-1, self.words).T
        self._changed()

    def keep(self, keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Holds the vectors of rows that it has, while they are few."""
        if self._vectors is not None and len(keys):
            self._vectors[np.asarray(keys)] = vectors

    def unread(self, keys: Sequence[int]) -> list[int]:
        """Those of these keys whose vectors it does not remember."""
        if self.size > REMEMBERED:
            return list(keys)
        if len(self._read) < self.size:
            self._read = _grown(self._read, len(self._group), False)
            packed = np.zeros((len(self._group), self._packed.shape[1]), np.int8)
            packed[: len(self._packed)] = self._packed
            self._packed = packed
        there = np.asarray(keys, np.int64)
        return there[~self._read[there]].tolist()

    def vectors(
        self, keys: Sequence[int], read: Sequence[tuple[int, bytes]]
    ) -> tuple[list[int], NDArray[np.float32]]:
        """The vectors of these keys: those remembered, and those just read, which it remembers."""
        width = self._packed.shape[1]
        new = np.array([key for key, _ in read], np.int64)
        raw = as_rows([blob for _, blob in read], width)
        if self.size > REMEMBERED:
            return new.tolist(), unpacked(raw)
        self._packed[new] = raw
        self._read[new] = True
        there = np.asarray(keys, np.int64)
        there = there[self._read[there]]
        return there.tolist(), unpacked(self._packed[there])

    def drop(self, keys: Iterable[int]) -> None:
        gone = [key for key in keys if key < self.size]
        if gone:
            self._group[gone] = NOWHERE
            self._coded[gone] = False
            self._changed()

    def allowed(self, groups: Collection[int]) -> NDArray[np.bool_]:
        """Which keys are there and in one of these groups."""
        return self._filter(groups)[0]

    def among(self, groups: Collection[int]) -> int:
        """How many rows these groups have."""
        return self._filter(groups)[1]

    def hides(self, groups: Collection[int]) -> bool:
        """Whether there are keys outside of these groups, or that are gone."""
        return self.among(groups) < self.size - 1  # no key is 0

    def _filter(self, groups: Collection[int]) -> tuple[NDArray[np.bool_], int]:
        wanted = frozenset(groups)
        if wanted not in self._masks:
            if len(self._masks) >= MOST_MASKS:
                self._masks.pop(next(iter(self._masks)))
            present = self._group[: self.size]
            most = int(present.max(initial=0))
            lut = np.zeros(most + 2, np.bool_)  # its last place is read for NOWHERE
            lut[[group for group in wanted if group <= most]] = True
            mask = lut[present]
            self._masks[wanted] = (mask, int(np.count_nonzero(mask)))
        return self._masks[wanted]

    def compared(
        self, vector: NDArray[np.float32], groups: Collection[int], most: int
    ) -> list[tuple[int, float]]:
        """The nearest of all vectors, exactly; only while they are few."""
        assert self._vectors is not None, "the vectors are held"
        there = np.flatnonzero(self.allowed(groups) & self._coded[: self.size])
        held = self._vectors[: self.size]
        likeness = (held @ vector)[there] if 4 * len(there) > self.size else held[there] @ vector
        if len(there) > most:
            top = np.argpartition(likeness, len(there) - most)[-most:] if most else there[:0]
            there, likeness = there[top], likeness[top]
        best = np.argsort(-likeness, kind="stable")
        return [(int(there[place]), float(likeness[place])) for place in best]

    def with_vector(self, keys: Sequence[int]) -> list[int]:
        """Those of these keys that have a vector in the space."""
        return [key for key in keys if key < self.size and self._coded[key]]

    def nearest(self, code: bytes, groups: Collection[int], most: int) -> NDArray[np.int64]:
        """At least `most` keys (if there are so many) whose codes differ least."""
        query = np.frombuffer(code, np.uint64)
        mask = self.allowed(groups) & self._coded[: self.size]
        many = np.count_nonzero(mask)
        if many <= most:
            return np.flatnonzero(mask)
        if many < self.size // 3:
            there = np.flatnonzero(mask)
            return there[_closest(_distances(self._codes[:, there], query), most)]
        distances = _distances(self._codes[:, : self.size], query)
        distances |= np.negative((~mask).view(np.uint8))  # FAR where it may not be seen
        return _closest(distances, most)

    def _reach(self, key: int) -> None:
        if key >= len(self._group):
            room = max(1024, key + 1, len(self._group) * 3 // 2)
            self._group = _grown(self._group, room, NOWHERE)
            self._length = _grown(self._length, room, 0)
            self._coded = _grown(self._coded, room, False)
            codes = np.zeros((self.words, room), np.uint64)
            codes[:, : self._codes.shape[1]] = self._codes
            self._codes = codes
        self.size = max(self.size, key + 1)
        if self._vectors is not None and self.size > EXACT:
            self._vectors = None
        elif self._vectors is not None and len(self._vectors) < len(self._group):
            held = np.zeros((len(self._group), self.dimensions), np.float32)
            held[: len(self._vectors)] = self._vectors
            self._vectors = held

    def _changed(self) -> None:
        self.version += 1
        self._masks.clear()
        there = self._group[: self.size] != NOWHERE
        self._present = int(np.count_nonzero(there))
        lengths = float(self._length[: self.size].sum(where=there))
        self._mean = lengths / max(1, self._present)


def code_of(vectors: NDArray[np.float32]) -> list[bytes]:
    """The signs of each vector, in whole words of 64 bits."""
    bits = np.packbits(vectors > 0, axis=1)
    short = -bits.shape[1] % 8
    return [row.tobytes() for row in np.pad(bits, ((0, 0), (0, short)))]


def packed(vectors: NDArray[np.float32]) -> list[bytes]:
    """Each vector in a byte a dimension, after its scale: a quarter of the room."""
    scales = np.abs(vectors).max(axis=1, keepdims=True).astype(np.float32) / 127
    scales[scales == 0] = 1
    small = np.rint(vectors / scales).astype(np.int8)
    return [s.tobytes() + v.tobytes() for s, v in zip(scales, small, strict=True)]


def as_rows(blobs: Sequence[bytes], width: int) -> NDArray[np.int8]:
    return np.frombuffer(bytearray().join(blobs), np.int8).reshape(len(blobs), width)


def unpacked(raw: NDArray[np.int8]) -> NDArray[np.float32]:
    scales = raw[:, :SCALE_BYTES].copy().view(np.float32)
    return raw[:, SCALE_BYTES:].astype(np.float32) * scales


def _distances(codes: NDArray[np.uint64], query: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """How many bits differ, up to what a byte can say."""
    size = codes.shape[1]
    out = np.empty(size, np.uint8)
    if size < SHARED:
        _compare(codes, query, out, BLOCK)
        return out
    half = size // 2
    other = begun(_compare, codes[:, half:], query, out[half:], SHARED_BLOCK)
    _compare(codes[:, :half], query, out[:half], SHARED_BLOCK)
    other.result()
    return out


def _compare(
    codes: NDArray[np.uint64], query: NDArray[np.uint64], out: NDArray[np.uint8], block: int
) -> None:
    size, wide = len(out), len(query) > 4
    block = min(block, size)
    differ, bits = np.empty(block, np.uint64), np.empty(block, np.uint8)
    for start in range(0, size, block):
        end = min(size, start + block)
        many = end - start
        total = np.zeros(many, np.uint16 if wide else np.uint8)
        for word, wanted in enumerate(query):
            np.bitwise_xor(codes[word, start:end], wanted, out=differ[:many])
            np.bitwise_count(differ[:many], out=bits[:many])
            total += bits[:many]
        # Long codes are told apart coarsely: what is near is then compared exactly.
        out[start:end] = total // (-(-len(query) // 4)) if wide else total


def _closest(distances: NDArray[np.uint8], most: int) -> NDArray[np.int64]:
    low, high = 0, FAR - 1
    while low < high:
        middle = (low + high) // 2
        if np.count_nonzero(distances <= middle) >= most:
            high = middle
        else:
            low = middle + 1
    found = np.flatnonzero(distances <= low)
    if len(found) <= 4 * most:
        return found
    closer = distances[found] < low
    return np.concatenate([found[closer], found[~closer][-most:]])  # of many equals the newest


def _grown(array: NDArray[Any], room: int, fill: Any) -> NDArray[Any]:
    larger = np.full(room, fill, array.dtype)
    larger[: len(array)] = array
    return larger
