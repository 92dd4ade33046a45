"""Conversations to remember, and a model with the answers of the test."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from seasoned import Seasoned
from seasoned.core.events import TurnEnded
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.unit import transact
from seasoned.llm.json_schema import complaint
from seasoned.llm.model import ModelAnswer, ModelQuestion
from seasoned.memory.memory import Memory, MemorySettings
from seasoned.sessions.session import NewMessage, Session, SessionMessage, TurnStatus
from seasoned.sessions.session_store import SessionStore

FILLER = "The compiler walks through the module and writes an object that the linker joins. "


@dataclass
class Conversation:
    """A session of the test, stored as an agent stores it."""

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
        messages = [NewMessage("user", user, "{}")]
        messages += [NewMessage("tool", tool, "{}")] if tool else []
        messages += [NewMessage("assistant", assistant, "{}")] if assistant else []

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
    def messages(self) -> Sequence[SessionMessage]:
        key = self.session.key

        async def listed() -> Sequence[SessionMessage]:
            async with self.db.read() as tx:
                return await self.store.messages(tx, key)

        return self.db.run(listed())

    def memory(self, model: Any = None, **settings: Any) -> Memory:
        clock = self.s.inner.app.clock
        given = MemorySettings(**settings)
        return Memory(self.db, clock, model, given)


@dataclass
class Scripted:
    """A model with answers by schema name: data, a function of the question, or an error."""

    answers: Mapping[str, Any]
    name: str = "scripted:test"
    asked: list[ModelQuestion] = field(default_factory=list[ModelQuestion])

    def answer(self, question: ModelQuestion) -> ModelAnswer:
        self.asked.append(question)
        given = self.answers[question.schema.name]
        data: Any = given(question) if callable(given) else given
        if isinstance(data, Exception):
            raise data
        assert not complaint(data, question.schema.body)
        return ModelAnswer(data, 10, 10)


@pytest.fixture
def talk(seasoned: Seasoned) -> Callable[..., Conversation]:
    def begin(name: str = "talk", **scope: str) -> Conversation:
        return Conversation(seasoned, Scope(session=name, **scope))

    return begin


@pytest.fixture
def scripted() -> type[Scripted]:
    return Scripted
