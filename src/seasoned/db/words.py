"""Full text behind one interface: which rows speak of these words, roughly ranked.

Words are stemmed before they come here, so both dialects find the same. What comes back is good
enough to choose candidates by; the ranking proper looks at their texts.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence

from seasoned.core.bm25 import Indexed, Spoken
from seasoned.db.connection import Connection
from seasoned.db.vectors import Space

AT_ONCE = 10_000  # values in one statement: SQLite takes some 32,000


class Words(ABC):
    def __init__(self, table: str) -> None:
        self.table = table

    async def add(self, tx: Connection, key: int, text: Indexed) -> None:
        await tx.send(
            f"INSERT INTO {self.table} (rowid, trigger, content, near, far) VALUES (?, ?, ?, ?, ?)",
            (key, *text),
        )

    async def remove(self, tx: Connection, key: int) -> None:
        await tx.send(f"DELETE FROM {self.table} WHERE rowid = ?", (key,))

    async def texts(self, tx: Connection, keys: Sequence[int]) -> dict[int, Indexed]:
        """What is indexed under these keys, for those that are still there."""
        texts: dict[int, Indexed] = {}
        for some in (keys[start : start + AT_ONCE] for start in range(0, len(keys), AT_ONCE)):
            marks = ", ".join("?" for _ in some)
            rows = await tx.fetch(
                "SELECT rowid, trigger, content, near, far "
                f"FROM {self.table} WHERE rowid IN ({marks})",
                some,
            )
            texts.update({row[0]: Indexed(*row[1:]) for row in rows})
        return texts

    @abstractmethod
    async def spoken(
        self,
        tx: Connection,
        space: Space,
        words: Sequence[str],
        groups: Collection[int],
        most: int,
    ) -> Spoken:
        """The rows of these groups that say the most telling of these words."""
