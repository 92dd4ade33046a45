"""Run an agent's scheduled tasks when they are due, each in its own session."""

from collections.abc import AsyncGenerator

from seasoned.agent.agent import Agent
from seasoned.agent.turn import AgentEvent
from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.db.unit import transact
from seasoned.tools.builtin.schedule_store import Schedule, ScheduleStore
from seasoned.tools.run import Ask

NOW = "This was scheduled for now: "


async def run_due(
    agent: Agent, scope: Scope, *, ask: Ask | None = None
) -> AsyncGenerator[tuple[Schedule, AgentEvent]]:
    """Run the user's due tasks one by one and yield their events."""
    store, log = ScheduleStore(), agent.sessions
    while True:
        now = log.clock.now()

        async def claim(tx: Connection, now: int = now) -> Schedule | None:
            due = await store.due(tx, now, 1, scope=scope)
            return due[0] if due else None

        claimed = await log.db.run_async(transact(log.db, claim))
        if claimed is None:
            return
        where = claimed.scope if claimed.scope.session else scope
        turn = agent.turn(f"{NOW}{claimed.prompt}", where, ask=ask, answers=False, by_user=False)
        last = AgentEvent("error", "the turn ended without a reply")
        async for event in turn:
            last = event
            yield claimed, event

        async def close(
            tx: Connection, claimed: Schedule = claimed, last: AgentEvent = last
        ) -> bool:
            if last.kind == "done":
                return await store.done(tx, claimed, log.clock.now())
            return await store.failed(tx, claimed, last.text, log.clock.now())

        await log.db.run_async(transact(log.db, close))
