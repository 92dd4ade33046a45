"""Sessions as an agent leaves them behind, for tests of those who learn from them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from seasoned import Seasoned
from seasoned.core.events import SessionEnded, TurnEnded
from seasoned.db.database import Connection
from seasoned.db.transact import transact
from seasoned.llm.model import Answer, Question
from seasoned.memory.session import Said, Session
from seasoned.memory.session_store import SessionStore

T = TypeVar("T")
Turn = tuple[str, ...]  # what the user said, and the reply; between them what tools said


class Talk:
    """A session that is written turn by turn; only where it is `heard` do workers wake up."""

    def __init__(
        self, seasoned: Seasoned, name: str = "talk", *, user: str = "", heard: bool = False
    ) -> None:
        self.heard = heard
        self.app = seasoned.inner.app
        self.store = SessionStore()
        scope = replace(seasoned.inner.scope, session=name)
        self.scope = replace(scope, user=user) if user else scope

    def say(self, *turns: Turn, finished: bool = True) -> "Talk":
        """Each turn is stored as the agent stores it, and said to be over."""
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
        said = [Said("user", user, "[]")]
        said += [Said("tool", text, "[]") for text in between[:-1]]
        said += [Said("assistant", text, "[]") for text in between[-1:]]
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
    """A background model that answers as it was told to, and remembers its questions."""

    name = "told:model"

    def __init__(self, *answers: Mapping[str, Any] | Exception) -> None:
        self.answers: list[Mapping[str, Any] | Exception] = list(answers)
        self.questions: list[Question] = []

    def answer(self, question: Question) -> Answer:
        self.questions.append(question)
        given = self.answers.pop(0) if self.answers else items()
        if isinstance(given, Exception):
            raise given
        return Answer(dict(given), 10, 10)


def item(content: str, *quotes: tuple[int, str], **fields: Any) -> dict[str, Any]:
    """An item as a model gives it."""
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
    """Turns that teach nothing."""
    return [(f"How do I sort list number {n}?", f"Call sorted on list {n}.") for n in range(many)]
