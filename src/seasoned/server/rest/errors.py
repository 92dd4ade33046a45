"""Error patterns, and how tools perform."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query

from seasoned.server.rest.lessons import ErrorPatternView
from seasoned.server.rest.paging import After, Cursor, Limit, Page
from seasoned.server.rest.resource import CallersSeasoned, Resource
from seasoned.server.rest.views import LessonView, Time, View

resource = Resource("errors")
CURSOR = Cursor("errors", (int, int, str))
TOOLS = Cursor("tools", (int, str))
FilterName = Annotated[str | None, Query(max_length=500)]


class ErrorPage(Page[ErrorPatternView]):
    """Some error patterns, most frequent first."""


@resource.operation("GET", "/errors", "read", ErrorPage)
async def list_errors(
    s: CallersSeasoned,
    tool: FilterName = None,
    category: FilterName = None,
    limit: Limit = 50,
    cursor: After = None,
) -> Mapping[str, Any]:
    """List the error patterns of the project, most frequent first."""
    rows = await s.errors(tool=tool, category=category, limit=limit + 1, after=CURSOR.read(cursor))
    return CURSOR.page(rows, limit)


class ErrorMessage(View):
    """A message of an error, as it occurred."""

    at: Time
    message: str


class ErrorStoryView(View):
    """An error pattern with its latest messages and its fixes."""

    error: ErrorPatternView
    messages: list[ErrorMessage]
    fixes: list[LessonView]


@resource.operation("GET", "/errors/{error}", "read", ErrorStoryView)
async def get_error(s: CallersSeasoned, error: str) -> Mapping[str, Any]:
    """Read an error pattern by its id."""
    story = await s.error(error)
    messages = [{"at": at, "message": message} for at, message in story.messages]
    return {"error": story.error, "messages": messages, "fixes": story.fixes}


class ToolView(View):
    """How a tool performs; `failing` is the share of calls that failed."""

    name: str
    calls: int
    failures: int
    failing: float
    average_ms: float | None
    last_called_at: Time


class ToolPage(Page[ToolView]):
    """Some tools, busiest first."""


@resource.operation("GET", "/tools", "read", ToolPage)
async def list_tools(
    s: CallersSeasoned, limit: Limit = 50, cursor: After = None
) -> Mapping[str, Any]:
    """List the tools of the project with their calls and failures, busiest first."""
    rows = await s.tools(limit=limit + 1, after=TOOLS.read(cursor))
    return TOOLS.page(rows, limit)
