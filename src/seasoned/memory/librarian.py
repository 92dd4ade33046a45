"""Wants to know: asks what would be good to know, and notices when it has been told.

It looks at a session every few turns, in the background. What it found and that it has looked are
written together. Without a model nothing is asked; what an operator answers is taken all the same.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from seasoned.core.bus import Bus
from seasoned.core.clock import Clock
from seasoned.core.errors import BadInput, ModelError, ModelUnavailable
from seasoned.core.events import Event
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.llm.model import Model
from seasoned.memory.inquiring import Alike, Asked, Look, alike_in_words, answers, asked, questions
from seasoned.memory.inquiry import Inquiry, Teach, Told
from seasoned.memory.inquiry_store import InquiryStore
from seasoned.memory.memory_store import MemoryStore
from seasoned.memory.session import Session
from seasoned.memory.session_store import SessionStore
from seasoned.security.redact import redact

log = logging.getLogger("seasoned.librarian")

LOOKED_AT = 100  # sessions at a time
REMEMBERED = 200  # questions that are not asked again
LONGEST_ANSWER = 2000


@dataclass(frozen=True, slots=True)
class LibrarianSettings:
    min_observations: int = 2
    cooldown_turns: int = 3
    max_pending: int = 2


@dataclass(frozen=True, slots=True)
class Looked:
    """What came of a look: what is asked from now on, and what was answered."""

    asked: Sequence[Inquiry] = ()
    resolved: Sequence[Inquiry] = ()


class Librarian:
    def __init__(
        self,
        db: Database,
        sessions: SessionStore,
        memory: MemoryStore,
        inquiries: InquiryStore,
        teach: Teach,
        clock: Clock,
        bus: Bus,
        model: Model | None,
        settings: LibrarianSettings | None = None,
        alike: Alike = alike_in_words,
    ) -> None:
        self.db = db
        self.sessions = sessions
        self.memory = memory
        self.inquiries = inquiries
        self.teach = teach
        self.clock = clock
        self.bus = bus
        self.model = model
        self.settings = settings or LibrarianSettings()
        self.alike = alike

    def work(self, most: int) -> int:
        """Looks at up to so many sessions that are due. Runs in the worker's thread."""
        if self.model is None:
            return 0
        done = 0
        for session in self.db.run(self._due()):
            if done == most:
                break
            done += self.look(session) is not None
        self.bus.deliver()
        return done

    async def _due(self) -> Sequence[Session]:
        cooldown, least = self.settings.cooldown_turns, self.settings.min_observations
        async with self.db.read() as tx:
            keys = await self.inquiries.due(tx, cooldown, least, LOOKED_AT)
            return [await self.sessions.get(tx, key) for key in keys]

    def look(self, session: Session, *, early: bool = False) -> Looked | None:
        """Looks at the turns of a session since the last time; None when there are too few."""
        assert self.model is not None, "only a model can look"
        upto, look = self.db.run(self._before(session))
        if upto - session.asked_turn < (1 if early else max(1, self.settings.cooldown_turns)):
            return None
        answered: Sequence[tuple[Inquiry, Told]] = ()
        wanted: Sequence[Asked] = ()
        if look.messages and (look.room or look.pending):
            try:
                said = self.model.answer(asked(look)).data
            except ModelUnavailable:
                raise
            except ModelError as error:  # the next look is at other turns, and may do better
                log.warning("%s: the librarian's answer was of no use (%s)", self.model.name, error)
            else:
                answered, wanted = answers(said, look), questions(said, look, self.alike)
        return self._kept(session, upto, answered, wanted)

    async def _before(self, session: Session) -> tuple[int, Look]:
        """The last turn that is over, and what there is to look at up to it."""
        settings = self.settings
        async with self.db.read() as tx:
            turns = await self.sessions.turns(tx, session.key, session.asked_turn)
            over = [one.turn for one in turns if one.status != "open"]
            upto = max(over, default=session.asked_turn)
            messages = await self.sessions.messages(tx, session.key)
            observations = await self.memory.observations(tx, session.key)
            earlier = await self.inquiries.earlier(tx, session.scope, REMEMBERED)
        pending = [one for one in reversed(earlier) if one.status == "pending"]
        enough = len(observations) >= settings.min_observations
        return upto, Look(
            [one for one in observations if not one.settled_seq],
            [one for one in messages if session.asked_turn < one.turn <= upto],
            pending,
            earlier,
            max(0, settings.max_pending - len(pending)) if enough else 0,
        )

    def _kept(
        self,
        session: Session,
        upto: int,
        answered: Sequence[tuple[Inquiry, Told]],
        wanted: Sequence[Asked],
    ) -> Looked | None:
        """Stores what came of a look, once; None when another looked meanwhile."""
        now = self.clock.now()

        async def stored(tx: Connection) -> tuple[Looked | None, Sequence[Event]]:
            if not await self.sessions.advance(tx, session, "asked_turn", upto):
                return None, ()
            events: list[Event] = []
            resolved: list[Inquiry] = []
            for inquiry, told in answered:
                made = await self._resolved(tx, inquiry, told, events, now)
                resolved += [made] if made else []
            still = await self.inquiries.pending(tx, session.scope, self.settings.max_pending)
            room = self.settings.max_pending - len(still)
            new = [
                await self.inquiries.add(tx, session, one.question, one.reason, now)
                for one in wanted[: max(0, room)]
            ]
            return Looked(new, resolved), events

        looked, events = self.db.run(transact(self.db, stored))
        for event in events:
            self.bus.publish(event)
        return looked

    async def _resolved(
        self, tx: Connection, inquiry: Inquiry, told: Told, events: list[Event], now: int
    ) -> Inquiry | None:
        if not await self.inquiries.close(tx, inquiry, "resolved", told.fact, now):
            return None
        taught = await self.teach(tx, inquiry, told, now)
        await self.inquiries.link(tx, inquiry, taught.lesson)
        events += taught.events
        return replace(
            inquiry, status="resolved", answer=told.fact, lesson=taught.lesson, resolved_at=now
        )

    async def answer(self, name: str, text: str, scope: Scope) -> Inquiry:
        """Takes an operator's answer: it becomes a lesson that holds at once."""
        given = redact(text.strip())
        if not given or len(given) > LONGEST_ANSWER:
            raise BadInput(f"an answer has 1 to {LONGEST_ANSWER} characters, not {len(given)}")
        now = self.clock.now()

        async def stored(tx: Connection) -> tuple[Inquiry, Sequence[Event]]:
            events: list[Event] = []
            inquiry = await self.inquiries.get(tx, name, scope)
            if inquiry.status == "resolved":
                raise BadInput(f"inquiry {inquiry.id} is answered: {inquiry.answer}")
            told = Told(f"{inquiry.question} {given}", given, "operator")
            made = await self._resolved(tx, inquiry, told, events, now)
            assert made is not None, "it was read in this very transaction"
            return made, events

        made, events = await transact(self.db, stored)
        for event in events:
            self.bus.publish(event)
        return made

    async def dismiss(self, name: str, scope: Scope) -> Inquiry:
        """Not to be asked, nor anything like it."""
        now = self.clock.now()

        async def stored(tx: Connection) -> Inquiry:
            inquiry = await self.inquiries.get(tx, name, scope)
            if inquiry.status == "resolved":
                raise BadInput(f"inquiry {inquiry.id} is answered: {inquiry.answer}")
            await self.inquiries.close(tx, inquiry, "dismissed", "", now)
            return replace(inquiry, status="dismissed", resolved_at=now)

        return await transact(self.db, stored)
