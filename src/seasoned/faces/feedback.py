"""`s.feedback`: what people, the environment and the agent itself think of answers."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, cast

from seasoned.core.errors import BadInput
from seasoned.core.ids import new_id
from seasoned.core.scope import Scope
from seasoned.faces.driving import Driven, Run, sync
from seasoned.learning.feedback import DIMENSIONS, GIVERS, POLARITIES, Feedback, RatedTurn
from seasoned.transcripts.moments import micros

if TYPE_CHECKING:
    from seasoned.learning.feedback_store import Kept
    from seasoned.learning.feedback_tally import Tally
    from seasoned.learning.feedbacks import Feedbacks, Recorded

Moment = int | float | str | datetime

SCORES = {"positive": 1.0, "negative": -1.0, "neutral": 0.0, "corrective": -1.0}


class AsyncFeedback:
    def __init__(self, feedbacks: "Feedbacks", scope: Scope, run: Run) -> None:
        self._feedbacks = feedbacks
        self._scope = scope
        self._run = run

    async def add(
        self,
        polarity: str,
        *,
        score: float | None = None,
        dimension: str = "helpfulness",
        confidence: float = 1.0,
        comment: str = "",
        correction: str = "",
        correction_span: tuple[int, int] | None = None,
        source: str = "human",
        annotator: str = "",
        about: str = "",
        session: str = "",
        prompt: str = "",
        response: str = "",
        model: str = "",
        version: str | None = None,
        skill: str = "",
        tool: str = "",
        environment: Mapping[str, Any] | None = None,
        id: str | None = None,  # noqa: A002 - what it is called
        at: Moment | None = None,
    ) -> "Recorded":
        """Says what is thought of an answer: positive, negative, neutral or corrective.

        `prompt` and `response` are the turn that is meant; without them, the last exchange of the
        `session`. `about` is what it speaks of: a lesson's id, a session, a request's id. A
        corrective one needs `correction`: the answer as it should be, or the part of it that
        takes the place of `correction_span`. Without a score, the polarity says it.
        """
        named = {name: value for name, value in (("skill", skill), ("tool", tool)) if value}
        turn = None
        if prompt or response or model or version or named or environment:
            turn = RatedTurn(prompt, response, model, {**(environment or {}), **named}, version)
        kind = polarity.strip().lower()
        given = Feedback(
            id=id or new_id(),
            polarity=cast("Any", one_of("polarity", kind, POLARITIES)),
            score=SCORES[kind] if score is None else score,
            dimension=cast("Any", one_of("dimension", dimension.strip().lower(), DIMENSIONS)),
            confidence=confidence,
            comment=comment,
            correction=correction,
            correction_span=correction_span,
            source=cast("Any", one_of("source", source.strip().lower(), GIVERS)),
            annotator_id=annotator,
            correlation_id=about,
            session_id=session,
            turn=turn,
            at=moment("at", at) or 0,
        )
        return await self.record([given])

    async def record(self, items: Sequence[Feedback]) -> "Recorded":
        """Many at once, all or none; each counts once, however often it comes."""
        return await self._run(self._feedbacks.record(items, self._scope))

    async def list(
        self,
        *,
        polarity: str | None = None,
        dimension: str | None = None,
        source: str | None = None,
        skill: str | None = None,
        tool: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = 50,
    ) -> "Sequence[Kept]":
        """The latest first, each with what it was put down to."""
        from seasoned.learning.feedback_store import Wanted

        if limit < 0:
            raise BadInput(f"limit is {limit}; it must be 0 or more")
        wanted = Wanted(
            polarity=one_of("polarity", polarity, POLARITIES),
            dimension=one_of("dimension", dimension, DIMENSIONS),
            source=one_of("source", source, GIVERS),
            skill=skill,
            tool=tool,
            since=moment("since", since),
            until=moment("until", until),
        )
        return await self._run(self._feedbacks.list(self._scope, wanted, limit))

    async def stats(
        self,
        by: Literal["dimension", "skill", "tool", "source", "lesson"] = "dimension",
        *,
        dimension: str | None = None,
        limit: int = 100,
    ) -> "Mapping[str, Tally]":
        """How the project's feedback adds up: `count`, `mean_score`, `mean_confidence`…"""
        found = self._feedbacks.stats(
            self._scope, by, dimension=one_of("dimension", dimension, DIMENSIONS), limit=limit
        )
        return await self._run(found)


class FeedbackFace(Driven[AsyncFeedback]):
    """The same for synchronous code."""

    add = sync(AsyncFeedback.add)
    record = sync(AsyncFeedback.record)
    list = sync(AsyncFeedback.list)
    stats = sync(AsyncFeedback.stats)


def moment(name: str, value: Moment | None) -> int | None:
    """A time, however it is written, in microseconds.

    >>> moment("since", "1970-01-02") == moment("since", datetime(1970, 1, 2)) == 86_400_000_000
    True
    """
    if value is None:
        return None
    found = micros(value.isoformat() if isinstance(value, datetime) else value)
    if found is None:
        raise BadInput(f"{name} is {value!r}; give a time like 2025-03-07 or 2025-03-07T09:00Z")
    return found


def one_of(name: str, value: str | None, allowed: Sequence[str]) -> str | None:
    if value is not None and value not in allowed:
        raise BadInput(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")
    return value
