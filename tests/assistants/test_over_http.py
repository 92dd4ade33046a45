"""Hooks that call the gateway: no process, the same answers."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.server.serving import Gateway

from seasoned import Seasoned

ERROR = "unknown flag: --stat"
FIX = "Pass `--name-only`."


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Generator[Gateway]:
    home = tmp_path_factory.mktemp("gateway") / "home"
    home.mkdir()
    with Seasoned(home / "seasoned.db", project="/w/http") as s:
        s.teach(ERROR, fix=FIX, tool="Bash")
    started = Gateway(home)
    yield started
    started.end()


def failure(**more: Any) -> dict[str, Any]:
    event = {"hook_event_name": "PostToolUseFailure", "session_id": "s1", "cwd": "/w/http"}
    call = {"tool_name": "Bash", "tool_input": {"command": "gh pr diff --stat"}, "error": ERROR}
    return {**event, **call, "tool_use_id": "c1", **more}


def test_an_event_by_http_is_answered_with_json(gateway: Gateway) -> None:
    answer = gateway.post("/hooks/claude-code", failure())
    assert answer.status_code == 200
    assert FIX in answer.json()["hookSpecificOutput"]["additionalContext"]
    again = gateway.post("/hooks/claude-code", failure())
    assert (again.status_code, again.json()) == (200, {})  # the same event, a second time


def test_an_event_without_news_is_answered_with_an_empty_object(gateway: Gateway) -> None:
    event = {"hook_event_name": "Notification", "session_id": "s1"}
    answer = gateway.post("/hooks/claude-code", event)
    assert (answer.status_code, answer.json()) == (200, {})


def test_an_event_that_does_not_name_itself_is_named_in_the_address(gateway: Gateway) -> None:
    call = {"toolName": "bash", "toolArgs": {"command": "gh pr diff --stat"}, "error": ERROR}
    event = {"sessionId": "s2", "cwd": "/w/http", **call}
    answer = gateway.post("/hooks/copilot?event=postToolUseFailure", event)
    assert FIX in answer.json()["additionalContext"]


def test_it_needs_the_token_a_known_assistant_and_an_event(gateway: Gateway) -> None:
    assert gateway.post("/hooks/claude-code", failure(), token=None).status_code == 401
    unknown = gateway.post("/hooks/emacs", failure())
    assert unknown.status_code == 404
    assert "there are claude-code, codex" in unknown.json()["error"]["message"]
    assert gateway.post("/hooks/codex", [1]).status_code == 400
    broken = gateway.client.post(
        "/hooks/codex", content=b"{", headers={"X-Seasoned-Token": gateway.token}
    )
    assert broken.status_code == 400
    assert gateway.get("/hooks/codex").status_code == 405


def test_sessions_of_two_tenants_may_have_one_name(gateway: Gateway) -> None:
    own = gateway.post("/hooks/claude-code", failure(session_id="t", tool_use_id="t1"))
    assert FIX in str(own.json())
    other = failure(session_id="t", tool_use_id="t1")
    answer = gateway.post("/hooks/claude-code", other, tenant="acme")
    assert FIX in str(answer.json())  # no second firing; a lesson of no tenant is everybody's
    with Seasoned(Path(gateway.home) / "seasoned.db", tenant="acme", project="/w/http") as s:
        assert [error.seen for error in s.errors()] == [1]
