"""Lets a model word the fixes that have their witnesses, or find that there is nothing to learn.

Which fixes wait is a matter of state: those that are given to agents and whose present change no
model has read. The model changes words and never belief; its veto takes a fix back until an
operator accepts it. Without a model, or with a useless answer, the plain sentence stands.
"""

import logging
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from seasoned.changes.wording import sentence_for
from seasoned.core.errors import ModelError, ModelUnavailable
from seasoned.core.ids import canonical, digest
from seasoned.db.database import Connection
from seasoned.db.unit import Change, Unit
from seasoned.fixes.distill_question import (
    TOGETHER,
    Distilled,
    FixEvidence,
    RepairedPair,
    ask,
)
from seasoned.fixes.episodes import Episode, EpisodeStore
from seasoned.fixes.fixes import followed
from seasoned.lessons.distilled import hold, mark_distilled, undistilled
from seasoned.lessons.lesson import PRIOR, Evidence, Lesson
from seasoned.lessons.lesson_store import LessonStore, repair_of
from seasoned.llm.model import Model

log = logging.getLogger("seasoned.fixes")

MODEL_TRIES = 3  # without a usable answer about a fix; then its plain sentence stands
MOST_PAIRS = 10
NOTHING = "the model found nothing to learn in it"

Outcome = Literal["worded", "vetoed", "plain"]


@dataclass(frozen=True, slots=True)
class DistilledFix:
    """A fix that a model has read; `before` are its old words, `reason` why they stand."""

    lesson: Lesson
    before: str
    outcome: Outcome
    reason: str = ""


