"""The story, told by Claude Code's hooks: the real client, the real service, its JSON."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.assistants.hook_runner import Hooks
from tests.reach import story

TOOL = f"mcp__restaurant__{story.TOOL}"


@pytest.fixture
def hooks(tmp_path: Path) -> Generator[Hooks]:
    there = Hooks(tmp_path / "home")
    yield there
    there.end()


def test_claude_code_tells_the_story(hooks: Hooks, tmp_path: Path) -> None:
    def fire(event: str, session: str, **more: Any) -> str:
        common = {"transcript_path": "/t.jsonl", "cwd": str(tmp_path), "permission_mode": "default"}
        answer = hooks.send(
            "claude-code", hook_event_name=event, session_id=session, **common, **more
        )
        output = answer.get("hookSpecificOutput", {})
        assert output.get("hookEventName", event) == event
        return output.get("additionalContext", "")

    def called(session: str, call: str, params: Any) -> str:
        use = {"tool_name": TOOL, "tool_input": params, "tool_use_id": call}
        try:
            said = story.book_table(**params)
        except ValueError as error:
            return fire("PostToolUseFailure", session, **use, error=str(error))
        return fire("PostToolUse", session, **use, tool_response=[{"type": "text", "text": said}])

    assert fire("SessionStart", "one", source="startup") == ""
    assert fire("UserPromptSubmit", "one", prompt=story.REQUEST) == ""
    assert called("one", "c1", story.WRONG) == ""
    assert called("one", "c2", story.RIGHT) == ""
    fire("Stop", "one", last_assistant_message=story.REPLY, stop_hook_active=False)
    fire("UserPromptSubmit", "one", prompt=story.CORRECTION)
    fire("Stop", "one", last_assistant_message="Der Tisch ist reserviert.")
    fire("SessionEnd", "one", reason="prompt_input_exit")

    begun = fire("SessionStart", "two", source="startup")
    assert story.RULE in begun
    assert story.NOTE in begun
    fire("UserPromptSubmit", "two", prompt=story.LATER_REQUEST)
    hint = called("two", "c3", story.LATER_WRONG)
    assert story.HINT in hint
    assert not hint.startswith(("Use", "Pass", "Try"))  # a fact, not an order
    assert called("two", "c4", story.LATER_RIGHT) == ""


def test_a_session_in_another_project_is_told_nothing(hooks: Hooks, tmp_path: Path) -> None:
    shop, blog = tmp_path / "shop", tmp_path / "blog"
    for folder in (shop, blog):
        (folder / ".git").mkdir(parents=True)
    use = {"tool_name": TOOL, "session_id": "one", "cwd": str(shop)}
    failed = {"hook_event_name": "PostToolUseFailure", "error": story.ERROR}
    worked = {"hook_event_name": "PostToolUse", "tool_response": "booked"}
    hooks.send("claude-code", **use, **failed, tool_input=story.WRONG, tool_use_id="c1")
    hooks.send("claude-code", **use, **worked, tool_input=story.RIGHT, tool_use_id="c2")
    start = {"hook_event_name": "SessionStart", "source": "startup"}
    told = hooks.send("claude-code", **start, session_id="two", cwd=str(shop / "src"))
    assert told == {}  # a folder that is not there belongs to no repository
    (shop / "src").mkdir()
    told = hooks.send("claude-code", **start, session_id="three", cwd=str(shop / "src"))
    assert story.NOTE in told["hookSpecificOutput"]["additionalContext"]
    assert hooks.send("claude-code", **start, session_id="four", cwd=str(blog)) == {}
