"""Run an agent's scheduled tasks when they are due, each in its own session."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TypeVar

from seasoned.agent.agent import Agent
from seasoned.agent.turn import AgentEvent, Turn
from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.db.unit import transact
from seasoned.tools.builtin.schedule_store import Schedule, ScheduleStore
from seasoned.tools.run import Ask

T = TypeVar("T")

NOW = "This was scheduled for now: "
NOT_RUN = AgentEvent("error", "the turn ended without a reply")


class DueTasks:
    """A user's due tasks, one by one: claim it, iterate its turn, close it."""

    def __init__(
        self, agent: Agent, scope: Scope, ask: Ask | None = None, *, answers: bool = False
    ) -> None:
        self.agent = agent
        self.scope = scope
        self.ask = ask
        self.answers = answers
        self.store = ScheduleStore()

    async def __aiter__(self) -> AsyncGenerator[tuple[Schedule, Turn]]:
        while (claimed := await self.claim()) is not None:
            yield claimed
            await self.close(*claimed)

    async def is_waiting(self) -> bool:
        """Tell whether a task is due; claims nothing."""
        now = self.agent.sessions.clock.now()
        return await self._in_transaction(lambda tx: self.store.is_due(tx, now, self.scope))

    async def claim(self) -> tuple[Schedule, Turn] | None:
        """Claim the next due task, so that no other process runs it; None if there is none."""
        now = self.agent.sessions.clock.now()
        due = await self._in_transaction(lambda tx: self.store.due(tx, now, 1, scope=self.scope))
        if not due:
            return None
        scope = due[0].scope if due[0].scope.session else self.scope
        message = f"{NOW}{due[0].prompt}"
        turn = self.agent.turn(message, scope, ask=self.ask, answers=self.answers, by_user=False)
        return due[0], turn

    async def close(self, claimed: Schedule, turn: Turn) -> None:
        """Store how the task ended; one that its user stopped is not tried again."""
        outcome, now = turn.outcome or NOT_RUN, self.agent.sessions.clock.now()
        if outcome.kind == "done" or turn.disapproved:
            await self._in_transaction(lambda tx: self.store.done(tx, claimed, now))
        else:
            text = outcome.text
            await self._in_transaction(lambda tx: self.store.failed(tx, claimed, text, now))

    async def _in_transaction(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        async def inside(tx: Connection) -> T:
            return await work(tx)

        db = self.agent.sessions.db
        return await db.run_async(transact(db, inside))
