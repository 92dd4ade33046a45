"""Sessions as an agent stores them, and a model with fixed answers."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from seasoned import Seasoned
from seasoned.core.events import SessionEnded, TurnEnded
from seasoned.db.database import Connection
from seasoned.db.unit import transact
from seasoned.llm.model import ModelAnswer, ModelQuestion
from seasoned.sessions.session import NewMessage, Session
from seasoned.sessions.session_store import SessionStore

T = TypeVar("T")
Turn = tuple[str, ...]  # the user's message, any tool results, the reply


class Talk:
    """A session written turn by turn; `heard` publishes each turn, which wakes the workers."""

    def __init__(
        self, seasoned: Seasoned, name: str = "talk", *, user: str = "", heard: bool = False
    ) -> None:
        self.heard = heard
        self.app = seasoned.inner.app
        self.store = SessionStore()
        scope = replace(seasoned.inner.scope, session=name)
        self.scope = replace(scope, user=user) if user else scope

    def say(self, *turns: Turn, finished: bool = True) -> "Talk":
        """Store each turn as the agent does; publish its end if `heard`."""
        for turn in turns:
            number = self._do(partial(self._turn, turn=turn, finished=finished))
            if finished and self.heard:
                event = TurnEnded(self.app.clock.now(), self.session.key, number, self.scope)
                self.app.bus.publish(event)
        return self

    async def _turn(self, tx: Connection, *, turn: Turn, finished: bool) -> int:
        now = self.app.clock.now()
        key = (await self.store.open(tx, self.scope, now)).key
        number = await self.store.begin_turn(tx, key, now)
        user, *between = turn
        said = [NewMessage("user", user, "[]")]
        said += [NewMessage("tool", text, "[]") for text in between[:-1]]
        said += [NewMessage("assistant", text, "[]") for text in between[-1:]]
        await self.store.add(tx, key, number, said, now)
        if finished:
            await self.store.end_turn(tx, key, number, "done", now)
        return number

    def end(self, reason: str = "closed") -> "Talk":
        session = self.session
        now = self.app.clock.now()
        self._do(lambda tx: self.store.end(tx, session.key, now, reason))
        if self.heard:
            self.app.bus.publish(SessionEnded(now, session.key, reason, self.scope))
        return self

    @property
    def session(self) -> Session:
        return self._do(lambda tx: self.store.named(tx, self.scope, self.scope.session))

    def _do(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        return self.app.db.run(transact(self.app.db, work))


class Told:
    """A background model with fixed answers that records its questions."""

    name = "told:model"

    def __init__(self, *answers: Mapping[str, Any] | Exception) -> None:
        self.answers: list[Mapping[str, Any] | Exception] = list(answers)
        self.questions: list[ModelQuestion] = []

    def answer(self, question: ModelQuestion) -> ModelAnswer:
        self.questions.append(question)
        given = self.answers.pop(0) if self.answers else items()
        if isinstance(given, Exception):
            raise given
        return ModelAnswer(dict(given), 10, 10)


def item(content: str, *quotes: tuple[int, str], **fields: Any) -> dict[str, Any]:
    """Return an item in the form of a model's answer."""
    usual = {
        "kind": "fact",
        "content": content,
        "when": "",
        "confidence": "high",
        "subject": None,
        "predicate": None,
        "object": None,
        "quotes": [{"message": message, "text": text} for message, text in quotes],
        "known": None,
    }
    return usual | fields


def items(*given: Mapping[str, Any]) -> dict[str, Any]:
    return {"items": list(given), "reason": "as told"}


def small_talk(many: int) -> Sequence[Turn]:
    """Return turns that teach nothing."""
    return [(f"How do I sort list number {n}?", f"Call sorted on list {n}.") for n in range(many)]
