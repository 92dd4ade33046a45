"""The story, told by Codex's hooks, which have no event for failures and no flag."""

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


def test_codex_tells_the_story(hooks: Hooks, tmp_path: Path) -> None:
    def fire(event: str, session: str, **more: Any) -> str:
        common = {"turn_id": "t", "transcript_path": None, "cwd": str(tmp_path), "model": "gpt"}
        answer = hooks.send("codex", hook_event_name=event, session_id=session, **common, **more)
        assert set(answer) <= {"hookSpecificOutput"}  # what it does not know, it refuses
        output = answer.get("hookSpecificOutput", {})
        assert set(output) <= {"hookEventName", "additionalContext"}
        return output.get("additionalContext", "")

    def called(session: str, call: str, params: Any) -> str:
        try:
            said = story.book_table(**params)
        except ValueError as error:  # as text, like any other result
            said = f"ValueError: {error}"
        use = {"tool_name": TOOL, "tool_input": params, "tool_use_id": call}
        return fire("PostToolUse", session, **use, tool_response=said)

    assert fire("SessionStart", "one", source="startup") == ""
    assert fire("UserPromptSubmit", "one", prompt=story.REQUEST) == ""
    assert called("one", "c1", story.WRONG) == ""
    assert called("one", "c2", story.RIGHT) == ""
    fire("Stop", "one", last_assistant_message=story.REPLY, stop_hook_active=False)
    fire("UserPromptSubmit", "one", prompt=story.CORRECTION)
    fire("SessionEnd", "one", reason="exit")

    begun = fire("SessionStart", "two", source="startup")
    assert story.RULE in begun
    assert story.NOTE in begun
    assert not begun.startswith(("{", "["))
    hint = called("two", "c3", story.LATER_WRONG)
    assert story.HINT in hint
    assert called("two", "c4", story.LATER_RIGHT) == ""
