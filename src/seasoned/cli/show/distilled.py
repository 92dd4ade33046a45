"""Show fixes that a model has read, for people and as JSON."""

from typing import Any

from seasoned.cli.show.shapes import lesson_shape
from seasoned.fixes.distiller import DistilledFix


def distilled_text(one: DistilledFix) -> str:
    reason = f" ({one.reason})" if one.reason else ""
    became = {
        "worded": f"→ {one.lesson.content}",
        "vetoed": "→ nothing to learn; it waits for an operator",
        "plain": "stands",
    }
    return f"{one.lesson.id}  {one.before}\n  {became[one.outcome]}{reason}"


def distilled_shape(one: DistilledFix) -> dict[str, Any]:
    return {
        "lesson": lesson_shape(one.lesson),
        "before": one.before,
        "outcome": one.outcome,
        "reason": one.reason,
    }
