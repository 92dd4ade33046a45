"""Choose which parts of conversations to learn from: due stretches first, then ended sessions.

A stretch is due when five finished turns, or 2000 tokens, follow the last analysed message. A
session has ended when somebody closed it or it was idle for long. Both are read from marks in the
database, so a crash or a compaction changes nothing, and the next process goes on.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.conversations.analyzer import ConversationAnalyzer, Stretch, StretchResult
from seasoned.conversations.items import sample
from seasoned.core.clock import MINUTE
from seasoned.core.events import SessionEnded
from seasoned.db.database import Database
from seasoned.db.unit import Change, Unit
from seasoned.sessions.session import Session, SessionMessage, TurnRecord
from seasoned.sessions.session_store import SessionStore

STRETCH_TOKENS = 6000  # that a reader gets at once; the rest follows
BESIDE = 20  # messages before a stretch: its first message may correct one of them
IDLE = "idle"
ENDED_AT_ONCE = 100  # sessions


@dataclass(frozen=True, slots=True)
class AnalysisConfig:
    turns: int = 5
    tokens: int = 2000


@dataclass(frozen=True, slots=True)
class SessionLearnerConfig:
    min_messages: int = 4  # a session with fewer teaches nothing
    sample_above: int = 20  # with more, only a sample is read
    idle_minutes: float = 30


class Conversations:
    """Joins both ways to learn from conversations; runs in the worker's thread."""

    def __init__(self, analysis: "AnalysisBuffer", sessions: "SessionLearner") -> None:
        self.analysis = analysis
        self.sessions = sessions

    def work(self, most: int) -> int:
        """Learn from up to so many stretches and sessions; return how many."""
        done = self.analysis.work(most)
        return done + self.sessions.work(most - done) if done < most else done


class AnalysisBuffer:
    """Learns from the stretches that are due, while their sessions go on."""

    def __init__(
        self,
        db: Database,
        sessions: SessionStore,
        analyzer: ConversationAnalyzer,
        config: AnalysisConfig,
    ) -> None:
        self.db = db
        self.sessions = sessions
        self.analyzer = analyzer
        self.config = config

    def work(self, most: int) -> int:
        """Learn from up to so many stretches; return how many."""
        done, more = 0, 1
        while more and done < most:  # a long session has several stretches
            due = self.db.run(self.due(most - done))
            more = sum(self.learn(session) is not None for session in due)
            done += more
        return done

    async def due(self, most: int) -> Sequence[Session]:
        async with self.db.read() as tx:
            return await self.sessions.behind(
                tx, "analysed_to", self.config.tokens, self.config.turns, most
            )

    def learn(self, session: Session) -> StretchResult | None:
        """Learn from the next stretch of a session, due or not; None if there is none."""
        stretch = self.db.run(self._stretch(session))
        return self.analyzer.learn(stretch) if stretch is not None else None

    async def _stretch(self, session: Session) -> Stretch | None:
        async with self.db.read() as tx:
            done = session.analysed_to
            messages = await self.sessions.messages(tx, session.key, after=done)
            beside = await self.sessions.messages(tx, session.key, max(0, done - BESIDE), done)
            turns = await self.sessions.turns(tx, session.key, after=session.turns - 1)
        taken = stretch_of(messages, turns)
        if not taken:
            return None
        return Stretch(session, taken, "analysed_to", taken[-1].seq, beside=beside)


def stretch_of(
    messages: Sequence[SessionMessage], turns: Sequence[TurnRecord]
) -> list[SessionMessage]:
    """Return whole turns, as many as a reader gets at once, without an unfinished one."""
    going_on = turns[-1].turn if turns and turns[-1].status == "open" else None
    taken: list[SessionMessage] = []
    tokens = 0
    for message in messages:
        if message.turn == going_on:
            break
        if tokens > STRETCH_TOKENS and taken and message.turn != taken[-1].turn:
            break
        taken.append(message)
        tokens += message.tokens
    return taken


class SessionLearner:
    """Learns from whole sessions that have ended, and keeps only what is certain."""

    def __init__(
        self,
        unit: Unit,
        sessions: SessionStore,
        analyzer: ConversationAnalyzer,
        config: SessionLearnerConfig,
    ) -> None:
        self.unit = unit
        self.sessions = sessions
        self.analyzer = analyzer
        self.config = config

    def work(self, most: int) -> int:
        """End idle sessions, then learn from up to so many ended ones; return how many."""
        self.unit.drive(self.end_idle())
        ended = self.unit.db.run(self.unlearned(most))
        for session in ended:
            self.learn(session)
        return len(ended)

    async def end_idle(self) -> Sequence[Session]:
        """End the sessions that have been idle for too long."""
        now = self.unit.now()
        before = now - int(self.config.idle_minutes * MINUTE)

        async def end(change: Change) -> list[Session]:
            left = await self.sessions.idle(change, before, ENDED_AT_ONCE)
            ended = [one for one in left if await self.sessions.end(change, one.key, now, IDLE)]
            for session in ended:
                change.tell(SessionEnded(now, session.key, IDLE, session.scope))
            return ended

        return await self.unit.change(end, at=now) if await self._has_idle(before) else []

    async def unlearned(self, most: int) -> Sequence[Session]:
        async with self.unit.read() as tx:
            return await self.sessions.unlearned(tx, self.config.min_messages, most)

    async def behind(self) -> bool:
        """Whether there are ended or idle sessions to learn from."""
        before = self.unit.now() - int(self.config.idle_minutes * MINUTE)
        return bool(await self.unlearned(1)) or await self._has_idle(before)

    async def _has_idle(self, before: int) -> bool:
        async with self.unit.read() as tx:
            return bool(await self.sessions.idle(tx, before, 1))

    def learn(self, session: Session) -> StretchResult:
        """Learn from what was said since the session was last learned from."""
        return self.analyzer.learn(self.unit.db.run(self._stretch(session)))

    async def _stretch(self, session: Session) -> Stretch:
        async with self.unit.read() as tx:
            messages = await self.sessions.messages(tx, session.key, after=session.learned_to)
        spoken = [one for one in messages if one.role != "tool" and one.text.strip()]
        # Without a model, reading everything costs nothing.
        if self.analyzer.reader.slow:
            spoken = sample(spoken, self.config.sample_above)
        to = messages[-1].seq if messages else session.last_seq
        return Stretch(session, spoken, "learned_to", to, only=("high",), beside=messages)
