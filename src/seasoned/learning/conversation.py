"""Learns from a stretch of a conversation: read it, compare with what is known, keep what is new.

What was learned and how far the session was read are written in one transaction, so that two
workers, a crash or a retry never learn twice.
"""

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from seasoned.core.bus import Bus
from seasoned.core.clock import Clock
from seasoned.core.errors import ModelError, ModelUnavailable
from seasoned.core.events import Corrected
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.learning.conversation_analysis import items_from
from seasoned.learning.conversation_cases import cases_of
from seasoned.learning.conversation_findings import Findings, Origin, Result
from seasoned.learning.conversation_items import CERTAINTIES, Certainty, Item
from seasoned.learning.conversation_plain import PlainReader
from seasoned.learning.journal import Journal
from seasoned.learning.lesson import Lesson
from seasoned.learning.pending import Pending
from seasoned.llm.model import Model
from seasoned.memory.session import Kept, Mark, Session
from seasoned.memory.session_store import SessionStore
from seasoned.security.audit import AuditStore

log = logging.getLogger("seasoned.conversations")

TRIES = 3  # of a model that gives no usable answer about a stretch; then it is read without
SHOWN = 10  # known lessons that a model is told of
ASKED = 1500  # characters of what users said, to find these by


class Reader(Protocol):
    """`slow` is one that may take seconds and cost money."""

    @property
    def slow(self) -> bool: ...

    @property
    def name(self) -> str: ...

    def __call__(self, messages: Sequence[Kept], known: Sequence[str] = ()) -> Sequence[Item]: ...


class ModelReader:
    """Blocks while the model answers; raises what it raises."""

    slow = True

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def name(self) -> str:
        return self.model.name

    def __call__(self, messages: Sequence[Kept], known: Sequence[str] = ()) -> Sequence[Item]:
        return items_from(self.model, messages, known)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Messages of a session to learn from, and the mark that moves on when that is done."""

    session: Session
    messages: Sequence[Kept]
    mark: Mark
    to: int
    only: tuple[Certainty, ...] = CERTAINTIES
    beside: Sequence[Kept] = field(default=())  # what else is known of what was said


@dataclass(frozen=True, slots=True)
class Learnt:
    """What came of a stretch; `taken` is False when another worker had it."""

    session: str
    by: str
    taken: bool = True
    results: Sequence[Result] = field(default=())
    corrections: Sequence[str] = field(default=())  # the ids of those that now wait

    @property
    def lessons(self) -> Sequence[Lesson]:
        """Those that are new."""
        new = [one.lesson for one in self.results if one.outcome == "learned"]
        return [lesson for lesson in new if lesson is not None]


class ConversationAnalyzer:
    """`pending` is None where corrections are not learned from. Runs in a worker's thread."""

    def __init__(
        self,
        db: Database,
        sessions: SessionStore,
        reader: Reader,
        findings: Findings,
        pending: Pending | None,
        audit: AuditStore,
        bus: Bus,
        clock: Clock,
    ) -> None:
        self.db = db
        self.sessions = sessions
        self.reader = reader
        self.findings = findings
        self.pending = pending
        self.audit = audit
        self.bus = bus
        self.clock = clock
        self.plain = PlainReader(corrections_elsewhere=pending is not None)
        self._failed: Counter[tuple[int, str, int]] = Counter()

    def learn(self, stretch: Stretch) -> Learnt:
        """Reads a stretch and keeps what it teaches.

        Raises `ModelUnavailable` and `BudgetSpent`, and the first times also `ModelError`: then
        nothing was written, and the stretch waits.
        """
        shown = self.db.run(self._shown(stretch)) if self.reader.slow else []
        items, by = self._read(stretch, [lesson.content for lesson in shown])
        wanted = [item for item in items if item.certainty in stretch.only]
        corrections = [item for item in wanted if item.kind == "correction"]
        rest = [item for item in wanted if item.kind != "correction"]
        learnt = self.db.run(self._keep(stretch, rest, shown, corrections, by))
        self.bus.deliver()
        return learnt

    def _read(self, stretch: Stretch, known: Sequence[str]) -> tuple[Sequence[Item], str]:
        spoken = [message for message in stretch.messages if message.text.strip()]
        name = _name(stretch)
        if not any(message.role == "user" for message in spoken):
            return (), self.reader.name
        if self._failed[name] >= TRIES:
            log.warning(
                "%s gave no usable answer %d times: session %s is read without it to message %d",
                *(self.reader.name, TRIES, stretch.session.name, stretch.to),
            )
            return self.plain(spoken), self.plain.name
        try:
            return self.reader(spoken, known), self.reader.name
        except ModelUnavailable:
            raise
        except ModelError:
            self._failed[name] += 1
            raise

    async def _shown(self, stretch: Stretch) -> list[Lesson]:
        """What is known of what the user speaks of: a reader need not find it again."""
        said = " ".join(one.text for one in stretch.messages if one.role == "user")[-ASKED:]
        scope = stretch.session.scope.within("")
        near = await self.findings.known.near(said, scope, SHOWN)
        return [one.lesson for one in near][:SHOWN]

    async def _keep(
        self,
        stretch: Stretch,
        items: Sequence[Item],
        shown: Sequence[Lesson],
        corrections: Sequence[Item],
        by: str,
    ) -> Learnt:
        session, now = stretch.session, self.clock.now()
        origin = Origin(session.scope.within(""), session.name, by)
        findings = await self.findings.matched(items, origin.scope, shown)
        waiting = await self._queued(stretch, corrections)
        await self.findings.rules.ready()

        async def keep(tx: Connection) -> tuple[Journal, Learnt]:
            journal = Journal(now)
            if not await self.sessions.advance(tx, session, stretch.mark, stretch.to):
                return journal, Learnt(session.name, by, taken=False)
            kept = await self.findings.keep(tx, findings, origin, journal)
            if kept:
                told = {"session": session.name, "by": by, "to": stretch.to}
                counts = Counter(one.outcome for one in kept)
                journal.write("conversation.learned", str(session.key), told | dict(counts))
                await self.audit.add(tx, now, journal.entries)
            return journal, Learnt(session.name, by, results=kept, corrections=waiting)

        journal, learnt = await transact(self.db, keep)
        journal.publish(self.bus)
        self._failed.pop(_name(stretch), None)
        return learnt

    async def _queued(self, stretch: Stretch, corrections: Sequence[Item]) -> list[str]:
        """Corrections that went unnoticed go the way of those that were noticed.

        First queued, then marked as read: a case that is queued twice is the same case.
        """
        if self.pending is None:
            return []
        now = self.clock.now()
        cases = cases_of(
            corrections, [*stretch.beside, *stretch.messages], stretch.session.scope, now
        )
        for case in cases:
            await self.pending.push(case, now)
            event = Corrected(now, case.id, case.scope.session, case.kind, case.score)
            self.bus.publish(event)
        return [case.id for case in cases]


def _name(stretch: Stretch) -> tuple[int, str, int]:
    """A stretch by where it begins: its end moves on while people talk."""
    return stretch.session.key, stretch.mark, getattr(stretch.session, stretch.mark)
