"""What waits for an operator: candidate rules and fixes, and conflicts."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Response
from pydantic import Field

from seasoned.api.review import RepairedCall, WaitingItem, WaitingKind
from seasoned.lessons.lesson import Lesson
from seasoned.rules.conflicts import Keep
from seasoned.server.rest.etags import IfMatch, expected, tag
from seasoned.server.rest.learning import CallView
from seasoned.server.rest.paging import After, Cursor, Limit, Page
from seasoned.server.rest.resource import CallersSeasoned, Resource
from seasoned.server.rest.rules import ConflictView
from seasoned.server.rest.views import Body, LessonView, Time, View

resource = Resource("review")
CURSOR = Cursor("review", (str, int, str), (str, int, float, str))


class ExchangeView(View):
    """An exchange and the user's words about it."""

    session: str
    at: Time
    request: str
    reply: str
    said: str


class RepairView(View):
    """A call that failed, its error, and what worked; null if the same call worked later."""

    session: str
    at: Time
    failed: CallView
    error: str
    worked: CallView | None
    steps: list[CallView]


class WaitingView(View):
    """A candidate rule or fix, or two rules in conflict, with its evidence."""

    id: str
    kind: WaitingKind
    lesson: LessonView
    reason: str
    witnesses: int
    exchanges: list[ExchangeView]
    repairs: list[RepairView]
    quotes: list[str]
    earlier: LessonView | None
    conflict: ConflictView | None
    version: str


class WaitingPage(Page[WaitingView]):
    """Some of what waits: conflicts first, then candidates, the most witnessed first."""


def _item(item: WaitingItem) -> Mapping[str, Any]:
    fields = ("id", "kind", "lesson", "reason", "witnesses", "exchanges", "quotes", "earlier")
    return {
        **{name: getattr(item, name) for name in (*fields, "conflict", "version")},
        "repairs": [_repair(one) for one in item.repairs],
    }


def _repair(one: RepairedCall) -> Mapping[str, Any]:
    return {
        "session": one.session,
        "at": one.at,
        "failed": _call(one.failed),
        "error": one.error,
        "worked": _call(one.worked) if one.worked else None,
        "steps": [_call(step) for step in one.steps],
    }


def _call(call: tuple[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    return {"tool": call[0], "params": call[1]}


@resource.operation("GET", "/review", "read", WaitingPage)
async def list_waiting(
    s: CallersSeasoned, limit: Limit = 50, cursor: After = None
) -> Mapping[str, Any]:
    """List what waits for an operator, with its evidence."""
    rows = await s.review.list(limit=limit + 1, after=CURSOR.read(cursor))
    page = CURSOR.page(rows, limit)
    return page | {"items": [_item(one) for one in page["items"]]}


@resource.operation("GET", "/review/{item}", "read", WaitingView)
async def get_waiting(s: CallersSeasoned, item: str, response: Response) -> Mapping[str, Any]:
    """Read a lesson or conflict with its evidence."""
    found = await s.review.get(item)
    tag(response, found.version)
    return _item(found)


class Acceptance(Body):
    """Of a conflict: which rule holds."""

    keep: Keep = "later"


@resource.operation("POST", "/review/{item}/accept", "operate", LessonView, errors=[412])
async def accept_waiting(
    s: CallersSeasoned,
    item: str,
    response: Response,
    body: Acceptance | None = None,
    if_match: IfMatch = None,
) -> Lesson:
    """Adopt a lesson as if the operator had taught it, or resolve a conflict."""
    keep = (body or Acceptance()).keep
    lesson = await s.review.accept(item, keep=keep, version=expected(if_match))
    tag(response, lesson.version)
    return lesson


class OtherWords(Body):
    """The lesson in other words."""

    words: Annotated[str, Field(min_length=1, max_length=10_000)]


@resource.operation("POST", "/review/{item}/edit", "operate", LessonView, errors=[412])
async def edit_waiting(
    s: CallersSeasoned, item: str, body: OtherWords, response: Response, if_match: IfMatch = None
) -> Lesson:
    """Adopt a lesson in other words."""
    lesson = await s.review.edit(item, body.words, version=expected(if_match))
    tag(response, lesson.version)
    return lesson


@resource.operation("POST", "/review/{item}/reject", "operate", LessonView, errors=[412])
async def reject_waiting(
    s: CallersSeasoned, item: str, response: Response, if_match: IfMatch = None
) -> Lesson:
    """Retire a lesson; it does not come back. Of a conflict, the earlier rule is kept."""
    lesson = await s.review.reject(item, version=expected(if_match))
    tag(response, lesson.version)
    return lesson


@resource.operation("POST", "/review/{item}/reopen", "operate", WaitingView, errors=[412])
async def reopen_waiting(s: CallersSeasoned, item: str, response: Response) -> Mapping[str, Any]:
    """Take back the last decision on a lesson or conflict; it waits again."""
    found = await s.review.undo(item)
    tag(response, found.version)
    return _item(found)
