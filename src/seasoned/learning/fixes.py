"""Learns fixes from episodes that ended well, and keeps count of how they fare."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from seasoned.core.ids import canonical
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.db.database import Connection
from seasoned.learning.change import Change
from seasoned.learning.change_agreed import agreed
from seasoned.learning.change_applied import applied
from seasoned.learning.change_between import change_between
from seasoned.learning.change_named import named_by_error
from seasoned.learning.change_phrases import described
from seasoned.learning.confidence import PRIOR, PRIORS, Belief
from seasoned.learning.episodes import Episode
from seasoned.learning.journal import Journal
from seasoned.learning.lesson import Draft, Evidence, FixDetail, Lesson, Status
from seasoned.learning.lessons import LessonStore, change_of
from seasoned.security.redact import SECRET

if TYPE_CHECKING:
    from seasoned.learning.propagation import Propagation


@dataclass(frozen=True, slots=True)
class FixConfig:
    hint_confidence: float = 0.7  # agent.autoApplyConfidence: from here on a fix is active
    most_compared: int = 100  # the newest fixes of a tool that a new one is compared with
    most_candidates: int = 12  # per error, so that a noisy tool cannot pile them up


WORKED = "worked in an episode"
FOLLOWED = "hint followed by success"
RETRACTED = "the failed call itself worked later"
ELSEWHERE = "the same change repaired another error of this tool"


class Fixes:
    """`propagation` passes on what a credit changes; None where there is no graph."""

    def __init__(
        self, lessons: LessonStore, config: FixConfig, propagation: "Propagation | None" = None
    ) -> None:
        self.lessons = lessons
        self.config = config
        self.propagation = propagation

    async def learn(
        self,
        tx: Connection,
        episode: Episode,
        worked: Mapping[str, Any],
        trigger: str,
        scope: Scope,
        at: int,
        journal: Journal,
    ) -> Lesson | None:
        """Derives the fix of an episode that ended well: a new one, or evidence for a known."""
        change = change_between(episode.params, worked, episode.message, episode.steps)
        await self._prepare(tx)
        hinted = await self._credit_hint(tx, episode, change, worked, at, journal)
        if change is None or (change.is_retry and SECRET in canonical(episode.params)):
            return hinted  # with a secret taken out, another password looks like a mere retry
        known = await self.lessons.fixes_of(tx, (episode.error_id,))
        for lesson in known:
            was = change_of(lesson)
            both = agreed(was, change) if was else None
            if was is None or both is None or self._unlearns(lesson, was, both, episode):
                continue
            if lesson.status in ("retired", "suspended"):
                return None  # an operator took it back: it does not return by itself
            if hinted is not None and hinted.id == lesson.id:
                believed = hinted  # the hint's credit counts this episode already
            else:
                believed = await self.credit(tx, lesson, _worked(episode, at), journal)
            believed = await self._generalise(tx, believed, both, trigger, journal)
            return await self._joined(tx, believed, known, journal)
        derived = [lesson for lesson in known if not lesson.explicit]
        if len(derived) >= self.config.most_candidates:
            await self._make_room(tx, derived, journal)
        return await self._begin(tx, episode, change, trigger, scope, at, journal)

    def _unlearns(self, lesson: Lesson, was: Change, both: Change, episode: Episode) -> bool:
        """One case that differs must not take the value from a fix that is believed already."""
        if lesson.confidence < self.config.hint_confidence:
            return False
        before = applied(was, episode.params, episode.message)
        return before is not None and applied(both, episode.params, episode.message) is None

    async def credit(
        self, tx: Connection, lesson: Lesson, evidence: Evidence, journal: Journal
    ) -> Lesson:
        """Adds evidence, for or against; a fix becomes active, or loses it, at the threshold."""
        await self._prepare(tx)
        after = lesson.belief.plus(evidence.worked, evidence.failed)
        status = lesson.status_with(after, self.config.hint_confidence)
        changed = await self.lessons.believe(tx, lesson, evidence, status, journal.at)
        journal.changed(lesson, changed, evidence.reason)
        if self.propagation is not None:
            await self.propagation.spread(tx, changed, evidence, journal)
        return changed

    async def _prepare(self, tx: Connection) -> None:
        if self.propagation is not None:
            await self.propagation.begin(tx)

    async def _credit_hint(
        self,
        tx: Connection,
        episode: Episode,
        change: Change | None,
        worked: Mapping[str, Any],
        at: int,
        journal: Journal,
    ) -> Lesson | None:
        """A hint that was followed by success earns it, unless something else was clearly done."""
        if episode.hint is None:
            return None
        lesson = await self.lessons.find(tx, episode.hint)
        if lesson is None:
            return None
        was = change_of(lesson)
        if was and change and not agreed(was, change):
            return None
        wanted = applied(was, episode.params, episode.message) if was else None
        if wanted is not None and wanted != worked:
            return None
        return await self.credit(
            tx, lesson, replace(_worked(episode, at), reason=FOLLOWED), journal
        )

    async def retract(self, tx: Connection, episode: Episode, at: int, journal: Journal) -> None:
        """The failed call itself worked soon after: what seemed to be its fix was none."""
        await self._prepare(tx)
        lesson = await self.lessons.find(tx, episode.lesson_id or "")
        if lesson is None or lesson.explicit or lesson.status not in ("active", "candidate"):
            return
        evidence = await self.lessons.evidence(tx, lesson.id)
        if sum(one.worked for one in evidence if one.reason in (WORKED, FOLLOWED)) > 1:
            await self.credit(tx, lesson, Evidence(at, RETRACTED, -1, 0, episode.session), journal)
        else:
            await self.lessons.remove(tx, lesson)
            journal.forgotten(lesson, RETRACTED)

    async def _generalise(
        self, tx: Connection, lesson: Lesson, change: Change, trigger: str, journal: Journal
    ) -> Lesson:
        text = canonical(change.to_json())
        if lesson.fix is None or (text == lesson.fix.change and trigger == lesson.trigger):
            return lesson
        content = described(change, lesson.fix.tool)
        reworded = await self.lessons.reword(tx, lesson, trigger, content, text, journal.at)
        journal.changed(lesson, reworded, "generalised to what its episodes have in common")
        return reworded

    async def _joined(
        self, tx: Connection, lesson: Lesson, known: Sequence[Lesson], journal: Journal
    ) -> Lesson:
        """Other fixes of the same error that say the same by now become one with it."""
        for twin in known:
            derived = twin.source == lesson.source == "episode" and twin.id != lesson.id
            alive = twin.status in ("active", "candidate")
            if derived and alive and twin.content == lesson.content:
                prior = _prior(journal.at)
                joined = await self.lessons.absorb(tx, lesson, twin, prior, journal.at)
                journal.changed(lesson, joined, f"became one with {twin.id}")
                journal.forgotten(twin, f"became one with {lesson.id}")
                believed = joined.confidence >= self.config.hint_confidence
                status: Status = "active" if believed else "candidate"
                lesson = await self.lessons.move(tx, joined, status, journal.at)
        return lesson

    async def _begin(
        self,
        tx: Connection,
        episode: Episode,
        change: Change,
        trigger: str,
        scope: Scope,
        at: int,
        journal: Journal,
    ) -> Lesson | None:
        witnesses = [replace(_prior(at), session=episode.session), _worked(episode, at)]
        if named_by_error(change, episode.message):
            witnesses.append(Evidence(at, "the error itself names it", 1, 0, episode.session))
        elif await self._seconded(tx, episode, change, scope, at, journal):
            witnesses.append(Evidence(at, ELSEWHERE, 1, 0, episode.session))
        belief = Belief(
            sum(witness.worked for witness in witnesses),
            sum(witness.failed for witness in witnesses),
        )
        text = canonical(change.to_json())
        believed = belief.confidence >= self.config.hint_confidence
        lesson, is_new = await self.lessons.add(
            tx,
            Draft(
                kind="fix",
                status="active" if believed else "candidate",
                scope=scope.shared(),
                trigger=trigger,
                content=described(change, episode.tool),
                belief=belief,
                source="episode",
                identity=f"{episode.tool}\n{episode.error_id}\n{text}",
                fix=FixDetail(episode.tool, episode.error_id, text),
                evidence=tuple(witnesses),
            ),
            journal.at,
        )
        if is_new:
            journal.learned(lesson)
            return lesson
        if lesson.status not in ("active", "candidate"):
            return None  # it was forgotten, with its words: it does not return by itself
        return await self.credit(tx, lesson, _worked(episode, at), journal)

    async def _seconded(
        self,
        tx: Connection,
        episode: Episode,
        change: Change,
        scope: Scope,
        at: int,
        journal: Journal,
    ) -> bool:
        """Whether the same change repaired other errors of this tool; it speaks for them too."""
        if change.is_retry:
            return False
        others = await self.lessons.list(
            tx, scope.shared(), kind="fix", tool=episode.tool, limit=self.config.most_compared
        )
        alike = [
            other
            for other in others
            if other.status in ("active", "candidate")
            and other.fix is not None
            and other.fix.error_id != episode.error_id
            and (was := change_of(other)) is not None
            and agreed(was, change)
        ]
        for other in alike:
            if self.propagation is not None:  # the one before may have moved this one
                other = await self.lessons.find(tx, other.id) or other  # noqa: PLW2901
            if other.confidence < self.config.hint_confidence:
                also = Evidence(at, ELSEWHERE, 1, 0, episode.session)
                await self.credit(tx, other, also, journal)
        return bool(alike)

    async def _make_room(self, tx: Connection, derived: Sequence[Lesson], journal: Journal) -> None:
        """The least believed candidate goes, so that a noisy tool cannot pile them up."""
        weakest = min(derived, key=lambda lesson: (lesson.confidence, lesson.updated_at))
        if weakest.status == "candidate":
            await self.lessons.remove(tx, weakest)
            journal.forgotten(weakest, "made room for a newer candidate")


def _prior(at: int) -> Evidence:
    prior = PRIORS["episode"]
    return Evidence(at, PRIOR, prior.worked, prior.failed)


def _worked(episode: Episode, at: int) -> Evidence:
    quote = one_line(episode.message, 300)
    return Evidence(at, WORKED, 1, 0, episode.session, quote)
