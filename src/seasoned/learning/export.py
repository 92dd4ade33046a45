"""Exports what was judged as data to train models with; memory stays the same, however much."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from importlib.metadata import version

from seasoned.core.clock import Clock, iso
from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.learning.case_store import CaseStore
from seasoned.learning.datasheet import datasheet
from seasoned.learning.export_files import WRITERS, Writer, format_of, replacing, sha256_of
from seasoned.learning.export_report import ExportOrder, ExportReport
from seasoned.learning.export_rows import KINDS, TOO_LONG, Judged, Shape, shape_of
from seasoned.learning.export_sources import (
    FILTERED,
    CorrectionPages,
    ExamplePages,
    FeedbackPages,
    Source,
)
from seasoned.learning.feedback import DIMENSIONS, GIVERS
from seasoned.learning.feedback_store import FeedbackStore, Wanted
from seasoned.learning.lessons import LessonStore
from seasoned.security.pii import without_pii


class Counts:
    """What an export comes to, while it is written."""

    def __init__(self) -> None:
        self.rows = 0
        self.seen = 0  # feedback that passed the filters
        self.dimensions: Counter[str] = Counter()
        self.sources: Counter[str] = Counter()
        self.origins: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.masked: Counter[str] = Counter()

    def row(self, one: Judged) -> None:
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

    async def write(self, order: ExportOrder, scope: Scope) -> ExportReport:
        """Writes the file and its datasheet; both are there whole, or are as they were."""
        _check(order)
        chosen = format_of(order.path, order.format)
        shape = shape_of(order.kind, samples=order.samples, chat=order.chat)
        counts, sheet = Counts(), order.path.with_name(f"{order.path.name}.datasheet.md")
        with replacing(order.path) as temporary:
            with WRITERS[chosen](temporary, shape.columns) as writer:
                await self._fill(writer, shape, order, scope, counts)
            size, sha256 = temporary.stat().st_size, sha256_of(temporary)
        report = ExportReport(
            order=order,
            path=order.path,
            datasheet=sheet,
            format=chosen,
            scope=scope,
            at=self.clock.now(),
            version=version("seasoned"),
            columns=shape.columns,
            filters=_said(order.wanted),
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
        self, writer: Writer, shape: Shape, order: ExportOrder, scope: Scope, counts: Counts
    ) -> None:
        mask: Callable[[str], str] | None = partial(without_pii, found=counts.masked)
        mask = None if order.keep_pii else mask
        async with self.db.read() as tx:
            last, there = await self.store.end(tx, scope)
        for source in self._sources(order, scope, last):
            while page := await source.page():
                counts.seen += len(page) if isinstance(source, FeedbackPages) else 0
                for one in page:
                    _write(writer, shape, one, mask, counts)
        if there > counts.seen:
            counts.left_out[FILTERED] += there - counts.seen

    def _sources(self, order: ExportOrder, scope: Scope, last: int) -> Sequence[Source]:
        feedback = FeedbackPages(self.db, self.store, scope, order.wanted, last)
        if not order.with_corrections:
            return [feedback]
        return [
            feedback,
            CorrectionPages(self.db, self.cases, self.lessons, self.store, scope, order.wanted),
            ExamplePages(self.db, self.lessons, scope, order.wanted),
        ]


def _write(
    writer: Writer,
    shape: Shape,
    one: Judged | str,
    mask: Callable[[str], str] | None,
    counts: Counts,
) -> None:
    if isinstance(one, str):
        counts.left_out[one] += 1
        return
    shown = one.masked(mask) if mask else one
    rows = TOO_LONG if one.was_cut else shape.rows(shown)
    if isinstance(rows, str):
        counts.left_out[rows] += 1
        return
    for row in rows:
        writer.write(row)
        counts.row(one)


def _check(order: ExportOrder) -> None:
    for name, value, allowed in (
        ("kind", order.kind, KINDS),
        ("dimension", order.wanted.dimension, (None, *DIMENSIONS)),
        ("source", order.wanted.source, (None, *GIVERS)),
    ):
        if value not in allowed:
            told = ", ".join(str(one) for one in allowed if one)
            raise BadInput(f"{name} is {value!r}; it must be one of {told}")
    if order.samples and order.kind != "reward":
        raise BadInput(f"samples are for a reward export, not for {order.kind}")
    least = order.wanted.least_confidence
    if least is not None and not 0 <= least <= 1:
        raise BadInput(f"the least confidence is {least}; it must be from 0 to 1")
    if not order.path.parent.is_dir():
        raise BadInput(f"there is no folder {order.path.parent}; make it first")


def _said(wanted: Wanted) -> dict[str, object]:
    """The filters that were given, as a person reads them."""
    given = {one.name: getattr(wanted, one.name) for one in fields(wanted)}
    return {
        name.replace("_", " "): iso(value) if name in ("since", "until") else value
        for name, value in given.items()
        if value is not None
    }


def _sorted(counts: Counter[str]) -> dict[str, int]:
    """The most frequent first."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
