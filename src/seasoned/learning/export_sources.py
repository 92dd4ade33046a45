"""Where exported answers come from, a page at a time: feedback, corrections, examples."""

from collections.abc import Sequence
from typing import Protocol

from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.learning.case_store import Analysed, CaseStore
from seasoned.learning.export_rows import NO_TURN, Judged, judged
from seasoned.learning.feedback_store import FeedbackStore, Wanted
from seasoned.learning.feedbacks import CORRECTION
from seasoned.learning.lesson import Lesson
from seasoned.learning.lessons import LessonStore

PAGE = 250  # so much is held at once
TOLD = "was given as feedback, too"
SURE = 0.8  # from which score on a corrected answer was a bad one
UNSURE = "the correction is not sure"


class Source(Protocol):
    """Answers in pages; a text in the place of one says why it is left out."""

    async def page(self) -> Sequence[Judged | str]:
        """The next ones; none when there are no more."""
        ...


class FeedbackPages:
    def __init__(
        self, db: Database, store: FeedbackStore, scope: Scope, wanted: Wanted, last: int
    ) -> None:
        self.db = db
        self.store = store
        self.scope = scope
        self.wanted = wanted
        self.last = last
        self._place = 0

    async def page(self) -> Sequence[Judged | str]:
        async with self.db.read() as tx:
            kept = await self.store.page(tx, self.scope, self.wanted, self._place, self.last, PAGE)
        self._place = kept[-1].place if kept else self._place
        return [judged(one.feedback) for one in kept]


class CorrectionPages:
    """Corrections that were learned from, where both answers are known, or the bad one is."""

    def __init__(
        self,
        db: Database,
        cases: CaseStore,
        lessons: LessonStore,
        store: FeedbackStore,
        scope: Scope,
        wanted: Wanted,
    ) -> None:
        self.db = db
        self.cases = cases
        self.lessons = lessons
        self.store = store
        self.scope = scope
        self.wanted = wanted
        self._place = (-1, "")

    async def page(self) -> Sequence[Judged | str]:
        async with self.db.read() as tx:
            found = await self.cases.after(tx, self.scope, self._place, PAGE)
            names = [f"{CORRECTION}{one.id}" for one in found]
            told = await self.store.linked(tx, self.scope, names)
            rules = {
                one.lesson: await self.lessons.find(tx, one.lesson) for one in found if one.lesson
            }
        self._place = (found[-1].at, found[-1].id) if found else self._place
        return [
            TOLD
            if f"{CORRECTION}{one.id}" in told
            else self._judged(one, rules.get(one.lesson or ""))
            for one in found
        ]

    def _judged(self, one: Analysed, rule: Lesson | None) -> Judged | str:
        case = one.case
        if case is None or not case.request.strip() or not case.reply.strip():
            return NO_TURN
        better = case.message if case.kind == "edited" else _shown_by(rule, case.request)
        if not better and case.score < SURE:
            return UNSURE
        return _within(
            self.wanted,
            one.at,
            Judged(
                id=one.id,
                prompt=case.request,
                response=case.reply,
                better=better if better != case.reply else "",
                good=False,
                score=-1.0,
                confidence=case.score,
                origin="correction",
            ),
        )


class ExamplePages:
    """Exchanges to follow and to avoid; those that stand beside a rule are told by corrections."""

    def __init__(self, db: Database, lessons: LessonStore, scope: Scope, wanted: Wanted) -> None:
        self.db = db
        self.lessons = lessons
        self.scope = scope
        self.wanted = wanted
        self._place = ""

    async def page(self) -> Sequence[Judged | str]:
        async with self.db.read() as tx:
            found = await self.lessons.examples_after(tx, self.scope, self._place, PAGE)
        self._place = found[-1].id if found else self._place
        return [self._judged(one) for one in found]

    def _judged(self, one: Lesson) -> Judged | str:
        shown = one.example
        if shown is None or not shown.request.strip() or not shown.reply.strip():
            return NO_TURN
        good = shown.polarity == "positive"
        return _within(
            self.wanted,
            one.created_at,
            Judged(
                id=one.id,
                prompt=shown.request,
                response=shown.reply,
                good=good,
                score=1.0 if good else -1.0,
                confidence=one.confidence,
                origin="example",
            ),
        )


def _shown_by(rule: Lesson | None, request: str) -> str:
    """The answer that a rule shows for this very request, if it shows one."""
    detail = rule.rule if rule else None
    if detail is None or detail.fewshot_user != request:
        return ""
    return detail.fewshot_assistant or ""


FILTERED = "left out by the filters"


def _within(wanted: Wanted, at: int, one: Judged) -> Judged | str:
    """What people corrected and praised, by the filters that can be asked of it."""
    held = (
        (wanted.source in (None, one.source))
        and wanted.dimension is None
        and wanted.model is None
        and one.confidence >= (wanted.least_confidence or 0.0)
        and at >= (wanted.since or 0)
        and (wanted.until is None or at < wanted.until)
    )
    return one if held else FILTERED
