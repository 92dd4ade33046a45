"""A session that survives: every message is stored as soon as it is there, every step once."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, UserPromptPart

from seasoned.agent.history import Done, closed, said, summarised, told, unanswered
from seasoned.agent.told import CONTEXT, Told
from seasoned.core.clock import Clock
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.llm.context_aware import key_of, text_of
from seasoned.memory.compact import history_of
from seasoned.memory.session import Kept, Session, TurnStatus
from seasoned.memory.session_store import SessionStore

T = TypeVar("T")

BEGUN = "begun:"  # before the id of a tool call
DONE = "done:"
INTERRUPTED = "the process ended before the turn did"
LONGEST_TITLE = 80


@dataclass(frozen=True, slots=True)
class Begun:
    """A turn that goes on: its number, what the user said, and what a model is to be given.

    `blocks` are what earlier messages went out with, `standing` what stood in the system prompt;
    `resumed` is what was done of this turn before the process ended.
    """

    session: Session
    turn: int
    request: str
    messages: Sequence[ModelMessage]
    blocks: dict[str, str]
    standing: Sequence[str] | None = None
    resumed: Sequence[ModelMessage] = ()
    is_new: bool = True  # else it is taken up again
    by_user: bool = True

    @property
    def is_answered(self) -> bool:
        """Whether the last word was spoken before the process ended."""
        last = self.resumed[-1] if self.resumed else None
        return isinstance(last, ModelResponse) and not unanswered(self.resumed)


class SessionLog:
    """What an agent writes down while it talks."""

    def __init__(self, db: Database, clock: Clock, history_tokens: int) -> None:
        self.db = db
        self.clock = clock
        self.store = SessionStore()
        self.history_tokens = history_tokens

    async def begin(self, scope: Scope, message: str, *, by_user: bool = True) -> Begun:
        """A new turn: what the user said is stored before anything else happens.

        What the agent once told itself to do later is stored as nobody's word.
        """
        prompt = ModelRequest(parts=[UserPromptPart(message)])
        kept = said(prompt) if by_user else replace(said(prompt), role="tool")

        async def began(tx: Connection) -> tuple[Session, int]:
            now = self.clock.now()
            session = await self.store.open(tx, scope, now)
            for turn in await self.store.turns(tx, session.key, session.turns - 1):
                if turn.status == "open":
                    await self.store.end_turn(
                        tx, session.key, turn.turn, "failed", now, error=INTERRUPTED
                    )
            turn = await self.store.begin_turn(tx, session.key, now)
            await self.store.add(tx, session.key, turn, [kept], now)
            await self.store.entitle(tx, session.key, one_line(message, LONGEST_TITLE))
            return await self.store.get(tx, session.key), turn

        session, turn = await self._write(began)
        return (await self._loaded(session, turn))[0]

    async def resume(self, scope: Scope) -> Begun | None:
        """The turn that was left open when a process ended; None when there is none."""

        async def found(tx: Connection) -> tuple[Session, int] | None:
            session = await self.store.named(tx, scope, scope.session)
            turns = await self.store.turns(tx, session.key, session.turns - 1)
            is_open = turns and turns[-1].status == "open"
            return (session, turns[-1].turn) if is_open else None

        left = await self._read(found)
        if left is None:
            return None
        begun, stored = await self._loaded(*left)
        # What closes calls that nothing came of belongs to the turn from now on.
        closing = begun.resumed[stored:]
        await self.add(begun, closing)
        return replace(begun, is_new=False)

    async def add(self, begun: Begun, messages: Sequence[ModelMessage]) -> None:
        """Stores what was said since."""
        if messages:
            key, turn, now = begun.session.key, begun.turn, self.clock.now()
            stored = [said(message) for message in messages]
            await self._write(lambda tx: self.store.add(tx, key, turn, stored, now))

    async def step(self, begun: Begun, step: str, body: str = "") -> bool:
        """Notes a step; False when it was taken before."""
        key, turn, now = begun.session.key, begun.turn, self.clock.now()
        return await self._write(lambda tx: self.store.step(tx, key, turn, step, now, body))

    async def taken(self, begun: Begun) -> dict[str, str]:
        """The steps of a turn that were taken, and what came of each."""
        key, turn = begun.session.key, begun.turn
        steps = await self._read(lambda tx: self.store.steps(tx, key, turn=turn))
        return {step: body for (_, step), body in steps.items()}

    async def end(
        self,
        begun: Begun,
        status: TurnStatus,
        *,
        error: str = "",
        tokens: tuple[int, int] = (0, 0),
    ) -> None:
        key, turn, now = begun.session.key, begun.turn, self.clock.now()
        await self._write(
            lambda tx: self.store.end_turn(tx, key, turn, status, now, error=error, tokens=tokens)
        )

    async def close(self, scope: Scope, reason: str) -> Session | None:
        """Ends a session; None when it had ended already."""

        async def ended(tx: Connection) -> Session | None:
            session = await self.store.named(tx, scope, scope.session)
            done = await self.store.end(tx, session.key, self.clock.now(), reason)
            return session if done else None

        return await self._write(ended)

    async def _loaded(self, session: Session, turn: int) -> tuple[Begun, int]:
        """A turn with what a model is given: a summary of what is long past, then all.

        And how many messages of it, behind the user's, are stored.
        """

        async def read(tx: Connection) -> tuple[Begun, int]:
            kept = await self.store.messages(tx, session.key, after=session.compacted_to)
            history = history_of(session, kept, self.history_tokens)
            steps = await self.store.steps(tx, session.key)
            contexts = {
                number: Told.read(body) for (number, step), body in steps.items() if step == CONTEXT
            }
            shown = [one for one in kept if one.seq >= history.from_seq]
            messages = [told(one) for one in shown]
            own = [told(one) for one in kept if one.turn == turn]
            done = {
                step.removeprefix(DONE): Done.read(body)
                for (_, step), body in steps.items()
                if step.startswith(DONE)
            }
            begun = frozenset(
                step.removeprefix(BEGUN) for _, step in steps if step.startswith(BEGUN)
            )
            whole: list[ModelMessage] = [summarised(history.summary)] if history.summary else []
            waiting = {call.tool_call_id for call in unanswered(messages)}
            untouched = not waiting & (begun | done.keys())  # they can still be made
            rest = closed(messages, done, begun, keep_last=untouched)
            closing = rest[-1:] if len(own) > 1 and rest[-1] is not messages[-1] else []
            return Begun(
                session,
                turn,
                _request(own),
                [*whole, *rest],
                _blocks(shown, messages, contexts),
                contexts[max(contexts)].standing if contexts else None,
                [*own[1:], *closing],
                by_user=any(one.role == "user" for one in kept if one.turn == turn),
            ), len(own) - 1

        return await self._read(read)

    async def _write(self, work: Callable[[Connection], Coroutine[Any, Any, T]]) -> T:
        return await self.db.run_async(transact(self.db, work))

    async def _read(self, work: Callable[[Connection], Coroutine[Any, Any, T]]) -> T:
        async def read() -> T:
            async with self.db.read() as tx:
                return await work(tx)

        return await self.db.run_async(read())


def _request(own: Sequence[ModelMessage]) -> str:
    """What the user said in a turn."""
    prompts = [part for part in own[0].parts if isinstance(part, UserPromptPart)] if own else []
    return text_of(prompts[0]) if prompts else ""


def _blocks(
    kept: Sequence[Kept], messages: Sequence[ModelMessage], contexts: Mapping[int, Told]
) -> dict[str, str]:
    """What users' messages went out with, by the name that the model knows them by."""
    return {
        key_of(part): contexts[one.turn].turn
        for one, message in zip(kept, messages, strict=True)
        if one.turn in contexts
        for part in message.parts
        if isinstance(part, UserPromptPart)
    }
