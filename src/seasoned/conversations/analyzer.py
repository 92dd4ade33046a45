"""Learns from a stretch of a conversation: read it, compare with known lessons, store what is new.

The lessons and the mark of how far the session was read are written in one transaction, so that two
workers, a crash or a retry never learn twice. Corrections that nobody noticed at the time are
queued like those that `rules/turns.py` notices.
"""

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from seasoned.conversations.findings import Findings, ItemOrigin, ItemResult
from seasoned.conversations.items import CERTAINTIES, Certainty, ConversationItem
from seasoned.conversations.plain_reader import PhraseReader
from seasoned.core.errors import ModelError, ModelUnavailable
from seasoned.core.events import Corrected
from seasoned.core.scope import Scope
from seasoned.corrections import Correction, CorrectionKind, find_correction
from seasoned.db.unit import Change, Unit
from seasoned.lessons.lesson import Lesson
from seasoned.rules.case import Case
from seasoned.rules.exchanges import Exchange
from seasoned.rules.grammar.own_words import own_words
from seasoned.rules.pending import Pending
from seasoned.rules.turns import case_of
from seasoned.sessions.session import Mark, Session, SessionMessage
from seasoned.sessions.session_store import SessionStore

log = logging.getLogger("seasoned.conversations")

MODEL_TRIES = 3  # without a usable answer about a stretch; then it is read without a model
MOST_KNOWN = 10  # known lessons that a model is shown
SEARCH_CHARACTERS = 1500  # of what users said, to find these by
CASE_SCORES: dict[Certainty, float] = {"high": 0.85, "medium": 0.6, "low": 0.0}


class Reader(Protocol):
    """Finds items in messages; a `slow` one may take seconds and cost money."""

    @property
    def slow(self) -> bool: ...

    @property
    def name(self) -> str: ...

    def __call__(
        self, messages: Sequence[SessionMessage], known: Sequence[str] = ()
    ) -> Sequence[ConversationItem]: ...


@dataclass(frozen=True, slots=True)
class Stretch:
    """Messages of a session to learn from, and the mark to advance afterwards."""

    session: Session
    messages: Sequence[SessionMessage]
    mark: Mark
    to: int
    only: tuple[Certainty, ...] = CERTAINTIES
    beside: Sequence[SessionMessage] = ()  # other messages, which these may correct


@dataclass(frozen=True, slots=True)
class StretchResult:
    """The results of a stretch; `taken` is False if another worker had it."""

    session: str
    by: str
    taken: bool = True
    results: Sequence[ItemResult] = ()
    corrections: Sequence[str] = ()  # ids of the queued cases

    @property
    def lessons(self) -> Sequence[Lesson]:
        """The new lessons."""
        new = [one.lesson for one in self.results if one.outcome == "learned"]
        return [lesson for lesson in new if lesson is not None]


