"""Corrections by users: those that wait, those that were analysed."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from seasoned.core.errors import BadInput
from seasoned.db.queue.queue import QueueItem
from seasoned.rules.case import Case
from seasoned.rules.learner import CaseResult, Outcome
from seasoned.rules.pending import case_from
from seasoned.server.rest.paging import After, Cursor, Limit, Page
from seasoned.server.rest.resource import CallersSeasoned, Resource
from seasoned.server.rest.views import Body, Count, LessonView, ScopeView, Time, Values, View

resource = Resource("corrections")
PENDING = Cursor("corrections", (int, str))
HISTORY = Cursor("correction history", (int, str))
Archived = Annotated[bool, Query(description="Those over the cap, instead of those that wait.")]


class CaseView(View):
    """A correction with its circumstances."""

    id: str
    at: Time
    scope: ScopeView
    message: str
    kind: str
    score: float
    language: str | None
    wanted: str | None
    unwanted: str | None
    request: str
    reply: str
    reach: str


class PendingView(View):
    """A correction that waits; `case` is null if it cannot be read."""

    id: str
    added_at: Time
    due_at: Time
    attempts: int
    error: str
    archived: bool
    case: CaseView | None


class PendingPage(Page[PendingView]):
    """Some corrections that wait, newest first."""


class AnalysedView(View):
    """A correction and what was made of it; `case` is null if its words were erased."""

    id: str
    scope: ScopeView
    at: Time
    kind: str
    message: str
    outcome: str
    lesson: str | None
    by: str
    reason: str
    analysed_at: Time
    case: CaseView | None


class AnalysedPage(Page[AnalysedView]):
    """Some analysed corrections, newest first."""


def _pending(item: QueueItem) -> Mapping[str, Any]:
    fields = ("id", "added_at", "due_at", "attempts", "error", "archived")
    return {**{name: getattr(item, name) for name in fields}, "case": _case(item)}


def _case(item: QueueItem) -> Case | None:
    try:
        return case_from(item)
    except BadInput:
        return None


@resource.operation("GET", "/corrections", "read", PendingPage)
async def list_pending_corrections(
    s: CallersSeasoned, archived: Archived = False, limit: Limit = 50, cursor: After = None
) -> Mapping[str, Any]:
    """List corrections that wait to be learned from, newest first."""
    rows = await s.corrections.pending(
        archived=archived, limit=limit + 1, after=PENDING.read(cursor)
    )
    page = PENDING.page(rows, limit)
    return page | {"items": [_pending(one) for one in page["items"]]}


@resource.operation("GET", "/corrections/status", "read", Values)
async def get_corrections_status(s: CallersSeasoned) -> Mapping[str, Any]:
    """Return the depth of the queue, the age of its oldest item, and a colour for both."""
    return await s.corrections.status()


@resource.operation("GET", "/corrections/history", "read", AnalysedPage)
async def list_analysed_corrections(
    s: CallersSeasoned, limit: Limit = 50, cursor: After = None
) -> Mapping[str, Any]:
    """List analysed corrections with their outcome, newest first."""
    rows = await s.corrections.history(limit=limit + 1, after=HISTORY.read(cursor))
    return HISTORY.page(rows, limit)


class LearnRequest(Body):
    """How many corrections to learn from now."""

    limit: Annotated[int, Field(ge=1, le=1000)] = 100


class CaseResultView(View):
    """What was made of a correction."""

    case: CaseView
    outcome: Outcome
    rule: LessonView | None
    reason: str
    by: str


class CaseResults(View):
    """What was made of each correction."""

    items: list[CaseResultView]


@resource.operation("POST", "/corrections/learn", "operate", CaseResults, errors=[409, 502])
async def learn_corrections(
    s: CallersSeasoned, body: LearnRequest | None = None
) -> Mapping[str, Sequence[CaseResult]]:
    """Learn from the corrections that are due, now; failed ones stay queued."""
    return {"items": await s.corrections.learn(limit=(body or LearnRequest()).limit)}


@resource.operation("POST", "/corrections/retry", "operate", Count)
async def retry_corrections(s: CallersSeasoned) -> Mapping[str, int]:
    """Make all failed corrections due now."""
    return {"count": await s.corrections.retry()}


@resource.operation("DELETE", "/corrections", "operate", Count)
async def clear_corrections(s: CallersSeasoned, archived: Archived = False) -> Mapping[str, int]:
    """Remove all corrections that wait, without learning from them."""
    return {"count": await s.corrections.clear(archived=archived)}


class FoundCorrection(View):
    """A correction: one that waits, or one that was analysed."""

    pending: PendingView | None
    analysed: AnalysedView | None


@resource.operation("GET", "/corrections/{correction}", "read", FoundCorrection)
async def get_correction(s: CallersSeasoned, correction: str) -> Mapping[str, Any]:
    """Read a correction by its id, or the beginning of it."""
    found = await s.corrections.get(correction)
    if isinstance(found, QueueItem):
        return {"pending": _pending(found), "analysed": None}
    return {"pending": None, "analysed": found}


@resource.operation("POST", "/corrections/{correction}/retry", "operate", Count)
async def retry_correction(s: CallersSeasoned, correction: str) -> Mapping[str, int]:
    """Make a failed correction due now; one in the archive returns."""
    return {"count": await s.corrections.retry(correction)}


@resource.operation("DELETE", "/corrections/{correction}", "operate", Count)
async def clear_correction(s: CallersSeasoned, correction: str) -> Mapping[str, int]:
    """Remove a correction that waits, without learning from it."""
    return {"count": await s.corrections.clear(correction)}
