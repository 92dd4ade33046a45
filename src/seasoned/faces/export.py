"""`s.export(…)`: what was judged, as a file to train models with."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, cast

from seasoned.core.scope import Scope
from seasoned.faces.feedback import Moment, moment
from seasoned.learning.export_report import ExportOrder, ExportReport
from seasoned.learning.export_rows import Kind
from seasoned.learning.feedback_store import Wanted

if TYPE_CHECKING:
    from seasoned.learning.export import Export


async def exported(
    export: "Export",
    scope: Scope,
    kind: str,
    path: str | PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - what it is called
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
) -> ExportReport:
    wanted = Wanted(
        dimension=dimension,
        source=source,
        model=model,
        least_confidence=least_confidence,
        since=moment("since", since),
        until=moment("until", until),
    )
    order = ExportOrder(
        kind=cast("Kind", kind),
        path=Path(path),
        format=format,
        wanted=wanted,
        samples=samples,
        chat=chat,
        keep_pii=keep_pii,
        with_corrections=with_corrections,
    )
    return await export.write(order, scope)
