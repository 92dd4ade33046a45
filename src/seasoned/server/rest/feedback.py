"""Feedback on answers: give it, list it, add it up."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from seasoned.feedback.feedback import Dimension, Giver, Polarity, StoredFeedback
from seasoned.feedback.recorder import FeedbackReceipt
from seasoned.feedback.totals import About
from seasoned.server.rest.paging import After, Cursor, Limit, Page
from seasoned.server.rest.resource import CallersSeasoned, Resource
from seasoned.server.rest.views import Body, Name, Text, Time, Values, View

resource = Resource("feedback")
CURSOR = Cursor("feedback", (int,))
Filter = Annotated[str | None, Query(max_length=500)]


class NewFeedback(Body):
    """An opinion on an answer; corrective feedback needs `correction`."""

    polarity: Polarity
    score: Annotated[float, Field(ge=-1, le=1)] | None = None
    dimension: Dimension = "helpfulness"
    confidence: Annotated[float, Field(ge=0, le=1)] = 1.0
    comment: Text = ""
    correction: Text = ""
    correction_span: tuple[int, int] | None = None
    source: Giver = "human"
    annotator: Name = ""
    about: Annotated[Name, Field(description="Id of a lesson, session or request.")] = ""
    session: Name = ""
    prompt: Text = ""
    response: Text = ""
    model: Name = ""
    version: Name | None = None
    skill: Name = ""
    tool: Name = ""
    environment: dict[str, Any] | None = None
    id: Annotated[
        Name | None, Field(min_length=1, description="An id counts once: sending twice is safe.")
    ] = None
    at: datetime | None = None


class ReceiptView(View):
    """What was recorded; `flagged` says what was changed, `aggregate` has the totals so far."""

    accepted: int
    duplicates: int
    flagged: dict[str, list[str]]
    aggregate: dict[str, dict[str, float]]


@resource.operation("POST", "/feedback", "learn", ReceiptView, status=201)
async def add_feedback(s: CallersSeasoned, body: NewFeedback) -> FeedbackReceipt:
    """Record feedback on an answer."""
    return await s.feedback.add(**body.model_dump())


class AttributionView(View):
    """The skill, tool and lesson that feedback is attributed to."""

    skill: str
    tool: str
    lesson: str


class RatedTurnView(View):
    """The request and the response that feedback is about."""

    prompt: str
    response: str
    model: str
    environment: Values | None
    version: str | None


class FeedbackView(View):
    """Feedback as it is stored."""

    id: str
    polarity: Polarity
    score: float
    dimension: Dimension
    confidence: float
    comment: str
    correction: str
    correction_span: tuple[int, int] | None
    source: Giver
    annotator: str
    about: str
    session: str
    turn: RatedTurnView | None
    at: Time
    flags: list[str]
    user: str
    attribution: AttributionView


class FeedbackPage(Page[FeedbackView]):
    """Some feedback, newest first."""


def _feedback(stored: StoredFeedback) -> Mapping[str, Any]:
    given = stored.feedback
    fields = ("id", "polarity", "score", "dimension", "confidence", "comment", "correction")
    more = ("correction_span", "source", "turn", "at", "flags")
    return {
        **{name: getattr(given, name) for name in (*fields, *more)},
        "annotator": given.annotator_id,
        "about": given.correlation_id,
        "session": given.session_id,
        "user": stored.user,
        "attribution": stored.attribution,
    }


@resource.operation("GET", "/feedback", "read", FeedbackPage)
async def list_feedback(
    s: CallersSeasoned,
    polarity: Polarity | None = None,
    dimension: Dimension | None = None,
    source: Giver | None = None,
    skill: Filter = None,
    tool: Filter = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: Limit = 50,
    cursor: After = None,
) -> Mapping[str, Any]:
    """List feedback with its attribution, newest first."""
    place = CURSOR.read(cursor)
    rows = await s.feedback.list(
        polarity=polarity,
        dimension=dimension,
        source=source,
        skill=skill,
        tool=tool,
        since=since,
        until=until,
        limit=limit + 1,
        before=place[0] if place else None,
    )
    page = CURSOR.page(rows, limit, lambda one: (one.place,))
    return page | {"items": [_feedback(one) for one in page["items"]]}


class FeedbackTotalView(View):
    """A sum of feedback."""

    name: str
    count: int
    mean_score: float
    mean_confidence: float
    positive: int
    negative: int
    neutral: int
    corrective: int
    last_at: Time


class FeedbackTotals(View):
    """Totals, most frequent first."""

    items: list[FeedbackTotalView]


@resource.operation("GET", "/feedback/stats", "read", FeedbackTotals)
async def get_feedback_stats(
    s: CallersSeasoned,
    by: About = "dimension",
    dimension: Dimension | None = None,
    limit: Limit = 100,
) -> Mapping[str, Any]:
    """Add up the project's feedback by dimension, skill, tool, source or lesson."""
    totals = await s.feedback.stats(by, dimension=dimension, limit=limit)
    counts = ("count", "mean_score", "mean_confidence", "positive", "negative", "neutral")
    more = ("corrective", "last_at")
    return {
        "items": [
            {"name": name, **{field: getattr(total, field) for field in (*counts, *more)}}
            for name, total in totals.items()
        ]
    }
