"""Full text in Postgres: a GIN index finds the rows, the most telling words rank them."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TypeVar

from seasoned.core.bm25 import Spoken
from seasoned.db.connection import Connection
from seasoned.db.vectors import Space
from seasoned.db.words import Words

K = TypeVar("K")
V = TypeVar("V")

MOST_MATCHED = 8_000  # rows that a query may have to rank: the rarest words first
GROWTH = 1.2  # a common word's count is taken again when there are so many more rows
COMMON = 100  # rows that a word stands in
MOST_COUNTED = 50_000


class PostgresWords(Words):
    def __init__(self, table: str, vectors_table: str) -> None:
        super().__init__(table)
        self.vectors_table = vectors_table
        self._counts: dict[tuple[str, frozenset[int]], tuple[int, int]] = {}
        self._sizes: dict[frozenset[int], tuple[int, float, int]] = {}

    async def spoken(
        self,
        tx: Connection,
        space: Space,
        words: Sequence[str],
        groups: Collection[int],
        most: int,
    ) -> Spoken:
        total, mean = await self._size(tx, groups)
        counts = await self._counted(tx, words, groups, total)
        known = Spoken((), counts, total, mean)
        telling = _telling({word: many for word, many in counts.items() if many})
        if not telling or not groups:
            return known
        weighed = " + ".join(
            "CASE WHEN t.document @@ ?::tsquery THEN ? ELSE 0 END" for _ in telling
        )
        values = [value for word in telling for value in (_said(word), known.weight(word))]
        rows = await tx.fetch(
            f"SELECT t.rowid, ({weighed})::float8 / (1 + v.length / ?::float8) AS worth "
            f"FROM {self.table} t JOIN {self.vectors_table} v ON v.key = t.rowid "
            "WHERE t.document @@ ?::tsquery AND v.group_id = ANY(?) "
            "ORDER BY worth DESC, t.rowid LIMIT ?",
            (*values, max(mean, 1.0), " | ".join(map(_said, telling)), list(groups), most),
        )
        return replace(known, keys=[row[0] for row in rows])

    async def _size(self, tx: Connection, groups: Collection[int]) -> tuple[int, float]:
        """How many rows these groups have, and how long they are; the same again for a while."""
        last = await tx.fetch_one(f"SELECT max(key) FROM {self.vectors_table}")
        newest = (last[0] or 0) if last else 0
        among = frozenset(groups)
        known = self._sizes.get(among)
        if known is None or known[0] < 1000 or newest > GROWTH * known[2]:
            row = await tx.fetch_one(
                f"SELECT count(*), coalesce(avg(length), 1) FROM {self.vectors_table} "
                "WHERE group_id = ANY(?)",
                (list(groups),),
            )
            known = (int(row[0]), float(row[1]), newest) if row else (0, 1.0, newest)
            _bounded(self._sizes)[among] = known
        return known[0], known[1]

    async def _counted(
        self, tx: Connection, words: Sequence[str], groups: Collection[int], total: int
    ) -> dict[str, int]:
        """In how many of these rows each word stands; of common words, about so many."""
        among = frozenset(groups)
        counts = {word: self._recent(word, among, total) for word in words}
        unsure = [word for word, many in counts.items() if many is None]
        if unsure:
            # One question for each word, so that each is planned by how common it is.
            one = (
                f"SELECT count(*) FROM {self.table} t JOIN {self.vectors_table} v "
                "ON v.key = t.rowid WHERE t.document @@ ?::tsquery AND v.group_id = ANY(?)"
            )
            row = await tx.fetch_one(
                "SELECT " + ", ".join(f"({one})" for _ in unsure),
                [value for word in unsure for value in (_said(word), list(groups))],
            )
            found = dict(zip(unsure, row or (), strict=True))
            counts.update(found)
            _bounded(self._counts).update({(w, among): (n, total) for w, n in found.items()})
        return {word: many or 0 for word, many in counts.items()}

    def _recent(self, word: str, among: frozenset[int], total: int) -> int | None:
        """A count that still holds well enough: a rare word's must be right, for it decides."""
        many, of = self._counts.get((word, among), (0, 0))
        return many if many >= COMMON and 1000 < total <= GROWTH * of else None


def _bounded(kept: dict[K, V]) -> dict[K, V]:
    if len(kept) > MOST_COUNTED:
        kept.clear()
    return kept


def _telling(counts: dict[str, int]) -> list[str]:
    """The rarest words, as long as the rows they stand in can be ranked in time."""
    telling: list[str] = []
    matched = 0
    for word, many in sorted(counts.items(), key=lambda item: item[1]):
        if telling and matched + many > MOST_MATCHED:
            break
        telling.append(word)
        matched += many
    return telling


def _said(word: str) -> str:
    quoted = word.replace("\\", "").replace("'", "''")
    return f"'{quoted}'"
