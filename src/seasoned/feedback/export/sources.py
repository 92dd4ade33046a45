"""Sources of an export, read in pages: feedback, corrections, examples."""

from collections.abc import Sequence
from typing import Protocol

from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.feedback.corrective import CORRECTION
from seasoned.feedback.export.rows import NO_TURN, JudgedAnswer, judge
from seasoned.feedback.feedback_store import FeedbackFilter, FeedbackStore
from seasoned.lessons.lesson import Lesson
from seasoned.lessons.lesson_store import LessonStore
from seasoned.rules.case_store import AnalysedCase, CaseStore

PAGE = 250  # rows held in memory at once
ALSO_FEEDBACK = "was given as feedback, too"
SURE = 0.8  # score of a correction from which the corrected answer counts as bad
UNSURE = "the correction is not sure"


class ExportSource(Protocol):
    """Answers in pages; a string in place of an answer says why it is left out."""

    async def page(self) -> Sequence[JudgedAnswer | str]:
        """Return the next page; empty at the end."""
        ...


class FeedbackPages:
    def __init__(
        self, db: Database, store: FeedbackStore, scope: Scope, chosen: FeedbackFilter, last: int
    ) -> None:
        self.db = db
        self.store = store
        self.scope = scope
        self.chosen = chosen
        self.last = last
        self._place = 0

    async def page(self) -> Sequence[JudgedAnswer | str]:
        async with self.db.read() as tx:
            stored = await self.store.page(
                tx, self.scope, self.chosen, self._place, self.last, PAGE
            )
        self._place = stored[-1].place if stored else self._place
        return [judge(one.feedback) for one in stored]


class CorrectionPages:
    """Learned corrections for which both answers, or at least the bad one, are known."""

    def __init__(
        self,
        db: Database,
        cases: CaseStore,
        lessons: LessonStore,
        store: FeedbackStore,
        scope: Scope,
        chosen: FeedbackFilter,
    ) -> None:
        self.db = db
        self.cases = cases
        self.lessons = lessons
        self.store = store
        self.scope = scope
        self.chosen = chosen
        self._place = (-1, "")

    async def page(self) -> Sequence[JudgedAnswer | str]:
        async with self.db.read() as tx:
            found = await self.cases.after(tx, self.scope, self._place, PAGE)
            names = [f"{CORRECTION}{one.id}" for one in found]
            linked = await self.store.linked(tx, self.scope, names)
            rules = {
                one.lesson: await self.lessons.find(tx, one.lesson) for one in found if one.lesson
            }
        self._place = (found[-1].at, found[-1].id) if found else self._place
        return [
            ALSO_FEEDBACK
            if f"{CORRECTION}{one.id}" in linked
            else self._judge(one, rules.get(one.lesson or ""))
            for one in found
        ]

    def _judge(self, one: AnalysedCase, rule: Lesson | None) -> JudgedAnswer | str:
        case = one.case
        if case is None or not case.request.strip() or not case.reply.strip():
            return NO_TURN
        better = case.message if case.kind == "edited" else _shown_by(rule, case.request)
        if not better and case.score < SURE:
            return UNSURE
        return _filter(
            self.chosen,
            one.at,
            JudgedAnswer(
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
    """Examples to follow and to avoid, without those of rules, which corrections cover."""

    def __init__(
        self, db: Database, lessons: LessonStore, scope: Scope, chosen: FeedbackFilter
    ) -> None:
        self.db = db
        self.lessons = lessons
        self.scope = scope
        self.chosen = chosen
        self._place = ""

    async def page(self) -> Sequence[JudgedAnswer | str]:
        async with self.db.read() as tx:
            found = await self.lessons.examples_after(tx, self.scope, self._place, PAGE)
        self._place = found[-1].id if found else self._place
        return [self._judge(one) for one in found]

    def _judge(self, one: Lesson) -> JudgedAnswer | str:
        shown = one.example
        if shown is None or not shown.request.strip() or not shown.reply.strip():
            return NO_TURN
        good = shown.polarity == "positive"
        return _filter(
            self.chosen,
            one.created_at,
            JudgedAnswer(
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
    """Return the answer that a rule shows for exactly this request."""
    detail = rule.rule if rule else None
    if detail is None or detail.fewshot_user != request:
        return ""
    return detail.fewshot_assistant or ""


FILTERED = "left out by the filters"


def _filter(chosen: FeedbackFilter, at: int, one: JudgedAnswer) -> JudgedAnswer | str:
    """Apply the filters that corrections and examples have values for."""
    passes = (
        (chosen.source in (None, one.source))
        and chosen.dimension is None
        and chosen.model is None
        and one.confidence >= (chosen.least_confidence or 0.0)
        and at >= (chosen.since or 0)
        and (chosen.until is None or at < chosen.until)
    )
    return one if passes else FILTERED
