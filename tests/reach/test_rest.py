"""The story over REST: an agent in any language reports its calls and turns, and learns."""

import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from tests.reach.story import (
    CORRECTION,
    DESCRIPTION,
    ERROR,
    HINT,
    LATER_REQUEST,
    LATER_RIGHT,
    LATER_WRONG,
    NOTE,
    REPLY,
    REQUEST,
    RIGHT,
    RULE,
    TOOL,
    WRONG,
    book_table,
)
from tests.server.serving import Gateway


class RestAgent:
    """An agent that knows nothing but the routes."""

    def __init__(self, gateway: Gateway, session: str) -> None:
        self._gateway = gateway
        self._session = session

    def post(self, path: str, **body: Any) -> Any:
        sent = self._gateway.post(
            f"/v1/{path}", body, project="inn", user="ana", session=self._session
        )
        assert sent.is_success, sent.text
        return sent.json()

    def call(self, params: dict[str, Any]) -> Any:
        """Call the tool and report the outcome; return the hint."""
        try:
            outcome: dict[str, Any] = {"result": book_table(**params)}
        except ValueError as failure:
            outcome = {"error": str(failure)}
        return self.post("observe", tool=TOOL, params=params, **outcome)["hint"]


@pytest.fixture
def gateway(tmp_path: Path) -> Generator[Gateway]:
    there = Gateway(tmp_path / "home", SEASONED_BEHAVIORAL__INTERVAL_SECONDS="0.1")
    yield there
    there.end()


def test_what_session_one_learned_holds_in_session_two(gateway: Gateway) -> None:
    first = RestAgent(gateway, "one")
    first.post("recall", query=REQUEST)
    assert first.call(WRONG) is None
    assert first.call(RIGHT) is None
    first.post("turn", user=REQUEST, reply=REPLY)
    assert first.post("turn", user=CORRECTION)["corrects"]
    first.post("sessions/one/end")
    _wait_until(lambda: _rules(gateway))

    second = RestAgent(gateway, "two")
    notes = second.post("tool-notes", descriptions={TOOL: DESCRIPTION})
    assert NOTE in notes["descriptions"][TOOL]
    assert notes["descriptions"][TOOL].startswith(DESCRIPTION)
    assert RULE in second.post("recall", query=LATER_REQUEST)["text"]
    hint = second.call(LATER_WRONG)
    assert HINT in hint["text"]
    assert hint["params"] == LATER_RIGHT
    why = gateway.get(f"/v1/lessons/{hint['lesson']}/why", project="inn", user="ana").json()
    assert ERROR in [one["message"] for one in why["samples"]]


def _rules(gateway: Gateway) -> bool:
    """Tell whether the correction has become a rule; a worker learns it in the background."""
    found = gateway.get("/v1/rules", project="inn", user="ana").json()["items"]
    return any(one["content"] == RULE for one in found)


def _wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)
