"""The graph as callers use it: ask it, walk it, add to it, take it along in a file."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from seasoned.core.clock import Clock
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.ids import canonical
from seasoned.core.scope import Scope
from seasoned.core.triple import Triple
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.graph.nodes import fix_node
from seasoned.graph.snapshot import Snapshot
from seasoned.graph.store import GraphStats, GraphStore, visible
from seasoned.graph.traverse import Edge, Neighbourhood, Walk, neighbourhood, path
from seasoned.learning.graph_writer import GraphWriter
from seasoned.learning.lesson_reader import ID_START
from seasoned.learning.lessons import LessonStore
from seasoned.security.audit import AuditStore, Entry

MOST_NODES = 1000
DEEPEST = 10
PAGE = 5000
CAUGHT_UP = 1024  # pieces that are drawn before an answer; the worker draws the rest


@dataclass(frozen=True, slots=True)
class GraphStanding:
    """Whether there is a graph, how much is in it, and what is still to be drawn."""

    enabled: bool
    propagation_rate: float
    triples: int
    waiting: int


@dataclass(frozen=True, slots=True)
class KnowledgeGraphConfig:
    enabled: bool = False  # graph.enabled
    propagation_rate: float = 0.3  # graph.propagationRate


class KnowledgeGraph:
    """What is read is what a scope sees, its own and the wider; what is written is its own."""

    def __init__(
        self,
        db: Database,
        store: GraphStore,
        writer: GraphWriter,
        lessons: LessonStore,
        audit: AuditStore,
        clock: Clock,
        config: KnowledgeGraphConfig,
    ) -> None:
        self.db = db
        self.store = store
        self.writer = writer
        self.lessons = lessons
        self.audit = audit
        self.clock = clock
        self.config = config

    async def behind(self) -> bool:
        return self.config.enabled and await self.writer.behind()

    async def query(
        self,
        scope: Scope,
        subject: str | None,
        predicate: str | None,
        object_: str | None,
        limit: int,
    ) -> list[Triple]:
        _at_least("limit", limit, 1)
        await self._catch_up()
        async with self.db.read() as tx:
            return await self.store.query(
                tx, scope, subject=subject, predicate=predicate, object=object_, limit=limit
            )

    async def neighbours(
        self, scope: Scope, node: str, depth: int, most: int, walk: Walk
    ) -> Neighbourhood:
        _at_least("depth", depth, 1, DEEPEST)
        _at_least("most", most, 1, MOST_NODES)
        await self._catch_up()
        async with self.db.read() as tx:
            start = await self._found(tx, scope, node)
            return await neighbourhood(
                tx, self.store, scope, [start], depth=depth, most=most, walk=walk
            )

    async def path(
        self, scope: Scope, start: str, end: str, longest: int, walk: Walk
    ) -> Sequence[Edge] | None:
        _at_least("longest", longest, 1, DEEPEST)
        await self._catch_up()
        async with self.db.read() as tx:
            ends = [await self._found(tx, scope, node) for node in (start, end)]
            return await path(tx, self.store, scope, *ends, longest=longest, walk=walk)

    async def labels(self, scope: Scope, nodes: Sequence[str]) -> dict[str, str]:
        async with self.db.read() as tx:
            return await self.store.labels(tx, scope, nodes)

    async def stats(self, scope: Scope, busiest: int) -> GraphStats:
        await self._catch_up()
        async with self.db.read() as tx:
            return await self.store.stats(tx, scope, busiest)

    async def status(self, tx: Connection, scope: Scope) -> GraphStanding:
        on = self.config.enabled
        return GraphStanding(
            enabled=on,
            propagation_rate=self.config.propagation_rate,
            triples=await self.store.count(tx, scope),
            waiting=await self.writer.queue.waiting(tx) if on else 0,
        )

    async def add(self, scope: Scope, triples: Iterable[Triple]) -> int:
        """Adds triples, all of them or none."""
        return await self._store(scope, Snapshot(list(triples)), "graph.added", {})

    async def remove(
        self, scope: Scope, subject: str | None, predicate: str | None, object_: str | None
    ) -> int:
        if subject is None and predicate is None and object_ is None:
            raise BadInput("say what to remove: a subject, a predicate, an object; or clear it all")
        parts = {"subject": subject, "predicate": predicate, "object": object_}
        said = {name: part for name, part in parts.items() if part is not None}

        async def removed(tx: Connection) -> int:
            gone = await self.store.remove(tx, scope, **parts)
            await self._audited(tx, "graph.removed", scope, said | {"triples": gone})
            return gone

        return await transact(self.db, removed)

    async def clear(self, scope: Scope) -> int:
        """Deletes this very scope's triples; what was learned stays, and can be drawn anew."""

        async def cleared(tx: Connection) -> int:
            gone = await self.store.clear(tx, scope)
            await self._audited(tx, "graph.cleared", scope, {"triples": gone})
            return gone

        return await transact(self.db, cleared)

    async def redraw(self, scope: Scope) -> int:
        """Draws all that was learned in this very scope anew; how many pieces that are."""
        if not self.config.enabled:
            raise BadInput("the graph is off; set graph.enabled (SEASONED_GRAPH__ENABLED=true)")
        waiting = await transact(self.db, lambda tx: self.writer.queue.put_back(tx, scope))
        await self._catch_up()
        return waiting

    async def snapshot(self, scope: Scope) -> Snapshot:
        """All that a scope sees, as one value."""
        await self._catch_up()
        found: dict[tuple[str, str, str], Triple] = {}
        async with self.db.read() as tx:
            for own in visible(scope):
                after: tuple[str, str, str] = ("", "", "")
                while page := await self.store.page(tx, own, after, PAGE):
                    for one in page:
                        found.setdefault((one.subject, one.predicate, one.object), one)
                    last = page[-1]
                    after = (last.subject, last.predicate, last.object)
            graph = Snapshot(list(found.values()))
            labels = await self.store.labels(tx, scope, graph.nodes)
        return Snapshot(graph.triples, dict(sorted(labels.items())))

    async def take_in(self, scope: Scope, graph: Snapshot, file: str) -> int:
        """Adds what was read from a file, all of it or nothing; how many triples."""
        return await self._store(scope, graph, "graph.imported", {"file": file})

    async def _store(self, scope: Scope, graph: Snapshot, what: str, said: dict[str, Any]) -> int:
        async def stored(tx: Connection) -> int:
            added = await self.store.add(tx, scope, graph.triples, self.clock.now())
            await self.store.name(tx, scope, graph.labels)
            await self._audited(tx, what, scope, said | {"triples": added})
            return added

        return await transact(self.db, stored)

    async def _audited(
        self, tx: Connection, kind: str, scope: Scope, detail: dict[str, Any]
    ) -> None:
        whose = {"tenant": scope.tenant, "project": scope.project}
        await self.audit.add(tx, self.clock.now(), [Entry(kind, "", canonical(detail | whose))])

    async def _catch_up(self) -> None:
        """What was learned a moment ago is in the answer too, without waiting for the worker."""
        if self.config.enabled:
            await self.writer.write(CAUGHT_UP)

    async def _found(self, tx: Connection, scope: Scope, name: str) -> str:
        """The node of this name; a lesson's id, or the beginning of it, does as well."""
        if await self.store.has(tx, scope, name):
            return name
        if ID_START.fullmatch(name):
            node = fix_node((await self.lessons.get(tx, name, scope)).id)
            if await self.store.has(tx, scope, node):
                return node
        raise NotFound(f"no node {name!r}; `seasoned graph stats` shows the busiest there are")


def _at_least(name: str, value: int, least: int, most: int | None = None) -> None:
    if value < least or (most is not None and value > most):
        upto = f" and at most {most}" if most is not None else ""
        raise BadInput(f"{name} is {value}; it must be at least {least}{upto}")
