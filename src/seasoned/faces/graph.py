"""`s.graph`: what was learned as a graph, to ask and to walk, and to add to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seasoned.core.triple import Triple
from seasoned.faces.driving import Driven, sync
from seasoned.graph import formats
from seasoned.graph.traverse import Direction, Edge, Neighbourhood, Walk

if TYPE_CHECKING:
    from seasoned.core.scope import Scope
    from seasoned.faces.driving import Run
    from seasoned.graph.store import GraphStats
    from seasoned.learning.knowledge_graph import KnowledgeGraph


class AsyncGraph:
    """What was learned as a graph: errors, tools, sessions and fixes, and what you add to it."""

    def __init__(self, graph: KnowledgeGraph, scope: Scope, run: Run) -> None:
        self._graph = graph
        self._scope = scope
        self._run = run

    async def query(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,  # noqa: A002 - the third of the three words
        *,
        limit: int = 50,
    ) -> Sequence[Triple]:
        """The triples with these parts; a part that is left out may be anything."""
        return await self._run(self._graph.query(self._scope, subject, predicate, object, limit))

    async def neighbours(
        self,
        node: str,
        *,
        depth: int = 1,
        most: int = 50,
        predicates: Sequence[str] = (),
        direction: Direction = "both",
    ) -> Neighbourhood:
        """What is near a node (or a lesson, by its id), the nearest and strongest first."""
        walk = Walk(tuple(predicates), direction)
        return await self._run(self._graph.neighbours(self._scope, node, depth, most, walk))

    async def path(
        self,
        start: str,
        end: str,
        *,
        longest: int = 6,
        predicates: Sequence[str] = (),
        direction: Direction = "both",
    ) -> Sequence[Edge] | None:
        """The edges of a shortest way between two nodes; None when none is found."""
        walk = Walk(tuple(predicates), direction)
        return await self._run(self._graph.path(self._scope, start, end, longest, walk))

    async def stats(self, *, busiest: int = 10) -> GraphStats:
        """How many triples and nodes there are, of what, and the busiest nodes."""
        return await self._run(self._graph.stats(self._scope, busiest))

    async def labels(self, nodes: Sequence[str]) -> Mapping[str, str]:
        """What nodes are called for people; those without a name are left out."""
        return await self._run(self._graph.labels(self._scope, list(nodes)))

    async def add(self, *triples: Triple | tuple[Any, ...]) -> int:
        """Adds triples of your own: `Triple`s, or (subject, predicate, object[, weight])."""
        taken = [one if isinstance(one, Triple) else Triple(*one) for one in triples]
        return await self._run(self._graph.add(self._scope, taken))

    async def remove(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,  # noqa: A002 - the third of the three words
    ) -> int:
        """Removes the triples with these parts; how many there were."""
        return await self._run(self._graph.remove(self._scope, subject, predicate, object))

    async def clear(self) -> int:
        """Removes every triple of this scope; how many there were. What was learned stays."""
        return await self._run(self._graph.clear(self._scope))

    async def redraw(self) -> int:
        """Draws what was learned into the graph anew."""
        return await self._run(self._graph.redraw(self._scope))

    async def text(self, format: str = "ntriples") -> str:  # noqa: A002 - what it is called
        """The whole graph as a text: ntriples, graphml or json."""
        chosen = formats.format_named(format)
        return "".join(chosen.write(await self._run(self._graph.snapshot(self._scope))))

    async def export_file(
        self,
        path: str | PathLike[str],
        format: str | None = None,  # noqa: A002 - what it is called
    ) -> int:
        """Writes the graph to a file: .nt, .graphml or .json; how many triples."""
        formats.format_named(format, Path(path))
        graph = await self._run(self._graph.snapshot(self._scope))
        formats.write_file(graph, Path(path), format)
        return len(graph.triples)

    async def import_file(
        self,
        path: str | PathLike[str],
        format: str | None = None,  # noqa: A002 - what it is called
    ) -> int:
        """Adds the graph that a file holds, all of it or nothing; how many triples."""
        graph = formats.read_file(Path(path), format)
        return await self._run(self._graph.take_in(self._scope, graph, Path(path).name))


class Graph(Driven[AsyncGraph]):
    """The same for synchronous code."""

    query = sync(AsyncGraph.query)
    neighbours = sync(AsyncGraph.neighbours)
    path = sync(AsyncGraph.path)
    stats = sync(AsyncGraph.stats)
    labels = sync(AsyncGraph.labels)
    add = sync(AsyncGraph.add)
    remove = sync(AsyncGraph.remove)
    clear = sync(AsyncGraph.clear)
    redraw = sync(AsyncGraph.redraw)
    text = sync(AsyncGraph.text)
    export_file = sync(AsyncGraph.export_file)
    import_file = sync(AsyncGraph.import_file)
