"""The session behind a turn: it stores each message at once and each step once.

So a turn that a crash cut off can resume, with the prompt that it had.
"""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, UserPromptPart

from seasoned.agent.given import StoredContext, notes_in_force, stored_contexts
from seasoned.agent.history import (
    CallResult,
    close_calls,
    from_stored,
    summary_message,
    to_stored,
    unanswered,
)
from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.db.unit import transact
from seasoned.llm.chat.context_aware import prompt_key, prompt_text
from seasoned.memory.compact import history_of
from seasoned.recall.tool_notes import ToolNotes
from seasoned.security.redact import SECRET
from seasoned.sessions.recorder import SessionRecorder
from seasoned.sessions.session import Session, SessionMessage, TurnStatus

T = TypeVar("T")

# Steps of a turn, as prefixes before the id of a tool call.
CALL_STARTED = "begun:"
CALL_DONE = "done:"


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A turn in progress: its number, the user's message, and the history for the model.

    `blocks` is the learned context sent with earlier messages, `standing` the rules in the system
    prompt, `notes` those in the descriptions of tools; `resumed` holds the messages of this turn
    from before the process ended.
    """

    session: Session
    turn: int
    request: str
    messages: Sequence[ModelMessage]
    blocks: dict[str, str]
    standing: Sequence[str] | None = None
    notes: ToolNotes | None = None
    resumed: Sequence[ModelMessage] = ()
    is_new: bool = True  # False: resumed
    by_user: bool = True

    @property
    def is_answered(self) -> bool:
        """Tell whether the reply was complete before the process ended."""
        last = self.resumed[-1] if self.resumed else None
        return isinstance(last, ModelResponse) and not unanswered(self.resumed)


class SessionLog:
    """Reads and writes the session of an agent."""

    def __init__(self, recorder: SessionRecorder, history_tokens: int) -> None:
        self.recorder = recorder
        self.db = recorder.unit.db
        self.clock = recorder.unit.clock
        self.store = recorder.store
        self.history_tokens = history_tokens

    async def begin(self, scope: Scope, message: str, *, by_user: bool = True) -> OpenTurn:
        """Start a turn: store the message before anything else happens.

        A scheduled task (`by_user` False) is not stored as the user's word.
        """
        said = ModelRequest(parts=[UserPromptPart(message)])
        prompt = to_stored(said)
        stored = prompt if by_user else replace(prompt, role="tool")

        async def start(tx: Connection) -> tuple[Session, int]:
            turn = await self.recorder.begin(tx, scope, stored, self.clock.now())
            return await self.store.named(tx, scope, scope.session), turn

        session, turn = await self._write(start)
        opened, _ = await self._load(session, turn)
        # Secrets are not stored, but in this turn the model needs what was said.
        return replace(opened, request=message, messages=[*opened.messages[:-1], said])

    async def resume(self, scope: Scope) -> OpenTurn | None:
        """Return the turn that was open when a process ended; None if there is none."""

        async def find(tx: Connection) -> tuple[Session, int] | None:
            session = await self.store.named(tx, scope, scope.session)
            turns = await self.store.turns(tx, session.key, session.turns - 1)
            is_open = turns and turns[-1].status == "open"
            return (session, turns[-1].turn) if is_open else None

        left = await self._read(find)
        if left is None:
            return None
        opened, stored = await self._load(*left)
        # The results that close open calls belong to the turn from now on.
        closing = opened.resumed[stored:]
        await self.add(opened, closing)
        return replace(opened, is_new=False)

    async def add(self, opened: OpenTurn, messages: Sequence[ModelMessage]) -> None:
        """Store new messages of the turn."""
        if messages:
            key, turn, now = opened.session.key, opened.turn, self.clock.now()
            stored = [to_stored(message) for message in messages]
            await self._write(lambda tx: self.store.add(tx, key, turn, stored, now))

    async def step(self, opened: OpenTurn, step: str, body: str = "") -> bool:
        """Record a step; return False if it was recorded before."""
        key, turn, now = opened.session.key, opened.turn, self.clock.now()
        return await self._write(lambda tx: self.store.step(tx, key, turn, step, now, body))

    async def steps(self, opened: OpenTurn) -> dict[str, str]:
        """Return the recorded steps of a turn and their results."""
        key, turn = opened.session.key, opened.turn
        steps = await self._read(lambda tx: self.store.steps(tx, key, turn=turn))
        return {step: body for (_, step), body in steps.items()}

    async def end(
        self,
        opened: OpenTurn,
        status: TurnStatus,
        *,
        error: str = "",
        tokens: tuple[int, int] = (0, 0),
    ) -> None:
        key, turn, now = opened.session.key, opened.turn, self.clock.now()
        await self._write(
            lambda tx: self.store.end_turn(tx, key, turn, status, now, error=error, tokens=tokens)
        )

    async def close(self, scope: Scope, reason: str) -> bool:
        """End a session; False if it had ended already."""
        await self._read(lambda tx: self.store.named(tx, scope, scope.session))  # or NotFound
        return await self.recorder.unit.run(self.recorder.end(scope, reason))

    async def _load(self, session: Session, turn: int) -> tuple[OpenTurn, int]:
        """Load a turn with its history: a summary of the oldest messages, then the rest.

        Also return how many of its messages after the user's are stored.
        """

        async def read(tx: Connection) -> tuple[OpenTurn, int]:
            stored = await self.store.messages(tx, session.key, after=session.compacted_to)
            history = history_of(session, stored, self.history_tokens)
            steps = await self.store.steps(tx, session.key)
            contexts = stored_contexts(steps)
            shown = [one for one in stored if one.seq >= history.from_seq]
            messages = [from_stored(one) for one in shown]
            own = [from_stored(one) for one in stored if one.turn == turn]
            summary = [summary_message(history.summary)] if history.summary else []
            closed = _close_open_calls(messages, steps)
            closing = closed[-1:] if len(own) > 1 and closed[-1] is not messages[-1] else []
            return OpenTurn(
                session,
                turn,
                _request(own),
                [*summary, *closed],
                _blocks(shown, messages, contexts),
                contexts[max(contexts)].standing if contexts else None,
                notes_in_force(steps, turn) if contexts else None,
                [*own[1:], *closing],
                by_user=any(one.role == "user" for one in stored if one.turn == turn),
            ), len(own) - 1

        return await self._read(read)

    async def _write(self, work: Callable[[Connection], Coroutine[Any, Any, T]]) -> T:
        return await self.db.run_async(transact(self.db, work))

    async def _read(self, work: Callable[[Connection], Coroutine[Any, Any, T]]) -> T:
        async def read() -> T:
            async with self.db.read() as tx:
                return await work(tx)

        return await self.db.run_async(read())


def _close_open_calls(
    messages: Sequence[ModelMessage], steps: Mapping[tuple[int, str], str]
) -> list[ModelMessage]:
    """Add results to calls that a crash left open; calls not yet started can still be made.

    Not with a secret in them: it was not stored, and the call would run with its mask.
    """
    done = {
        step.removeprefix(CALL_DONE): CallResult.from_json(body)
        for (_, step), body in steps.items()
        if step.startswith(CALL_DONE)
    }
    started = frozenset(
        step.removeprefix(CALL_STARTED) for _, step in steps if step.startswith(CALL_STARTED)
    )
    waiting = {call.tool_call_id for call in unanswered(messages)}
    keeps_secrets = any(SECRET in call.args_as_json_str() for call in unanswered(messages))
    can_still_be_made = not keeps_secrets and not waiting & (started | done.keys())
    return close_calls(messages, done, started, keep_last=can_still_be_made)


def _request(own: Sequence[ModelMessage]) -> str:
    """Return the user's message of a turn."""
    prompts = [part for part in own[0].parts if isinstance(part, UserPromptPart)] if own else []
    return prompt_text(prompts[0]) if prompts else ""


def _blocks(
    stored: Sequence[SessionMessage],
    messages: Sequence[ModelMessage],
    contexts: Mapping[int, StoredContext],
) -> dict[str, str]:
    """Return the context that was sent with each user message, by the message's key."""
    return {
        prompt_key(part): contexts[one.turn].turn
        for one, message in zip(stored, messages, strict=True)
        if one.turn in contexts
        for part in message.parts
        if isinstance(part, UserPromptPart)
    }