class FixDistiller:
    """Runs in a worker's thread."""

    def __init__(
        self,
        unit: Unit,
        lessons: LessonStore,
        episodes: EpisodeStore,
        model: Model | None,
        literal_witnesses: int = 2,
    ) -> None:
        self.unit = unit
        self.lessons = lessons
        self.episodes = episodes
        self.model = model
        self.literal_witnesses = literal_witnesses
        self._turn = threading.Lock()  # the worker and a person's call must not ask the same twice
        self._failed: Counter[str] = Counter()  # by the words that the model was asked about

    def work(self, most: int) -> int:
        """Distill up to `most` fixes; return how many are settled.

        Raises the error of a fix without a usable answer, after the others are stored.
        """
        done, errors = self._some(most)
        if errors:
            raise errors[0]
        return len(done)

    def distill(self) -> Sequence[DistilledFix]:
        """Distill everything that waits, and try again where an answer was useless."""
        every: list[DistilledFix] = []
        while True:
            done, errors = self._some(TOGETHER)
            every += done
            if not done and not errors:
                return every

    def _some(self, most: int) -> tuple[list[DistilledFix], list[ModelError]]:
        if self.model is None:
            return [], []
        with self._turn:
            return self._ask(self.model, most)

    def _ask(self, model: Model, most: int) -> tuple[list[DistilledFix], list[ModelError]]:
        waiting = self.unit.db.run(self._waiting(most))
        done: list[DistilledFix] = []
        errors: list[ModelError] = []
        for some in self._questions(waiting):
            answers = self._answers(model, some)
            errors += [one for one in answers if isinstance(one, ModelError)]
            for fix, answer in zip(some, answers, strict=True):
                settled = self._settled(fix, answer)
                if settled is not None:
                    stored = self.unit.drive(self._store(fix, settled, model.name))
                    done += [stored] if stored else []
        return done, errors

    async def _waiting(self, most: int) -> list[FixEvidence]:
        async with self.unit.read() as tx:
            return [await self._evidence(tx, one) for one in await undistilled(tx, most)]

    def _questions(self, fixes: Sequence[FixEvidence]) -> list[Sequence[FixEvidence]]:
        """Group fixes by whom they belong to; what failed before is asked about alone."""
        alone = [fix for fix in fixes if self._failed[_name(fix)]]
        rest = [fix for fix in fixes if not self._failed[_name(fix)]]
        groups = [list(group) for _, group in groupby(rest, key=lambda fix: fix.lesson.scope)]
        together = [
            group[start : start + TOGETHER]
            for group in groups
            for start in range(0, len(group), TOGETHER)
        ]
        return [*together, *([fix] for fix in alone)]

    def _answers(
        self, model: Model, fixes: Sequence[FixEvidence]
    ) -> Sequence[Distilled | ModelError]:
        try:
            return ask(model, fixes)
        except ModelUnavailable:
            raise
        except ModelError as error:
            return [error for _ in fixes]

    def _settled(self, fix: FixEvidence, answer: Distilled | ModelError) -> Distilled | None:
        """Return what to store; None if the model is to be asked again."""
        if isinstance(answer, Distilled):
            return answer
        self._failed[_name(fix)] += 1
        if self._failed[_name(fix)] < MODEL_TRIES:
            return None
        log.warning("the plain words of fix %s stand: %s", fix.lesson.id, answer)
        return Distilled(None, flaw=f"there was no usable answer in {MODEL_TRIES} tries")

    async def _store(self, fix: FixEvidence, said: Distilled, by: str) -> DistilledFix | None:
        async def store(change: Change) -> DistilledFix | None:
            lesson = await mark_distilled(self.lessons, change, fix.lesson)
            if lesson is None:
                return None
            if said.nothing:
                return await self._veto(change, lesson, said, by)
            if said.sentence is None or said.sentence == lesson.content:
                detail = {"by": by, "reason": said.flaw or "the plain words are as good"}
                change.record("lesson.distilled", lesson.id, detail)
                return DistilledFix(lesson, lesson.content, "plain", detail["reason"])
            repair = lesson.fix.change if lesson.fix else None
            reason = f"worded by {by}"
            worded = await self.lessons.reword(
                *(change, lesson, lesson.trigger, said.sentence, repair, reason)
            )
            await self._note(change, worded, reason, said)
            return DistilledFix(worded, lesson.content, "worded", said.note)

        stored = await self.unit.change(store)
        self._failed.pop(_name(fix), None)
        return stored

    async def _veto(self, change: Change, lesson: Lesson, said: Distilled, by: str) -> DistilledFix:
        waits = f"{NOTHING}: {said.note}" if said.note else NOTHING
        reason = f"{NOTHING} ({by})"
        held = await hold(self.lessons, change, lesson, waits, reason)
        await self._note(change, held, reason, said)
        return DistilledFix(held, lesson.content, "vetoed", said.note)

    async def _note(self, change: Change, lesson: Lesson, reason: str, said: Distilled) -> None:
        """Keep the model's reasons beside the evidence; they weigh nothing."""
        note = Evidence(change.at, reason, 0, 0, quote=said.note)
        await self.lessons.witness(change, lesson.id, note)

    async def _evidence(self, tx: Connection, lesson: Lesson) -> FixEvidence:
        repair = repair_of(lesson)
        assert lesson.fix is not None, "only fixes wait"
        assert repair is not None, "only fixes with a repair wait"
        seen = await self.episodes.repaired(tx, lesson.fix.error_id)
        owner = lesson.scope.user
        made = _varied(
            [
                _pair(episode)
                for episode, trial in seen
                if (not owner or owner == episode.user) and followed(trial, repair)
            ]
        )[:MOST_PAIRS]
        told = await self.lessons.evidence(tx, lesson.id)
        speaking = [one for one in told if one.session and one.reason != PRIOR]
        return FixEvidence(
            lesson,
            sentence_for(repair, lesson.fix.tool),
            made,
            len({one.session for one in speaking if one.worked > 0}),
            len({one.session for one in speaking if one.failed > 0}),
            self._is_shared(made, owner),
        )

    def _is_shared(self, pairs: Sequence[RepairedPair], owner: str) -> bool:
        """Tell whether enough sessions and people stand behind a value that all pairs show."""
        users = {pair.user for pair in pairs if pair.user}
        enough = owner or not users or len(users) >= self.literal_witnesses
        return bool(enough) and len({one.session for one in pairs}) >= self.literal_witnesses


def _pair(episode: Episode) -> RepairedPair:
    worked = episode.worked or {}
    steps = [(step.tool, step.params) for step in episode.steps]
    own = (episode.tool, worked)
    before = steps[: steps.index(own)] if own in steps else steps
    return RepairedPair(
        *(episode.session, episode.user, episode.params, episode.message, worked), before
    )


def _varied(pairs: Sequence[RepairedPair]) -> list[RepairedPair]:
    """Put pairs of different sessions first, and leave out those that show the same again."""
    different = {canonical([one.failed, one.worked]): one for one in reversed(pairs)}
    latest = list(reversed(different.values()))
    first = {one.session: one for one in reversed(latest)}
    return sorted(latest, key=lambda one: first[one.session] is not one)


def _name(fix: FixEvidence) -> str:
    """Identify a fix in its present form."""
    return digest(fix.lesson.id, (fix.lesson.fix and fix.lesson.fix.change) or "")
