"""The tools of the MCP server: recall, report_tool_result, correct, teach, feedback, why."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations

from seasoned.core.errors import BadInput, NotFound
from seasoned.core.text import without_hidden
from seasoned.recall.tool_notes import ToolNotes
from seasoned.rules.case import reach_of
from seasoned.server.mcp import schemas
from seasoned.server.mcp.shapes import (
    Shape,
    cleaned,
    explanation_shape,
    hint_shape,
    lesson_shape,
    recalled_shape,
)
from seasoned.server.mcp.visitor import Visitor

Arguments = Mapping[str, Any]

MOST_TOOLS = 50  # whose notes one recall returns
NOTHING_MATTERS = "Nothing that was learned matters for this task."


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a tool: for programs, and the same for a model to read."""

    shape: Shape
    text: str

    def result(self) -> CallToolResult:
        return CallToolResult(
            content=[TextContent(text=without_hidden(self.text))],
            structured_content=self.shape,
        )


@dataclass(frozen=True, slots=True)
class LearningTool:
    """A tool as the client sees it, and the function that does its work."""

    definition: Tool
    work: Callable[[Visitor, Arguments], Awaitable[Outcome]]
    learns: bool

    async def call(self, visitor: Visitor, arguments: Arguments) -> CallToolResult:
        name = self.definition.name
        schemas.check(arguments, self.definition.input_schema, name)
        if self.learns:
            visitor.require_learning(name)
        return (await self.work(visitor, arguments)).result()


async def recall(visitor: Visitor, given: Arguments) -> Outcome:
    task = _needed(given, "task")
    tools = list(dict.fromkeys(given.get("tools", ())))[:MOST_TOOLS]
    s, session = visitor.seasoned, visitor.session
    # The notes come first: recall does not repeat the lessons that stand in them.
    handed = visitor.may_learn
    notes = ToolNotes()
    if tools:
        notes = await s.tool_notes(*tools, session=session, given=handed)
    context = await s.recall(task, session=session, given=handed)
    shape = recalled_shape(context, notes)
    return Outcome(shape, shape["text"] or NOTHING_MATTERS)


async def report_tool_result(visitor: Visitor, given: Arguments) -> Outcome:
    hint = await visitor.seasoned.observe(
        _needed(given, "tool"),
        given.get("params"),
        given.get("result"),
        given.get("error"),
        session=visitor.session,
    )
    if hint is not None:
        return Outcome({"recorded": True, "hint": hint_shape(hint)}, str(hint))
    text = "Recorded; no fix of this error is known." if given.get("error") else "Recorded."
    return Outcome({"recorded": True, "hint": None}, text)


async def correct(visitor: Visitor, given: Arguments) -> Outcome:
    noticed = await visitor.seasoned.correct(
        _needed(given, "message"),
        request=given.get("request"),
        reply=given.get("reply"),
        session=visitor.session,
        reach=given.get("reach", ""),
    )
    rule = noticed.rule.content if noticed.rule else ""
    shape = cleaned(
        {
            "rule": rule,
            "lasts": noticed.lasts,
            "replaces": [one.content for one in noticed.replaced],
            "contradicts": [one.content for one in noticed.against],
        }
    )
    how_long = "from now on" if noticed.lasts else "in this session"
    lines = [f"Holds {how_long}: {rule}" if rule else "Recorded; it states no rule."]
    lines += [f"It replaces: {one}" for one in shape["replaces"]]
    lines += [f"It comes before: {one}" for one in shape["contradicts"]]
    return Outcome(shape, "\n".join(lines))


async def teach(visitor: Visitor, given: Arguments) -> Outcome:
    s = visitor.seasoned
    reach = given.get("reach", "")
    scope = reach_of(reach, s.scope.within(visitor.session)) if reach else None
    lesson = await s.teach(
        given.get("when", ""),
        **{given["kind"]: given["text"]},
        tool=given.get("tool"),
        scope=scope,
        source="user",
    )
    return Outcome({"lesson": lesson_shape(lesson)}, f"Taught as {lesson.id}: {lesson.content}")


