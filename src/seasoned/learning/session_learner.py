"""Learns from whole sessions once they are over: closed by somebody, or left alone for long.

Which those are stands in the database, so that one that ended with its process is learned from
when the next process comes up. Only what is certain is kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.core.bus import Bus
from seasoned.core.clock import MINUTE, Clock
from seasoned.core.events import SessionEnded
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.learning.conversation import ConversationAnalyzer, Learnt, Stretch
from seasoned.learning.conversation_items import sampled
from seasoned.memory.session import Session
from seasoned.memory.session_store import SessionStore

IDLE = "idle"
ENDED_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class SessionLearnerConfig:
    min_messages: int = 4  # fewer teach nothing
    sample_above: int = 20  # of more, only some are read
    idle_minutes: float = 30


class SessionLearner:
    def __init__(
        self,
        db: Database,
        sessions: SessionStore,
        analyzer: ConversationAnalyzer,
        bus: Bus,
        clock: Clock,
        config: SessionLearnerConfig,
    ) -> None:
        self.db = db
        self.sessions = sessions
        self.analyzer = analyzer
        self.bus = bus
        self.clock = clock
        self.config = config

    def work(self, most: int) -> int:
        """Ends what was left alone, and learns from up to so many sessions; how many it took up."""
        self.db.run(self.end_idle())
        self.bus.deliver()
        ended = self.db.run(self.unlearned(most))
        for session in ended:
            self.learn(session)
        return len(ended)

    async def end_idle(self) -> Sequence[Session]:
        """Closes the sessions in which nobody has said a word for so long."""
        now = self.clock.now()
        before = now - int(self.config.idle_minutes * MINUTE)

        async def end(tx: Connection) -> list[Session]:
            left = await self.sessions.idle(tx, before, ENDED_AT_ONCE)
            return [one for one in left if await self.sessions.end(tx, one.key, now, IDLE)]

        ended = await transact(self.db, end) if await self._has_idle(before) else []
        for session in ended:
            self.bus.publish(SessionEnded(now, session.key, IDLE, session.scope))
        return ended

    async def unlearned(self, most: int) -> Sequence[Session]:
        async with self.db.read() as tx:
            return await self.sessions.unlearned(tx, self.config.min_messages, most)

    async def behind(self) -> bool:
        """Whether sessions have ended, or were left alone, that nobody has learned from."""
        before = self.clock.now() - int(self.config.idle_minutes * MINUTE)
        return bool(await self.unlearned(1)) or await self._has_idle(before)

    async def _has_idle(self, before: int) -> bool:
        async with self.db.read() as tx:
            return bool(await self.sessions.idle(tx, before, 1))

    def learn(self, session: Session) -> Learnt:
        """Learns from what was said since the session was last learned from."""
        return self.analyzer.learn(self.db.run(self._stretch(session)))

    async def _stretch(self, session: Session) -> Stretch:
        async with self.db.read() as tx:
            messages = await self.sessions.messages(tx, session.key, after=session.learned_to)
        spoken = [one for one in messages if one.role != "tool" and one.text.strip()]
        # To read all of it costs nothing where no model is asked.
        if self.analyzer.reader.slow:
            spoken = sampled(spoken, self.config.sample_above)
        to = messages[-1].seq if messages else session.last_seq
        return Stretch(session, spoken, "learned_to", to, only=("high",), beside=messages)
