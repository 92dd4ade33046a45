"""Full text in SQLite: FTS5 finds which rows say a word, the scores are added up in memory.

FTS5's own ranking takes two microseconds per row, too much for a common word in a hundred
thousand rows. So the rows of a word are read once, kept, and only added to: keys grow, and a key
never stands for another text.
"""

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from seasoned.core.words import LENGTH_COUNTS, SATURATION, WordMatches
from seasoned.db.connection import Connection
from seasoned.db.search.index import Space, WordIndex
from seasoned.db.search.sqlite_vectors import SqliteVectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seasoned.db.search.read_ahead import ReadConnection
    from seasoned.db.search.vector_mirror import VectorMirror

MOST_PLACES = 16_000_000  # rows of words kept in memory, four bytes each
MANY = 200_000  # texts from which common words are not looked up
SAMPLE = 20_000  # texts sampled to find out whether a word is common
TOO_COMMON = 0.01  # of all texts
ENOUGH = 4  # times as many candidates as are wanted
MOST_GUESSES = 50_000
MEAN_MOVED = 0.01  # change of the mean length after which the norms are computed again
COSTLY = 100  # texts that say a word, from which it is read ahead
MOST_AHEAD = 5_000  # words
COMMON = 12_000  # texts that say a word, from which it counts as common
MOST_WORTH = (SATURATION + 1) / (1 + SATURATION * (1 - LENGTH_COUNTS))  # of a word, per weight


