"""Walk the graph: find what is near a node, and the path between two nodes.

A walk goes step by step, with all nodes of a step in one query. It reads only so many triples of
each node, so that a hub (a tool with a hundred thousand errors) costs no more than others, and it
visits no node twice, so that it ends on any graph.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Row
from seasoned.graph.graph_store import GraphStore
from seasoned.graph.triple import check_predicate

Direction = Literal["both", "out", "in"]

WAYS: dict[str, tuple[str, ...]] = {"both": ("out", "in"), "out": ("out",), "in": ("in",)}
BACK: dict[Direction, Direction] = {"both": "both", "out": "in", "in": "out"}

FIRST_LOOK = 512  # triples read of the starting node; the strongest are kept
FAN_OUT = 32  # triples read of each further node
PATH_FAN_OUT = 256
AT_ONCE = 32  # nodes expanded before a path search checks its limits


@dataclass(frozen=True, slots=True)
class Edge:
    """A triple as a walk sees it."""

    subject: str
    predicate: str
    object: str
    weight: float


@dataclass(frozen=True, slots=True)
class NearNode:
    """A node within reach, its distance in steps, and its strength (the product of weights)."""

    node: str
    steps: int
    strength: float


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The nodes near some nodes, the nearest and strongest first, and the edges between them."""

    starts: Sequence[str]
    near: Sequence[NearNode]
    edges: Sequence[Edge]


@dataclass(frozen=True, slots=True)
class Walk:
    """The edges that may be taken: of these predicates (empty: all), in this direction."""

    predicates: Sequence[str] = ()
    direction: Direction = "both"

    def __post_init__(self) -> None:
        for predicate in self.predicates:
            check_predicate(predicate)
        if self.direction not in WAYS:
            raise BadInput(f"the direction is {self.direction!r}; it must be both, out or in")


async def neighbourhood(
    tx: Connection,
    store: GraphStore,
    scope: Scope,
    starts: Sequence[str],
    *,
    depth: int = 1,
    most: int = 50,
    walk: Walk | None = None,
) -> Neighbourhood:
    """Return the nodes within `depth` steps; of more than `most`, the strongest."""
    walk = walk or Walk()
    frontier = dict.fromkeys(starts, 1.0)  # nodes of the last step, with their strength
    reached = {node: NearNode(node, 0, 1.0) for node in frontier}
    begun = len(reached)
    walked: dict[Row, None] = {}
    for step in range(1, depth + 1):
        room = most + begun - len(reached)
        if not frontier or room <= 0:
            break
        look = FIRST_LOOK if step == 1 else FAN_OUT
        rows = await _rows(tx, store, scope, list(frontier), walk, look)
        walked |= dict.fromkeys(rows)
        frontier = _strongest(_found(rows, frontier, reached), room)
        reached |= {node: NearNode(node, step, strength) for node, strength in frontier.items()}
    edges = [Edge(*row) for row in walked if row[0] in reached and row[2] in reached]
    return Neighbourhood(tuple(starts), list(reached.values())[begun:], edges)


def _found(
    rows: Iterable[Row], frontier: Mapping[str, float], reached: Container[str]
) -> dict[str, float]:
    """Return the nodes at the other ends, each with the strength of the best way."""
    found: dict[str, float] = {}
    for subject, _, object_, weight in rows:
        if subject in frontier and object_ not in reached:
            found[object_] = max(found.get(object_, 0.0), frontier[subject] * weight)
        if object_ in frontier and subject not in reached:
            found[subject] = max(found.get(subject, 0.0), frontier[object_] * weight)
    return found


def _strongest(found: Mapping[str, float], most: int) -> dict[str, float]:
    best = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    return dict(best[:most])


async def shortest_path(
    tx: Connection,
    store: GraphStore,
    scope: Scope,
    start: str,
    end: str,
    *,
    longest: int = 6,
    most: int = 10_000,
    walk: Walk | None = None,
) -> list[Edge] | None:
    """Return the edges of a shortest path between two nodes, in order; None without one.

    Searches from both ends, the smaller side first, and gives up after `longest` edges or `most`
    nodes.
    """
    walk = walk or Walk()
    if start == end:
        return []
    here, there = _Side(start, walk), _Side(end, Walk(walk.predicates, BACK[walk.direction]))
    for _ in range(longest):
        side, other = (here, there) if len(here.frontier) <= len(there.frontier) else (there, here)
        border, side.frontier = side.frontier, []
        for begin in range(0, len(border), AT_ONCE):
            nodes = border[begin : begin + AT_ONCE]
            rows = await _rows(tx, store, scope, nodes, side.walk, PATH_FAN_OUT)
            if (meeting := side.step(nodes, rows, other)) is not None:
                return [*reversed(here.way(meeting)), *there.way(meeting)]
            if len(here.came) + len(there.came) > most:
                return None
    return None


class _Side:
    """One of the two searches for a path, with the way to each node."""

    def __init__(self, start: str, walk: Walk) -> None:
        self.walk = walk
        self.came: dict[str, tuple[str, Row] | None] = {start: None}
        self.frontier: list[str] = [start]

    def step(self, nodes: Sequence[str], rows: Iterable[Row], other: "_Side") -> str | None:
        """Go one step on from these nodes; return where it meets the other side, if it does.

        All nearer nodes were checked before, so the first meeting is on a shortest path.
        """
        border = set(nodes)
        for row in rows:
            subject, _, object_, _ = row
            for here, there in ((subject, object_), (object_, subject)):
                if here in border and there not in self.came:
                    self.came[there] = (here, row)
                    self.frontier.append(there)
                    if there in other.came:
                        return there
        return None

    def way(self, node: str) -> list[Edge]:
        """Return the edges from a node back to the start of this side."""
        edges: list[Edge] = []
        while (step := self.came[node]) is not None:
            node, row = step
            edges.append(Edge(*row))
        return edges


async def _rows(
    tx: Connection,
    store: GraphStore,
    scope: Scope,
    nodes: Sequence[str],
    walk: Walk,
    most: int,
) -> list[Row]:
    return await store.edges(
        tx,
        scope,
        nodes,
        predicates=tuple(walk.predicates),
        ways=WAYS[walk.direction],
        most=most,
    )