async def feedback(visitor: Visitor, given: Arguments) -> Outcome:
    lesson = given.get("lesson", "")
    if lesson:
        lesson = (await visitor.seasoned.lesson(lesson)).id
    receipt = await visitor.seasoned.feedback.add(
        given["polarity"],
        comment=given.get("comment", ""),
        correction=given.get("correction", ""),
        source="self" if given.get("by") == "assistant" else "human",
        about=lesson,
        tool=given.get("tool", ""),
        session=visitor.session,
        prompt=given.get("request", ""),
        response=given.get("reply", ""),
    )
    return Outcome({"accepted": receipt.accepted > 0}, "Recorded.")


async def why(visitor: Visitor, given: Arguments) -> Outcome:
    shape = explanation_shape(await visitor.seasoned.why(_needed(given, "lesson")))
    return Outcome(shape, shape["text"])


def _needed(given: Arguments, name: str) -> str:
    value: str = given[name]
    if not value.strip():
        raise BadInput(f"{name} is empty; say it in words")
    return value


def _tool(
    work: Callable[[Visitor, Arguments], Awaitable[Outcome]],
    title: str,
    description: str,
    takes: schemas.Schema,
    returns: schemas.Schema,
    *,
    learns: bool = True,
    destructive: bool = False,
    idempotent: bool = False,
) -> LearningTool:
    hints = ToolAnnotations(
        title=title,
        read_only_hint=not learns,
        destructive_hint=destructive if learns else False,
        idempotent_hint=idempotent or not learns,
        open_world_hint=False,
    )
    definition = Tool(
        name=work.__name__,
        title=title,
        description=description,
        input_schema=takes,
        output_schema=returns,
        annotations=hints,
    )
    return LearningTool(definition, work, learns)


TOOLS: Mapping[str, LearningTool] = {
    one.definition.name: one
    for one in (
        _tool(
            recall,
            "Recall what matters for a task",
            "Returns what earlier sessions learned that matters for a task: the user's rules, "
            "fixes, facts, and notes about the named tools. Useful once, when a task begins.",
            schemas.RECALL_IN,
            schemas.RECALL_OUT,
            learns=False,
        ),
        _tool(
            report_tool_result,
            "Report a tool call",
            "Records how a tool call ended. For a failed call it returns a known fix, if there "
            "is one; the call that then works, reported in the same session, teaches the fix. "
            "For calls that were made wrongly, not for failing tests or outages.",
            schemas.REPORT_IN,
            schemas.REPORT_OUT,
        ),
        _tool(
            correct,
            "Record a user's correction",
            "Records a message in which the user corrects an answer or says how things are to "
            "be done. It holds in this session at once, and in later ones if it is meant to last.",
            schemas.CORRECT_IN,
            schemas.CORRECT_OUT,
            destructive=True,  # it may replace a rule
        ),
        _tool(
            teach,
            "Remember what the user asks for",
            "Keeps a fix, rule, fact or preference that the user asks to be remembered. It "
            "applies at once, before anything inferred.",
            schemas.TEACH_IN,
            schemas.TEACH_OUT,
            destructive=True,
            idempotent=True,
        ),
        _tool(
            feedback,
            "Rate a lesson, tool or answer",
            "Records whether a lesson, a tool or an answer helped.",
            schemas.FEEDBACK_IN,
            schemas.FEEDBACK_OUT,
        ),
        _tool(
            why,
            "Explain a lesson",
            "Returns the evidence for a lesson: where it comes from, and how often it worked.",
            schemas.WHY_IN,
            schemas.WHY_OUT,
            learns=False,
        ),
    )
}


def tool_named(name: str) -> LearningTool:
    found = TOOLS.get(name)
    if found is None:
        raise NotFound(f"no tool {name[:100]!r}; there are {', '.join(TOOLS)}")
    return found
