"""The librarian: decides what to ask the user, and notices when it has been answered.

It looks at a session every few turns, in the background, and writes its results and its mark in
one transaction. Without a model it asks nothing and only records the answers of operators.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from seasoned.core.errors import BadInput, ModelError, ModelUnavailable
from seasoned.core.scope import Scope
from seasoned.db.unit import Change, Unit
from seasoned.llm.model import Model
from seasoned.memory.inquiries import Inquiry, InquiryAnswer, InquiryStore, Teach
from seasoned.memory.inquiry_prompt import (
    Alike,
    LibrarianView,
    ProposedQuestion,
    alike_in_words,
    answers,
    librarian_question,
    questions,
)
from seasoned.memory.memory_store import MemoryStore
from seasoned.security.redact import redact
from seasoned.sessions.session import Session
from seasoned.sessions.session_store import SessionStore

log = logging.getLogger("seasoned.librarian")

SESSIONS_AT_ONCE = 100
MOST_EARLIER = 200  # questions that are not asked again
LONGEST_ANSWER = 2000


@dataclass(frozen=True, slots=True)
class LibrarianSettings:
    min_observations: int = 2
    cooldown_turns: int = 3
    max_pending: int = 2


@dataclass(frozen=True, slots=True)
class LookResult:
    """Result of a look: new inquiries and resolved ones."""

    asked: Sequence[Inquiry] = ()
    resolved: Sequence[Inquiry] = ()


class Librarian:
    def __init__(
        self,
        unit: Unit,
        teach: Teach,
        model: Model | None,
        settings: LibrarianSettings | None = None,
        alike: Alike = alike_in_words,
    ) -> None:
        self.unit = unit
        self.sessions = SessionStore()
        self.memory = MemoryStore()
        self.inquiries = InquiryStore()
        self.teach = teach
        self.model = model
        self.settings = settings or LibrarianSettings()
        self.alike = alike

    def work(self, most: int) -> int:
        """Look at up to `most` due sessions. Runs in the worker's thread."""
        if self.model is None:
            return 0
        done = 0
        for session in self.unit.db.run(self._due()):
            if done == most:
                break
            done += self.look(session) is not None
        self.unit.bus.deliver()
        return done

    async def _due(self) -> Sequence[Session]:
        cooldown, least = self.settings.cooldown_turns, self.settings.min_observations
        async with self.unit.read() as tx:
            keys = await self.inquiries.due(tx, cooldown, least, SESSIONS_AT_ONCE)
            return [await self.sessions.get(tx, key) for key in keys]

    def look(self, session: Session, *, early: bool = False) -> LookResult | None:
        """Look at the turns of a session since the last look; None if there are too few."""
        assert self.model is not None, "looking needs a model"
        upto, view = self.unit.db.run(self._view(session))
        if upto - session.asked_turn < (1 if early else max(1, self.settings.cooldown_turns)):
            return None
        answered: Sequence[tuple[Inquiry, InquiryAnswer]] = ()
        proposed: Sequence[ProposedQuestion] = ()
        if view.messages and (view.room or view.pending):
            try:
                said = self.model.answer(librarian_question(view)).data
            except ModelUnavailable:
                raise
            except ModelError as error:  # the next look sees other turns and may do better
                log.warning("%s: unusable answer for the librarian (%s)", self.model.name, error)
            else:
                answered, proposed = answers(said, view), questions(said, view, self.alike)
        return self._store(session, upto, answered, proposed)

    async def _view(self, session: Session) -> tuple[int, LibrarianView]:
        """Return the last finished turn, and the view of the session up to it."""
        settings = self.settings
        async with self.unit.read() as tx:
            turns = await self.sessions.turns(tx, session.key, session.asked_turn)
            over = [one.turn for one in turns if one.status != "open"]
            upto = max(over, default=session.asked_turn)
            messages = await self.sessions.messages(tx, session.key)
            observations = await self.memory.observations(tx, session.key)
            earlier = await self.inquiries.earlier(tx, session.scope, MOST_EARLIER)
        pending = [one for one in reversed(earlier) if one.status == "pending"]
        enough = len(observations) >= settings.min_observations
        return upto, LibrarianView(
            [one for one in observations if not one.settled_seq],
            [one for one in messages if session.asked_turn < one.turn <= upto],
            pending,
            earlier,
            max(0, settings.max_pending - len(pending)) if enough else 0,
        )

    def _store(
        self,
        session: Session,
        upto: int,
        answered: Sequence[tuple[Inquiry, InquiryAnswer]],
        proposed: Sequence[ProposedQuestion],
    ) -> LookResult | None:
        """Store the result of a look once; None if another process looked meanwhile."""

        async def store(change: Change) -> LookResult | None:
            if not await self.sessions.advance(change, session, "asked_turn", upto):
                return None
            resolved: list[Inquiry] = []
            for inquiry, answer in answered:
                made = await self._resolve(change, inquiry, answer)
                resolved += [made] if made else []
            still = await self.inquiries.pending(change, session.scope, self.settings.max_pending)
            room = self.settings.max_pending - len(still)
            new = [
                await self.inquiries.add(change, session, one.question, one.reason, change.at)
                for one in proposed[: max(0, room)]
            ]
            return LookResult(new, resolved)

        return self.unit.db.run(self.unit.change(store))

    async def _resolve(
        self, change: Change, inquiry: Inquiry, answer: InquiryAnswer
    ) -> Inquiry | None:
        if not await self.inquiries.close(change, inquiry, "resolved", answer.fact, change.at):
            return None
        lesson = await self.teach(change, inquiry, answer)
        await self.inquiries.link(change, inquiry, lesson)
        return replace(
            inquiry, status="resolved", answer=answer.fact, lesson=lesson, resolved_at=change.at
        )

    async def answer(self, name: str, text: str, realm: Scope) -> Inquiry:
        """Record an operator's answer; it becomes an active lesson."""
        given = redact(text.strip())
        if not given or len(given) > LONGEST_ANSWER:
            raise BadInput(f"an answer has 1 to {LONGEST_ANSWER} characters, not {len(given)}")

        async def store(change: Change) -> Inquiry:
            inquiry = await self.inquiries.get(change, name, realm)
            if inquiry.status == "resolved":
                raise BadInput(f"inquiry {inquiry.id} is answered: {inquiry.answer}")
            answer = InquiryAnswer(f"{inquiry.question} {given}", given, "operator")
            made = await self._resolve(change, inquiry, answer)
            assert made is not None, "it was read in this transaction"
            return made

        return await self.unit.change(store)

    async def dismiss(self, name: str, realm: Scope) -> Inquiry:
        """Dismiss an inquiry; neither it nor a similar one is asked again."""

        async def store(change: Change) -> Inquiry:
            inquiry = await self.inquiries.get(change, name, realm)
            if inquiry.status == "resolved":
                raise BadInput(f"inquiry {inquiry.id} is answered: {inquiry.answer}")
            await self.inquiries.close(change, inquiry, "dismissed", "", change.at)
            return replace(inquiry, status="dismissed", resolved_at=change.at)

        return await self.unit.change(store)
