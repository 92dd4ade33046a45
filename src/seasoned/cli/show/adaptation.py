"""Choices, performance records and estimates, as JSON and as tables."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from seasoned.bandit.adaptation import AdaptationResult
from seasoned.bandit.evaluation import EvaluationResult
from seasoned.bandit.performance import PerformanceRecord
from seasoned.cli.show.render import table
from seasoned.core.clock import iso
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType


def record_shape(record: PerformanceRecord) -> dict[str, Any]:
    called = iso(record.last_called) if record.last_called else None
    return {**asdict(record), "last_called": called}


def adapted_shape(adapted: AdaptationResult) -> dict[str, Any]:
    choice = adapted.choice
    return {
        "name": adapted.name,
        "strategy": adapted.strategy,
        "choice": choice.arm if choice else None,
        "propensity": choice.propensity if choice else None,
        "reasons": list(adapted.reasons),
        "records": [record_shape(one) for one in adapted.records],
    }


def evaluated_shape(evaluated: EvaluationResult) -> dict[str, Any]:
    return asdict(evaluated)


def records_table(records: Sequence[PerformanceRecord]) -> "RenderableType":
    rows = [
        (
            *(f"{one.calls_total:,}", f"{one.calls_failed:,}"),
            *(_number(one.avg_duration_ms), _number(one.p95_duration_ms)),
            *(_number(one.avg_score, 2), one.kind, one_line(one.name, 60)),
        )
        for one in records
    ]
    columns = (">calls", ">failed", ">avg ms", ">p95 ms", ">score", "kind", "name")
    return table(columns, rows)


def estimates_table(evaluated: EvaluationResult, confidence: float) -> "RenderableType":
    rows = [
        (
            *(one.estimator, f"{one.value:.4g}", f"{one.low:.4g}", f"{one.high:.4g}"),
            f"{one.effective:,.0f}",
        )
        for one in evaluated.estimates
    ]
    low = f">{confidence:.0%} from"
    return table(("estimator", ">mean reward", low, ">to", "effective steps"), rows)


def _number(value: float | None, places: int = 0) -> str:
    return "–" if value is None else f"{value:,.{places}f}"
