"""Turns with scripted tool calls, through a real agent's loop."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.toolsets import AbstractToolset

from seasoned.core.messages import ToolResult
from seasoned.fixes.failure import failure_of
from seasoned.fixes.hint import Hint
from seasoned.tools.approval import ApprovalRules
from seasoned.tools.run import ApprovalDecision, ApprovalRequest, ToolEvent, ToolRun
from seasoned.tools.tool import spec_of
from seasoned.tools.toolset import toolset_from, wrapped

Calls = Sequence[tuple[str, dict[str, Any] | str]]


@dataclass
class Played:
    """The tool results that the model read, in the order of its calls."""

    returned: list[ToolReturnPart]

    @property
    def texts(self) -> list[str]:
        return [part.model_response_str(wrap_if_error=False) for part in self.returned]

    @property
    def outcomes(self) -> list[str]:
        return [part.outcome for part in self.returned]


async def played(tools: AbstractToolset[ToolRun], steps: Sequence[Calls], run: ToolRun) -> Played:
    """Run a turn; each step is one answer of the model, whose calls run in parallel."""
    waiting = iter(steps)

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        calls = next(waiting, None)
        if calls is None:
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart(name, given) for name, given in calls])

    agent = Agent(FunctionModel(answer), deps_type=ToolRun, toolsets=[tools])
    async with agent:
        result = await agent.run("go on", deps=run)
    assert result.output == "done"
    order = [
        part.tool_call_id
        for message in result.all_messages()
        for part in message.parts
        if isinstance(part, ToolCallPart)
    ]
    parts = {
        part.tool_call_id: part
        for message in result.all_messages()
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    }
    return Played([parts[name] for name in order])


def play(tools: AbstractToolset[ToolRun], *steps: Calls, run: ToolRun | None = None) -> Played:
    return asyncio.run(played(tools, steps, run or ToolRun()))


def call(function: Callable[..., Any], **params: Any) -> str:
    """Call a tool without approval, and return what the model reads."""
    tools = wrapped(toolset_from([function]), Recorder(), rules=ApprovalRules("none"))
    return play(tools, [(spec_of(function).name, params)]).texts[0]


@dataclass
class Recorder:
    """A learner that records the calls, and gives its one hint after each failure."""

    hint: Hint | None = None
    calls: list[ToolResult] = field(default_factory=list[ToolResult])

    async def __call__(self, call: ToolResult, run: ToolRun) -> Hint | None:
        self.calls.append(call)
        return None if failure_of(call) is None else self.hint


@dataclass
class Person:
    """A person who gives the answers in turn; the last one repeats."""

    answers: Sequence[ApprovalDecision | Exception]
    takes_seconds: float = 0
    asked: list[ApprovalRequest] = field(default_factory=list[ApprovalRequest])
    busy: bool = False

    async def __call__(self, request: ApprovalRequest) -> ApprovalDecision:
        assert not self.busy, "a person is asked one thing at a time"
        self.busy = True
        try:
            self.asked.append(request)
            await asyncio.sleep(self.takes_seconds)
            answer = self.answers[min(len(self.asked), len(self.answers)) - 1]
            if isinstance(answer, Exception):
                raise answer
            return answer
        finally:
            self.busy = False


def kinds(events: Sequence[ToolEvent]) -> list[str]:
    return [event.kind for event in events]
