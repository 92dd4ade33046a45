"""Compare sign codes (one bit per dimension of a vector), a million of them in milliseconds.

Searches reuse one piece of memory: allocating it costs as much as comparing.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seasoned.core.threads import run_in_thread

BLOCK = 1 << 15  # rows compared at a time: few enough for the processor's cache
SHARED_BLOCK = 1 << 17  # with two threads: more, so that they wait for each other less
SHARED = 200_000  # rows from which two threads compare
FAR = 255  # the distance of a row that is not visible
SAMPLED = 1 << 14  # distances sampled to guess how near the nearest are

Bits = NDArray[np.uint64]
Distances = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Keys = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Visible:
    """The rows that a search may see: as flags, as a count, and as distances (FAR for others)."""

    flags: Flags
    many: int
    hidden: Distances


class Codes:
    """The codes of rows, in columns of 64 bits, and which rows have one."""

    def __init__(self, dimensions: int) -> None:
        self.words = -(-dimensions // 64)
        self.coded: Flags = np.zeros(0, np.bool_)
        self._codes: Bits = np.zeros((self.words, 0), np.uint64)
        self._distances: Distances = np.zeros(0, np.uint8)
        self._last: Scan | None = None

    def reach(self, room: int) -> None:
        self._finish()
        many = len(self.coded)
        codes, coded = np.zeros((self.words, room), np.uint64), np.zeros(room, np.bool_)
        codes[:, :many], coded[:many] = self._codes, self.coded
        self._codes, self.coded, self._distances = codes, coded, np.zeros(room, np.uint8)

    def put(self, keys: Keys, codes: Sequence[bytes | None]) -> None:
        self._finish()
        coded = np.fromiter((code is not None for code in codes), np.bool_, len(codes))
        self.coded[keys] = coded
        bits = b"".join(code for code in codes if code is not None)
        self._codes[:, keys[coded]] = np.frombuffer(bits, np.uint64).reshape(-1, self.words).T

    def begin(self, code: bytes, visible: Visible) -> "Scan":
        """Start to compare; with many rows in another thread, while this one goes on."""
        self._finish()
        size, query = len(visible.flags), np.frombuffer(code, np.uint64)
        if visible.many < size // 3:
            there = np.flatnonzero(visible.flags)
            codes, hidden = self._codes[:, there], None
        else:
            there, codes, hidden = None, self._codes[:, :size], visible.hidden
        self._last = Scan(codes, query, self._distances[: codes.shape[1]], there, hidden)
        return self._last

    def _finish(self) -> None:
        """Wait for the last comparison, which uses the same memory."""
        if self._last is not None:
            self._last.wait()
            self._last = None


class Scan:
    """One comparison of a code with many; each thread takes the next block when it is free."""

    def __init__(
        self, codes: Bits, query: Bits, out: Distances, there: Keys | None, hidden: Distances | None
    ) -> None:
        self._codes, self._query, self._out = codes, query, out
        self._there, self._hidden = there, hidden
        size = len(out)
        self._block = min(size, BLOCK if size < SHARED else SHARED_BLOCK)
        self._starts: Iterator[int] = iter(range(0, size, max(1, self._block)))
        self._other: Future[None] | None = None if size < SHARED else run_in_thread(self._work)

    def nearest(self, most: int) -> Keys:
        """Return at least `most` keys (if so many are visible) whose codes differ least."""
        self.wait()
        if self._hidden is not None:
            np.bitwise_or(self._out, self._hidden, out=self._out)
        found = closest(self._out, most)
        return found if self._there is None else self._there[found]

    def wait(self) -> None:
        """Help until everything is compared."""
        self._work()
        if self._other is not None:
            self._other.result()

    def _work(self) -> None:
        wide = len(self._query) > 4
        differ, bits = np.empty(self._block, np.uint64), np.empty(self._block, np.uint8)
        totals = np.empty(self._block if wide else 0, np.uint16)
        for start in self._starts:
            end = min(len(self._out), start + self._block)
            many = end - start
            total = totals[:many] if wide else self._out[start:end]
            for word, wanted in enumerate(self._query):
                np.bitwise_xor(self._codes[word, start:end], wanted, out=differ[:many])
                np.bitwise_count(differ[:many], out=bits[:many] if word else total)
                if word:
                    total += bits[:many]
            if wide:  # coarse for long codes: the nearest are compared exactly later
                self._out[start:end] = np.minimum(total // -(-len(self._query) // 4), FAR - 1)


def codes_of(vectors: NDArray[np.float32]) -> list[bytes]:
    """Return the signs of each vector, in whole words of 64 bits."""
    bits = np.packbits(vectors > 0, axis=1)
    filling = bytes(-bits.shape[1] % 8)
    return [row.tobytes() + filling for row in bits]


def closest(distances: Distances, most: int) -> Keys:
    """Return the places of at least `most` of the smallest distances; never those FAR."""
    limit = _guess(distances, most)
    found = np.flatnonzero(distances <= limit)
    while len(found) < most and limit < FAR - 1:
        limit = min(FAR - 1, limit + 4)
        found = np.flatnonzero(distances <= limit)
    near = distances[found]
    last = int(np.searchsorted(np.cumsum(np.bincount(near, minlength=1)), most))
    chosen = found[near <= last]
    if len(chosen) <= 4 * most:
        return chosen
    return np.concatenate([found[near < last], found[near == last][-most:]])  # the newest equals


def _guess(distances: Distances, most: int) -> int:
    """Guess from a sample the distance within which there are enough."""
    step = max(1, len(distances) // SAMPLED)
    sample = distances[::step]
    wanted = min(len(sample), most if step == 1 else 2 * most // step + 8)
    upto = np.cumsum(np.bincount(sample, minlength=FAR + 1))
    return min(FAR - 1, int(np.searchsorted(upto, wanted)))
