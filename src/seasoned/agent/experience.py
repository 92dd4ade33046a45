"""What an agent's turn has to do with learning: what it recalls, and what it tells of itself."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from seasoned.agent.history import Done
from seasoned.agent.session import DONE, Begun, SessionLog
from seasoned.agent.standing import Standing
from seasoned.agent.told import CONTEXT, Told
from seasoned.core.bus import Bus
from seasoned.core.scope import Scope
from seasoned.core.tool_result import ToolResult
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.learning.engine import Engine
from seasoned.learning.exchanges import Exchange
from seasoned.learning.failure import failure_of
from seasoned.learning.given import Given as LessonsGiven
from seasoned.learning.hint import Hint
from seasoned.learning.journal import Journal
from seasoned.learning.turns import Noticed, Signals, Turns
from seasoned.llm.context_aware import Given
from seasoned.protocol.work import Work
from seasoned.recall.context import Context
from seasoned.recall.retriever import Retriever, Turn
from seasoned.tools.plain import plain
from seasoned.tools.run import Run

MOST_SESSIONS = 1000  # whose system prompt is remembered
EXAMPLES = "## Exchanges that went well"


class Experience:
    """Joins an agent to what learns and recalls."""

    def __init__(
        self,
        db: Database,
        log: SessionLog,
        engine: Engine,
        turns: Turns,
        retriever: Retriever,
        hand: Callable[[Context, Scope], object],
        given: LessonsGiven,
        bus: Bus,
        tools: Sequence[str] = (),
    ) -> None:
        self.db = db
        self.log = log
        self.engine = engine
        self.turns = turns
        self.retriever = retriever
        self.hand = hand
        self.handed = given
        self.bus = bus
        self.tools = tools  # those at hand: which of them often fail is told
        self._run = Work(db, bus)
        self._standing: dict[int, Standing] = {}

    async def heard(self, begun: Begun) -> Noticed:
        """What the user's message says about the reply before it; noticed once."""
        if not begun.by_user:
            return Noticed()
        if not begun.is_new and CONTEXT in await self.log.taken(begun):
            return Noticed()  # the step behind it was taken: so was this one
        return await self._run(self.turns.heard(begun.request, begun.session.scope))

    async def recall(self, begun: Begun) -> Given:
        """What the prompt of this turn gets; the same again when the turn is taken up again."""
        turn = Turn(begun.request, begun.session.scope, watched=self.tools)
        # In a thread of its own: a part that hangs until its deadline must not stop the loop.
        context = await asyncio.to_thread(lambda: self.db.run(self.retriever.recall(turn)))
        self.hand(context, begun.session.scope)
        standing = self._stands(begun)
        stable, newer = standing.told(context)
        block = "\n\n".join(filter(None, (newer, context.turn, examples_of(context))))
        await self.log.step(begun, CONTEXT, Told(block, standing.lines or ()).written())
        return Given(stable, block)

    async def observed(self, call: ToolResult, run: Run) -> Hint | None:
        """What came of a tool call: stored and learned from in one go, so never twice."""
        assert run.session is not None, "an agent's tools run in a session"
        session, turn = run.session, run.turn
        content = call.error if call.error is not None else plain(call.result)
        body = Done(content, failure_of(call) is not None).written()

        async def once(tx: Connection) -> tuple[Journal, Hint | None]:
            journal = Journal(self.log.clock.now())
            new = await self.log.store.step(
                tx, session.key, turn, f"{DONE}{call.id}", journal.at, body
            )
            if not new or not self.engine.config.enabled:
                return journal, None
            hint = await self.engine.observe_within(
                tx, call, run.scope, journal, hints=self.engine.config.hints
            )
            await self.engine.audit.add(tx, journal.at, journal.entries)
            return journal, hint

        async def published() -> Hint | None:
            journal, hint = await transact(self.db, once)
            journal.publish(self.bus)
            return hint

        return await self._run(published())

    async def said(
        self, begun: Begun, reply: str, calls: Sequence[dict[str, Any]], signals: Signals
    ) -> Noticed:
        """What the agent replied, and what the user did to it; said twice, it counts once."""
        rules = self.handed.rules(begun.session.scope)
        exchange = Exchange(begun.request, reply, calls, rules)
        return await self._run(self.turns.said(exchange, begun.session.scope, signals))

    def _stands(self, begun: Begun) -> Standing:
        key = begun.session.key
        standing = self._standing.pop(key, None) or Standing(begun.standing)
        self._standing[key] = standing
        if len(self._standing) > MOST_SESSIONS:
            del self._standing[next(iter(self._standing))]
        return standing


def examples_of(context: Context) -> str:
    """Good exchanges as lines: messages before the conversation would change its beginning."""
    said = [f"{one['role']}: {one['content']}" for one in context.messages]
    return "\n".join([EXAMPLES, *said]) if said else ""
