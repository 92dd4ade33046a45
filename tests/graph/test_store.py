"""The triple store: lookup by any part, through an index, within a scope."""

from itertools import product
from typing import Any

import pytest

from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.graph.graph_store import ORDERS
from seasoned.graph.triple import PREDICATES, Triple

from .conftest import EVERYBODY, Bench

FAMILY = (
    ("error:a", "causedBy", "tool:bash", 1.0),
    ("error:b", "causedBy", "tool:bash", 1.0),
    ("error:a", "similarTo", "error:b", 0.8),
    ("error:a", "resolvedBy", "fix:x", 0.75),
    ("error:b", "resolvedBy", "fix:y", 0.6),
)


def short(triples: list[Triple]) -> set[tuple[str, str, str]]:
    return {(one.subject, one.predicate, one.object) for one in triples}


@pytest.mark.parametrize("given", list(product((True, False), repeat=3)))
def test_any_part_finds_what_a_look_through_all_would_find(
    graph: Bench, given: tuple[bool, bool, bool]
) -> None:
    graph.add(*FAMILY)
    for one in FAMILY:
        names = ("subject", "predicate", "object")
        parts: dict[str, Any] = {n: v for n, v, use in zip(names, one, given, strict=False) if use}
        wanted = {
            (s, p, o)
            for s, p, o, _ in FAMILY
            if all({"subject": s, "predicate": p, "object": o}[n] == v for n, v in parts.items())
        }
        assert short(graph.query(**parts)) == wanted


def test_the_newer_of_two_equal_triples_wins(graph: Bench) -> None:
    graph.add(("a", "relatedTo", "b", 0.5, "old", 10))
    graph.add(("a", "relatedTo", "b", 0.9, "new", 20))
    graph.add(("a", "relatedTo", "b", 0.1, "older", 5))
    assert graph.query() == [Triple("a", "relatedTo", "b", 0.9, "new", 20)]


def test_an_unknown_predicate_is_refused_with_those_there_are(graph: Bench) -> None:
    for act in (
        lambda: graph.add(("a", "loves", "b")),
        lambda: graph.query(predicate="loves"),
    ):
        with pytest.raises(BadInput, match="loves") as refused:
            act()
        assert all(predicate in str(refused.value) for predicate in PREDICATES)


