"""Connect the agent's turn to learning: recall before the reply, learn from each step."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic_ai import RunContext

from seasoned.agent.given import CALL_HINT, CONTEXT, NOTES, StoredContext, given_notes
from seasoned.agent.history import CallResult
from seasoned.agent.session import CALL_DONE, OpenTurn, SessionLog
from seasoned.core.messages import ToolResult
from seasoned.core.scope import Scope
from seasoned.db.unit import Change
from seasoned.fixes.engine import Engine
from seasoned.fixes.failure import failure_of
from seasoned.fixes.hint import Hint
from seasoned.lessons.handouts import Handouts
from seasoned.llm.chat.context_aware import PromptNotes
from seasoned.recall.context import Context, ContextLesson, GivenLesson, RecallRequest
from seasoned.recall.prompt_block import examples_block
from seasoned.recall.retriever import Retriever
from seasoned.recall.standing_rules import StandingRules
from seasoned.recall.tool_notes import ToolNotebook, ToolNotes, notes_to_json
from seasoned.rules.exchanges import Exchange
from seasoned.rules.turns import Reaction, Signals, Turns
from seasoned.tools.plain_values import to_plain
from seasoned.tools.run import ToolRun

T = TypeVar("T")

MOST_SESSIONS = 1000  # whose standing rules and notes are kept in memory
NO_NOTES = notes_to_json(ToolNotes())


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
        notebook: ToolNotebook,
        hand_notes: Callable[[ToolNotes, Scope], object],
        tools: Sequence[str] = (),
    ) -> None:
        self.unit = engine.unit
        self.log = log
        self.engine = engine
        self.turns = turns
        self.retriever = retriever
        self.hand = hand
        self.handouts = handouts
        self.notebook = notebook
        self.hand_notes = hand_notes
        self.tools = tools  # recall warns of those that often fail
        self._standing: dict[int, StandingRules] = {}
        self._shown: dict[int, str] = {}  # notes of tools, as stored last, by session

    async def on_message(self, opened: OpenTurn) -> Reaction:
        """Check, once per turn, whether the user's message corrects the reply before it."""
        if not opened.by_user:
            return Reaction()
        if not opened.is_new and CONTEXT in await self.log.steps(opened):
            return Reaction()  # the next step was taken, so this one was too
        return await self.unit.run(self.turns.on_message(opened.request, opened.session.scope))

    async def recall(self, opened: OpenTurn) -> tuple[PromptNotes, Sequence[GivenLesson]]:
        """Recall the context for the prompt of this turn, and store it for a resumed turn.

        Also return the lessons that the agent reads in it, and in the descriptions of its tools.
        """
        scope = opened.session.scope
        await self.unit.run(self.notebook.freeze(scope))
        of_tools = self.notebook.notes(scope, self.tools) if self.tools else ToolNotes()
        noted = {note.lesson for note in of_tools} | {*self.notebook.given(scope)}
        turn = RecallRequest(opened.request, scope, watched=self.tools, noted=noted)
        # In a thread, because a source that hangs until its deadline must not block the loop.
        context = await asyncio.to_thread(lambda: self.unit.db.run(self.retriever.recall(turn)))
        self.hand(context, scope)
        standing = self._standing_rules(opened)
        stable, newer = standing.blocks(context)
        block = "\n\n".join(filter(None, (newer, context.turn, examples_block(context))))
        lessons = [_given(one) for one in context.lessons]
        stored = StoredContext(block, standing.lines or (), lessons)
        await self.log.step(opened, CONTEXT, stored.to_json())
        return PromptNotes(stable, block), [*lessons, *given_notes(of_tools)]

    def restore_notes(self, opened: OpenTurn) -> None:
        """Go on with the notes that the session's tools had before the process ended."""
        if opened.notes is not None:
            self.notebook.restore(opened.session.scope, opened.notes)

    async def tool_notes(self, ctx: RunContext[ToolRun], tools: Sequence[str]) -> ToolNotes:
        """Return the notes for the tools of this turn, and store them when they change."""
        run, session = ctx.deps, ctx.deps.session
        assert session is not None, "an agent's tools run in a session"
        notes = self.notebook.notes(run.scope, tools) if tools else ToolNotes()
        self.hand_notes(notes, run.scope)
        shown = notes_to_json(notes)
        if self._shown.get(session.key, NO_NOTES) != shown:
            _remember(self._shown, session.key, shown)

            async def store(change: Change) -> bool:
                return await self.log.store.step(
                    change, session.key, run.turn, NOTES, change.at, shown
                )

            await self.unit.run(self.unit.change(store))
        return notes

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
            hint = await self.engine.observe_within(change, call, run.scope, hints=hints)
            if hint is not None:
                step = f"{CALL_HINT}{call.id}"
                await self.log.store.step(change, session.key, turn, step, change.at, hint.lesson)
            return hint

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
        standing = self._standing.get(key) or StandingRules(opened.standing)
        _remember(self._standing, key, standing)
        return standing


def _given(one: ContextLesson) -> GivenLesson:
    lesson = one.lesson
    return GivenLesson(
        lesson.id,
        why=one.why,
        score=round(one.score, 3),
        text=lesson.content,
        kind=lesson.kind,
        polarity=lesson.example.polarity if lesson.example else None,
    )


def _remember(kept: dict[int, T], session: int, value: T) -> None:
    """Keep a value for a session, and forget the session that was used longest ago."""
    kept.pop(session, None)
    kept[session] = value
    if len(kept) > MOST_SESSIONS:
        del kept[next(iter(kept))]
