"""The graph writer: draws what was learned, and leaves no dangling edge."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from seasoned import AsyncSeasoned, Seasoned
from seasoned.core.clock import FixedClock
from seasoned.core.errors import DatabaseUnavailable
from seasoned.graph.triple import Triple

ON = {"SEASONED_GRAPH__ENABLED": "true", "SEASONED_EMBEDDING__PROVIDER": "none"}
SLOW = ON | {"SEASONED_BUFFER__FLUSH_SECONDS": "60"}
DOCKER = "bash: docker: command not found"


@pytest.fixture
def s(database_url: str, opened: Callable[..., Seasoned], clock: FixedClock) -> Seasoned:
    return opened(database_url, clock=clock, environment=SLOW, session="s0")


def episode(s: Seasoned, session: str, before: str = "docker", after: str = "podman") -> None:
    call = {"command": f"{before} run alpine"}
    s.observe("shell", call, error=f"bash: {before}: command not found", session=session)
    s.observe("shell", {"command": f"{after} run alpine"}, "ok", session=session)


def edges(s: Seasoned, **parts: Any) -> set[tuple[str, str, str]]:
    found = s.graph.query(**parts, limit=1000)
    return {(one.subject, one.predicate, one.object) for one in found}


def nodes(s: Seasoned) -> set[str]:
    return {end for one in edges(s) for end in (one[0], one[2])}


def labelled(s: Seasoned) -> list[Any]:
    return rows(s, "SELECT id FROM nodes")


def rows(s: Seasoned, sql: str) -> list[Any]:
    async def read() -> list[Any]:
        async with s.inner.app.db.read() as tx:
            return await tx.fetch(sql)

    return s.inner.app.db.run(read())


def test_an_episode_is_drawn_with_its_tool_sessions_and_fix(s: Seasoned) -> None:
    episode(s, "monday")
    episode(s, "tuesday")
    (error,), (fix,) = s.errors(), s.lessons(kind="fix")
    node = f"error:shell:{error.id}"
    assert edges(s) == {
        (node, "causedBy", "tool:shell"),
        (node, "inSession", "session:monday"),
        (node, "inSession", "session:tuesday"),
        (node, "resolvedBy", f"fix:{fix.id}"),
        (f"fix:{fix.id}", "learnedFrom", "session:monday"),
        (f"fix:{fix.id}", "learnedFrom", "session:tuesday"),
    }
    (resolved,) = s.graph.query(predicate="resolvedBy")
    assert (resolved.weight, resolved.source) == (fix.confidence, "engine")
    assert s.graph.labels([node, f"fix:{fix.id}", "tool:shell"]) == {
        node: error.template,
        f"fix:{fix.id}": fix.content,
    }


def test_every_session_is_drawn_however_often_the_error_came(s: Seasoned) -> None:
    for number in range(40):
        s.observe("fetch", {"n": number}, error="out of paper", session=f"s{number}")
    assert len(s.graph.query(predicate="inSession", limit=100)) == 40


def test_similar_errors_are_linked_with_their_likeness(s: Seasoned) -> None:
    for what in ("price feed", "stock list"):
        s.observe("fetch", {}, error=f"upstream closed the connection while sending the {what}")
    links = s.graph.query(predicate="similarTo")
    assert len(links) == 2
    assert all(0.6 <= one.weight < 1 for one in links)


def test_a_change_of_confidence_changes_the_edge(s: Seasoned, clock: FixedClock) -> None:
    weights: list[float] = []
    for number in range(4):
        episode(s, f"s{number}")
        clock.advance(seconds=1)
        weights += [one.weight for one in s.graph.query(predicate="resolvedBy")]
    assert weights == sorted(weights)
    assert len(set(weights)) == 4


def test_a_forgotten_fix_loses_its_edge_and_an_erased_one_every_word(s: Seasoned) -> None:
    episode(s, "s1")
    (fix,) = s.lessons(kind="fix")
    assert (f"error:shell:{s.errors()[0].id}", "resolvedBy", f"fix:{fix.id}") in edges(s)
    s.forget(fix.id)
    assert not any("fix:" in node for node in nodes(s))
    assert not any("fix:" in row[0] for row in labelled(s))
    told = s.teach("the grumbling vault", fix="say swordfish", tool="vault")
    assert f"fix:{told.id}" in nodes(s)
    s.forget(told.id, erase=True)
    assert "swordfish" not in str(rows(s, "SELECT * FROM nodes"))
    assert "grumbling" not in str(rows(s, "SELECT * FROM nodes"))
    assert not any("vault" in node for node in nodes(s))


def test_erasing_takes_the_words_from_the_graph_though_it_is_off_by_now(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    on = opened(database_url, environment=ON)
    told = on.teach("the grumbling vault", fix="say swordfish", tool="vault")
    assert f"fix:{told.id}" in nodes(on)
    off = opened(database_url)
    off.forget(told.id, erase=True)
    assert off.graph.query() == []
    assert rows(off, "SELECT * FROM nodes") == []


def test_a_fix_that_is_taken_back_leaves_no_edge(s: Seasoned) -> None:
    call = {"command": "git push origin main"}
    s.observe("shell", call, error="failed to push some refs", session="s1")
    s.observe("shell", {"command": "git push --dry-run origin main"}, "ok", session="s1")
    assert any(one[1] == "resolvedBy" for one in edges(s))
    s.observe("shell", call, "ok", session="s1")  # unchanged: the change was no fix
    (fix,) = s.lessons(kind="fix")
    assert {one[2] for one in edges(s, predicate="resolvedBy")} == {f"fix:{fix.id}"}
    assert {row[0] for row in labelled(s)} <= nodes(s)


def test_errors_that_become_one_are_one_node_with_all_that_was_said_of_both(s: Seasoned) -> None:
    names = ("shop", "blog", "wiki", "kiosk", "forum")
    for name in names:
        params = {"site": name}
        s.observe("deploy", params, error=f"no region given for {name}", session=name)
        s.observe("deploy", params | {"region": "eu"}, "ok", session=name)
        s.graph.add((f"error:deploy:{s.errors()[0].id}", "relatedTo", f"note:{name}"))
        no_dangling(s)
    (error,) = s.errors()
    node = f"error:deploy:{error.id}"
    assert {one for one in nodes(s) if one.startswith("error:")} == {node}
    assert edges(s, subject=node, predicate="inSession") == {
        (node, "inSession", f"session:{name}") for name in names
    }
    assert s.graph.labels([node]) == {node: error.template}
    assert (node, "relatedTo", "note:shop") in edges(s)


def no_dangling(s: Seasoned) -> None:
    errors = {f"error:{one.tool}:{one.id}" for one in s.errors(limit=1000)}
    fixes = {f"fix:{one.id}" for one in s.lessons(kind="fix", limit=1000)}
    there = {node for node in nodes(s) if node.startswith(("error:", "fix:"))}
    assert there <= errors | fixes
    assert {row[0] for row in labelled(s)} <= nodes(s)


def test_what_superseded_what_is_drawn_and_taken_back(s: Seasoned) -> None:
    first = s.teach("disk full", fix="Delete the cache.", tool="shell")
    second = s.teach("disk full", fix="Ask for a bigger disk.", tool="shell")
    assert edges(s, predicate="supersedes") == {
        (f"fix:{second.id}", "supersedes", f"fix:{first.id}")
    }
    assert {one[2] for one in edges(s, predicate="resolvedBy")} == {f"fix:{second.id}"}
    s.teach("disk full", fix="Delete the cache.", tool="shell")
    assert edges(s, predicate="supersedes") == {
        (f"fix:{first.id}", "supersedes", f"fix:{second.id}")
    }


def test_a_private_lesson_is_not_shown_to_its_project(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    ana = opened(database_url, user="ana", environment=ON)
    bob = opened(database_url, user="bob", environment=ON)
    ana.teach("the pin of my locker is refused", fix="It is 4711.", tool="locker")
    assert bob.graph.query() == []
    assert rows(bob, "SELECT * FROM nodes") == []


def test_scopes_are_drawn_apart(database_url: str, opened: Callable[..., Seasoned]) -> None:
    web = opened(database_url, project="web", environment=ON)
    data = opened(database_url, project="data", environment=ON)
    wide = opened(database_url, environment=ON)
    episode(web, "w")
    wide.teach("disk full", fix="Delete the cache.", tool="shell")
    assert "session:w" in nodes(web)
    assert "session:w" not in nodes(data) | nodes(wide)
    for s in (web, data, wide):
        assert any(one[1] == "resolvedBy" and "shell" in one[0] for one in edges(s))


def test_odd_names_of_tools_and_sessions_are_drawn_too(s: Seasoned) -> None:
    odd = "line\nbreak\x1b % ünï " + "长" * 150
    s.observe(odd, {}, error="out of paper", session=odd)
    s.observe(odd, {"x": 1}, "ok", session=odd)
    assert {one[1] for one in edges(s)} >= {"causedBy", "inSession"}
    assert s.status()["graph"]["last_error"] == ""


def test_a_graph_that_is_switched_on_later_catches_up(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    off = opened(database_url)
    episode(off, "s1")
    off.forget(off.lessons(kind="fix")[0].id)
    episode(off, "s2", "yum", "dnf")
    assert off.graph.query() == []
    assert off.status()["graph"] | {"triples": 0, "waiting": 0} == off.status()["graph"]
    on = opened(database_url, environment=ON | {"SEASONED_BUFFER__FLUSH_SECONDS": "0.01"})
    assert eventually(lambda: len(rows(on, "SELECT 1 FROM triples")) >= 5)
    assert on.status()["graph"]["waiting"] == 0
    no_dangling(on)


def test_the_worker_draws_by_itself_and_says_what_it_did(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    s = opened(database_url, environment=ON | {"SEASONED_BUFFER__FLUSH_SECONDS": "0.01"})
    episode(s, "s1")
    assert eventually(lambda: s.status()["graph"]["processed"] >= 3)
    assert len(rows(s, "SELECT 1 FROM triples")) == 4
    told = s.status()["graph"]
    assert (told["enabled"], told["waiting"], told["failed"], told["last_error"]) == (
        *(True, 0, 0, ""),
    )
    assert told["enqueued"] >= 2


def test_closing_draws_pending_work(database_url: str, opened: Callable[..., Seasoned]) -> None:
    with opened(database_url, environment=SLOW) as s:
        episode(s, "s1")
    look = opened(database_url)
    assert len(look.graph.query()) == 4


def test_a_worker_that_fails_says_so_and_loses_nothing(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    s = opened(database_url, environment=ON | {"SEASONED_BUFFER__FLUSH_SECONDS": "0.01"})

    async def broken(away: str, back: str) -> None:
        async with s.inner.app.db.write() as tx:
            await tx.execute(f"ALTER TABLE {away} RENAME TO {back}")

    s.inner.app.db.run(broken("nodes", "elsewhere"))
    episode(s, "s1")
    assert eventually(lambda: "nodes" in s.status()["graph"]["last_error"])
    assert s.status()["graph"]["waiting"] == 3
    assert s.observe("shell", {"command": "docker ps"}, error=DOCKER, session="s2") is None
    s.inner.app.db.run(broken("elsewhere", "nodes"))
    assert eventually(lambda: s.status()["graph"]["waiting"] == 0)
    assert len(s.graph.query()) == 5


def test_nothing_runs_while_the_graph_is_off(seasoned: Seasoned) -> None:
    episode(seasoned, "s1")
    assert "graph" not in seasoned.inner.app.workers.buffers
    assert rows(seasoned, "SELECT 1 FROM triples") == []
    assert "enqueued" not in seasoned.status()["graph"]


def test_what_is_cleared_stays_cleared_until_it_is_drawn_anew(s: Seasoned) -> None:
    episode(s, "s1")
    before = edges(s)
    s.graph.add(("note:1", "reflectsOn", "tool:shell"))
    assert s.graph.clear() == len(before) + 1
    assert edges(s) == set()
    assert s.graph.redraw() == 3
    assert edges(s) == before
    assert s.verify_audit().intact


def test_the_async_face_is_the_same(database_url: str, clock: FixedClock) -> None:
    async def story() -> None:
        async with AsyncSeasoned(database_url, environment=ON, clock=clock) as s:
            await s.graph.add(("a", "relatedTo", "b", 0.5))
            assert await s.graph.query("a") == [Triple("a", "relatedTo", "b", 0.5, "", clock.now())]
            assert [one.node for one in (await s.graph.neighbours("b")).near] == ["a"]
            for session in ("s1", "s2"):
                await s.observe("scan", {}, error="out of paper", session=session)
                await s.observe("scan", {"refill": True}, "ok", session=session)
            fix = (await s.lessons())[0]
            near = (await s.graph.neighbours(fix.id[:6])).near
            assert {one.node for one in near} >= {"session:s1", "session:s2"}
        with pytest.raises(DatabaseUnavailable):
            await s.graph.stats()

    asyncio.run(story())


def eventually(true: Callable[[], bool], seconds: float = 8.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.01)
    return true()
