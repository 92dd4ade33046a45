"""The knowledge graph: query it, walk it, add to it, remove from it."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from seasoned.core.errors import NotFound
from seasoned.graph.graph_store import GraphStats
from seasoned.graph.traverse import Direction, Edge, Neighbourhood
from seasoned.graph.triple import Predicate, Triple
from seasoned.server.rest.paging import After, Cursor, Limit, Page
from seasoned.server.rest.resource import CallersSeasoned, Resource
from seasoned.server.rest.views import Body, Count, Time, View

resource = Resource("graph")
CURSOR = Cursor("triples", (str, str, str))
OLDEST_COUNT = 60.0  # seconds
Node = Annotated[str, Query(min_length=1, max_length=512)]
Part = Annotated[str | None, Query(max_length=512)]
Predicates = Annotated[list[Predicate], Query(description="Edges to follow; none: all.")]
NodeName = Annotated[str, Field(min_length=1, max_length=512)]


class TripleView(View):
    """Subject, predicate, object, and how strongly it holds."""

    subject: str
    predicate: str
    object: str
    weight: float
    source: str
    at: Time


class TriplePage(Page[TripleView]):
    """Some triples: the project's own first, then wider ones."""


@resource.operation("GET", "/graph/triples", "read", TriplePage)
async def list_triples(
    s: CallersSeasoned,
    subject: Part = None,
    predicate: Predicate | None = None,
    object: Part = None,  # noqa: A002 - subject, predicate, object
    limit: Limit = 50,
    cursor: After = None,
) -> Mapping[str, Any]:
    """List triples that match; an omitted part matches anything."""
    rows = await s.graph.query(
        subject, predicate, object, limit=limit + 1, after=CURSOR.read(cursor)
    )
    return CURSOR.page(rows, limit, lambda one: (one.subject, one.predicate, one.object))


class NewTriple(Body):
    """A triple to add."""

    subject: NodeName
    predicate: Predicate
    object: NodeName
    weight: Annotated[float, Field(ge=0, le=1e300)] = 1.0
    source: Annotated[str, Field(max_length=500)] = ""


class NewTriples(Body):
    """Triples to add, all or none."""

    triples: Annotated[list[NewTriple], Field(min_length=1, max_length=10_000)]


@resource.operation("POST", "/graph/triples", "operate", Count, status=201)
async def add_triples(s: CallersSeasoned, body: NewTriples) -> Mapping[str, int]:
    """Add triples to the project's graph."""
    triples = [
        Triple(one.subject, one.predicate, one.object, one.weight, one.source)
        for one in body.triples
    ]
    return {"count": await s.graph.add(*triples)}


@resource.operation("DELETE", "/graph/triples", "operate", Count)
async def remove_triples(
    s: CallersSeasoned,
    subject: Part = None,
    predicate: Predicate | None = None,
    object: Part = None,  # noqa: A002 - subject, predicate, object
) -> Mapping[str, int]:
    """Remove the project's triples that match; at least one part must be named."""
    return {"count": await s.graph.remove(subject, predicate, object)}


class NearNodeView(View):
    """A node, its distance in steps, and how strong the way to it is."""

    node: str
    steps: int
    strength: float
    label: str | None = None


Labels = Annotated[
    dict[str, str],
    Field(description="Readable names of nodes: an error's pattern, the words of a fix."),
]


class EdgeView(View):
    """A triple as a walk sees it."""

    subject: str
    predicate: str
    object: str
    weight: float


class NeighbourhoodView(View):
    """The nodes near a node, nearest and strongest first, and the edges between them."""

    starts: list[str]
    near: list[NearNodeView]
    edges: list[EdgeView]
    labels: Labels


@resource.operation("GET", "/graph/neighbours", "read", NeighbourhoodView, errors=[404])
async def get_neighbours(
    s: CallersSeasoned,
    node: Node,
    depth: Annotated[int, Query(ge=1, le=10)] = 1,
    most: Annotated[int, Query(ge=1, le=1000)] = 50,
    predicates: Predicates = [],  # noqa: B006 - FastAPI copies it
    direction: Direction = "both",
) -> Mapping[str, Any]:
    """Return what is near a node, or near a lesson by its id."""
    found: Neighbourhood = await s.graph.neighbours(
        node, depth=depth, most=most, predicates=predicates, direction=direction
    )
    labels = await _labels(s, found.edges, [*found.starts, *(one.node for one in found.near)])
    near = [
        {
            "node": one.node,
            "steps": one.steps,
            "strength": one.strength,
            "label": labels.get(one.node),
        }
        for one in found.near
    ]
    return {"starts": found.starts, "near": near, "edges": found.edges, "labels": labels}


async def _labels(
    s: CallersSeasoned, edges: Sequence[Edge], others: Sequence[str] = ()
) -> Mapping[str, str]:
    ends = [end for edge in edges for end in (edge.subject, edge.object)]
    return await s.graph.labels(list(dict.fromkeys([*others, *ends])))


class PathView(View):
    """The edges of a shortest path, in order."""

    edges: list[EdgeView]
    labels: Labels


@resource.operation("GET", "/graph/path", "read", PathView, errors=[404])
async def get_path(
    s: CallersSeasoned,
    start: Node,
    end: Node,
    longest: Annotated[int, Query(ge=1, le=10)] = 6,
    predicates: Predicates = [],  # noqa: B006 - FastAPI copies it
    direction: Direction = "both",
) -> Mapping[str, Any]:
    """Return a shortest path between two nodes; 404 if there is none."""
    edges = await s.graph.path(
        start, end, longest=longest, predicates=predicates, direction=direction
    )
    if edges is None:
        raise NotFound(f"there is no path of at most {longest} edges from {start!r} to {end!r}")
    return {"edges": edges, "labels": await _labels(s, edges)}


class BusyNode(View):
    """A node, and how many triples name it."""

    node: str
    triples: int
    label: str | None


class GraphStatsView(View):
    """The size of the graph when it was counted; that of a large one may be a minute old."""

    triples: int
    nodes: int
    predicates: dict[str, int]
    busiest: list[BusyNode]
    counted_at: Time


@resource.operation("GET", "/graph/stats", "read", GraphStatsView)
async def get_graph_stats(
    s: CallersSeasoned, busiest: Annotated[int, Query(ge=0, le=100)] = 10
) -> Mapping[str, Any]:
    """Count triples and nodes, and find the busiest nodes."""
    stats: GraphStats = await s.graph.stats(busiest=busiest, oldest=OLDEST_COUNT)
    labels = await s.graph.labels([node for node, _ in stats.busiest])
    nodes: Sequence[Mapping[str, Any]] = [
        {"node": node, "triples": many, "label": labels.get(node)} for node, many in stats.busiest
    ]
    return {
        "triples": stats.triples,
        "nodes": stats.nodes,
        "predicates": stats.predicates,
        "busiest": nodes,
        "counted_at": stats.at,
    }
