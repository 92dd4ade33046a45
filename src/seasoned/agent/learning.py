"""Connect the agent's turn to learning: recall before the reply, learn from each step."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from seasoned.agent.history import CallResult
from seasoned.agent.session import (
    CALL_DONE,
    CONTEXT,
    OpenTurn,
    SessionLog,
    StandingRules,
    StoredContext,
)
from seasoned.core.messages import ToolResult
from seasoned.core.scope import Scope
from seasoned.db.unit import Change
from seasoned.fixes.engine import Engine
from seasoned.fixes.failure import failure_of
from seasoned.fixes.hint import Hint
from seasoned.lessons.handouts import Handouts
from seasoned.llm.chat.context_aware import PromptNotes
from seasoned.recall.context import Context, RecallRequest
from seasoned.recall.retriever import Retriever
from seasoned.rules.exchanges import Exchange
from seasoned.rules.turns import Reaction, Signals, Turns
from seasoned.tools.calls import to_plain
from seasoned.tools.run import ToolRun

MOST_SESSIONS = 1000  # whose standing rules are kept in memory
EXAMPLES = "## Exchanges that went well"


class LearningHooks:
    """Called by the agent at each point of a turn where something is learned or recalled."""

    def __init__(
        self,
        log: SessionLog,
        engine: Engine,
        turns: Turns,
        retriever: Retriever,
        hand: Callable[[Context, Scope], object],
        handouts: Handouts,
        tools: Sequence[str] = (),
    ) -> None:
        self.unit = engine.unit
        self.log = log
        self.engine = engine
        self.turns = turns
        self.retriever = retriever
        self.hand = hand
        self.handouts = handouts
        self.tools = tools  # recall warns of those that often fail
        self._standing: dict[int, StandingRules] = {}

    async def on_message(self, opened: OpenTurn) -> Reaction:
        """Check, once per turn, whether the user's message corrects the reply before it."""
        if not opened.by_user:
            return Reaction()
        if not opened.is_new and CONTEXT in await self.log.steps(opened):
            return Reaction()  # the next step was taken, so this one was too
        return await self.unit.run(self.turns.on_message(opened.request, opened.session.scope))

    async def recall(self, opened: OpenTurn) -> PromptNotes:
        """Recall the context for the prompt of this turn, and store it for a resumed turn."""
        turn = RecallRequest(opened.request, opened.session.scope, watched=self.tools)
        # In a thread, because a source that hangs until its deadline must not block the loop.
        context = await asyncio.to_thread(lambda: self.unit.db.run(self.retriever.recall(turn)))
        self.hand(context, opened.session.scope)
        standing = self._standing_rules(opened)
        stable, newer = standing.blocks(context)
        block = "\n\n".join(filter(None, (newer, context.turn, examples_block(context))))
        stored = StoredContext(block, standing.lines or ())
        await self.log.step(opened, CONTEXT, stored.to_json())
        return PromptNotes(stable, block)

    async def on_tool_call(self, call: ToolResult, run: ToolRun) -> Hint | None:
        """Store the result of a tool call and learn from it, in one transaction and only once."""
        assert run.session is not None, "an agent's tools run in a session"
        session, turn = run.session, run.turn
        content = call.error if call.error is not None else to_plain(call.result)
        body = CallResult(content, failure_of(call) is not None).to_json()

        async def learn_once(change: Change) -> Hint | None:
            new = await self.log.store.step(
                change, session.key, turn, f"{CALL_DONE}{call.id}", change.at, body
            )
            if not new or not self.engine.config.enabled:
                return None
            hints = self.engine.config.hints
            return await self.engine.observe_within(change, call, run.scope, hints=hints)

        return await self.unit.run(self.unit.change(learn_once))

    async def on_reply(
        self, opened: OpenTurn, reply: str, calls: Sequence[dict[str, Any]], signals: Signals
    ) -> Reaction:
        """Learn from the reply and what the user did to it; a repeated call changes nothing."""
        rules = self.handouts.rules(opened.session.scope)
        exchange = Exchange(opened.request, reply, calls, rules)
        return await self.unit.run(self.turns.on_reply(exchange, opened.session.scope, signals))

    def _standing_rules(self, opened: OpenTurn) -> StandingRules:
        key = opened.session.key
        standing = self._standing.pop(key, None) or StandingRules(opened.standing)
        self._standing[key] = standing
        if len(self._standing) > MOST_SESSIONS:
            del self._standing[next(iter(self._standing))]
        return standing


def examples_block(context: Context) -> str:
    """Return good exchanges as lines: as messages, they would change the start of the prompt."""
    lines = [f"{one['role']}: {one['content']}" for one in context.messages]
    return "\n".join([EXAMPLES, *lines]) if lines else ""
