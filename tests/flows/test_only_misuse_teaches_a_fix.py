"""A failure that is not the call's fault teaches nothing about the call."""

from typing import Any

import pytest

from seasoned import Hint, Seasoned

LINT = "cart.go:12:2: result is not checked (errcheck)\n1 issues:\n[lint] ERROR task failed"
REFUSAL = "The user doesn't want to proceed with this tool use. STOP what you are doing."


def repair(s: Seasoned, session: str, error: str, failed: Any, worked: Any) -> Hint | None:
    hint = s.observe("shell", failed, error=error, session=session)
    s.observe("edit", {"path": f"{session}.go", "text": "…"}, result="ok", session=session)
    s.observe("shell", worked, result="ok", session=session)
    return hint


@pytest.mark.parametrize("error", [LINT, REFUSAL, "Sibling tool call errored"])
def test_no_fix_is_learned_from_checks_refusals_and_cancelled_calls(
    seasoned: Seasoned, error: str
) -> None:
    command = {"command": "mise run lint"}
    for session in ("s1", "s2", "s3"):
        assert (
            repair(seasoned, session, error, command, {"command": "mise run lint --fast"}) is None
        )
    assert seasoned.observe("shell", command, error=error, session="s4") is None
    assert list(seasoned.lessons()) == []


def test_a_hidden_exit_code_is_no_repair(seasoned: Seasoned) -> None:
    failed, piped = {"command": "go test ./cart"}, {"command": "go test ./cart | tail -30"}
    error = "--- FAIL: TestAdd (0.00s)\n    cart_test.go:9: got 3, want 4\nFAIL"
    for session in ("s1", "s2", "s3"):
        assert repair(seasoned, session, error, failed, piped) is None


def test_what_was_done_while_a_service_was_away_is_no_step(seasoned: Seasoned) -> None:
    call = {"command": "curl -fsS https://example.org/health"}
    for session in ("s1", "s2", "s3"):
        error = "curl: (7) Failed to connect: Connection refused"
        seasoned.observe("shell", call, error=error, session=session)
        seasoned.observe("list", {"path": "."}, result="a b", session=session)
        seasoned.observe("shell", call, result="ok", session=session)
    hint = seasoned.observe("shell", call, error="curl: (7) Failed to connect: Connection refused")
    assert hint is None or not hint.steps


def test_a_fix_that_a_person_taught_is_given_for_a_check_too(seasoned: Seasoned) -> None:
    seasoned.teach(LINT, fix="Run `mise run fmt` first.", tool="shell")
    hint = seasoned.observe("shell", {"command": "mise run lint"}, error=LINT, session="s1")
    assert hint is not None
    assert "mise run fmt" in hint.text
