"""Chooses the stretches of conversations that are due to be learned from.

Due is a session with five finished turns, or 2000 tokens, behind the last message that was
analysed. How far that is stands in the database: a crash, or a compaction, changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.db.database import Database
from seasoned.learning.conversation import ConversationAnalyzer, Learnt, Stretch
from seasoned.memory.session import Kept, Session, TurnRecord
from seasoned.memory.session_store import SessionStore

AT_ONCE = 6000  # tokens that a reader gets; the rest comes next
BESIDE = 20  # messages before them: the first may correct what was said there


@dataclass(frozen=True, slots=True)
class AnalysisConfig:
    turns: int = 5
    tokens: int = 2000


class AnalysisBuffer:
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
        """Learns from up to so many stretches; how many it took up."""
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

    def learn(self, session: Session) -> Learnt | None:
        """Learns from the next stretch of a session, due or not; None when there is none."""
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


def stretch_of(messages: Sequence[Kept], turns: Sequence[TurnRecord]) -> list[Kept]:
    """Whole turns, as many as a reader gets at once; never the one that still goes on."""
    going_on = turns[-1].turn if turns and turns[-1].status == "open" else None
    taken: list[Kept] = []
    tokens = 0
    for message in messages:
        if message.turn == going_on:
            break
        if tokens > AT_ONCE and taken and message.turn != taken[-1].turn:
            break
        taken.append(message)
        tokens += message.tokens
    return taken
