"""One event that arrives twice, because several assistants read the same settings."""

from typing import Any

from tests.assistants.hook_runner import Hooks

from seasoned import Seasoned

ERROR = "unknown flag: --stat"
FIX = "Pass `--name-only`."
CALL = {"tool_name": "Shell", "tool_input": {"command": "gh pr diff 88 --stat"}}


def counted(hooks: Hooks, project: str) -> tuple[int, int]:
    """Return how many calls, and how many errors, were recorded."""
    with Seasoned(hooks.home / "seasoned.db", project=project) as s:
        return sum(tool.calls for tool in s.tools()), sum(error.seen for error in s.errors())


def cursor(project: str, **more: Any) -> dict[str, Any]:
    own = {"conversation_id": "twice", "cursor_version": "2.1", "generation_id": "g1"}
    return {**own, "workspace_roots": [project], **CALL, **more}


def test_cursor_that_also_runs_the_hooks_of_claude_code_is_heard_once(
    hooks: Hooks, project: str
) -> None:
    with Seasoned(hooks.home / "seasoned.db", project=project) as s:
        s.teach(ERROR, fix=FIX, tool="Bash")
    failed = cursor(project, tool_use_id="tool_1", error_message=ERROR)
    assert hooks.send("cursor", **failed, hook_event_name="postToolUseFailure") == {}
    assert hooks.send("claude-code", **failed, hook_event_name="PostToolUseFailure") == {}
    assert counted(hooks, project) == (1, 1)
    done = cursor(project, tool_use_id="tool_2", tool_output="{}")
    first = hooks.send("claude-code", **done, hook_event_name="PostToolUse")
    assert FIX in first["additional_context"]  # in Cursor's words, for it is Cursor that calls
    assert hooks.send("cursor", **done, hook_event_name="postToolUse") == {}
    assert counted(hooks, project) == (2, 1)


def test_a_call_id_that_no_other_call_has_is_enough_across_sessions(
    hooks: Hooks, project: str
) -> None:
    event = {**CALL, "cwd": project, "tool_use_id": "toolu_01A09q90qw90lq917835lq9x"}
    failed = {**event, "hook_event_name": "PostToolUseFailure", "error": ERROR}
    hooks.send("claude-code", **failed, session_id="one")
    hooks.send("claude-code", **failed, session_id="another name of it")
    assert counted(hooks, project) == (1, 1)


def test_short_call_ids_of_two_sessions_are_two_calls(hooks: Hooks, project: str) -> None:
    event = {**CALL, "cwd": project, "tool_use_id": "call_1"}
    failed = {**event, "hook_event_name": "PostToolUseFailure", "error": ERROR}
    hooks.send("claude-code", **failed, session_id="short-1")
    hooks.send("claude-code", **failed, session_id="short-2")
    assert counted(hooks, project) == (2, 2)


def test_a_failure_and_the_result_after_it_are_two_events(hooks: Hooks, project: str) -> None:
    event = {"session_id": "both", "cwd": project, **CALL}
    failed = {"hook_event_name": "PostToolUseFailure", "error": ERROR}
    hooks.send("claude-code", **event, **failed, tool_use_id="a")
    hooks.send("claude-code", **event, **failed, tool_use_id="b")
    assert counted(hooks, project) == (2, 2)


def test_copilot_with_the_settings_of_claude_code_is_answered_in_its_own_words(
    hooks: Hooks, project: str
) -> None:
    with Seasoned(hooks.home / "seasoned.db", project=project) as s:
        s.teach(ERROR, fix=FIX, tool="Bash")
    event = {"sessionId": "copilot-1", "cwd": project, "toolName": "bash", "toolArgs": "{}"}
    answer = hooks.send("claude-code", "PostToolUseFailure", **event, error=ERROR)
    assert FIX in answer["additionalContext"]
