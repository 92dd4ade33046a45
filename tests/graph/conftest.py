"""A graph store on both databases, with shortcuts."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.graph.graph_store import GraphStore
from seasoned.graph.triple import Triple

T = TypeVar("T")

EVERYBODY = Scope()


@dataclass(frozen=True)
class Bench:
    """The store, and `do`, which runs work in its own transaction."""

    db: Database
    store: GraphStore

    def do(self, work: Callable[[Connection], Coroutine[Any, Any, T]]) -> T:
        async def done() -> T:
            async with self.db.write() as tx:
                return await work(tx)

        return self.db.run(done())

    def add(self, *triples: tuple[Any, ...], scope: Scope = EVERYBODY, now: int = 1) -> None:
        self.do(lambda tx: self.store.add(tx, scope, [Triple(*one) for one in triples], now))

    def query(self, scope: Scope = EVERYBODY, **parts: Any) -> list[Triple]:
        return self.do(lambda tx: self.store.query(tx, scope, **parts))


@pytest.fixture
def graph(db: Database) -> Bench:
    return Bench(db, GraphStore(db))