@pytest.mark.parametrize(
    "triple",
    [
        ("", "relatedTo", "b"),
        ("a", "relatedTo", "b\nc"),
        ("a" * 600, "relatedTo", "b"),
        ("a", "relatedTo", "b", float("nan")),
        ("a", "relatedTo", "b", float("inf")),
        ("a", "relatedTo", "b", -1.0),
        ("a", "relatedTo", "b", 1.0, "", -5),
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_of_it_stays(
    graph: Bench, triple: tuple[Any, ...]
) -> None:
    with pytest.raises(BadInput):
        graph.add(("good", "relatedTo", "one"), triple)
    assert graph.query() == []


def test_a_caller_sees_its_own_and_the_wider_ones(graph: Bench) -> None:
    acme, web = Scope("acme"), Scope("acme", "web")
    graph.add(("everybody", "contains", "x", 0.1))
    graph.add(("acme", "contains", "x"), ("everybody", "contains", "x", 0.2), scope=acme)
    graph.add(("web", "contains", "x"), ("everybody", "contains", "x", 0.3), scope=web)
    graph.add(("other", "contains", "x"), scope=Scope("other"))
    seen = {
        scope: {one.subject: one.weight for one in graph.query(scope=scope)}
        for scope in (EVERYBODY, acme, web)
    }
    assert seen == {
        EVERYBODY: {"everybody": 0.1},
        acme: {"acme": 1.0, "everybody": 0.2},
        web: {"web": 1.0, "acme": 1.0, "everybody": 0.3},
    }
    assert graph.do(lambda tx: graph.store.count(tx, Scope("third"))) == 1


def test_clearing_takes_only_the_very_scope(graph: Bench) -> None:
    graph.add(("a", "contains", "x"))
    graph.add(("b", "contains", "x"), scope=Scope(project="web"))
    assert graph.do(lambda tx: graph.store.clear(tx, Scope(project="web"))) == 1
    assert short(graph.query(Scope(project="web"))) == {("a", "contains", "x")}


def test_removing_takes_what_fits_and_nothing_else(graph: Bench) -> None:
    graph.add(*FAMILY)
    gone = graph.do(lambda tx: graph.store.remove(tx, EVERYBODY, predicate="causedBy"))
    assert gone == 2
    assert len(graph.query()) == 3
    assert graph.do(lambda tx: graph.store.remove(tx, EVERYBODY, source="nobody")) == 0


def test_a_node_that_is_dropped_leaves_no_trace(graph: Bench) -> None:
    graph.add(*FAMILY)
    graph.do(lambda tx: graph.store.name(tx, EVERYBODY, {"error:b": "disk full"}))
    graph.do(lambda tx: graph.store.drop(tx, EVERYBODY, "error:b"))
    assert not [one for one in graph.query() if "error:b" in (one.subject, one.object)]
    assert graph.do(lambda tx: graph.store.labels(tx, EVERYBODY, ["error:b"])) == {}


def test_nodes_that_become_one_keep_what_was_said_of_both(graph: Bench) -> None:
    graph.add(*FAMILY, ("note:1", "reflectsOn", "error:b"))
    graph.do(lambda tx: graph.store.merge(tx, EVERYBODY, "error:b", "error:a"))
    assert short(graph.query()) == {
        ("error:a", "causedBy", "tool:bash"),
        ("error:a", "resolvedBy", "fix:x"),
        ("error:a", "resolvedBy", "fix:y"),
        ("note:1", "reflectsOn", "error:a"),
    }


def test_labels_fold_onto_one_line_and_the_own_one_counts(graph: Bench) -> None:
    web = Scope(project="web")
    graph.do(lambda tx: graph.store.name(tx, EVERYBODY, {"a": "two\n lines", "b": "x" * 999}))
    graph.do(lambda tx: graph.store.name(tx, web, {"a": "ours"}))
    labels = graph.do(lambda tx: graph.store.labels(tx, EVERYBODY, ["a", "b", "c"]))
    assert labels["a"] == "two lines"
    assert len(labels["b"]) == 200
    assert "c" not in labels
    assert graph.do(lambda tx: graph.store.labels(tx, web, ["a"])) == {"a": "ours"}


def test_statistics_count_every_end(graph: Bench) -> None:
    graph.add(*FAMILY)
    stats = graph.do(lambda tx: graph.store.stats(tx, EVERYBODY, 2))
    assert (stats.triples, stats.nodes) == (5, 5)
    assert stats.predicates == {"causedBy": 2, "resolvedBy": 2, "similarTo": 1}
    assert list(stats.busiest) == [("error:a", 3), ("error:b", 3)]


def test_pages_go_through_all_of_a_scope_in_order(graph: Bench) -> None:
    graph.add(*((f"n{n:03}", "contains", f"m{n % 7}") for n in range(50)))
    after, seen = ("", "", ""), list[Triple]()
    while page := graph.do(lambda tx, after=after: graph.store.page(tx, ("", ""), after, 7)):
        seen += page
        after = (page[-1].subject, page[-1].predicate, page[-1].object)
    assert [one.subject for one in seen] == [f"n{n:03}" for n in range(50)]


INDEXES = ("triples_pkey", "triples_pos", "triples_osp")


@pytest.mark.parametrize(("given", "order"), list(ORDERS.items()))
def test_every_question_is_answered_through_its_index(
    graph: Bench, given: tuple[bool, bool, bool], order: Any
) -> None:
    graph.add(*FAMILY)
    names = ("subject", "predicate", "object")
    parts = {n: v for n, v, use in zip(names, FAMILY[0], given, strict=False) if use}
    plan = plan_of(graph, parts)
    if graph.db.dialect == "postgres":  # the planner picks one of the three
        assert any(f"Index Scan using {index}" in plan for index in INDEXES), plan
    else:
        assert (order.index or "PRIMARY KEY") in plan, plan
    for name in parts:
        assert f"{name}=?" in plan or f"{name} = " in plan, plan
    assert "TEMP B-TREE" not in plan, plan


def plan_of(graph: Bench, parts: dict[str, Any]) -> str:
    """Return the database's plan for the query with these parts."""
    told: list[str] = []

    class Watched:
        """A connection that records the plan of each query."""

        def __init__(self, tx: Any) -> None:
            self.tx = tx

        async def fetch(self, sql: str, params: Any = ()) -> Any:
            how = "EXPLAIN QUERY PLAN " if graph.db.dialect == "sqlite" else "EXPLAIN "
            told.extend(str(row) for row in await self.tx.fetch(how + sql, params))
            return await self.tx.fetch(sql, params)

    async def asked(tx: Any) -> object:
        if graph.db.dialect == "postgres":  # with five rows it prefers a sequential scan
            await tx.execute("SET LOCAL enable_seqscan = off")
            await tx.execute("SET LOCAL enable_bitmapscan = off")
        watched: Any = Watched(tx)
        return await graph.store.query(watched, EVERYBODY, **parts)

    graph.do(asked)
    return "\n".join(told)
