"""Finds the fix for an error that was seen before, and learns new ones from what worked."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

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
from seasoned.learning.confidence import PRIORS
from seasoned.learning.episodes import Episode
from seasoned.learning.error_store import KnownError
from seasoned.learning.hint import Hint
from seasoned.learning.journal import Journal
from seasoned.learning.lesson import Draft, Evidence, FixDetail, Lesson, Status
from seasoned.learning.lessons import LessonStore


@dataclass(frozen=True, slots=True)
class FixConfig:
    hint_confidence: float = 0.7  # agent.autoApplyConfidence
    similar_confidence: float = 0.5  # for a similar error's fix: its confidence times the likeness
    most_candidates: int = 12  # per error, so that a noisy tool cannot pile them up


class Fixes:
    def __init__(self, lessons: LessonStore, config: FixConfig) -> None:
        self.lessons = lessons
        self.config = config

    async def hint(
        self,
        tx: Connection,
        error: KnownError,
        message: str,
        params: Mapping[str, Any],
        scope: Scope,
        *,
        without: str | None = None,
    ) -> Hint | None:
        """The best fix that is believed enough: this very error's first, else a similar one's."""
        for lesson in await self.lessons.fixes_of(tx, (error.id, *error.wider)):
            if lesson.id != without and self._usable(lesson, scope):
                hint = _hint_from(lesson, message, params, 1.0)
                if hint is not None:
                    return hint
        for lesson, alike in await self.lessons.fixes_of_similar(tx, error.id):
            sure = lesson.confidence * alike >= self.config.similar_confidence
            if sure and lesson.id != without and self._usable(lesson, scope):
                hint = _hint_from(lesson, message, params, alike)
                if hint is not None:
                    return hint
        return None

    def _usable(self, lesson: Lesson, scope: Scope) -> bool:
        return (
            lesson.status in ("active", "candidate")
            and lesson.confidence >= self.config.hint_confidence
            and lesson.scope.reaches(scope)
        )

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
        hinted = await self._credit_hint(tx, episode, change, at, journal)
        if change is None:
            return hinted
        known = await self.lessons.fixes_of(tx, (episode.error_id,))
        for lesson in known:
            both = agreed(_change_of(lesson), change) if lesson.fix and lesson.fix.change else None
            if both is None:
                continue
            if lesson.status in ("retired", "suspended"):
                return None  # an operator took it back: it does not return by itself
            if hinted is not None and hinted.id == lesson.id:
                believed = hinted  # the hint's credit counts this episode already
            else:
                believed = await self.credit(tx, lesson, _worked(episode, at), journal)
            return await self._generalise(tx, believed, both, episode.tool, journal.at)
        derived = [lesson for lesson in known if not lesson.explicit]
        if len(derived) >= self.config.most_candidates:
            await self._make_room(tx, derived, journal)
        return await self._begin(tx, episode, change, trigger, scope, at, journal)

    async def credit(
        self, tx: Connection, lesson: Lesson, evidence: Evidence, journal: Journal
    ) -> Lesson:
        """Adds evidence, for or against; a fix becomes active, or loses it, at the threshold."""
        after = replace(
            lesson.belief,
            worked=lesson.belief.worked + evidence.worked,
            failed=lesson.belief.failed + evidence.failed,
        )
        believed = lesson.explicit or after.confidence >= self.config.hint_confidence
        status: Status = "active" if believed else "candidate"
        if lesson.status not in ("active", "candidate"):
            status = lesson.status
        changed = await self.lessons.believe(tx, lesson, evidence, status, journal.at)
        journal.changed(lesson, changed, evidence.reason)
        return changed

    async def _credit_hint(
        self, tx: Connection, episode: Episode, change: Change | None, at: int, journal: Journal
    ) -> Lesson | None:
        """A hint that was followed by success earns it, unless something else was clearly done."""
        if episode.hint is None or episode.hint_failed:
            return None
        lesson = await self.lessons.get(tx, episode.hint)
        if lesson.fix and lesson.fix.change and change and not agreed(_change_of(lesson), change):
            return None
        return await self.credit(
            tx, lesson, replace(_worked(episode, at), reason="hint followed by success"), journal
        )

    async def _generalise(
        self, tx: Connection, lesson: Lesson, change: Change, tool: str, now: int
    ) -> Lesson:
        text = canonical(change.to_json())
        if lesson.fix is None or text == lesson.fix.change:
            return lesson
        return await self.lessons.reword(tx, lesson, described(change, tool), text, now)

    async def _begin(
        self,
        tx: Connection,
        episode: Episode,
        change: Change,
        trigger: str,
        scope: Scope,
        at: int,
        journal: Journal,
    ) -> Lesson:
        witnesses = [replace(_prior(at), session=episode.session), _worked(episode, at)]
        if named_by_error(change, episode.message):
            witnesses.append(Evidence(at, "the error itself names it", 1, 0, episode.session))
        belief = replace(
            PRIORS["episode"],
            worked=sum(witness.worked for witness in witnesses),
            failed=sum(witness.failed for witness in witnesses),
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

    async def _make_room(self, tx: Connection, derived: Sequence[Lesson], journal: Journal) -> None:
        """The least believed candidate goes, so that a noisy tool cannot pile them up."""
        weakest = min(derived, key=lambda lesson: (lesson.confidence, lesson.updated_at))
        if weakest.status == "candidate":
            await self.lessons.remove(tx, weakest)
            journal.forgotten(weakest, "made room for a newer candidate")


def _hint_from(
    lesson: Lesson, message: str, params: Mapping[str, Any], similarity: float
) -> Hint | None:
    """The lesson as a hint for this call; None when its change does not fit the call."""
    suggested = None
    if lesson.fix is not None and lesson.fix.change is not None:
        change = _change_of(lesson)
        suggested = applied(change, params, message)
        if suggested is None and change.edits:
            return None
    return Hint(
        lesson=lesson.id,
        text=lesson.content,
        confidence=lesson.confidence,
        params=suggested,
        source=lesson.source,
        worked=round(lesson.belief.worked - PRIORS["episode"].worked),
        trigger=lesson.trigger,
        similarity=similarity,
    )


def _change_of(lesson: Lesson) -> Change:
    assert lesson.fix is not None
    assert lesson.fix.change is not None
    return Change.from_json(json.loads(lesson.fix.change))


def _prior(at: int) -> Evidence:
    prior = PRIORS["episode"]
    return Evidence(at, "prior of what is derived from an episode", prior.worked, prior.failed)


def _worked(episode: Episode, at: int) -> Evidence:
    quote = one_line(episode.message, 300)
    return Evidence(at, "worked in an episode", 1, 0, episode.session, quote)
