"""The graph as callers use it: query it, walk it, add to it, export and import it."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Protocol

from seasoned.core.authority import Caller
from seasoned.core.clock import SECOND
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.db.unit import Change, Unit, transact
from seasoned.graph.graph_store import GraphStats, GraphStore, Parts, visible_scopes
from seasoned.graph.snapshot import Snapshot
from seasoned.graph.traverse import Edge, Neighbourhood, Walk, neighbourhood, shortest_path
from seasoned.graph.triple import Triple, fix_node

MOST_NODES = 1000
DEEPEST = 10
PAGE = 5000
LONG = 0.2  # seconds from which a count of the graph is kept for those who take an older one
MOST_COUNTED = 100  # graphs whose counts are kept
CAUGHT_UP = 1024  # pieces drawn before an answer; the worker draws the rest


@dataclass(frozen=True, slots=True)
class GraphStatus:
    """Whether the graph is on, its size, and how many pieces are still to be drawn."""

    enabled: bool
    propagation_rate: float
    triples: int
    waiting: int


@dataclass(frozen=True, slots=True)
class KnowledgeGraphConfig:
    enabled: bool = False  # graph.enabled
    propagation_rate: float = 0.3  # graph.propagationRate


LessonNamed = Callable[[Connection, str, Scope], Awaitable[str | None]]


class GraphDrawer(Protocol):
    """Draws lessons and errors into the graph, from the queue of those not drawn yet."""

    async def behind(self) -> bool: ...

    async def write(self, most: int) -> int: ...

    async def waiting(self, tx: Connection) -> int: ...

    async def put_back(self, tx: Connection, scope: Scope) -> int: ...


class KnowledgeGraph:
    """Reads what a scope sees, its own and wider ones; writes into its own only."""

    def __init__(
        self,
        unit: Unit,
        store: GraphStore,
        drawing: GraphDrawer,
        lesson_named: LessonNamed,
        config: KnowledgeGraphConfig,
    ) -> None:
        self.unit = unit
        self.db = unit.db
        self.store = store
        self.drawing = drawing
        self.lesson_named = lesson_named
        self.config = config
        self._counted: dict[tuple[str, str, int], GraphStats] = {}

    async def behind(self) -> bool:
        return self.config.enabled and await self.drawing.behind()

    async def query(
        self,
        scope: Scope,
        subject: str | None,
        predicate: str | None,
        object_: str | None,
        limit: int,
        after: Parts | None = None,
    ) -> list[Triple]:
        _at_least("limit", limit, 1)
        await self._catch_up()
        async with self.db.read() as tx:
            return await self.store.query(
                tx,
                scope,
                subject=subject,
                predicate=predicate,
                object=object_,
                limit=limit,
                after=after,
            )

    async def neighbours(
        self, scope: Scope, node: str, depth: int, most: int, walk: Walk
    ) -> Neighbourhood:
        _at_least("depth", depth, 1, DEEPEST)
        _at_least("most", most, 1, MOST_NODES)
        await self._catch_up()
        async with self.db.read() as tx:
            start = await self._node(tx, scope, node)
            return await neighbourhood(
                tx, self.store, scope, [start], depth=depth, most=most, walk=walk
            )

    async def path(
        self, scope: Scope, start: str, end: str, longest: int, walk: Walk
    ) -> Sequence[Edge] | None:
        _at_least("longest", longest, 1, DEEPEST)
        await self._catch_up()
        async with self.db.read() as tx:
            ends = [await self._node(tx, scope, node) for node in (start, end)]
            return await shortest_path(tx, self.store, scope, *ends, longest=longest, walk=walk)

    async def labels(self, scope: Scope, nodes: Sequence[str]) -> dict[str, str]:
        async with self.db.read() as tx:
            return await self.store.labels(tx, scope, nodes)

    async def stats(self, scope: Scope, busiest: int, oldest: float = 0) -> GraphStats:
        """Count the graph; a count that took long may be up to `oldest` seconds old."""
        own, now = (scope.tenant, scope.project, busiest), self.unit.clock.now()
        counted = self._counted.get(own)
        if counted is not None and now - counted.at < oldest * SECOND:
            return counted
        await self._catch_up()
        began = monotonic()
        async with self.db.read() as tx:
            stats = replace(await self.store.stats(tx, scope, busiest), at=now)
        self._counted.pop(own, None)
        if monotonic() - began >= LONG:
            self._counted[own] = stats
            if len(self._counted) > MOST_COUNTED:
                self._counted.pop(next(iter(self._counted)), None)
        return stats

    async def status(self, tx: Connection, scope: Scope) -> GraphStatus:
        on = self.config.enabled
        return GraphStatus(
            enabled=on,
            propagation_rate=self.config.propagation_rate,
            triples=await self.store.count(tx, scope),
            waiting=await self.drawing.waiting(tx) if on else 0,
        )

    async def add(self, caller: Caller, triples: Iterable[Triple]) -> int:
        """Add triples, all or none."""
        return await self._store(_owned(caller), Snapshot(list(triples)), "graph.added", {})

    async def remove(
        self, caller: Caller, subject: str | None, predicate: str | None, object_: str | None
    ) -> int:
        scope = _owned(caller)
        if subject is None and predicate is None and object_ is None:
            raise BadInput("name a subject, a predicate or an object to remove; or clear it all")
        parts = {"subject": subject, "predicate": predicate, "object": object_}
        said = {name: part for name, part in parts.items() if part is not None}

        async def removed(change: Change) -> int:
            gone = await self.store.remove(change, scope, **parts)
            _record(change, "graph.removed", scope, said | {"triples": gone})
            return gone

        return await self.unit.change(removed)

    async def clear(self, caller: Caller) -> int:
        """Delete this scope's own triples; the lessons stay, and can be drawn again."""
        scope = _owned(caller)

        async def cleared(change: Change) -> int:
            gone = await self.store.clear(change, scope)
            _record(change, "graph.cleared", scope, {"triples": gone})
            return gone

        return await self.unit.change(cleared)

    async def redraw(self, caller: Caller) -> int:
        """Draw all lessons of this scope again; return how many pieces."""
        scope = _owned(caller)
        if not self.config.enabled:
            raise BadInput("the graph is off; set graph.enabled (SEASONED_GRAPH__ENABLED=true)")
        waiting = await transact(self.db, lambda tx: self.drawing.put_back(tx, scope))
        await self._catch_up()
        return waiting

    async def snapshot(self, scope: Scope) -> Snapshot:
        """Return all that a scope sees, as one value."""
        await self._catch_up()
        found: dict[tuple[str, str, str], Triple] = {}
        async with self.db.read() as tx:
            for own in visible_scopes(scope):
                after: tuple[str, str, str] = ("", "", "")
                while page := await self.store.page(tx, own, after, PAGE):
                    for one in page:
                        found.setdefault((one.subject, one.predicate, one.object), one)
                    last = page[-1]
                    after = (last.subject, last.predicate, last.object)
            graph = Snapshot(list(found.values()))
            labels = await self.store.labels(tx, scope, graph.nodes)
        return Snapshot(graph.triples, dict(sorted(labels.items())))

    async def take_in(self, caller: Caller, graph: Snapshot, file: str) -> int:
        """Add what was read from a file, all or nothing; return how many triples."""
        return await self._store(_owned(caller), graph, "graph.imported", {"file": file})

    async def _store(self, scope: Scope, graph: Snapshot, what: str, said: dict[str, Any]) -> int:
        async def stored(change: Change) -> int:
            added = await self.store.add(change, scope, graph.triples, change.at)
            await self.store.name(change, scope, graph.labels)
            _record(change, what, scope, said | {"triples": added})
            return added

        return await self.unit.change(stored)

    async def _catch_up(self) -> None:
        """Draw the latest lessons now, so that the answer does not wait for the worker."""
        if self.config.enabled:
            await self.drawing.write(CAUGHT_UP)

    async def _node(self, tx: Connection, scope: Scope, name: str) -> str:
        """Return the node of this name, or of a lesson's id or its beginning."""
        if await self.store.has(tx, scope, name):
            return name
        lesson_id = await self.lesson_named(tx, name, scope)
        if lesson_id and await self.store.has(tx, scope, node := fix_node(lesson_id)):
            return node
        raise NotFound(f"no node {name!r}; `seasoned graph stats` shows the busiest ones")


def _owned(caller: Caller) -> Scope:
    """Return the scope of the caller's graph, which all users share, if it may change that."""
    whole = caller.scope.shared()
    caller.require("change", whole, "the graph")
    return whole


def _record(change: Change, kind: str, scope: Scope, detail: dict[str, Any]) -> None:
    change.record(kind, "", detail | {"tenant": scope.tenant, "project": scope.project})


def _at_least(name: str, value: int, least: int, most: int | None = None) -> None:
    if value < least or (most is not None and value > most):
        upto = f" and at most {most}" if most is not None else ""
        raise BadInput(f"{name} is {value}; it must be at least {least}{upto}")
