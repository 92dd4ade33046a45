"""The story, told by an agent of pydantic-ai."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from tests.reach import story

from seasoned import AsyncSeasoned, Seasoned
from seasoned.adapters.pydantic_ai import Learning

pytestmark = pytest.mark.sqlite_only


class Script:
    """A model that answers as told, and remembers what it was sent."""

    def __init__(self, *answers: dict[str, Any] | str) -> None:
        self.answers = list(answers)
        self.sent: list[tuple[str, str, str]] = []  # instructions, description, messages

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        tool = info.function_tools[0]
        self.sent.append((info.instructions or "", tool.description or "", repr(messages)))
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            return ModelResponse(parts=[TextPart(answer)])
        return ModelResponse(parts=[ToolCallPart(story.TOOL, answer)])


async def tell(s: Seasoned | AsyncSeasoned, name: str, script: Script, *said: str) -> None:
    agent = Agent(
        FunctionModel(script),
        tools=[story.book_table],
        capabilities=[Learning(s, tell_errors=True)],
    )
    history: list[ModelMessage] = []
    for message in said:
        result = await agent.run(message, message_history=history, conversation_id=name)
        history = result.all_messages()


@pytest.mark.parametrize("kind", [Seasoned, AsyncSeasoned])
def test_an_agent_of_pydantic_ai_learns(kind: type[Any], tmp_path: Path) -> None:
    first = Script(story.WRONG, story.RIGHT, story.REPLY, "Jawohl.")
    second = Script(story.LATER_WRONG, story.LATER_RIGHT, "Gebucht.")

    async def session(name: str, script: Script, *said: str) -> None:
        s = kind(tmp_path / "s.db")
        await tell(s, name, script, *said)
        if isinstance(s, AsyncSeasoned):
            await s.close()
        else:
            s.close()

    asyncio.run(session("one", first, story.REQUEST, story.CORRECTION))
    asyncio.run(session("two", second, story.LATER_REQUEST))

    instructions, description, _ = second.sent[0]
    assert story.NOTE in description
    assert story.RULE in instructions
    assert story.HINT in second.sent[1][2]
