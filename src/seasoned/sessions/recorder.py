"""Record conversations turn by turn, whoever runs them, so that learners find them in the database.

Our agent stores its messages as the model got them. An agent of somebody else reports what was
said; it is stored in the same form, so that our agent could go on with such a session.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from seasoned.core.events import SessionEnded, TurnEnded
from seasoned.core.scope import Scope
from seasoned.core.text import one_line, storable
from seasoned.db.database import Connection
from seasoned.db.unit import Change, Unit
from seasoned.security.redact import cut, redact, redacted
from seasoned.sessions.session import NewMessage, Session, TurnRecord, TurnStatus
from seasoned.sessions.session_store import SessionStore

SHUTDOWN = "shutdown"
LONGEST_RECORDED = 20_000  # characters of a message that somebody reports
LONGEST_TITLE = 80
LONGEST_RESULT = 600
MOST_CALLS = 50  # of a turn
MOST_OPEN = 10_000  # sessions that the end of the process ends
INTERRUPTED = "the process ended before the turn did"


class SessionRecorder:
    """Writes sessions, and ends those of this process with it; `enabled` is for reported ones."""

    def __init__(self, unit: Unit, *, enabled: bool = True) -> None:
        self.unit = unit
        self.enabled = enabled
        self.store = SessionStore()
        self._open: dict[Scope, bool] = {}  # whether the session is reported

    async def begin(self, tx: Connection, scope: Scope, message: NewMessage, now: int) -> int:
        """Start a turn with its message; an earlier turn that is still open has failed."""
        session = await self.store.open(tx, scope, now)
        for turn in await self._last_turns(tx, session):
            if turn.status == "open":
                await self.store.end_turn(
                    tx, session.key, turn.turn, "failed", now, error=INTERRUPTED
                )
        turn = await self.store.begin_turn(tx, session.key, now)
        await self.store.add(tx, session.key, turn, [message], now)
        await self.store.entitle(tx, session.key, one_line(redact(message.text), LONGEST_TITLE))
        self._remember(scope, reported=False)
        return turn

    async def heard(self, scope: Scope, message: str) -> None:
        """Record a user's message that an agent of somebody else reports."""
        if self.enabled and message.strip():
            await self.unit.change(lambda change: self._heard(change, scope, message))

    async def _heard(self, change: Change, scope: Scope, message: str) -> int:
        session = await self.store.open(change, scope, change.at)
        for turn in await self._last_turns(change, session):
            if turn.status == "open":  # it was answered without a report, or not at all
                await self.store.end_turn(change, session.key, turn.turn, "done", change.at)
        begun = await self.begin(change, scope, user_message(message), change.at)
        self._remember(scope, reported=True)
        return begun

    async def replied(
        self,
        scope: Scope,
        request: str,
        reply: str,
        calls: Sequence[Mapping[str, Any]] = (),
        *,
        status: TurnStatus = "done",
    ) -> None:
        """Record the rest of a reported turn; a second report of the same reply changes nothing."""

        async def store(change: Change) -> None:
            session = await self.store.open(change, scope, change.at)
            turns = await self._last_turns(change, session)
            if turns and turns[-1].status == "open":
                turn = turns[-1].turn
            elif turns and await self._is_recorded(change, session, turns[-1], request, reply):
                return
            else:
                turn = await self._heard(change, scope, request)
            messages = [*call_messages(calls, turn), *([reply_message(reply)] if reply else [])]
            await self.store.add(change, session.key, turn, messages, change.at)
            await self.store.end_turn(change, session.key, turn, status, change.at)
            change.tell(TurnEnded(change.at, session.key, turn, scope))

        if self.enabled and (request.strip() or reply.strip()):
            await self.unit.change(store)

    async def end(self, scope: Scope, reason: str, *, reported: bool = False) -> bool:
        """End a session, so that it is learned from as a whole; False if there is nothing to end.

        A turn that is still open can be resumed, except in a `reported` session.
        """

        async def ended(change: Change) -> bool:
            session = await self.store.find(change, scope)
            if session is None:
                return False
            for turn in await self._last_turns(change, session):
                if turn.status == "open" and reported:
                    await self.store.end_turn(change, session.key, turn.turn, "done", change.at)
                elif turn.status == "open" and reason == SHUTDOWN:
                    return False  # the next process resumes it
            done = await self.store.end(change, session.key, change.at, reason)
            if done:
                change.tell(SessionEnded(change.at, session.key, reason, session.scope))
            return done

        self._open.pop(scope, None)
        return await self.unit.change(ended)

    async def end_all(self) -> None:
        """End the sessions of this process, because it ends."""
        for scope, reported in list(self._open.items()):
            await self.end(scope, SHUTDOWN, reported=reported)

    async def _last_turns(self, tx: Connection, session: Session) -> Sequence[TurnRecord]:
        return await self.store.turns(tx, session.key, after=session.turns - 1)

    async def _is_recorded(
        self, tx: Connection, session: Session, turn: TurnRecord, request: str, reply: str
    ) -> bool:
        """Whether a reply was recorded before: then the report is about what a user did to it."""
        after = max(0, session.last_seq - MOST_CALLS)
        stored = await self.store.messages(tx, session.key, after=after)
        own = [one.text for one in stored if one.turn == turn.turn and one.role != "tool"]
        return _clean(request) in own and (not reply.strip() or _clean(reply) in own)

    def _remember(self, scope: Scope, *, reported: bool) -> None:
        self._open.pop(scope, None)
        self._open[scope] = reported
        if len(self._open) > MOST_OPEN:
            del self._open[next(iter(self._open))]


