"""Walks the graph: what is near a node, and how two nodes hang together.

Step by step, all nodes of a step in one go. Of each node only so many triples are read, so that a
hub (a tool with a hundred thousand errors) costs no more than another node; and no node is
visited twice, so that a walk ends on any graph.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Row
from seasoned.graph.store import GraphStore
from seasoned.graph.valid import known

Direction = Literal["both", "out", "in"]

WAYS: dict[str, tuple[str, ...]] = {"both": ("out", "in"), "out": ("out",), "in": ("in",)}
BACK: dict[Direction, Direction] = {"both": "both", "out": "in", "in": "out"}

FIRST_LOOK = 512  # triples read of the node that a walk begins at: the strongest of these are kept
FAN_OUT = 32  # triples read of each node further on
PATH_FAN_OUT = 256
AT_ONCE = 32  # nodes that a path is looked for from, before it is asked whether that is enough


@dataclass(frozen=True, slots=True)
class Edge:
    """A triple as a walk sees it."""

    subject: str
    predicate: str
    object: str
    weight: float


@dataclass(frozen=True, slots=True)
class Near:
    """A node that was reached: in how many steps, and how strongly (the product of the weights)."""

    node: str
    steps: int
    strength: float


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What is near some nodes, the nearest and strongest first, and the edges walked to find it."""

    starts: Sequence[str]
    near: Sequence[Near]
    edges: Sequence[Edge]


@dataclass(frozen=True, slots=True)
class Walk:
    """Which edges may be taken: those of these predicates (none: of all), in this direction."""

    predicates: Sequence[str] = ()
    direction: Direction = "both"

    def __post_init__(self) -> None:
        for predicate in self.predicates:
            known(predicate)
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
    """The nodes within `depth` steps; when there are more than `most`, the strongest are kept."""
    walk = walk or Walk()
    frontier = {node: Near(node, 0, 1.0) for node in starts}
    reached = dict(frontier)
    edges: dict[Edge, None] = {}
    for step in range(1, depth + 1):
        room = most + len(set(starts)) - len(reached)
        if not frontier or room <= 0:
            break
        look = FIRST_LOOK if step == 1 else FAN_OUT
        rows = await _rows(tx, store, scope, list(frontier), walk, look)
        edges |= dict.fromkeys(Edge(*row) for row in rows)
        frontier = _strongest(_found(rows, reached, step), room)
        reached |= frontier
    kept = [edge for edge in edges if edge.subject in reached and edge.object in reached]
    near = [one for one in reached.values() if one.steps]
    return Neighbourhood(tuple(starts), near, kept)


def _found(rows: Iterable[Row], reached: Mapping[str, Near], step: int) -> dict[str, Near]:
    """The nodes at the other ends, each by the strongest way to it."""
    found: dict[str, Near] = {}
    for subject, _, object_, weight in rows:
        for here, there in ((subject, object_), (object_, subject)):
            origin = reached.get(here)
            if origin is None or origin.steps != step - 1 or there in reached:
                continue
            strength = origin.strength * weight
            if there not in found or found[there].strength < strength:
                found[there] = Near(there, step, strength)
    return found


def _strongest(found: Mapping[str, Near], most: int) -> dict[str, Near]:
    best = sorted(found.values(), key=lambda near: (-near.strength, near.node))
    return {near.node: near for near in best[:most]}


async def path(
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
    """The edges of a shortest way from one node to another, in their order; None: none was found.

    Searches from both ends, the smaller side first, and gives up beyond `longest` edges or `most`
    nodes visited.
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
    """One of the two searches for a path: how each node was come to."""

    def __init__(self, start: str, walk: Walk) -> None:
        self.walk = walk
        self.came: dict[str, tuple[str, Edge] | None] = {start: None}
        self.frontier: list[str] = [start]

    def step(self, nodes: Sequence[str], rows: Iterable[Row], other: "_Side") -> str | None:
        """Goes one step on from these nodes; where it meets the other side, if it does.

        All that was nearer has been met already, so the first meeting is on a shortest way.
        """
        border = set(nodes)
        for row in rows:
            edge = Edge(*row)
            for here, there in ((edge.subject, edge.object), (edge.object, edge.subject)):
                if here in border and there not in self.came:
                    self.came[there] = (here, edge)
                    self.frontier.append(there)
                    if there in other.came:
                        return there
        return None

    def way(self, node: str) -> list[Edge]:
        """The edges from a node back to where this side began."""
        edges: list[Edge] = []
        while (step := self.came[node]) is not None:
            node, edge = step
            edges.append(edge)
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
