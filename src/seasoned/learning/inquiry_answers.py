"""Makes a lesson of what the librarian was told."""

from collections.abc import Mapping

from seasoned.db.database import Connection
from seasoned.learning.confidence import PRIORS
from seasoned.learning.journal import Journal
from seasoned.learning.lesson import Draft, Evidence, Source
from seasoned.learning.lessons import LessonStore
from seasoned.memory.inquiry import Inquiry, Taught, Told
from seasoned.security.audit import AuditStore

PRIOR: Mapping[Source, str] = {"operator": "operator", "user": "user", "model": "model_high"}
REASONS: Mapping[Source, str] = {
    "operator": "told by the operator, as an answer",
    "user": "told by the user, as an answer",
    "model": "the user answered it, as a model read it",
}


class InquiryAnswers:
    def __init__(self, lessons: LessonStore, audit: AuditStore, threshold: float) -> None:
        self.lessons = lessons
        self.audit = audit
        self.threshold = threshold

    async def __call__(self, tx: Connection, inquiry: Inquiry, told: Told, now: int) -> Taught:
        """A fact for whoever the inquiry is about; told again, it is believed more."""
        journal = Journal(now)
        prior, reason = PRIORS[PRIOR[told.by]], REASONS[told.by]
        sure = told.by != "model" or prior.confidence >= self.threshold
        said = Evidence(now, reason, prior.worked, prior.failed, quote=told.quote)
        lesson, is_new = await self.lessons.add(
            tx,
            Draft(
                kind="fact",
                status="active" if sure else "candidate",
                scope=inquiry.scope,
                trigger=inquiry.question,
                content=told.fact,
                belief=prior,
                source=told.by,
                evidence=(said,),
            ),
            now,
        )
        if is_new:
            journal.learned(lesson)
        else:
            again = Evidence(now, "told again", 1, 0, quote=told.quote)
            status = lesson.status_with(lesson.belief.plus(worked=1), self.threshold)
            changed = await self.lessons.believe(tx, lesson, again, status, now)
            journal.changed(lesson, changed, again.reason)
        await self.audit.add(tx, now, journal.entries)
        return Taught(lesson.id, journal.events)
