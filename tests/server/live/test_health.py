"""Health and metrics: who learns what, the canary, and figures that stay few."""

from collections.abc import Callable
from typing import Any

import apsw
import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.server.live.scripts import calls, wait_until
from tests.server.live.serving import LiveGateway

from seasoned import Seasoned
from seasoned.app.startup import NAMES

Live = Callable[..., LiveGateway]

pytestmark = pytest.mark.sqlite_only


def flown(gateway: LiveGateway) -> dict[str, Any]:
    """Return the whole of health, once the canary has come back."""
    wait_until(lambda: gateway.get("/health").json()["canary"]["state"] != "waiting")
    return gateway.get("/health").json()


def test_a_stranger_learns_only_whether_it_works(live: Live) -> None:
    gateway = live("Hello.")
    assert gateway.get("/health", token=None).json() == {"status": "ok"}
    assert gateway.get("/health", token="wrong").json() == {"status": "ok"}
    assert gateway.get("/metrics", token=None).status_code == 401


def test_the_operator_sees_each_part(live: Live) -> None:
    gateway = live("Hello.", SEASONED_GRAPH__ENABLED="true", SEASONED_MEMORY__ENABLED="false")
    gateway.say("hi", "s1")
    health = flown(gateway)
    assert (health["status"], health["reasons"]) == ("ok", [])
    parts = health["parts"]
    assert tuple(parts) == NAMES
    assert (
        parts["graph"]["state"] == parts["gateway"]["state"] == parts["auth"]["state"] == "present"
    )
    assert parts["memory"]["state"] == "off"
    assert parts["memory"]["reason"] == "memory.enabled is false"
    assert "needs memory" in parts["librarian"]["reason"]
    assert parts["embedding"]["state"] == "off"
    assert parts["channels"]["reason"] == "no channel is set up"
    assert "telegram.token" in parts["channels"]["remedy"]
    assert health["corrections"]["colour"] == "green"
    assert health["buffers"]["graph"]["spilled"] == 0
    assert health["models"][0]["answered"] == 1
    assert health["canary"]["state"] == "present"
    assert health["database"]["where"].endswith("seasoned.db")


def test_a_part_that_fails_is_told_with_its_remedy(live: Live) -> None:
    health = flown(live("Hello.", SEASONED_NOTIFY__CHANNEL="webhook"))
    assert health["status"] == "degraded"
    parts = health["parts"]
    assert parts["callbacks"]["state"] == "failed"
    assert "notify.url" in parts["callbacks"]["reason"]
    assert parts["callbacks"]["remedy"]
    others = [one["state"] for name, one in parts.items() if name != "callbacks"]
    assert "failed" not in others


@pytest.mark.parametrize(
    ("waiting", "colour", "label"),
    [
        (19, "green", ""),
        (20, "yellow", "High — corrections pending analysis"),
        (40, "red", "Near cap"),
    ],
)
def test_the_queue_of_corrections_has_a_colour(
    live: Live, waiting: int, colour: str, label: str
) -> None:
    slow = {"SEASONED_BEHAVIORAL__DELAY_SECONDS": "120", "SEASONED_EMBEDDING__PROVIDER": "none"}
    gateway = live("Hello.", **slow)
    with Seasoned(gateway.database, environment=slow) as s:
        for number in range(waiting):
            s.correct(f"No, use the blue form number {number}.", session=f"s{number}")
        queue = gateway.get("/health").json()["corrections"]
    assert (queue["pending"], queue["colour"], queue["label"]) == (waiting, colour, label)
    assert bool(queue["remedy"]) == (colour != "green")


def test_health_is_red_while_the_canary_does_not_come_back(live: Live) -> None:
    gateway = live(
        "Hello.", SEASONED_SERVER__CANARY_MINUTES="0.001", SEASONED_DATABASE__BUSY_SECONDS="0.05"
    )
    assert flown(gateway)["status"] == "ok"
    other: Any = apsw.Connection(str(gateway.database))
    other.set_busy_timeout(30_000)
    try:
        other.execute("BEGIN IMMEDIATE")
        wait_until(lambda: gateway.get("/health").status_code == 503)
        failing = gateway.get("/health").json()
        assert failing["status"] == "failing"
        assert "locked" in failing["canary"]["reason"]
        assert gateway.get("/health", token=None).json() == {"status": "failing"}
        assert "seasoned_canary_up 0.0" in gateway.get("/metrics").text
        other.execute("ROLLBACK")
        wait_until(lambda: gateway.get("/health").status_code == 200)
    finally:
        other.close()


def test_the_canary_is_off_when_nothing_is_learned(live: Live) -> None:
    health = flown(live("Hello.", SEASONED_KNOWLEDGE__ENABLED="false"))
    assert health["canary"]["state"] == "off"
    assert health["status"] == "ok"


def figures(gateway: LiveGateway) -> dict[str, float]:
    """Return the samples of all metrics, by name and labels."""
    text = gateway.get("/metrics").text
    return {
        f"{one.name}{dict(sorted(one.labels.items())) or ''}": one.value
        for family in text_string_to_metric_families(text)
        for one in family.samples
    }


def test_metrics_count_what_happens(live: Live) -> None:
    def book(day: str) -> str:
        """Book a day."""
        if not day.startswith("2027-"):
            raise ValueError("day must be YYYY-MM-DD, e.g. 2027-01-31")
        return "booked"

    gateway = live(
        *(calls("book", day="30 May 2027"), calls("book", day="2027-05-30"), "Done."),
        *(calls("book", day="1 June 2027"), calls("book", day="2027-06-01"), "Done."),
        "Gut.",
        tools=[book],
    )
    gateway.say("Book 30 May.", "s1")
    gateway.say("Book 1 June.", "s2")
    gateway.say("No. Always answer in German.", "s2")
    with gateway.socket() as ws:
        ws.ask("pong", type="ping")
        found = figures(gateway)
    expected = {
        "seasoned_requests_total{'method': 'POST', 'route': '/v1/chat', 'status': '200'}": 3,
        "seasoned_request_seconds_count{'method': 'POST', 'route': '/v1/chat'}": 3,
        "seasoned_tool_results_total{'outcome': 'failed'}": 2,
        "seasoned_tool_results_total{'outcome': 'succeeded'}": 2,
        "seasoned_tool_failures_total{'nature': 'misuse'}": 2,
        "seasoned_hints_total": 1,
        "seasoned_lessons_learned_total{'kind': 'fix'}": 1,
        "seasoned_lessons_learned_total{'kind': 'rule'}": 1,
        "seasoned_corrections_total{'kind': 'instruction'}": 1,
        "seasoned_websockets_open": 1,
        "seasoned_turns_total": 3,
        "seasoned_turns_running": 0,
        "seasoned_queue_depth{'state': 'pending'}": 1,
        "seasoned_canary_up": 1,
        "seasoned_worker_errors_total{'worker': 'embedding'}": 0,
        "seasoned_model_calls_today{'purpose': 'agent'}": 7,
    }
    assert {name: found.get(name) for name in expected} == expected


def test_paths_and_methods_of_strangers_make_no_new_figures(live: Live) -> None:
    gateway = live("Hello.")
    gateway.get("/nothing/0")
    gateway.call("BREW0", "/nothing/0")
    gateway.get("/v1/chat/name-0")
    before = set(figures(gateway)) | set(figures(gateway))
    for number in range(1, 20):
        gateway.get(f"/nothing/{number}")
        gateway.call(f"BREW{number}", f"/{number}")
        gateway.get(f"/v1/chat/name-{number}")
    assert set(figures(gateway)) == before
