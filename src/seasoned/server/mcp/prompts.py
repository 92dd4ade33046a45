"""The prompts of the MCP server, for people to start: reflect on a session, review what waits."""

from collections.abc import Awaitable, Callable, Mapping

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from seasoned.api.review import WaitingItem
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.text import one_line, without_hidden
from seasoned.server.mcp.instructions import NOTHING_WAITS, REFLECT, REVIEW
from seasoned.server.mcp.visitor import Visitor

MOST_WAITING = 20
LONGEST_FOCUS = 500  # characters

REFLECT_PROMPT = Prompt(
    name="reflect",
    title="Reflect on this session",
    description="Look back on this session and report what it taught.",
    arguments=[PromptArgument(name="focus", description="What to look at above all.")],
)
REVIEW_PROMPT = Prompt(
    name="review",
    title="Review what waits",
    description="Show the lessons that wait for your decision.",
)
PROMPTS = (REFLECT_PROMPT, REVIEW_PROMPT)


async def prompt(visitor: Visitor, name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """Return a prompt, filled in."""
    wanted = next((one for one in PROMPTS if one.name == name), None)
    if wanted is None:
        known = ", ".join(one.name for one in PROMPTS)
        raise NotFound(f"no prompt {one_line(name, 100)!r}; there are {known}")
    taken = [one.name for one in wanted.arguments or ()]
    unknown = [one_line(one, 100) for one in arguments if one not in taken]
    if unknown:
        raise BadInput(f"{name} takes {', '.join(taken) or 'no arguments'}, not {unknown[0]!r}")
    text = await WRITERS[name](visitor, arguments)
    return GetPromptResult(
        description=wanted.description,
        messages=[PromptMessage(role="user", content=TextContent(text=without_hidden(text)))],
    )


async def _reflect(visitor: Visitor, arguments: Mapping[str, str]) -> str:
    focus = one_line(arguments.get("focus", ""), LONGEST_FOCUS)
    return REFLECT.format(focus=f"\n\nLook above all at: {focus}" if focus else "")


async def _review(visitor: Visitor, arguments: Mapping[str, str]) -> str:
    waiting = await visitor.seasoned.review.list(limit=MOST_WAITING)
    if not waiting:
        return NOTHING_WAITS
    return REVIEW.format(waiting="\n".join(_line(one) for one in waiting))


WRITERS: Mapping[str, Callable[[Visitor, Mapping[str, str]], Awaitable[str]]] = {
    "reflect": _reflect,
    "review": _review,
}


def _line(item: WaitingItem) -> str:
    text = one_line(item.lesson.content, 300)
    if item.earlier is not None:
        text = f"{text} — contradicts: {one_line(item.earlier.content, 300)}"
    return f"- {item.id} ({item.kind}; {item.reason}; {item.witnesses} witnesses): {text}"
