"""Examples: exchanges to follow or to avoid."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Request, Response
from pydantic import Field

from seasoned.lessons.lesson import Lesson, Polarity
from seasoned.server.callers import caller_of
from seasoned.server.rest.etags import IfMatch, expected, tag
from seasoned.server.rest.lessons import LessonPage, SearchText
from seasoned.server.rest.paging import After, Cursor, Limit
from seasoned.server.rest.resource import CallersSeasoned, Resource
from seasoned.server.rest.views import Body, Hits, LessonView, Text
from seasoned.server.roles import includes

resource = Resource("examples")
CURSOR = Cursor("examples", (int, str))
SomeText = Annotated[str, Field(min_length=1, max_length=1_000_000)]


@resource.operation("GET", "/examples", "read", LessonPage)
async def list_examples(
    s: CallersSeasoned,
    polarity: Polarity | None = None,
    limit: Limit = 50,
    cursor: After = None,
) -> Mapping[str, Any]:
    """List active examples, newest first."""
    rows = await s.examples.list(polarity=polarity, limit=limit + 1, after=CURSOR.read(cursor))
    return CURSOR.page(rows, limit)


class NewExample(Body):
    """An exchange to follow or, if negative, to avoid."""

    request: SomeText
    reply: SomeText
    polarity: Polarity = "positive"
    note: Annotated[Text, Field(description="Why it is good, or bad.")] = ""


@resource.operation("POST", "/examples", "learn", LessonView, status=201)
async def add_example(request: Request, s: CallersSeasoned, body: NewExample) -> Lesson:
    """Add an example in the caller's own scope."""
    is_operator = includes(caller_of(request).role, "operate")
    return await s.examples.add(
        body.request,
        body.reply,
        polarity=body.polarity,
        note=body.note,
        source="operator" if is_operator else "user",
    )


@resource.operation("GET", "/examples/search", "read", Hits)
async def search_examples(s: CallersSeasoned, query: SearchText, limit: Limit = 10) -> Any:
    """Search examples by request, best first."""
    return {"items": await s.examples.search(query, limit=limit)}


@resource.operation("GET", "/examples/{example}", "read", LessonView)
async def get_example(s: CallersSeasoned, example: str, response: Response) -> Lesson:
    """Read an example by its id, or the beginning of it."""
    found = await s.examples.get(example)
    tag(response, found.version)
    return found


@resource.operation("DELETE", "/examples/{example}", "operate", LessonView, errors=[412])
async def delete_example(s: CallersSeasoned, example: str, if_match: IfMatch = None) -> Lesson:
    """Delete an example and its text; the answer is the example as it was."""
    return await s.examples.delete(example, version=expected(if_match))
