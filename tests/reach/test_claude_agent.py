"""The story, told by the Claude Agent SDK, with a stand-in for the program that it starts."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import ClaudeAgentOptions
from tests.adapters.claude_stand_in import ClaudeStandIn
from tests.reach import story
from tests.reach.learners import KINDS, Learner, close, opened

from seasoned.adapters.claude_agent import learning_options

pytestmark = pytest.mark.sqlite_only

FAILED = {"error": story.ERROR}


def call(given: dict[str, Any]) -> dict[str, Any]:
    return {"tool": story.TOOL, "input": given}


@pytest.mark.parametrize("kind", KINDS)
def test_an_agent_of_the_claude_agent_sdk_learns(kind: type[Learner], tmp_path: Path) -> None:
    first, second = ClaudeStandIn(tmp_path, "one"), ClaudeStandIn(tmp_path, "two")
    first.script(
        [call(story.WRONG), call(story.RIGHT), story.REPLY, "Gern."],
        [(story.WRONG, FAILED), (story.RIGHT, {"result": "booked"})],
    )
    second.script(
        [call(story.LATER_WRONG), call(story.LATER_RIGHT), "Gebucht."],
        [(story.LATER_WRONG, FAILED), (story.LATER_RIGHT, {"result": "booked"})],
    )

    async def session(claude: ClaudeStandIn, *said: str) -> list[str]:
        s = opened(kind, tmp_path)
        options = learning_options(s, ClaudeAgentOptions(system_prompt="You book tables."))
        replies = await claude.converse(options, *said)
        await close(s)
        return replies

    assert asyncio.run(session(first, story.REQUEST, story.CORRECTION)) == [story.REPLY, "Gern."]
    assert asyncio.run(session(second, story.LATER_REQUEST)) == ["Gebucht."]

    system, repaired = second.sent[0][0], second.sent[1][-1]
    assert system.startswith("--system-prompt: You book tables.")
    assert story.RULE in system
    assert f"- {story.TOOL}: {story.NOTE}" in system
    assert repaired.startswith("hook: ")
    assert story.HINT in repaired
