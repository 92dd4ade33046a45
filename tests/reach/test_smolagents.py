"""The story, told by agents of smolagents: one that calls tools, and one that writes code."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import smolagents
from smolagents import CodeAgent, LogLevel, ToolCallingAgent
from tests.adapters.scripted_smol import ScriptedModel
from tests.reach import story
from tests.reach.learners import KINDS, Learner, close, opened

from seasoned.adapters.smolagents import learns

tool: Any = getattr(smolagents, "tool")  # noqa: B009 - untyped

pytestmark = pytest.mark.sqlite_only


def booking() -> Any:
    @tool
    def book_table(day: str, guests: int) -> str:
        """Book a table in the restaurant.

        Args:
            day: The day.
            guests: How many they are.
        """
        return story.book_table(day, guests)

    return book_table


def call(kind: type[Any], given: dict[str, Any]) -> Any:
    if kind is ToolCallingAgent:
        return (story.TOOL, given)
    return f"<code>\nbook_table(day={given['day']!r}, guests={given['guests']})\n</code>"


def answer(kind: type[Any], text: str) -> Any:
    if kind is ToolCallingAgent:
        return ("final_answer", {"answer": text})
    return f"<code>\nfinal_answer({text!r})\n</code>"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("agent_kind", [ToolCallingAgent, CodeAgent])
def test_an_agent_of_smolagents_learns(
    agent_kind: type[Any], kind: type[Learner], tmp_path: Path
) -> None:
    a = agent_kind
    first = ScriptedModel(
        call(a, story.WRONG), call(a, story.RIGHT), answer(a, story.REPLY), answer(a, "Gern.")
    )
    second = ScriptedModel(
        call(a, story.LATER_WRONG), call(a, story.LATER_RIGHT), answer(a, "Gebucht.")
    )

    async def session(model: ScriptedModel, *said: str) -> None:
        s = opened(kind, tmp_path)
        agent = learns(s, a(tools=[booking()], model=model, verbosity_level=LogLevel.OFF))
        for at, message in enumerate(said):
            agent.run(message, reset=at == 0)
        await close(s)

    asyncio.run(session(first, story.REQUEST, story.CORRECTION))
    asyncio.run(session(second, story.LATER_REQUEST))

    told, repaired = second.sent[0], second.sent[1]
    described = told.descriptions[story.TOOL] if a is ToolCallingAgent else told.system
    assert story.NOTE in described
    assert story.RULE in told.system
    assert story.HINT in repaired.texts[-1][1]
