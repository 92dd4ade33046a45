"""`s.graph`: query, walk, edit and export the knowledge graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seasoned.api.face import AsyncFace, SyncFace, sync
from seasoned.graph import formats
from seasoned.graph.traverse import Direction, Edge, Neighbourhood, Walk
from seasoned.graph.triple import Triple

if TYPE_CHECKING:
    from seasoned.graph.graph_store import GraphStats


class AsyncGraphFace(AsyncFace):
    """A graph of errors, tools, sessions and fixes, and of the triples you add."""

    async def query(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,  # noqa: A002 - subject, predicate, object
        *,
        limit: int = 50,
        after: tuple[str, str, str] | None = None,
    ) -> Sequence[Triple]:
        """List triples that match; an omitted part matches anything.

        `after` is the subject, predicate and object of the last one of the page before.
        """
        return await self._run(
            self._app.graph.query(self._scope, subject, predicate, object, limit, after)
        )

    async def neighbours(
        self,
        node: str,
        *,
        depth: int = 1,
        most: int = 50,
        predicates: Sequence[str] = (),
        direction: Direction = "both",
    ) -> Neighbourhood:
        """Return the neighbours of a node or lesson id, nearest and strongest first."""
        walk = Walk(tuple(predicates), direction)
        return await self._run(self._app.graph.neighbours(self._scope, node, depth, most, walk))

    async def path(
        self,
        start: str,
        end: str,
        *,
        longest: int = 6,
        predicates: Sequence[str] = (),
        direction: Direction = "both",
    ) -> Sequence[Edge] | None:
        """Return the edges of a shortest path between two nodes; None if there is none."""
        walk = Walk(tuple(predicates), direction)
        return await self._run(self._app.graph.path(self._scope, start, end, longest, walk))

    async def stats(self, *, busiest: int = 10, oldest: float = 0) -> GraphStats:
        """Count triples and nodes, and find the busiest nodes.

        Counting a large graph takes seconds; with `oldest`, a count of so many seconds ago will do.
        """
        return await self._run(self._app.graph.stats(self._scope, busiest, oldest))

    async def labels(self, nodes: Sequence[str]) -> Mapping[str, str]:
        """Return readable names of nodes; nodes without one are omitted."""
        return await self._run(self._app.graph.labels(self._scope, list(nodes)))

    async def add(self, *triples: Triple | tuple[Any, ...]) -> int:
        """Add triples: `Triple`s, or (subject, predicate, object[, weight])."""
        taken = [one if isinstance(one, Triple) else Triple(*one) for one in triples]
        return await self._run(self._app.graph.add(self._caller, taken))

    async def remove(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,  # noqa: A002 - subject, predicate, object
    ) -> int:
        """Remove matching triples; return how many."""
        return await self._run(self._app.graph.remove(self._caller, subject, predicate, object))

    async def clear(self) -> int:
        """Remove every triple of this scope; return how many. Lessons stay."""
        return await self._run(self._app.graph.clear(self._caller))

    async def redraw(self) -> int:
        """Rebuild the graph from the lessons."""
        return await self._run(self._app.graph.redraw(self._caller))

    async def text(self, format: str = "ntriples") -> str:  # noqa: A002 - the option's name
        """Return the whole graph as text: ntriples, graphml or json."""
        chosen = formats.format_named(format)
        return "".join(chosen.write(await self._run(self._app.graph.snapshot(self._scope))))

    async def export_file(
        self,
        path: str | PathLike[str],
        format: str | None = None,  # noqa: A002 - the option's name
    ) -> int:
        """Write the graph to a file (.nt, .graphml or .json); return the number of triples."""
        formats.format_named(format, Path(path))
        graph = await self._run(self._app.graph.snapshot(self._scope))
        formats.write_file(graph, Path(path), format)
        return len(graph.triples)

    async def import_file(
        self,
        path: str | PathLike[str],
        format: str | None = None,  # noqa: A002 - the option's name
    ) -> int:
        """Import a graph from a file, all or nothing; return the number of triples."""
        graph = formats.read_file(Path(path), format)
        return await self._run(self._app.graph.take_in(self._caller, graph, Path(path).name))


class GraphFace(SyncFace[AsyncGraphFace]):
    """The synchronous twin."""

    query = sync(AsyncGraphFace.query)
    neighbours = sync(AsyncGraphFace.neighbours)
    path = sync(AsyncGraphFace.path)
    stats = sync(AsyncGraphFace.stats)
    labels = sync(AsyncGraphFace.labels)
    add = sync(AsyncGraphFace.add)
    remove = sync(AsyncGraphFace.remove)
    clear = sync(AsyncGraphFace.clear)
    redraw = sync(AsyncGraphFace.redraw)
    text = sync(AsyncGraphFace.text)
    export_file = sync(AsyncGraphFace.export_file)
    import_file = sync(AsyncGraphFace.import_file)
