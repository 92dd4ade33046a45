"""Gives a new error its vector at once, where the embedder answers at once.

With any other embedder the error waits, as lessons do, and gets its vector a little later.
"""

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seasoned.core.clock import Clock
from seasoned.core.errors import SeasonedError
from seasoned.db.connection import Connection
from seasoned.db.vectors import Space, SpaceStore, Vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seasoned.llm.embedder import Embedder

log = logging.getLogger("seasoned.alike")


@dataclass(frozen=True, slots=True)
class Point:
    """Where a text lies."""

    space: Space
    vector: "NDArray[Any]"


class Alike:
    """`embedder` is one that runs here; others are asked by the worker."""

    def __init__(self, embedder: "Embedder", clock: Clock) -> None:
        self.embedder = embedder
        self.clock = clock
        self.spaces = SpaceStore()

    async def placed(self, tx: Connection, vectors: Vectors, key: int, text: str) -> Point | None:
        """Embeds the text of a row and stores it; None where it must wait after all."""
        space = await self.spaces.current(tx)
        if space is not None and space.model != self.embedder.model:
            return None  # another model is in use; the worker sees to it
        if await vectors.usable(tx):
            return None
        try:
            rows = self.embedder.embed([text])
        except SeasonedError as error:
            log.warning("a new error is compared by its words alone: %s", error)
            return None
        if space is None:
            now = self.clock.now()
            space = await self.spaces.begin(tx, self.embedder.model, rows.shape[1], now)
        await vectors.put(tx, space, [key], rows)
        return Point(space, rows[0])
