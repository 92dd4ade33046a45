"""Adds what the graph connects with the lessons found: two steps away at most, ten nodes in all."""

from collections.abc import Sequence
from typing import Protocol

from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.recall.context import Entry


class GraphRag(Protocol):
    async def connected(
        self, tx: Connection, seeds: Sequence[Entry], scope: Scope
    ) -> list[Entry]: ...
