"""Learn fixes from episodes that ended in success, and credit or debit them afterwards.

A success of the same tool after a failure shows a repair. If a known fix of the same error says the
same, it gets the credit and keeps only what all its episodes have in common. Else a new fix begins
as a candidate; it is active at once if the error itself names the repair, or if the same repair has
already worked for another error of the tool.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from seasoned.changes.agreement import common_repair
from seasoned.changes.named_by_error import named_by_error
from seasoned.changes.repair import Repair, apply_repair, repair_between
from seasoned.changes.wording import sentence_for
from seasoned.core.ids import canonical
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.db.unit import Change
from seasoned.errors.nature import nature_of
from seasoned.fixes.episodes import Episode
from seasoned.lessons.lesson import (
    ACTIVE_FROM,
    PRIOR,
    PRIORS,
    Belief,
    Draft,
    Evidence,
    FixDetail,
    Lesson,
    Status,
)
from seasoned.lessons.lesson_store import LessonStore, repair_of
from seasoned.security.redact import SECRET

if TYPE_CHECKING:
    from seasoned.fixes.propagation import Propagation


@dataclass(frozen=True, slots=True)
class FixConfig:
    hint_confidence: float = ACTIVE_FROM  # agent.autoApplyConfidence
    most_compared: int = 100  # newest fixes of a tool to compare a new one with
    most_candidates: int = 12  # per error, so that a noisy tool cannot fill the store


WORKED = "worked in an episode"
FOLLOWED = "hint followed by success"
RETRACTED = "the failed call itself worked later"
ELSEWHERE = "the same change repaired another error of this tool"


class Fixes:
    """`propagation` passes credit on to similar errors; None if there is no graph."""

    def __init__(
        self, lessons: LessonStore, config: FixConfig, propagation: "Propagation | None" = None
    ) -> None:
        self.lessons = lessons
        self.config = config
        self.propagation = propagation

    async def learn(
        self,
        change: Change,
        episode: Episode,
        worked: Mapping[str, Any],
        trigger: str,
        scope: Scope,
        at: int,
    ) -> Lesson | None:
        """Learn from an episode that ended in success: credit a known fix, or add a new one."""
        away = nature_of(episode.message, episode.params) == "outage"
        steps = () if away else episode.steps  # whatever was done meanwhile, the service came back
        repair = repair_between(episode.params, worked, episode.message, steps)
        await self._lock(change)
        hinted = await self._credit_hint(change, episode, repair, worked, at)
        if repair is None or (repair.is_retry and SECRET in canonical(episode.params)):
            return hinted  # without the redacted secret, another password looks like a retry
        known = await self.lessons.fixes_of(change, (episode.error_id,))
        for lesson in known:
            was = repair_of(lesson)
            both = common_repair(was, repair) if was else None
            if was is None or both is None or self._unlearns(lesson, was, both, episode):
                continue
            if lesson.status in ("retired", "suspended"):
                return None  # an operator took it back: it does not return by itself
            if hinted is not None and hinted.id == lesson.id:
                believed = hinted  # this episode is credited already
            else:
                believed = await self.credit(change, lesson, _success(episode, at))
            believed = await self._generalise(change, believed, both, trigger)
            return await self._merge_twins(change, believed, known)
        derived = [lesson for lesson in known if not lesson.explicit]
        if len(derived) >= self.config.most_candidates:
            await self._make_room(change, derived)
        return await self._add(change, episode, repair, trigger, scope, at)

    def _unlearns(self, lesson: Lesson, was: Repair, both: Repair, episode: Episode) -> bool:
        """Tell whether generalising for one case would cost a trusted fix its value."""
        if lesson.confidence < self.config.hint_confidence:
            return False
        before = apply_repair(was, episode.params, episode.message)
        return before is not None and apply_repair(both, episode.params, episode.message) is None

    async def credit(self, change: Change, lesson: Lesson, evidence: Evidence) -> Lesson:
        """Add evidence for or against a fix, which may activate or deactivate it."""
        await self._lock(change)
        after = lesson.belief.plus(evidence.worked, evidence.failed)
        status = lesson.status_with(after, self.config.hint_confidence)
        changed = await self.lessons.believe(change, lesson, evidence, status)
        if self.propagation is not None:
            await self.propagation.spread(change, changed, evidence)
        return changed

    async def _lock(self, change: Change) -> None:
        if self.propagation is not None:
            await self.propagation.begin(change)

    async def _credit_hint(
        self,
        change: Change,
        episode: Episode,
        repair: Repair | None,
        worked: Mapping[str, Any],
        at: int,
    ) -> Lesson | None:
        """Credit the hint of this episode, unless the agent clearly did something else."""
        if episode.hint is None:
            return None
        lesson = await self.lessons.find(change, episode.hint)
        if lesson is None:
            return None
        was = repair_of(lesson)
        if was and repair and not common_repair(was, repair):
            return None
        wanted = apply_repair(was, episode.params, episode.message) if was else None
        if wanted is not None and wanted != worked:
            return None
        return await self.credit(change, lesson, replace(_success(episode, at), reason=FOLLOWED))

    async def retract(self, change: Change, episode: Episode, at: int) -> None:
        """Take back the fix of an episode whose failed call worked unchanged soon after."""
        await self._lock(change)
        lesson = await self.lessons.find(change, episode.lesson_id or "")
        if lesson is None or lesson.explicit or lesson.status not in ("active", "candidate"):
            return
        evidence = await self.lessons.evidence(change, lesson.id)
        if sum(one.worked for one in evidence if one.reason in (WORKED, FOLLOWED)) > 1:
            await self.credit(change, lesson, Evidence(at, RETRACTED, -1, 0, episode.session))
        else:
            await self.lessons.remove(change, lesson, RETRACTED)

    async def _generalise(
        self, change: Change, lesson: Lesson, repair: Repair, trigger: str
    ) -> Lesson:
        text = canonical(repair.to_json())
        if lesson.fix is None or (text == lesson.fix.change and trigger == lesson.trigger):
            return lesson
        content = sentence_for(repair, lesson.fix.tool)
        reason = "generalised to what its episodes have in common"
        return await self.lessons.reword(change, lesson, trigger, content, text, reason)

    async def _merge_twins(self, change: Change, lesson: Lesson, known: Sequence[Lesson]) -> Lesson:
        """Merge other derived fixes of the same error that now have the same words."""
        for twin in known:
            derived = twin.source == lesson.source == "episode" and twin.id != lesson.id
            alive = twin.status in ("active", "candidate")
            if derived and alive and twin.content == lesson.content:
                joined = await self.lessons.absorb(change, lesson, twin, _prior(change.at))
                believed = joined.confidence >= self.config.hint_confidence
                status: Status = "active" if believed else "candidate"
                lesson = await self.lessons.move(change, joined, status, None)
        return lesson

    async def _add(
        self,
        change: Change,
        episode: Episode,
        repair: Repair,
        trigger: str,
        scope: Scope,
        at: int,
    ) -> Lesson | None:
        witnesses = [replace(_prior(at), session=episode.session), _success(episode, at)]
        if named_by_error(repair, episode.message):
            witnesses.append(Evidence(at, "the error itself names it", 1, 0, episode.session))
        elif await self._worked_elsewhere(change, episode, repair, scope, at):
            witnesses.append(Evidence(at, ELSEWHERE, 1, 0, episode.session))
        belief = Belief(
            sum(witness.worked for witness in witnesses),
            sum(witness.failed for witness in witnesses),
        )
        text = canonical(repair.to_json())
        believed = belief.confidence >= self.config.hint_confidence
        lesson, is_new = await self.lessons.add(
            change,
            Draft(
                kind="fix",
                status="active" if believed else "candidate",
                scope=scope.shared(),
                trigger=trigger,
                content=sentence_for(repair, episode.tool),
                belief=belief,
                source="episode",
                identity=f"{episode.tool}\n{episode.error_id}\n{text}",
                fix=FixDetail(episode.tool, episode.error_id, text),
                evidence=tuple(witnesses),
            ),
        )
        if is_new:
            return lesson
        if lesson.status not in ("active", "candidate"):
            return None  # it was erased: it does not return by itself
        return await self.credit(change, lesson, _success(episode, at))

    async def _worked_elsewhere(
        self,
        change: Change,
        episode: Episode,
        repair: Repair,
        scope: Scope,
        at: int,
    ) -> bool:
        """Tell whether the same repair worked for other errors of this tool; credit those too."""
        if repair.is_retry:
            return False
        others = await self.lessons.list(
            change, scope.shared(), kind="fix", tool=episode.tool, limit=self.config.most_compared
        )
        alike = [
            other
            for other in others
            if other.status in ("active", "candidate")
            and other.fix is not None
            and other.fix.error_id != episode.error_id
            and (was := repair_of(other)) is not None
            and common_repair(was, repair)
        ]
        for other in alike:
            if self.propagation is not None:  # crediting the previous one may have changed it
                other = await self.lessons.find(change, other.id) or other  # noqa: PLW2901
            if other.confidence < self.config.hint_confidence:
                also = Evidence(at, ELSEWHERE, 1, 0, episode.session)
                await self.credit(change, other, also)
        return bool(alike)

    async def _make_room(self, change: Change, derived: Sequence[Lesson]) -> None:
        """Remove the least believed candidate, so that a noisy tool cannot fill the store."""
        weakest = min(derived, key=lambda lesson: (lesson.confidence, lesson.updated_at))
        if weakest.status == "candidate":
            await self.lessons.remove(change, weakest, "made room for a newer candidate")


def _prior(at: int) -> Evidence:
    prior = PRIORS["episode"]
    return Evidence(at, PRIOR, prior.worked, prior.failed)


def _success(episode: Episode, at: int) -> Evidence:
    quote = one_line(episode.message, 300)
    return Evidence(at, WORKED, 1, 0, episode.session, quote)
