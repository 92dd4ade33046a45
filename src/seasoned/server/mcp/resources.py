"""The resources of the MCP server: lessons, rules, notes of tools, the state of learning."""

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import quote, unquote

from mcp_types import Resource, ResourceTemplate, TextResourceContents

from seasoned.core.errors import NotFound
from seasoned.core.text import one_line, without_hidden
from seasoned.lessons.lesson import Lesson
from seasoned.recall.tool_notes import ToolNotes
from seasoned.server.mcp.shapes import cleaned, explanation_shape, lesson_shape
from seasoned.server.mcp.visitor import Visitor

JSON = "application/json"
PLAIN = "text/plain"

MOST_LISTED = 50  # lessons among the resources, the newest
MOST_READ = 200  # lessons or rules of one resource
MOST_COMPLETIONS = 100  # the protocol's limit

LESSONS = "seasoned://lessons"
RULES = "seasoned://rules"
STATUS = "seasoned://status"
TOOLS = "seasoned://tools"
LESSON = LESSONS + "/{id}"
NOTES = TOOLS + "/{name}/notes"

# Of all that the state of learning has: what concerns the caller's own lessons.
TOLD = ("learning", "hints", "calls", "failures", "errors", "lessons", "episodes")

STATIC: Sequence[Resource] = (
    Resource(
        name="lessons",
        title="Lessons",
        uri=LESSONS,
        description="The active lessons, newest first.",
        mime_type=JSON,
    ),
    Resource(
        name="rules",
        title="Rules",
        uri=RULES,
        description="How to behave: the active rules and preferences, a line each.",
        mime_type=PLAIN,
    ),
    Resource(
        name="status",
        title="Status",
        uri=STATUS,
        description="The state of learning, in numbers.",
        mime_type=JSON,
    ),
)

TEMPLATES: Sequence[ResourceTemplate] = (
    ResourceTemplate(
        name="lesson",
        title="Lesson",
        uri_template=LESSON,
        description="A lesson with the evidence for it; its id, or the beginning of it.",
        mime_type=JSON,
    ),
    ResourceTemplate(
        name="tool-notes",
        title="Notes of a tool",
        uri_template=NOTES,
        description="What was learned about a tool, for its description.",
        mime_type=PLAIN,
    ),
)


async def listed(visitor: Visitor) -> list[Resource]:
    """List the fixed resources, the tools with notes, and the newest lessons."""
    notes = await _notes(visitor)
    tools = sorted({note.tool for note in notes})
    lessons = await visitor.seasoned.lessons(status="active", limit=MOST_LISTED)
    return [
        *STATIC,
        *(
            Resource(
                name=f"notes of {without_hidden(tool)}",
                uri=f"{TOOLS}/{quote(tool, safe='')}/notes",
                mime_type=PLAIN,
            )
            for tool in tools
        ),
        *(
            Resource(
                name=one_line(without_hidden(lesson.content), 80),
                uri=f"{LESSONS}/{lesson.id}",
                description=lesson.kind,
                mime_type=JSON,
            )
            for lesson in lessons
        ),
    ]


async def read(visitor: Visitor, uri: str) -> TextResourceContents:
    """Return the resource at an address; NotFound if there is none."""
    fixed = FIXED.get(uri)
    if fixed is not None:
        return await fixed(visitor)
    kind, _, rest = uri.removeprefix("seasoned://").partition("/")
    if uri.startswith("seasoned://") and rest:
        if kind == "lessons" and "/" not in rest:
            story = await visitor.seasoned.why(unquote(rest))
            return _as_json(uri, explanation_shape(story))
        name, _, tail = rest.rpartition("/")
        if kind == "tools" and tail == "notes" and name:
            notes = await _notes(visitor, unquote(name))
            return TextResourceContents(uri=uri, mime_type=PLAIN, text=notes.text)
    known = ", ".join([*FIXED, LESSON, NOTES])
    raise NotFound(f"no resource {one_line(uri, 200)!r}; there are {known}")


async def completions(visitor: Visitor, template: str, argument: str, begun: str) -> list[str]:
    """Return the values of a template's argument that begin like this."""
    values: list[str] = []
    if (template, argument) == (LESSON, "id"):
        lessons = await visitor.seasoned.lessons(status="active", limit=MOST_READ)
        values = [lesson.id for lesson in lessons]
    elif (template, argument) == (NOTES, "name"):
        values = sorted({note.tool for note in await _notes(visitor)})
    return [one for one in values if one.startswith(begun)][:MOST_COMPLETIONS]


async def _lessons(visitor: Visitor) -> TextResourceContents:
    lessons = await visitor.seasoned.lessons(status="active", limit=MOST_READ)
    return _as_json(LESSONS, [lesson_shape(lesson) for lesson in lessons])


async def _rules(visitor: Visitor) -> TextResourceContents:
    rules = await visitor.seasoned.rules.list(status="active", limit=MOST_READ)
    lines = "\n".join(_rule_line(rule) for rule in rules)
    return TextResourceContents(uri=RULES, mime_type=PLAIN, text=without_hidden(lines))


async def _status(visitor: Visitor) -> TextResourceContents:
    counts = await visitor.seasoned.status()
    return _as_json(STATUS, {name: counts[name] for name in TOLD if name in counts})


FIXED: dict[str, Callable[[Visitor], Awaitable[TextResourceContents]]] = {
    LESSONS: _lessons,
    RULES: _rules,
    STATUS: _status,
}


async def _notes(visitor: Visitor, *tools: str) -> ToolNotes:
    # To look at a note is not to work with it: nothing counts as given.
    return await visitor.seasoned.tool_notes(*tools, session=visitor.session, given=False)


def _rule_line(rule: Lesson) -> str:
    when = f" (when: {one_line(rule.trigger)})" if rule.trigger else ""
    return f"- {rule.content}{when}"


def _as_json(uri: str, value: Any) -> TextResourceContents:
    shape = cleaned({"value": value})["value"]
    text = json.dumps(shape, ensure_ascii=False, indent=1)
    return TextResourceContents(uri=uri, mime_type=JSON, text=text)