class SqliteWords(WordIndex):
    def __init__(self, table: str, vectors: SqliteVectors) -> None:
        super().__init__(table)
        self._listing = f"SELECT group_concat(rowid) FROM {table}(?) WHERE rowid >= ? AND rowid < ?"
        self._vectors = vectors
        self._turn = threading.Lock()
        self._places: OrderedDict[str, tuple[NDArray[Any], int]] = OrderedDict()
        self._kept = 0
        self._guesses: dict[str, float] = {}  # the share of the texts that say a word
        self._norms: tuple[VectorMirror, float, NDArray[Any]] | None = None
        self._scores: NDArray[Any] | None = None
        self._size = 0  # the mirror's, at the last search
        vectors.also_ahead = self._read_ahead

    async def search(
        self,
        tx: Connection,
        space: Space,
        words: Sequence[str],
        groups: Collection[int],
        most: int,
    ) -> WordMatches:
        with self._turn, self._vectors.turn:
            mirror = await self._vectors.mirrored(tx, space)
            self._size = mirror.size
            allowed = mirror.allowed(groups)
            said, guessed = await self._said(tx, words, mirror.size, most)
            if mirror.hides(groups):
                said = {word: found[allowed[found]] for word, found in said.items()}
            counts = guessed | {word: len(found) for word, found in said.items()}
            known = WordMatches((), counts, mirror.among(groups), mirror.mean_length)
            lists = sorted(said.values(), key=len)
            if not lists or not len(lists[-1]) or not most:
                return known
            weights = sorted((known.weight(word) for word in said), reverse=True)
            norms = self._norms_of(mirror)
            keys = _best_keys(lists, weights, norms, self._zeros(len(norms)), most)
        return replace(known, keys=keys)

    async def _said(
        self, tx: Connection, words: Sequence[str], size: int, most: int
    ) -> "tuple[dict[str, NDArray[Any]], dict[str, int]]":
        """Return the rows of each word, and only an estimated count for too common words.

        Reading the rows of a common word takes milliseconds among a million texts, and the
        request's rarer words find better candidates.
        """
        said: dict[str, NDArray[Any]] = {}
        guessed: dict[str, int] = {}
        for word in words:
            guess = await self._guess(tx, word, size)
            if guess > TOO_COMMON * size:
                guessed[word] = guess
            else:
                said[word] = await self._found(tx, word, size)
        for word in sorted(guessed, key=lambda word: guessed[word]):
            if sum(map(len, said.values())) >= ENOUGH * most:
                break
            said[word] = await self._found(tx, word, size)
            del guessed[word]
        return said, guessed

    async def _guess(self, tx: Connection, word: str, size: int) -> int:
        """Estimate from the newest texts how many say a word; 0 if there are few texts at all."""
        if size < MANY:
            return 0
        if word in self._places:
            return len(self._places[word][0])
        if word not in self._guesses:
            row = await tx.fetch_one(
                f"SELECT count(*) FROM {self.table}(?) WHERE rowid >= ? AND rowid < ?",
                ('"' + word.replace('"', "") + '"', size - SAMPLE, size),
            )
            if len(self._guesses) >= MOST_GUESSES:
                self._guesses.clear()
            self._guesses[word] = (row[0] if row else 0) / SAMPLE
        return int(self._guesses[word] * size)

    async def _found(self, tx: Connection, word: str, size: int) -> "NDArray[Any]":
        """Return the keys below `size` whose texts say a word."""
        import numpy as np

        kept, upto = self._places.get(word, (None, 0))
        if kept is None or upto < size:
            row = await tx.fetch_one(self._listing, ('"' + word.replace('"', "") + '"', upto, size))
            listed: str = (row[0] if row else None) or ""
            new: NDArray[Any] = np.fromstring(listed, np.int32, sep=",")
            found = new if kept is None else np.concatenate([kept, new])
            if not tx.writes:  # a transaction may be rolled back
                self._keep(word, found, size, len(new))
            return found
        self._places.move_to_end(word)
        return kept if upto == size else kept[: np.searchsorted(kept, size)]

    def _read_ahead(self, reader: "ReadConnection") -> Iterator[None]:
        """Read the rows of the commoner words."""
        import numpy as np

        reader.execute(f"CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, {self.table}, row)")
        terms: list[tuple[str]] = reader.execute(
            "SELECT term FROM temp.terms WHERE doc >= ? ORDER BY doc DESC LIMIT ?",
            (COSTLY, MOST_AHEAD),
        ).fetchall()
        yield
        for (word,) in terms:
            size = self._size
            row: tuple[str | None] = reader.execute(
                self._listing, (f'"{word}"', 0, size)
            ).fetchone()
            found: NDArray[Any] = np.fromstring(row[0] or "", np.int32, sep=",")
            with self._turn:
                if word not in self._places and self._kept + len(found) <= MOST_PLACES:
                    self._keep(word, found, size, len(found))
            yield

    def _keep(self, word: str, found: "NDArray[Any]", upto: int, more: int) -> None:
        self._places[word] = (found, upto)
        self._places.move_to_end(word)
        self._kept += more
        while self._kept > MOST_PLACES and len(self._places) > 1:
            _, (gone, _) = self._places.popitem(last=False)
            self._kept -= len(gone)

    def _norms_of(self, mirror: "VectorMirror") -> "NDArray[Any]":
        """Return what a word counts in each text: more in a short one."""
        import numpy as np

        mean, size = max(mirror.mean_length, 1.0), mirror.size
        whose, by, norms = self._norms or (None, 0.0, np.zeros(0, np.float32))
        if whose is not mirror or abs(by - mean) > MEAN_MOVED * mean:
            by, norms = mean, norms[:0]
        if len(norms) < size:  # a text's length never changes: only new ones are missing
            longer = 1 - LENGTH_COUNTS + LENGTH_COUNTS * mirror.lengths[len(norms) :] / by
            more = (SATURATION + 1) / (1 + SATURATION * longer)
            norms = np.concatenate([norms, more.astype(np.float32)])
            self._norms = (mirror, by, norms)
        return norms[:size]

    def _zeros(self, size: int) -> "NDArray[Any]":
        """Return memory for scores, reused each time: allocating it costs more than the sums."""
        import numpy as np

        if self._scores is None or len(self._scores) < size:
            self._scores = np.zeros(size * 5 // 4, np.float32)
        return self._scores[:size]


def _best_keys(
    lists: "Sequence[NDArray[Any]]",
    weights: Sequence[float],
    norms: "NDArray[Any]",
    scores: "NDArray[Any]",
    most: int,
) -> list[int]:
    """Return the best keys, given the keys that say each word, the rarest word first.

    Keys that say only common words are left out if they cannot be among the best. `scores` is all
    zeros before and after.
    """
    import numpy as np

    rare = [found for found in lists if len(found) < COMMON]
    for found, weight in zip(rare, weights, strict=False):
        scores[found] += weight
    candidates = rare
    bar = _last_of_best(scores, norms, rare, most) if len(rare) < len(lists) else 0.0
    for place in range(len(rare), len(lists)):
        if sum(weights[place:]) * MOST_WORTH > bar:
            candidates = [*candidates, lists[place]]
        scores[lists[place]] += weights[place]
    touched = np.concatenate(candidates)
    worth = scores.take(touched) * norms.take(touched)
    for found in lists:
        scores[found] = 0
    return _best(touched, worth, most * len(lists), most)


def _last_of_best(
    scores: "NDArray[Any]", norms: "NDArray[Any]", lists: "Sequence[NDArray[Any]]", most: int
) -> float:
    """Return a lower bound for the worth of the `most` best keys; each may be in every list."""
    import numpy as np

    touched = np.concatenate([*lists, np.zeros(0, np.int32)])
    enough = most * len(lists)
    if len(touched) < enough or not enough:
        return 0.0
    worth = scores.take(touched) * norms.take(touched)
    return float(np.partition(worth, len(worth) - enough)[-enough])


def _best(touched: "NDArray[Any]", worth: "NDArray[Any]", enough: int, most: int) -> list[int]:
    """Return the keys worth most; each is in `touched` once for every word it says."""
    import numpy as np

    if len(worth) > enough:
        top = np.argpartition(worth, len(worth) - enough)[-enough:]
        touched, worth = touched[top], worth[top]
    order = np.argsort(-worth, kind="stable")
    order = order[worth[order] > 0]
    return list(dict.fromkeys(touched[order].tolist()))[:most]
