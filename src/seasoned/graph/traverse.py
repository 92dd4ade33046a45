"""Walks the graph: what is near a node, and how two nodes hang together.

Step by step, all nodes of a step in one go. Of each node only so many triples are read, so that a
hub (a tool with a hundred thousand errors) costs no more than another node; and no node is
visited twice, so that a walk ends on any graph.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
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
    frontier = dict.fromkeys(starts, 1.0)  # nodes of the last step, and how strongly each hangs on
    reached = {node: Near(node, 0, 1.0) for node in frontier}
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
        reached |= {node: Near(node, step, strength) for node, strength in frontier.items()}
    edges = [Edge(*row) for row in walked if row[0] in reached and row[2] in reached]
    return Neighbourhood(tuple(starts), list(reached.values())[begun:], edges)


def _found(
    rows: Iterable[Row], frontier: Mapping[str, float], reached: Container[str]
) -> dict[str, float]:
    """The nodes at the other ends, each by the strongest way to it."""
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
        self.came: dict[str, tuple[str, Row] | None] = {start: None}
        self.frontier: list[str] = [start]

    def step(self, nodes: Sequence[str], rows: Iterable[Row], other: "_Side") -> str | None:
        """Goes one step on from these nodes; where it meets the other side, if it does.

        All that was nearer has been met already, so the first meeting is on a shortest way.
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
        """The edges from a node back to where this side began."""
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