class ConversationAnalyzer:
    """Runs in a worker's thread; `pending` is None if corrections are not learned from."""

    def __init__(
        self,
        unit: Unit,
        sessions: SessionStore,
        reader: Reader,
        findings: Findings,
        pending: Pending | None,
    ) -> None:
        self.unit = unit
        self.sessions = sessions
        self.reader = reader
        self.findings = findings
        self.pending = pending
        self.plain = PhraseReader(corrections_elsewhere=pending is not None)
        self._failed: Counter[tuple[int, str, int]] = Counter()

    def learn(self, stretch: Stretch) -> StretchResult:
        """Read a stretch and store what it teaches.

        Raises `ModelUnavailable`, `BudgetSpent` and, MODEL_TRIES times, `ModelError`; then nothing
        was written, and the stretch is read again later.
        """
        shown = self.unit.db.run(self._related_lessons(stretch)) if self.reader.slow else []
        items, by = self._read(stretch, [lesson.content for lesson in shown])
        wanted = [item for item in items if item.certainty in stretch.only]
        corrections = [item for item in wanted if item.kind == "correction"]
        rest = [item for item in wanted if item.kind != "correction"]
        return self.unit.drive(self._store(stretch, rest, shown, corrections, by))

    def _read(
        self, stretch: Stretch, known: Sequence[str]
    ) -> tuple[Sequence[ConversationItem], str]:
        spoken = [said for one in stretch.messages if (said := _own(one)).text.strip()]
        name = _start_of(stretch)
        if not any(message.role == "user" for message in spoken):
            return (), self.reader.name
        if self._failed[name] >= MODEL_TRIES:
            log.warning(
                "%s gave no usable answer %d times: session %s is read without it to message %d",
                *(self.reader.name, MODEL_TRIES, stretch.session.name, stretch.to),
            )
            return self.plain(spoken), self.plain.name
        try:
            return self.reader(spoken, known), self.reader.name
        except ModelUnavailable:
            raise
        except ModelError:
            self._failed[name] += 1
            raise

    async def _related_lessons(self, stretch: Stretch) -> list[Lesson]:
        """Return known lessons about what the user mentions, to show them to the model."""
        said = " ".join(one.text for one in stretch.messages if one.role == "user")
        scope = stretch.session.scope.within("")
        near = await self.findings.known.near(said[-SEARCH_CHARACTERS:], scope, MOST_KNOWN)
        return [one.lesson for one in near][:MOST_KNOWN]

    async def _store(
        self,
        stretch: Stretch,
        items: Sequence[ConversationItem],
        shown: Sequence[Lesson],
        corrections: Sequence[ConversationItem],
        by: str,
    ) -> StretchResult:
        session, now = stretch.session, self.unit.now()
        origin = ItemOrigin(session.scope.within(""), session.name, by)
        matched = await self.findings.match(items, origin.scope, shown)
        queued = await self._queue_corrections(stretch, corrections)
        await self.findings.rules.prepare()

        async def store(change: Change) -> StretchResult:
            if not await self.sessions.advance(change, session, stretch.mark, stretch.to):
                return StretchResult(session.name, by, taken=False)
            results = await self.findings.store(change, matched, origin)
            if results:
                detail = {"session": session.name, "by": by, "to": stretch.to}
                counts = Counter(one.outcome for one in results)
                change.record("conversation.learned", str(session.key), detail | dict(counts))
            return StretchResult(session.name, by, results=results, corrections=queued)

        result = await self.unit.change(store, at=now)
        self._failed.pop(_start_of(stretch), None)
        return result

    async def _queue_corrections(
        self, stretch: Stretch, corrections: Sequence[ConversationItem]
    ) -> list[str]:
        """Queue corrections that went unnoticed; return the ids of their cases.

        They are queued before the stretch is marked as read: a case queued twice is the same case.
        """
        if self.pending is None:
            return []
        now = self.unit.now()
        cases = cases_of(
            corrections, [*stretch.beside, *stretch.messages], stretch.session.scope, now
        )
        for case in cases:
            await self.pending.push(case, now)
            event = Corrected(now, case.id, case.scope.session, case.kind, case.score, case.scope)
            self.unit.bus.publish(event)
        return [case.id for case in cases]


def _start_of(stretch: Stretch) -> tuple[int, str, int]:
    """Identify a stretch by its start, because its end moves while people talk."""
    return stretch.session.key, stretch.mark, getattr(stretch.session, stretch.mark)


def cases_of(
    items: Sequence[ConversationItem], messages: Sequence[SessionMessage], scope: Scope, now: int
) -> list[Case]:
    """Build a case for each message that corrects a reply, unless it was noticed at once."""
    found: dict[str, Case] = {}
    for item in items:
        if CASE_SCORES[item.certainty]:
            for seq in sorted({quote.seq for quote in item.quotes if quote.role == "user"}):
                if case := _case(seq, CASE_SCORES[item.certainty], messages, scope, now):
                    found[case.id] = case
    return list(found.values())


def _case(
    seq: int, score: float, messages: Sequence[SessionMessage], scope: Scope, now: int
) -> Case | None:
    said = next(message for message in messages if message.seq == seq)
    request = _text(messages, said.turn - 1, "user")
    reply = _text(messages, said.turn - 1, "assistant")
    if not reply:
        return None  # nothing to correct
    own = own_words(said.text)
    noticed = find_correction(own, previous_request=request or None, previous_reply=reply, floor=0)
    if noticed is not None and noticed.safe:
        return None
    sure = (
        replace(noticed, score=max(score, noticed.score))
        if noticed is not None
        else Correction(CorrectionKind.WRONG, score, (0, len(own)))
    )
    return case_of(own, sure, scope, Exchange(request, reply), now)


def _own(message: SessionMessage) -> SessionMessage:
    """Return a message without what a user quotes or pastes into it."""
    return replace(message, text=own_words(message.text)) if message.role == "user" else message


def _text(messages: Sequence[SessionMessage], turn: int, role: str) -> str:
    """Return the last message with words of a role in a turn."""
    texts = [one.text for one in messages if (one.turn, one.role) == (turn, role)]
    return next((text for text in reversed(texts) if text.strip()), "")
