"""Full text in Postgres: a GIN index finds the rows of each word, rare words rank them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeVar

from seasoned.core.words import IndexedText, WordMatches
from seasoned.db.connection import Connection
from seasoned.db.search.index import Space, WordIndex

K = TypeVar("K")
V = TypeVar("V")

MOST_MATCHED = 4_000  # rows that a query may have to rank, the rarest words first
GROWTH = 1.2  # growth of a large collection after which its statistics are read again
LARGE = 1_000  # rows; a smaller collection is counted each time
FEW = 0.1  # of all rows: groups with fewer are found by their index
COMMON = 100  # rows that say a word, from which the exact count matters little
MOST_COUNTED = 50_000


@dataclass(frozen=True, slots=True)
class CollectionSize:
    """How many rows some groups have, their mean length, and the newest key at that time."""

    total: int = 0
    mean: float = 1.0
    newest: int = 0

    @property
    def is_small(self) -> bool:
        """Whether they are a small part of all rows."""
        return self.total < FEW * self.newest


class PostgresWords(WordIndex):
    def __init__(self, table: str, vectors_table: str) -> None:
        super().__init__(table)
        self.vectors_table = vectors_table
        self._counts: dict[tuple[str, frozenset[int]], tuple[int, int]] = {}
        self._shares: dict[str, float] = {}  # of all rows, by common word
        self._sizes: dict[frozenset[int], CollectionSize] = {}

    async def add(self, tx: Connection, key: int, text: IndexedText) -> None:
        await tx.send(
            f"INSERT INTO {self.table} (rowid, trigger, content, near, far, group_id, length) "
            f"SELECT key, ?, ?, ?, ?, group_id, length FROM {self.vectors_table} WHERE key = ?",
            (*text, key),
        )

    async def search(
        self,
        tx: Connection,
        space: Space,
        words: Sequence[str],
        groups: Collection[int],
        most: int,
    ) -> WordMatches:
        among = frozenset(groups)
        size = await self._size(tx, among)
        known = {word: self._recent(word, among, size) for word in words}
        read = _worth_reading(known)
        if not read or not among:
            counts = {word: many or 0 for word, many in known.items()}
            return WordMatches((), counts, size.total, size.mean)
        rows = await tx.fetch(
            self._ranking(len(read), size),
            (
                *(value for word in read for value in (_said(word), sorted(among))),
                *(size.total, size.total, size.total, MOST_MATCHED, max(size.mean, 1.0), most),
            ),
        )
        counted = dict.fromkeys(read, 0)
        ranked: list[tuple[float, int]] = []
        for place, value, worth in rows:
            if worth is not None:
                ranked.append((-worth, value))
            elif place is not None:
                counted[read[place]] = value
            elif value > GROWTH * size.newest:
                self._sizes.pop(among, None)
        for word, many in counted.items():
            _bounded(self._counts)[word, among] = (many, size.total)
        counts = {word: counted.get(word, many) or 0 for word, many in known.items()}
        return WordMatches([key for _, key in sorted(ranked)], counts, size.total, size.mean)

    def _ranking(self, words: int, size: CollectionSize) -> str:
        """Return SQL for each word's count, the best rows, and the newest key, in one answer."""
        # One part per word, so that each is planned by how common it is. The index of groups is
        # disabled if most rows pass: without fresh statistics, Postgres would take it.
        group = "group_id" if size.is_small else "(group_id + 0)"
        says = " UNION ALL ".join(
            f"SELECT {place}, rowid, length FROM {self.table} "
            f"WHERE document @@ ?::tsquery AND {group} = ANY(?)"
            for place in range(words)
        )
        return (
            f"WITH said (word, key, length) AS MATERIALIZED ({says}), "
            "counted AS (SELECT word, count(*) AS often, "
            "sum(count(*)) OVER (ORDER BY count(*), word) AS reached FROM said GROUP BY word), "
            "telling AS (SELECT word, ln(1 + (?::float8 - least(often, ?) + 0.5) "
            "/ (least(often, ?) + 0.5)) AS weight "
            "FROM counted WHERE reached <= ? OR reached = often), "
            "ranked AS (SELECT key, sum(weight) / (1 + length / ?::float8) AS worth "
            "FROM said JOIN telling USING (word) GROUP BY key, length "
            "ORDER BY worth DESC, key LIMIT ?) "
            "SELECT word, often, NULL FROM counted UNION ALL SELECT NULL, key, worth FROM ranked "
            f"UNION ALL SELECT NULL, coalesce(max(key), 0), NULL FROM {self.vectors_table}"
        )

    async def _size(self, tx: Connection, among: frozenset[int]) -> CollectionSize:
        known = self._sizes.get(among)
        if known is None or known.total < LARGE:
            row = await tx.fetch_one(
                "SELECT count(*), coalesce(avg(length), 1)::float8, "
                f"(SELECT coalesce(max(key), 0) FROM {self.vectors_table}) "
                f"FROM {self.table} WHERE group_id = ANY(?)",
                (sorted(among),),
            )
            known = CollectionSize(*row) if row else CollectionSize()
            _bounded(self._sizes)[among] = known
            if known.total >= LARGE:
                await self._read_statistics(tx)
        return known

    async def _read_statistics(self, tx: Connection) -> None:
        """Read the server's own statistics of common words: counting their rows would take long."""
        row = await tx.fetch_one(
            "SELECT most_common_elems::text::text[], most_common_elem_freqs FROM pg_stats "
            "WHERE schemaname = current_schema() AND tablename = ? AND attname = 'document'",
            (self.table,),
        )
        if row is not None and row[0] is not None:
            self._shares = dict(zip(row[0], row[1], strict=False))  # totals follow the shares

    def _recent(self, word: str, among: frozenset[int], size: CollectionSize) -> int | None:
        """Return a count that is still good enough; None for a rare word, whose count decides."""
        if size.total < LARGE:
            return None
        many, of = self._counts.get((word, among), (0, 0))
        if size.total > GROWTH * of:
            many = 0 if size.is_small else round(self._shares.get(word, 0.0) * size.total)
        return many if many >= COMMON else None


def _bounded(kept: dict[K, V]) -> dict[K, V]:
    if len(kept) > MOST_COUNTED:
        kept.clear()
    return kept


def _worth_reading(known: dict[str, int | None]) -> list[str]:
    """Choose the words to look up: those not counted yet, and the rarest others that fit.

    >>> _worth_reading({"the": 9_000, "pod": None, "node": 2_000, "fail": 3_000})
    ['pod', 'node']
    """
    read = [word for word, many in known.items() if many is None]
    reached = 0
    for many, word in sorted((many, word) for word, many in known.items() if many is not None):
        reached += many
        if read and reached > MOST_MATCHED:
            break
        read.append(word)
    return read


def _said(word: str) -> str:
    quoted = word.replace("\\", "").replace("'", "''")
    return f"'{quoted}'"
