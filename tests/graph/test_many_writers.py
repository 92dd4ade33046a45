"""Many writers learn and draw at once: the graph matches what was learned."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from seasoned import Seasoned

ON = {
    "SEASONED_GRAPH__ENABLED": "true",
    "SEASONED_EMBEDDING__PROVIDER": "none",
    "SEASONED_BUFFER__FLUSH_SECONDS": "0.01",
    "SEASONED_DATABASE__BUSY_SECONDS": "30",
}
NAMES = ("shop", "blog", "wiki", "kiosk", "forum", "desk")
ERRORS = ("no region given for {}", "upstream closed the feed", "upstream closed the line")


def live(s: Seasoned, who: int) -> None:
    """Let errors merge, and fixes be credited, debited and propagated."""
    for number in range(12):
        error = ERRORS[number % len(ERRORS)].format(NAMES[(who + number) % len(NAMES)])
        session, params = f"w{who}-{number}", {"site": f"{who} {number}"}
        s.observe("deploy", params, error=error, session=session)
        if number % 4 == 3:
            s.observe("deploy", params, error=error, session=session)
        s.observe("deploy", params | {"region": "eu"}, "ok", session=session)


def test_the_graph_matches_the_lessons_whichever_process_drew_it(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    several = [opened(database_url, environment=ON) for _ in range(4)]
    with ThreadPoolExecutor(len(several)) as pool:
        for done in [pool.submit(live, s, who) for who, s in enumerate(several)]:
            done.result(100)
    (s, *_) = several
    assert eventually(lambda: bool(s.graph.stats()) and s.status()["graph"]["waiting"] == 0)
    stats = s.graph.stats(busiest=1000)
    errors = {f"error:{one.tool}:{one.id}" for one in s.errors(limit=1000)}
    fixes = {f"fix:{one.id}": one for one in s.lessons(kind="fix", limit=1000)}
    nodes = {node for node, _ in stats.busiest}
    assert {node for node in nodes if node.startswith("error:")} == errors
    assert {node for node in nodes if node.startswith("fix:")} <= fixes.keys()
    met = {one.object for one in s.graph.query(predicate="inSession", limit=1000)}
    assert met == {f"session:w{who}-{number}" for who in range(4) for number in range(12)}
    for one in s.graph.query(predicate="resolvedBy", limit=1000):
        assert fixes[one.object].confidence == one.weight
        assert fixes[one.object].fix is not None
        assert one.subject.endswith(fixes[one.object].fix.error_id)  # type: ignore[union-attr]
    assert s.verify_audit().intact


def eventually(true: Callable[[], bool], seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.02)
    return true()