def user_message(text: str) -> NewMessage:
    """Return a user's message for storage."""
    text = _clean(text)
    return NewMessage("user", text, _body("request", {"content": text, "part_kind": "user-prompt"}))


def reply_message(text: str) -> NewMessage:
    """Return an agent's reply for storage."""
    text = _clean(text)
    return NewMessage("assistant", text, _body("response", {"content": text, "part_kind": "text"}))


def call_messages(calls: Sequence[Mapping[str, Any]], turn: int) -> Sequence[NewMessage]:
    """Return the tool calls of a turn for storage: what was called, and what came of it."""
    made: list[dict[str, Any]] = []
    returned: list[dict[str, Any]] = []
    lines: list[str] = []
    results: list[str] = []
    for number, call in enumerate(list(calls)[-MOST_CALLS:]):
        name, tool = f"turn-{turn}-{number}", str(call.get("tool") or "")
        given: Any = call.get("params") or {}
        params = redacted(
            given if isinstance(given, Mapping) else {"input": given}, longest=LONGEST_RESULT
        )
        error = one_line(_clean(str(call.get("error") or "")), LONGEST_RESULT)
        made.append(
            {"tool_name": tool, "args": params, "tool_call_id": name, "part_kind": "tool-call"}
        )
        returned.append(
            {
                "tool_name": tool,
                "content": error,
                "tool_call_id": name,
                "outcome": "failed" if error else "success",
                "part_kind": "tool-return",
            }
        )
        lines.append(f"[calls {tool} {json.dumps(params, ensure_ascii=False, default=str)}]")
        results.append(f"[{tool} failed: {error}]" if error else f"[{tool}: done]")
    if not made:
        return ()
    return (
        NewMessage("assistant", "\n".join(lines), _body("response", *made)),
        NewMessage("tool", "\n".join(results), _body("request", *returned)),
    )


def _clean(text: str) -> str:
    return cut(storable(text), LONGEST_RECORDED)


def _body(kind: str, *parts: Mapping[str, Any]) -> str:
    """Write a message as the chat models of our agent read it."""
    return json.dumps({"parts": parts, "kind": kind}, ensure_ascii=False, default=str)
