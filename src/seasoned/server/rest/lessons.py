"""Lessons: list, search, read, explain, forget; many at once, and back."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query, Response
from pydantic import Field

from seasoned.api.async_seasoned import LessonHistory
from seasoned.api.bulk import MOST_AT_ONCE, BulkAct, BulkDecision
from seasoned.fixes.explanation import Explanation
from seasoned.lessons.lesson import Kind, Lesson, Status
from seasoned.server.rest.etags import IfMatch, expected, tag
from seasoned.server.rest.paging import After, Cursor, Limit, Page
from seasoned.server.rest.resource import CallersSeasoned, Resource
from seasoned.server.rest.views import (
    AuditEventView,
    Body,
    Hits,
    LessonView,
    Name,
    ScopeView,
    Time,
    Values,
    View,
)

resource = Resource("lessons")
CURSOR = Cursor("lessons", (int, str))
SearchText = Annotated[str, Query(min_length=1, max_length=4000)]
Erase = Annotated[bool, Query(description="Delete its words, too; only the fact remains.")]


class LessonPage(Page[LessonView]):
    """Some lessons, newest first."""


@resource.operation("GET", "/lessons", "read", LessonPage)
async def list_lessons(
    s: CallersSeasoned,
    kind: Kind | None = None,
    status: Status | None = None,
    tool: Annotated[str | None, Query(max_length=500)] = None,
    text: Annotated[
        str | None, Query(max_length=1000, description="Words that stand in the lesson.")
    ] = None,
    limit: Limit = 50,
    cursor: After = None,
) -> Mapping[str, Any]:
    """List lessons, newest first."""
    rows = await s.lessons(
        kind=kind,
        status=status,
        tool=tool,
        text=text,
        limit=limit + 1,
        after=CURSOR.read(cursor),
    )
    return CURSOR.page(rows, limit)


@resource.operation("GET", "/lessons/search", "read", Hits)
async def search_lessons(s: CallersSeasoned, query: SearchText, limit: Limit = 10) -> Any:
    """Search active lessons by request, in words and meaning, best first."""
    return {"items": await s.search(query, limit=limit)}


@resource.operation("GET", "/lessons/{lesson}", "read", LessonView)
async def get_lesson(s: CallersSeasoned, lesson: str, response: Response) -> Lesson:
    """Read a lesson by its id, or the beginning of it."""
    found = await s.lesson(lesson)
    tag(response, found.version)
    return found


class EvidenceView(View):
    """A reason to believe a lesson more, or less."""

    at: Time
    reason: str
    worked: float
    failed: float
    session: str
    quote: str


class ErrorPatternView(View):
    """The error that a fix is for."""

    id: str
    tool: str
    template: str
    category: str
    seen: int
    first_seen_at: Time
    last_seen_at: Time


class OccurrenceView(View):
    """An error as it occurred."""

    at: Time
    session: str
    message: str


class EpisodeView(View):
    """A failed call that the fix repaired, and the call that worked."""

    session: str
    tool: str
    message: str
    params: Values
    worked: Values | None
    outcome: str
    opened_at: Time


class UseView(View):
    """A session in which a lesson was given."""

    scope: ScopeView
    times: int
    first_at: Time
    last_at: Time


class ExplanationView(View):
    """Why a lesson is believed; `text` says it for people."""

    lesson: LessonView
    text: str
    evidence: list[EvidenceView]
    error: ErrorPatternView | None
    samples: list[OccurrenceView]
    episodes: list[EpisodeView]
    events: list[AuditEventView]
    uses: Annotated[list[UseView], Field(description="The latest sessions that were given it.")]


@resource.operation("GET", "/lessons/{lesson}/why", "read", ExplanationView)
async def explain_lesson(s: CallersSeasoned, lesson: str) -> Explanation:
    """Explain a lesson: its evidence, error, episodes and audit events."""
    return await s.why(lesson)


class LessonVersionView(View):
    """The words of a lesson since some time."""

    at: Time
    trigger: str
    content: str
    words: Annotated[str, Field(description="The digest by which audit events name them.")]


class LessonHistoryView(View):
    """The words that a lesson had, and what was done with it."""

    lesson: LessonView
    versions: list[LessonVersionView]
    events: list[AuditEventView]


@resource.operation("GET", "/lessons/{lesson}/history", "read", LessonHistoryView)
async def get_lesson_history(s: CallersSeasoned, lesson: str) -> LessonHistory:
    """Return the former words of a lesson, and the audit events about it."""
    return await s.history(lesson)


@resource.operation("DELETE", "/lessons/{lesson}", "operate", LessonView, errors=[412])
async def forget_lesson(
    s: CallersSeasoned, lesson: str, erase: Erase = False, if_match: IfMatch = None
) -> Lesson:
    """Retire a lesson, so that it is never given again."""
    return await s.forget(lesson, erase=erase, version=expected(if_match))


class BulkRequest(Body):
    """Lessons and rules to act on, all or none."""

    act: BulkAct
    lessons: Annotated[list[Name], Field(min_length=1, max_length=MOST_AT_ONCE)]


class BulkView(View):
    """What was done; its id takes it back."""

    id: str
    changed: Annotated[int, Field(description="Lessons that were not so before.")]
    lessons: list[LessonView]


@resource.operation("POST", "/lessons/bulk", "operate", BulkView, errors=[404])
async def change_many_lessons(s: CallersSeasoned, body: BulkRequest) -> BulkDecision:
    """Forget lessons and rules, or switch them off or on; this can be taken back as one."""
    acts = {"forget": s.bulk.forget, "suspend": s.bulk.suspend, "resume": s.bulk.resume}
    return await acts[body.act](body.lessons)


class RestoredLessons(View):
    """The lessons as they were before."""

    items: list[LessonView]


@resource.operation(
    "POST", "/lessons/bulk/{decision}/undo", "operate", RestoredLessons, errors=[412]
)
async def undo_bulk(s: CallersSeasoned, decision: str) -> Mapping[str, Any]:
    """Take a bulk decision back; 412 if one of its lessons was changed since."""
    return {"items": await s.bulk.undo(decision)}
