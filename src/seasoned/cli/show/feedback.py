"""Feedback as JSON and as tables."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from seasoned.cli.show.render import table
from seasoned.core.clock import ago, iso
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from seasoned.feedback.feedback import StoredFeedback
    from seasoned.feedback.recorder import FeedbackReceipt
    from seasoned.feedback.totals import FeedbackTotal


def recorded_shape(feedback_id: str | None, recorded: "FeedbackReceipt") -> dict[str, Any]:
    return {
        "id": feedback_id,
        "accepted": recorded.accepted,
        "duplicates": recorded.duplicates,
        "flagged": {name: list(flags) for name, flags in recorded.flagged.items()},
        "aggregate": {name: dict(means) for name, means in recorded.aggregate.items()},
    }


def feedback_shape(one: "StoredFeedback") -> dict[str, Any]:
    given, turn, about = one.feedback, one.feedback.turn, one.attribution
    return {
        "id": given.id,
        "at": iso(given.at),
        "polarity": given.polarity,
        "score": given.score,
        "dimension": given.dimension,
        "confidence": given.confidence,
        "source": given.source,
        "comment": given.comment,
        "correction": given.correction,
        "correction_span": list(given.correction_span) if given.correction_span else None,
        "annotator": given.annotator_id,
        "about": given.correlation_id,
        "session": given.session_id,
        "turn": turn
        and {
            "prompt": turn.prompt,
            "response": turn.response,
            "model": turn.model,
            "version": turn.version,
            "environment": turn.environment,
        },
        "flags": list(given.flags),
        "skill": about.skill or None,
        "tool": about.tool or None,
        "lesson": about.lesson or None,
    }


def tally_shape(tally: "FeedbackTotal") -> dict[str, Any]:
    return {
        "count": tally.count,
        "mean_score": round(tally.mean_score, 4),
        "mean_confidence": round(tally.mean_confidence, 4),
        "positive": tally.positive,
        "negative": tally.negative,
        "neutral": tally.neutral,
        "corrective": tally.corrective,
        "last": iso(tally.last_at),
    }


def feedback_table(found: "Sequence[StoredFeedback]", now: int) -> "RenderableType":
    rows = [
        (
            one.feedback.id,
            ago(one.feedback.at, now),
            one.feedback.polarity,
            f"{one.feedback.score:+.2f}",
            one.feedback.dimension,
            _subject(one),
        )
        for one in found
    ]
    return table(("id", "age", "polarity", ">score", "dimension", "about"), rows)


def _subject(one: "StoredFeedback") -> str:
    given, about = one.feedback, one.attribution
    named = (("skill", about.skill), ("tool", about.tool), ("lesson", about.lesson))
    parts = [f"{kind} {name}" for kind, name in named if name]
    if given.turn and given.turn.prompt:
        parts.append(f"{one_line(given.turn.prompt, 60)} → {one_line(given.turn.response, 60)}")
    parts += [f"“{one_line(text, 100)}”" for text in (given.correction, given.comment) if text]
    return "\n".join(parts)


def stats_table(by: str, stats: "Mapping[str, FeedbackTotal]") -> "RenderableType":
    columns = (by, ">count", ">score", ">confidence", ">+", ">-", ">neutral", ">corrected")
    rows = [
        (
            name,
            f"{one.count:,}",
            f"{one.mean_score:+.2f}",
            f"{one.mean_confidence:.2f}",
            *(f"{number:,}" for number in (one.positive, one.negative, one.neutral)),
            f"{one.corrective:,}",
        )
        for name, one in stats.items()
    ]
    return table(columns, rows)
