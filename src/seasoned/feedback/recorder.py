"""Record feedback: store it durably, attribute it, and learn from it."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from seasoned.bandit.call import KINDS, Call
from seasoned.core.errors import BadInput
from seasoned.core.events import Corrected
from seasoned.core.ids import digest
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.db.database import Connection
from seasoned.db.unit import Change, Unit, transact
from seasoned.feedback.attribution import NOTHING, Attributions
from seasoned.feedback.feedback import (
    DIMENSIONS,
    Attribution,
    Feedback,
    StoredFeedback,
    corrected_response,
    name_of,
    sanitise,
)
from seasoned.feedback.feedback_store import FeedbackFilter, FeedbackStore
from seasoned.feedback.totals import ABOUT, About, FeedbackTotal, total_feedback
from seasoned.lessons.lesson import ACTIVE_FROM, Evidence, Lesson
from seasoned.lessons.lesson_store import LessonStore
from seasoned.rules.exchanges import Exchange, ExchangeStore

if TYPE_CHECKING:
    from seasoned.bandit.performance import Performance
    from seasoned.corrections import Correction
    from seasoned.rules.turns import Turns

log = logging.getLogger("seasoned.feedback")

REASON = "feedback"
CORRECTION = "correction:"  # prefix of a correction's id in `feedback_links`


@dataclass(frozen=True, slots=True)
class FeedbackReceipt:
    """The result of recording a batch; `aggregate` has the totals of its dimensions so far."""

    accepted: int
    duplicates: int
    flagged: Mapping[str, Sequence[str]]
    aggregate: Mapping[str, Mapping[str, float]]
    new: frozenset[str] = frozenset()  # accepted ids, as they are stored


@dataclass(frozen=True, slots=True)
class FeedbackConfig:
    threshold: float = ACTIVE_FROM


class Feedbacks:
    """`turns`, or a function that returns it, learns from corrections."""

    def __init__(
        self,
        unit: Unit,
        lessons: LessonStore,
        turns: "Turns | Callable[[], Turns] | None",
        performance: "Performance | None",
        config: FeedbackConfig | None = None,
    ) -> None:
        self.unit = unit
        self.lessons = lessons
        self.turns = turns
        self.performance = performance
        self.config = config or FeedbackConfig()
        self.store = FeedbackStore()
        self.attributions = Attributions(self.store, lessons, ExchangeStore())

    async def record(self, items: Sequence[Feedback], scope: Scope) -> FeedbackReceipt:
        """Store a batch of valid feedback, all or nothing; it is durable on return.

        Feedback with a known id counts as a duplicate and changes nothing.
        """
        now = self.unit.now()
        once: dict[str, Feedback] = {}
        for item in items:
            clean = sanitise(item, now)
            once.setdefault(clean.id, clean)

        async def store(change: Change) -> tuple[Sequence[StoredFeedback], FeedbackReceipt]:
            return await self._store(change, [*once.values()], scope, len(items))

        new, receipt = await self.unit.change(store, at=now)
        await self._learn_corrections(new, scope)
        return receipt

    async def _store(
        self, change: Change, items: Sequence[Feedback], scope: Scope, given: int
    ) -> tuple[Sequence[StoredFeedback], FeedbackReceipt]:
        attributed, lessons = await self.attributions.find(change, items, scope)
        ids = await self.store.add(change, scope, attributed)
        new = [one for one in attributed if one.feedback.id in ids]
        await self._link(change, new, scope, change.at)
        sums = total_feedback((one.feedback, one.attribution) for one in new)
        totals = await self.store.add_totals(change, scope, sums)
        await self._score(change, new, scope)
        await self._believe(change, new, lessons)
        if new:
            names = digest(*(one.feedback.id for one in new))
            change.record("feedback.recorded", "", {"count": len(new), "ids": names})
        current = {key.name: one for key, one in totals.items() if key.about == "dimension"}
        if len(new) < given:  # duplicates add nothing, but their dimensions are reported too
            current = await self.store.totals(change, scope, "dimension", None, len(DIMENSIONS))
        dimensions = {item.dimension for item in items}
        aggregate = {
            name: one.means() for name, one in sorted(current.items()) if name in dimensions
        }
        flagged = {one.feedback.id: one.feedback.flags for one in new if one.feedback.flags}
        accepted = frozenset(one.feedback.id for one in new)
        receipt = FeedbackReceipt(len(new), given - len(new), flagged, aggregate, accepted)
        return new, receipt

    async def list(
        self, scope: Scope, chosen: FeedbackFilter | None = None, limit: int = 50
    ) -> Sequence[StoredFeedback]:
        """List feedback, newest first."""
        async with self.unit.read() as tx:
            return await self.store.list(tx, scope, chosen or FeedbackFilter(), limit)

    async def stats(
        self,
        scope: Scope,
        by: About = "dimension",
        *,
        dimension: str | None = None,
        limit: int = 100,
    ) -> Mapping[str, FeedbackTotal]:
        """Return totals by dimension, skill, tool, source or lesson."""
        if by not in ABOUT:
            raise BadInput(f"feedback adds up by {', '.join(ABOUT)}; not by {by!r}")
        async with self.unit.read() as tx:
            return await self.store.totals(tx, scope, by, dimension, limit)

    async def link(self, links: Mapping[str, Attribution], scope: Scope) -> None:
        """Attribute ids that later feedback may name, such as a request's or an experience's."""
        named = {name_of(name): about for name, about in links.items() if name}
        await transact(self.unit.db, lambda tx: self.store.link(tx, scope, named, self.unit.now()))

    async def _link(
        self, tx: Connection, new: Sequence[StoredFeedback], scope: Scope, now: int
    ) -> None:
        links = {
            one.feedback.correlation_id: one.attribution
            for one in reversed(new)
            if one.feedback.correlation_id
            and one.attribution.names_work
            and not one.attribution.lesson
        }
        if links:
            await self.store.link(tx, scope, links, now)

    async def _believe(
        self, change: Change, new: Sequence[StoredFeedback], lessons: Mapping[str, Lesson]
    ) -> None:
        """Add feedback on lessons to their evidence."""
        by_lesson: dict[str, list[Feedback]] = {}
        for one in new:
            if one.attribution.lesson in lessons and one.feedback.score:
                by_lesson.setdefault(one.attribution.lesson, []).append(one.feedback)
        for name in sorted(by_lesson):
            lesson, evidence = lessons[name], evidence_of(by_lesson[name], change.at)
            belief = lesson.belief.plus(evidence.worked, evidence.failed)
            status = lesson.status_with(belief, self.config.threshold)
            await self.lessons.believe(change, lesson, evidence, status)

    async def _score(self, tx: Connection, new: Sequence[StoredFeedback], scope: Scope) -> None:
        """Add the scores to the records of skills and tools."""
        if self.performance is None or not any(one.attribution.names_work for one in new):
            return
        calls = [
            Call(kind, name, score=one.feedback.score, at=one.feedback.at)
            for one in new
            for kind, name in zip(KINDS, (one.attribution.skill, one.attribution.tool), strict=True)
            if name
        ]
        await self.performance.note_within(tx, calls, scope)

    async def _learn_corrections(self, new: Sequence[StoredFeedback], scope: Scope) -> None:
        """Learn from corrections of people; if that fails, the feedback stays stored."""
        corrective = [
            one.feedback
            for one in new
            if one.feedback.polarity == "corrective" and one.feedback.source == "human"
        ]
        for item in corrective:
            try:
                await self._learn_correction(item, scope)
            except Exception:
                log.exception("the correction in feedback %s was not queued", item.id)

    async def _learn_correction(self, item: Feedback, scope: Scope) -> None:
        turns = self.turns() if callable(self.turns) else self.turns
        if turns is None or not turns.config.enabled:
            return
        from seasoned.rules.turns import case_of  # late: loads the language tables

        read = read_correction(item)
        if read is None:
            return
        message, found, exchange = read
        within = scope.within(item.session_id)
        case = case_of(message, found, within, exchange, self.unit.now())
        if item.session_id:
            await turns.correct(message, found, within, exchange)
        else:  # without a session it cannot apply at once; it is learned in the background
            await turns.pending.push(case, case.at)
            self.unit.bus.publish(Corrected(case.at, case.id, "", case.kind, case.score))
        # An export with corrections leaves out those that were given as feedback.
        await self.link({f"{CORRECTION}{case.id}": NOTHING}, scope)


def evidence_of(items: Sequence[Feedback], at: int) -> Evidence:
    """Turn feedback into evidence: score × confidence; 1 is one success, -1 one failure.

    >>> items = [Feedback("a", "positive", 1.0), Feedback("b", "negative", -1.0, confidence=0.5)]
    >>> evidence_of(items, 0)
    Evidence(at=0, reason='feedback', worked=1.0, failed=0.5, session='', quote='')
    """
    weights = [one.score * one.confidence for one in items]
    return Evidence(
        at,
        REASON,
        sum(weight for weight in weights if weight > 0),
        -sum(weight for weight in weights if weight < 0),
        items[0].session_id,
        one_line(next((one.comment for one in items if one.comment), "")),
    )


def read_correction(given: Feedback) -> "tuple[str, Correction, Exchange] | None":
    """Return the correcting message, the correction in it and the corrected exchange.

    None if it changes nothing. The feedback's correction may be an instruction or the response
    as it should read.

    >>> from seasoned.feedback.feedback import RatedTurn
    >>> turn = RatedTurn("List them", "Run docker ps.")
    >>> given = Feedback("f1", "corrective", correction="Run podman ps.", turn=turn)
    >>> message, found, _ = read_correction(given)
    >>> found.kind.value, found.unwanted, found.wanted
    ('edited', 'docker', 'podman')
    """
    # Late: loads the language tables.
    from seasoned.corrections import Correction, CorrectionKind, edited, find_correction

    exchange = Exchange(given.turn.prompt, given.turn.response) if given.turn else Exchange()
    message = given.correction
    found = None
    if given.correction_span is None:
        found = find_correction(message, previous_reply=exchange.reply or None)
    if found is None and exchange.reply:
        message = corrected_response(exchange.reply, message, given.correction_span)
        found = edited(exchange.reply, message)
        if found is None:
            return None
    # The person said it outright, so the score is the confidence that was given.
    sure = found or Correction(CorrectionKind.INSTRUCTION, 1.0, (0, len(message)))
    return message, replace(sure, score=given.confidence), exchange
