"""`s.feedback`: feedback on answers, and its export as training data."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from seasoned.api.face import AsyncFace, SyncFace, sync
from seasoned.core.errors import BadInput
from seasoned.core.ids import new_id
from seasoned.feedback.feedback import (
    DIMENSIONS,
    GIVERS,
    POLARITIES,
    SCORES,
    Feedback,
    RatedTurn,
    valid_feedback,
)
from seasoned.transcripts.formats.moments import micros

if TYPE_CHECKING:
    from seasoned.feedback.export.report import ExportReport
    from seasoned.feedback.feedback import StoredFeedback
    from seasoned.feedback.recorder import FeedbackReceipt
    from seasoned.feedback.totals import FeedbackTotal

Moment = int | float | str | datetime


class AsyncFeedbackFace(AsyncFace):
    """Feedback of one scope."""

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
        id: str | None = None,  # noqa: A002 - the field's name
        at: Moment | None = None,
    ) -> "FeedbackReceipt":
        """Record feedback on an answer: positive, negative, neutral or corrective.

        `prompt` and `response` give the turn it is about; default: the last exchange of the
        `session`. `about` is the id of a lesson, session or request. Corrective feedback needs
        `correction`: the right answer, or a replacement for `correction_span`. The polarity
        implies the score if none is given.
        """
        named = {name: value for name, value in (("skill", skill), ("tool", tool)) if value}
        turn = None
        if prompt or response or model or version or named or environment:
            turn = RatedTurn(prompt, response, model, {**(environment or {}), **named}, version)
        kind = cast("Any", one_of("polarity", polarity, POLARITIES))
        given = Feedback(
            id=id or new_id(),
            polarity=kind,
            score=SCORES[kind] if score is None else score,
            dimension=cast("Any", one_of("dimension", dimension, DIMENSIONS)),
            confidence=confidence,
            comment=comment,
            correction=correction,
            correction_span=correction_span,
            source=cast("Any", one_of("source", source, GIVERS)),
            annotator_id=annotator,
            correlation_id=about,
            session_id=session,
            turn=turn,
            at=moment("at", at) or 0,
        )
        return await self.record([given])

    async def record(self, items: Sequence[Feedback]) -> "FeedbackReceipt":
        """Record several items, all or nothing; each id counts once."""
        valid = [valid_feedback(item) for item in items]
        recorded = self._app.feedbacks.record(valid, self._scope, acts_in=self._caller.acts_in)
        return await self._run(recorded)

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
        before: int | None = None,
    ) -> "Sequence[StoredFeedback]":
        """List feedback with its attribution, newest first.

        `before` is the `place` of the last one of the page before.
        """
        from seasoned.feedback.feedback_store import FeedbackFilter

        if limit < 0:
            raise BadInput(f"limit is {limit}; it must be 0 or more")
        chosen = FeedbackFilter(
            polarity=one_of("polarity", polarity, POLARITIES),
            dimension=one_of("dimension", dimension, DIMENSIONS),
            source=one_of("source", source, GIVERS),
            skill=skill,
            tool=tool,
            since=moment("since", since),
            until=moment("until", until),
        )
        return await self._run(self._app.feedbacks.list(self._scope, chosen, limit, before))

    async def stats(
        self,
        by: Literal["dimension", "skill", "tool", "source", "lesson"] = "dimension",
        *,
        dimension: str | None = None,
        limit: int = 100,
    ) -> "Mapping[str, FeedbackTotal]":
        """Summarise the project's feedback: `count`, `mean_score`, `mean_confidence`…"""
        found = self._app.feedbacks.stats(
            self._scope, by, dimension=one_of("dimension", dimension, DIMENSIONS), limit=limit
        )
        return await self._run(found)

    async def export(
        self,
        kind: str,
        path: str | PathLike[str],
        *,
        format: str | None = None,  # noqa: A002 - the option's name
        dimension: str | None = None,
        source: str | None = None,
        model: str | None = None,
        least_confidence: float | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        samples: bool = False,
        chat: bool = False,
        keep_pii: bool = False,
        with_corrections: bool = False,
    ) -> "ExportReport":
        """Export feedback as training data (dpo, kto, reward or sft), with a datasheet.

        The format follows from the file's name (.jsonl, .parquet) unless `format` is given.
        `samples` makes a reward file of scored single answers, `chat` writes messages instead of
        plain text. Personal data is removed unless `keep_pii`; `with_corrections` adds users'
        corrections and the examples.
        """
        from seasoned.feedback.export.report import ExportRequest
        from seasoned.feedback.feedback_store import FeedbackFilter

        chosen = FeedbackFilter(
            dimension=one_of("dimension", dimension, DIMENSIONS),
            source=one_of("source", source, GIVERS),
            model=model,
            least_confidence=least_confidence,
            since=moment("since", since),
            until=moment("until", until),
        )
        request = ExportRequest(
            kind=cast("Any", kind),
            path=Path(path),
            format=format,
            chosen=chosen,
            samples=samples,
            chat=chat,
            keep_pii=keep_pii,
            with_corrections=with_corrections,
        )
        return await self._run(self._app.export.write(request, self._scope))


class FeedbackFace(SyncFace[AsyncFeedbackFace]):
    """The synchronous twin."""

    add = sync(AsyncFeedbackFace.add)
    record = sync(AsyncFeedbackFace.record)
    list = sync(AsyncFeedbackFace.list)
    stats = sync(AsyncFeedbackFace.stats)
    export = sync(AsyncFeedbackFace.export)


def moment(name: str, value: Moment | None) -> int | None:
    """Convert a time to microseconds.

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
    """Return the allowed value, which may be given in any case."""
    lowered = value.strip().lower() if value is not None else None
    if lowered is not None and lowered not in allowed:
        raise BadInput(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")
    return lowered
