"""Explain why a lesson is believed: its evidence, error, episodes and audit entries."""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.core.authority import Caller
from seasoned.core.clock import iso
from seasoned.core.text import one_line
from seasoned.db.database import Database
from seasoned.errors.error_store import ErrorStore, KnownError, Occurrence
from seasoned.fixes.episodes import Episode, EpisodeStore
from seasoned.lessons.lesson import Evidence, Lesson
from seasoned.lessons.lesson_store import LessonStore
from seasoned.lessons.uses import LessonUse
from seasoned.security.audit import AuditEvent, AuditStore
from seasoned.security.audit_readers import may_read

MOST_USES = 5  # sessions that the text names


@dataclass(frozen=True, slots=True)
class Explanation:
    lesson: Lesson
    evidence: Sequence[Evidence]
    error: KnownError | None
    samples: Sequence[Occurrence]
    episodes: Sequence[Episode]
    events: Sequence[AuditEvent]
    uses: Sequence[LessonUse] = ()  # sessions of the caller's that were given it, latest first

    @property
    def text(self) -> str:
        """Return the explanation for a person."""
        lesson = self.lesson
        lines = [
            f"{lesson.kind} {lesson.id} ({lesson.status}): {lesson.content}",
            f"confidence {lesson.confidence:.2f} = {_plain(lesson.belief.worked)} worked of "
            f"{_plain(lesson.belief.worked + lesson.belief.failed)}, because:",
        ]
        lines += [
            f"  {iso(one.at)}  {_signed(one.worked)} worked, {_signed(one.failed)} failed: "
            + one.reason
            + (f" (session {one.session})" if one.session else "")
            + (f" “{one_line(one.quote, 120)}”" if one.quote else "")
            for one in self.evidence
        ]
        if self.error is not None:
            lines.append(
                f"for the error `{self.error.template}` of {self.error.tool or 'any tool'}, "
                f"{self.error.category}, seen {self.error.seen} times"
            )
        lines += [f"  e.g. {one_line(sample.message, 160)}" for sample in self.samples]
        lines.append(f"given {lesson.times_given} times; source: {lesson.source}")
        lines += [
            f"  {iso(one.last_at)}  in session {one.scope.session}"
            + (f", {one.times} times" if one.times > 1 else "")
            for one in self.uses[:MOST_USES]
        ]
        if lesson.superseded_by:
            lines.append(f"superseded by {lesson.superseded_by}")
        return "\n".join(lines)


def _plain(count: float) -> str:
    """Format a count without trailing zeros.

    >>> _plain(4.0), _plain(2.19148), _signed(0.0), _signed(-0.19148)
    ('4', '2.191', '+0', '-0.191')
    """
    return f"{count:.3f}".rstrip("0").rstrip(".")


def _signed(count: float) -> str:
    return f"{'-' if count < 0 else '+'}{_plain(abs(count))}"


class Explainer:
    def __init__(
        self,
        db: Database,
        lessons: LessonStore,
        errors: ErrorStore,
        episodes: EpisodeStore,
        audit: AuditStore,
    ) -> None:
        self.db = db
        self.lessons = lessons
        self.errors = errors
        self.episodes = episodes
        self.audit = audit

    async def why(self, name: str, caller: Caller) -> Explanation:
        async with self.db.read() as tx:
            lesson = await self.lessons.get(tx, name, caller)
            error = await self.errors.get(tx, lesson.fix.error_id) if lesson.fix else None
            samples = await self.errors.samples_for(tx, error.id, caller) if error else ()
            evidence = await self.lessons.evidence_for(tx, lesson, caller)
            episodes = await self.episodes.about(tx, lesson.id, caller.realm)
            about = await self.audit.list(tx, lesson.id)
            events = [one for one in about if may_read(caller, one)]
            uses = await self.lessons.uses.of_lesson(tx, lesson.id, caller.realm)
        return Explanation(lesson, evidence, error, samples, episodes, events, uses)
