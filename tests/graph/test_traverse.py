"""Graph traversal: nearest and strongest first, bounded, on any graph."""

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.db.opening import open_database
from seasoned.graph.graph_store import GraphStore
from seasoned.graph.traverse import (
    Edge,
    Neighbourhood,
    Walk,
    neighbourhood,
    shortest_path,
)
from seasoned.graph.triple import Triple

from .conftest import EVERYBODY, Bench

CHAIN = tuple((f"n{n}", "follows", f"n{n + 1}", 1.0) for n in range(8))


def near(
    graph: Bench,
    *starts: str,
    scope: Scope = EVERYBODY,
    depth: int = 1,
    most: int = 50,
    walk: Walk | None = None,
) -> Neighbourhood:
    return graph.do(
        lambda tx: neighbourhood(tx, graph.store, scope, starts, depth=depth, most=most, walk=walk)
    )


def way(
    graph: Bench,
    start: str,
    end: str,
    longest: int = 6,
    most: int = 10_000,
    walk: Walk | None = None,
) -> list[str] | None:
    edges = graph.do(
        lambda tx: shortest_path(
            tx, graph.store, EVERYBODY, start, end, longest=longest, most=most, walk=walk
        )
    )
    return None if edges is None else stations(start, edges)


def stations(start: str, edges: list[Edge]) -> list[str]:
    """Return the nodes along a path; fail if its edges do not connect."""
    nodes = [start]
    for edge in edges:
        assert nodes[-1] in (edge.subject, edge.object)
        nodes.append(edge.object if edge.subject == nodes[-1] else edge.subject)
    return nodes


def names(found: Neighbourhood) -> list[str]:
    return [one.node for one in found.near]


def test_the_neighbours_of_a_node_are_found_both_ways(graph: Bench) -> None:
    graph.add(*CHAIN)
    assert names(near(graph, "n4")) == ["n3", "n5"]
    assert names(near(graph, "n4", depth=2)) == ["n3", "n5", "n2", "n6"]
    assert {one.steps for one in near(graph, "n4", depth=2).near} == {1, 2}


def test_a_direction_and_predicates_narrow_the_walk(graph: Bench) -> None:
    graph.add(*CHAIN, ("n4", "contradicts", "x"), ("y", "contradicts", "n4"))
    assert names(near(graph, "n4", walk=Walk(("follows",), "out"), depth=2)) == ["n5", "n6"]
    assert names(near(graph, "n4", walk=Walk((), "in"))) == ["n3", "y"]
    assert names(near(graph, "n4", walk=Walk(("contradicts",)))) == ["x", "y"]
    with pytest.raises(BadInput, match="loves"):
        Walk(("loves",))


def test_the_strongest_neighbours_are_kept(graph: Bench) -> None:
    graph.add(*(("hub", "similarTo", f"n{n:02}", n / 100) for n in range(60)))
    found = near(graph, "hub", most=3)
    assert names(found) == ["n59", "n58", "n57"]
    assert {edge.object for edge in found.edges} == {"n59", "n58", "n57"}


def test_strength_is_the_product_of_the_weights_on_the_best_way(graph: Bench) -> None:
    graph.add(
        ("a", "similarTo", "b", 0.5),
        ("b", "similarTo", "d", 0.5),
        ("a", "similarTo", "c", 0.9),
        ("c", "similarTo", "d", 0.8),
    )
    strengths = {one.node: one.strength for one in near(graph, "a", depth=2).near}
    assert strengths == pytest.approx({"c": 0.9, "b": 0.5, "d": 0.72})


def test_a_hub_costs_no_more_than_its_share(graph: Bench) -> None:
    graph.add(*((f"error:{n:05}", "causedBy", "tool:bash") for n in range(3000)))
    graph.add(("error:00000", "resolvedBy", "fix:x", 0.9))
    found = near(graph, "fix:x", depth=3, most=1000)
    assert 30 <= len(found.near) < 100
    assert names(found)[:2] == ["error:00000", "tool:bash"]


def test_cycles_and_loops_end(graph: Bench) -> None:
    graph.add(
        ("a", "similarTo", "b"),
        ("b", "similarTo", "c"),
        ("c", "similarTo", "a"),
        ("a", "similarTo", "a"),
    )
    assert sorted(names(near(graph, "a", depth=9))) == ["b", "c"]
    assert way(graph, "a", "z") is None


def test_the_own_edges_of_a_scope_are_walked_beside_the_wider_ones(graph: Bench) -> None:
    web = Scope(project="web")
    graph.add(*((f"wide{n:03}", "causedBy", "tool:bash") for n in range(600)))
    graph.add(("own", "causedBy", "tool:bash", 2.0), scope=web)
    assert "own" in names(near(graph, "tool:bash", scope=web, most=1000))
    assert "own" not in names(near(graph, "tool:bash", most=1000))


def test_a_path_is_a_shortest_one(graph: Bench) -> None:
    graph.add(*CHAIN, ("n1", "relatedTo", "n6"))
    assert way(graph, "n0", "n7") == ["n0", "n1", "n6", "n7"]
    assert way(graph, "n7", "n0") == ["n7", "n6", "n1", "n0"]
    assert way(graph, "n3", "n3") == ["n3"]
    assert way(graph, "n0", "n5", walk=Walk(("follows",), "out")) == [f"n{n}" for n in range(6)]
    assert way(graph, "n5", "n0", walk=Walk(("follows",), "out")) is None


def test_a_path_is_given_up_beyond_its_bounds(graph: Bench) -> None:
    graph.add(*CHAIN)
    assert way(graph, "n0", "n5", longest=4) is None
    assert way(graph, "n0", "n5", longest=5) is not None
    assert way(graph, "n0", "n7", longest=8, most=4) is None


def test_two_nodes_at_one_hub_are_found_whatever_its_size(graph: Bench) -> None:
    graph.add(*((f"error:{n:05}", "causedBy", "tool:bash") for n in range(2000)))
    assert way(graph, "error:00003", "error:01999") == ["error:00003", "tool:bash", "error:01999"]


EDGES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(edges=EDGES, start=st.integers(0, 9), end=st.integers(0, 9))
def test_on_any_graph_distances_are_true(
    edges: list[tuple[int, int]], start: int, end: int
) -> None:
    db = open_database(":memory:")
    db.run(db.open())
    graph = Bench(db, GraphStore(db))
    graph.add(*((f"n{a}", "relatedTo", f"n{b}") for a, b in edges))
    distances = {f"n{start}": 0} | {
        one.node: one.steps for one in near(graph, f"n{start}", depth=20).near
    }
    assert distances == by_hand(edges, start)
    found = way(graph, f"n{start}", f"n{end}", longest=20)
    if f"n{end}" in distances:
        assert found is not None
        assert (found[0], found[-1]) == (f"n{start}", f"n{end}")
        assert len(found) - 1 == distances[f"n{end}"]
        for one, other in pairwise(found):
            assert short(one, other, graph.query())
    else:
        assert found is None
    db.run(db.close())


def short(one: str, other: str, triples: list[Triple]) -> bool:
    return any({triple.subject, triple.object} == {one, other} for triple in triples)


def by_hand(edges: list[tuple[int, int]], start: int) -> dict[str, int]:
    """Return the distances from a node, by relaxing every edge ten times."""
    found = {start: 0}
    for _ in range(10):
        for a, b in edges:
            for here, there in ((a, b), (b, a)):
                if here in found and found.get(there, 99) > found[here] + 1:
                    found[there] = found[here] + 1
    return {f"n{node}": steps for node, steps in found.items()}
