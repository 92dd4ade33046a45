"""Show what was learned about a tool in its own description, where the model reads it in time."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.tools import AgentDepsT
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from seasoned.recall.tool_notes import ToolNotes

NoteSource = Callable[[RunContext[Any], Sequence[str]], Awaitable[ToolNotes]]


@dataclass
class Noted(WrapperToolset[AgentDepsT]):
    """`notes` returns the notes of the tools named; they stay the same during a session."""

    notes: NoteSource

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        tools = await super().get_tools(ctx)
        notes = await self.notes(ctx, list(tools))
        return {name: _with_notes(tool, notes) for name, tool in tools.items()} if notes else tools


def _with_notes(tool: ToolsetTool[AgentDepsT], notes: ToolNotes) -> ToolsetTool[AgentDepsT]:
    described = tool.tool_def
    text = notes.describe(described.name, described.description or "")
    return replace(tool, tool_def=replace(described, description=text or described.description))
