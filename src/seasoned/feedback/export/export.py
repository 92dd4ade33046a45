"""Export judged answers as training data, in constant memory."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from importlib.metadata import version

from seasoned.core.clock import Clock, iso
from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.feedback.export.files import WRITERS, Writer, format_of, replacing, sha256_of
from seasoned.feedback.export.report import ExportReport, ExportRequest, datasheet
from seasoned.feedback.export.rows import KINDS, TOO_LONG, JudgedAnswer, RowShape, shape_of
from seasoned.feedback.export.sources import (
    FILTERED,
    CorrectionPages,
    ExamplePages,
    ExportSource,
    FeedbackPages,
)
from seasoned.feedback.feedback import DIMENSIONS, GIVERS
from seasoned.feedback.feedback_store import FeedbackFilter, FeedbackStore
from seasoned.lessons.lesson_store import LessonStore
from seasoned.rules.case_store import CaseStore
from seasoned.security.pii import without_pii


class ExportCounts:
    """Counts rows while an export is written."""

    def __init__(self) -> None:
        self.rows = 0
        self.seen = 0  # pieces of feedback that passed the filters
        self.dimensions: Counter[str] = Counter()
        self.sources: Counter[str] = Counter()
        self.origins: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.masked: Counter[str] = Counter()

    def row(self, one: JudgedAnswer) -> None:
        self.rows += 1
        self.dimensions[one.dimension] += 1
        self.sources[one.source] += 1
        self.origins[one.origin] += 1


class Export:
    def __init__(self, db: Database, lessons: LessonStore, cases: CaseStore, clock: Clock) -> None:
        self.db = db
        self.lessons = lessons
        self.cases = cases
        self.clock = clock
        self.store = FeedbackStore()

    async def write(self, request: ExportRequest, scope: Scope) -> ExportReport:
        """Write the file and its datasheet; if that fails, earlier files stay as they were."""
        _check(request)
        chosen = format_of(request.path, request.format)
        shape = shape_of(request.kind, samples=request.samples, chat=request.chat)
        counts, sheet = ExportCounts(), request.path.with_name(f"{request.path.name}.datasheet.md")
        with replacing(request.path) as temporary:
            with WRITERS[chosen](temporary, shape.columns) as writer:
                await self._fill(writer, shape, request, scope, counts)
            size, sha256 = temporary.stat().st_size, sha256_of(temporary)
        report = ExportReport(
            request=request,
            path=request.path,
            datasheet=sheet,
            format=chosen,
            scope=scope,
            at=self.clock.now(),
            version=version("seasoned"),
            columns=shape.columns,
            filters=_filters(request.chosen),
            rows=counts.rows,
            by_dimension=_sorted(counts.dimensions),
            by_source=_sorted(counts.sources),
            by_origin=_sorted(counts.origins),
            left_out=_sorted(counts.left_out),
            masked=_sorted(counts.masked),
            size=size,
            sha256=sha256,
        )
        with replacing(sheet) as temporary:
            temporary.write_text(datasheet(report), "utf-8", newline="\n")
        return report

    async def _fill(
        self,
        writer: Writer,
        shape: RowShape,
        request: ExportRequest,
        scope: Scope,
        counts: ExportCounts,
    ) -> None:
        mask: Callable[[str], str] | None = partial(without_pii, found=counts.masked)
        mask = None if request.keep_pii else mask
        async with self.db.read() as tx:
            last, there = await self.store.end(tx, scope)
        for source in self._sources(request, scope, last):
            while page := await source.page():
                counts.seen += len(page) if isinstance(source, FeedbackPages) else 0
                for one in page:
                    _write(writer, shape, one, mask, counts)
        if there > counts.seen:
            counts.left_out[FILTERED] += there - counts.seen

    def _sources(self, request: ExportRequest, scope: Scope, last: int) -> Sequence[ExportSource]:
        feedback = FeedbackPages(self.db, self.store, scope, request.chosen, last)
        if not request.with_corrections:
            return [feedback]
        return [
            feedback,
            CorrectionPages(self.db, self.cases, self.lessons, self.store, scope, request.chosen),
            ExamplePages(self.db, self.lessons, scope, request.chosen),
        ]


def _write(
    writer: Writer,
    shape: RowShape,
    one: JudgedAnswer | str,
    mask: Callable[[str], str] | None,
    counts: ExportCounts,
) -> None:
    if isinstance(one, str):
        counts.left_out[one] += 1
        return
    shown = one.mask(mask) if mask else one
    rows = TOO_LONG if one.was_cut else shape.rows(shown)
    if isinstance(rows, str):
        counts.left_out[rows] += 1
        return
    for row in rows:
        writer.write(row)
        counts.row(one)


def _check(request: ExportRequest) -> None:
    for name, value, allowed in (
        ("kind", request.kind, KINDS),
        ("dimension", request.chosen.dimension, (None, *DIMENSIONS)),
        ("source", request.chosen.source, (None, *GIVERS)),
    ):
        if value not in allowed:
            names = ", ".join(str(one) for one in allowed if one)
            raise BadInput(f"{name} is {value!r}; it must be one of {names}")
    if request.samples and request.kind != "reward":
        raise BadInput(f"samples are for a reward export, not for {request.kind}")
    least = request.chosen.least_confidence
    if least is not None and not 0 <= least <= 1:
        raise BadInput(f"the least confidence is {least}; it must be from 0 to 1")
    if not request.path.parent.is_dir():
        raise BadInput(f"there is no folder {request.path.parent}; make it first")


def _filters(chosen: FeedbackFilter) -> dict[str, object]:
    """Return the given filters in readable form."""
    given = {one.name: getattr(chosen, one.name) for one in fields(chosen)}
    return {
        name.replace("_", " "): iso(value) if name in ("since", "until") else value
        for name, value in given.items()
        if value is not None
    }


def _sorted(counts: Counter[str]) -> dict[str, int]:
    """Sort by frequency, highest first."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
