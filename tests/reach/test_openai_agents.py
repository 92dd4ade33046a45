"""The story, told by an agent of the OpenAI Agents SDK."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, SQLiteSession, function_tool, set_tracing_disabled
from tests.adapters.in_thread import in_thread
from tests.adapters.scripted_agents import ScriptedModel
from tests.reach import story
from tests.reach.learners import KINDS, Learner, close, opened

from seasoned.adapters.openai_agents import LearningRunner

pytestmark = pytest.mark.sqlite_only
set_tracing_disabled(True)


async def run(runner: LearningRunner, mode: str, agent: Any, said: str, session: Any) -> None:
    if mode == "sync":
        await in_thread(runner.run_sync, agent, said, session=session)
    elif mode == "async":
        await runner.run(agent, said, session=session)
    else:
        streamed = runner.run_streamed(agent, said, session=session)
        async for _ in streamed.stream_events():
            pass


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", ["sync", "async", "streamed"])
def test_an_agent_of_the_agents_sdk_learns(mode: str, kind: type[Learner], tmp_path: Path) -> None:
    tool = story.TOOL
    first = ScriptedModel((tool, story.WRONG), (tool, story.RIGHT), story.REPLY, "Gern.")
    second = ScriptedModel((tool, story.LATER_WRONG), (tool, story.LATER_RIGHT), "Gebucht.")

    async def session(name: str, model: ScriptedModel, *said: str) -> None:
        s = opened(kind, tmp_path)
        agent = Agent("booker", model=model, tools=[function_tool(story.book_table)])
        kept = SQLiteSession(name, tmp_path / "sessions.db")
        for message in said:
            await run(LearningRunner(s), mode, agent, message, kept)
        kept.close()
        await close(s)

    asyncio.run(session("one", first, story.REQUEST, story.CORRECTION))
    asyncio.run(session("two", second, story.LATER_REQUEST))

    told, repaired = second.sent[0], second.sent[1]
    assert story.NOTE in told.descriptions[tool]
    assert story.RULE in told.instructions
    assert story.HINT in repaired.outputs[0]
    assert second.sent[2].outputs[1] == "booked for 3 on 2027-06-01"
