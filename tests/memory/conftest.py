"""Conversations to remember, and a model that answers as a test says."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from seasoned import Seasoned
from seasoned.core.events import TurnEnded
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.llm.json_schema import complaint
from seasoned.llm.model import Answer, Question
from seasoned.memory.memory import Memory, MemorySettings
from seasoned.memory.memory_store import MemoryStore
from seasoned.memory.session import Kept, Said, Session, TurnStatus
from seasoned.memory.session_store import SessionStore

FILLER = "The compiler walks through the module and writes an object that the linker joins. "


@dataclass
class Conversation:
    """A session that a test talks in, as an agent would store it."""

    s: Seasoned
    scope: Scope
    store: SessionStore = field(default_factory=SessionStore)

    @property
    def db(self) -> Database:
        return self.s.inner.app.db

    @property
    def now(self) -> int:
        return self.s.inner.app.clock.now()

    def turn(
        self,
        user: str,
        assistant: str = "All right.",
        *,
        tool: str = "",
        status: TurnStatus = "done",
    ) -> None:
        messages = [Said("user", user, "{}")]
        messages += [Said("tool", tool, "{}")] if tool else []
        messages += [Said("assistant", assistant, "{}")] if assistant else []

        async def stored(tx: Connection) -> tuple[int, int]:
            session = await self.store.open(tx, self.scope, self.now)
            number = await self.store.begin_turn(tx, session.key, self.now)
            await self.store.add(tx, session.key, number, messages, self.now)
            if status != "open":
                await self.store.end_turn(tx, session.key, number, status, self.now)
            return session.key, number

        key, number = self.db.run(transact(self.db, stored))
        bus = self.s.inner.app.bus
        bus.publish(TurnEnded(self.now, key, number, self.scope))

    def filler(self, turns: int, times: int = 6) -> None:
        for n in range(turns):
            self.turn(f"Please explain part {n}.", FILLER * times)

    @property
    def session(self) -> Session:
        async def found() -> Session:
            async with self.db.read() as tx:
                return await self.store.named(tx, self.scope, self.scope.session)

        return self.db.run(found())

    @property
    def messages(self) -> Sequence[Kept]:
        key = self.session.key

        async def listed() -> Sequence[Kept]:
            async with self.db.read() as tx:
                return await self.store.messages(tx, key)

        return self.db.run(listed())

    def memory(self, model: Any = None, **settings: Any) -> Memory:
        clock = self.s.inner.app.clock
        given = MemorySettings(**settings)
        return Memory(self.db, self.store, MemoryStore(), clock, model, given)


@dataclass
class Scripted:
    """Answers by the schema's name: data, what makes data of a question, or an error to raise."""

    answers: Mapping[str, Any]
    name: str = "scripted:test"
    asked: list[Question] = field(default_factory=list[Question])

    def answer(self, question: Question) -> Answer:
        self.asked.append(question)
        given = self.answers[question.schema.name]
        data: Any = given(question) if callable(given) else given
        if isinstance(data, Exception):
            raise data
        assert not complaint(data, question.schema.body)
        return Answer(data, 10, 10)


@pytest.fixture
def talk(seasoned: Seasoned) -> Callable[..., Conversation]:
    def begin(name: str = "talk", **scope: str) -> Conversation:
        return Conversation(seasoned, Scope(session=name, **scope))

    return begin


@pytest.fixture
def scripted() -> type[Scripted]:
    return Scripted
