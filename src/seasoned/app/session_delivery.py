"""Deliver a job's result into a session: whoever continues it finds the result there."""

from seasoned.core.errors import NotFound, Unsupported
from seasoned.core.scope import Scope
from seasoned.db.unit import Change
from seasoned.jobs.delivery import ToSession
from seasoned.sessions.recorder import SessionRecorder, reply_message, user_message

ASKED = "(What was scheduled in this conversation has been done.)"


def to_session(recorder: SessionRecorder) -> ToSession:
    async def deliver(scope: Scope, text: str) -> None:
        store = recorder.store

        async def add(change: Change) -> None:
            session = await store.find(change, scope)
            if session is None:
                raise NotFound(f"there is no session {scope.session!r} to deliver to")
            turns = await store.turns(change, session.key, after=session.turns - 1)
            if any(turn.status == "open" for turn in turns):
                raise Unsupported(f"session {scope.session!r} is in the middle of a turn")
            turn = await store.begin_turn(change, session.key, change.at)
            messages = [user_message(ASKED), reply_message(text)]
            await store.add(change, session.key, turn, messages, change.at)
            await store.end_turn(change, session.key, turn, "done", change.at)

        await recorder.unit.run(recorder.unit.change(add))

    return deliver
