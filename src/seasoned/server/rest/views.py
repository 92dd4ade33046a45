"""What several resources show and take: times, scopes, lessons, search hits, JSON objects."""

import json
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, WithJsonSchema

from seasoned.core.authority import Trust
from seasoned.core.plain import plain
from seasoned.lessons.lesson import GuardKind, Kind, Polarity, RuleType, Source, Status, Verdict

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime.max.replace(tzinfo=UTC)


def moment(at: Any) -> Any:
    """Turn microseconds since 1970 into a time.

    >>> moment(1_000_000).isoformat(), moment(2**62).year
    ('1970-01-01T00:00:01+00:00', 9999)
    """
    if not isinstance(at, int):
        return at
    try:
        return EPOCH + timedelta(microseconds=at)
    except OverflowError:
        return LATEST


Time = Annotated[datetime, BeforeValidator(moment)]
Plain = Annotated[Any, PlainValidator(plain), WithJsonSchema({})]
"""Any JSON value."""
Values = Annotated[dict[str, Any], BeforeValidator(plain)]
"""A JSON object with any values."""
GivenObject = Annotated[dict[str, Any], Field(default_factory=dict)]
"""A JSON object that a request may leave out."""
Text = Annotated[str, Field(max_length=1_000_000)]
Name = Annotated[str, Field(max_length=500)]


class Body(BaseModel):
    """The body of a request: an unknown field is a mistake, not ignored."""

    model_config = ConfigDict(extra="forbid")


class View(BaseModel):
    """What an answer shows of a thing, read from the thing's own fields."""

    model_config = ConfigDict(from_attributes=True)


class ScopeView(View):
    """Whose a thing is; an empty field means any."""

    tenant: str
    project: str
    user: str
    session: str


class FixView(View):
    """Of a fix: its tool and error, and why it waits for an operator, if it does."""

    tool: str
    error_id: str
    waits: str


class GuardView(View):
    """Words, or a pattern, that no reply may contain."""

    kind: GuardKind
    value: str


class RuleDetailView(View):
    """Of a rule: its type, its anti-example, an example of right behaviour, its guard."""

    type: RuleType
    poison: str | None
    fewshot_user: str | None
    fewshot_assistant: str | None
    guard: GuardView | None
    provisional_of: str | None


class ExampleDetailView(View):
    """Of an example: the exchange, whether it was good, and why."""

    polarity: Polarity
    request: str
    reply: str
    note: str
    rule: str | None


class BeliefView(View):
    """How often it worked and failed, as pseudo-counts."""

    worked: float
    failed: float


class LessonView(View):
    """Anything learned that may enter a prompt."""

    id: str
    kind: Kind
    status: Status
    scope: ScopeView
    trigger: str
    content: str
    confidence: float
    belief: BeliefView
    source: Source
    trust: Trust
    verdict: Verdict
    created_at: Time
    updated_at: Time
    times_given: int
    last_given_at: Time | None
    superseded_by: str | None
    fix: FixView | None
    rule: RuleDetailView | None
    example: ExampleDetailView | None
    version: str


class HitView(View):
    """A lesson that a search found, best first by its score."""

    lesson: LessonView
    score: float


class Hits(BaseModel):
    """What a search found; there are no further pages."""

    items: list[HitView]


class Count(BaseModel):
    """How many things were changed."""

    count: int


def _read(detail: Any) -> Any:
    return json.loads(detail) if isinstance(detail, str) else detail


class AuditEventView(View):
    """Something that was changed; `digest` chains it to the event before it."""

    seq: int
    at: Time
    kind: str
    subject: str
    detail: Annotated[dict[str, Any], BeforeValidator(_read)]
    digest: str
