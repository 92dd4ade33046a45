"""Noted: any toolset of pydantic-ai shows what was learned in the descriptions of its tools."""

import asyncio

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.toolsets import FunctionToolset

from seasoned import AsyncSeasoned
from seasoned.tools.noted import Noted

pytestmark = pytest.mark.sqlite_only


def deploy(service: str) -> str:
    """Put a service into production."""
    return f"{service} is live"


def undo(service: str) -> str:
    """Take it back."""
    return f"{service} is as it was"


def test_a_tool_of_any_agent_shows_its_notes(database_url: str) -> None:
    seen: list[dict[str, str]] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append({one.name: one.description or "" for one in info.function_tools})
        return ModelResponse(parts=[TextPart("done")])

    async def story() -> None:
        async with AsyncSeasoned(database_url) as seasoned:
            await seasoned.teach("no such service", fix="Write `service` small.", tool="deploy")
            tools = Noted(
                FunctionToolset[str]([deploy, undo]),
                lambda ctx, names: seasoned.tool_notes(*names, session=ctx.deps),
            )
            agent = Agent(FunctionModel(answer), deps_type=str, toolsets=[tools])
            await agent.run("go", deps="chat-42")

    asyncio.run(story())
    (shown,) = seen
    assert shown["deploy"] == (
        "Put a service into production.\n\nNotes from experience:\n"
        "- When it says `no such service`: Write `service` small."
    )
    assert shown["undo"] == "Take it back."
