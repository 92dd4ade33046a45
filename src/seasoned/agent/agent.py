"""The agent: from a message to a reply. The whole turn is on this page.

1. The session stores the message, so that a crash loses nothing.
2. Learning checks whether the message corrects the last reply; then a rule holds at once.
3. Recall puts what was learned and fits into the prompt.
4. The model replies or calls tools, until it has replied. Each message and each call is stored as
   it happens; a failed call comes back with its fix, if one is known.
5. Learning gets the reply, and the session stores how the turn ended.

A turn that a crash cut off resumes where it was, and nothing is learned twice.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

import pydantic_ai
from pydantic_ai import Agent as ModelAgent
from pydantic_ai import UsageLimits
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.messages import (
    FunctionToolResultEvent,
    ModelMessage,
    ModelResponse,
    TextPart,
)
from pydantic_ai.models import Model
from pydantic_ai.toolsets import AbstractToolset

from seasoned.agent.history import calls_in, reply_of, streamed_text, unanswered
from seasoned.agent.learning import LearningHooks
from seasoned.agent.session import CALL_STARTED, OpenTurn, SessionLog
from seasoned.agent.turn import AgentEvent, Interrupted, Turn, TurnUsage, uncut
from seasoned.core.errors import BadInput, NotFound, SeasonedError
from seasoned.core.events import Bus, TurnEnded
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.llm.chat.context_aware import ContextAware, PromptNotes
from seasoned.llm.chat.retries import Retry, listening
from seasoned.recall.standing_rules import rules_block
from seasoned.rules.turns import Denial, Signals
from seasoned.sessions.session import TurnStatus
from seasoned.tools.run import Ask, ToolRun

log = logging.getLogger("seasoned.agent")

# pydantic-ai prints a banner about itself at the first run in a terminal.
pydantic_ai.BANNER_ENABLED = False

STOPPED = "stopped by the user"
CLOSED = "the window was closed"
LONGEST_ERROR = 1000


@dataclass(frozen=True, slots=True)
class TurnConfig:
    instructions: str = ""
    max_steps: int = 25  # requests to the model in a turn
    turn_seconds: float = 300
    turn_tokens: int | None = None


class Agent:
    """Talks in sessions; `model` and `toolset` are pydantic-ai's."""

    def __init__(
        self,
        model: Model,
        toolset: AbstractToolset[ToolRun] | None,
        sessions: SessionLog,
        learning: LearningHooks,
        bus: Bus,
        config: TurnConfig | None = None,
    ) -> None:
        self.model = model
        self.sessions = sessions
        self.learning = learning
        self.bus = bus
        self.config = config or TurnConfig()
        self._loop = ModelAgent[ToolRun, str](
            deps_type=ToolRun,
            instructions=self.config.instructions or None,
            toolsets=[toolset] if toolset is not None else [],
            retries=self.config.max_steps,  # `max_steps` alone limits a turn
        )
        self._locks = WeakValueDictionary[Scope, asyncio.Lock]()  # one turn of a session at a time

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["Agent"]:
        """Keep the connections of models and tools (MCP servers) open between turns."""
        async with self.model, self._loop:
            yield self

    def turn(
        self,
        message: str,
        scope: Scope,
        *,
        ask: Ask | None = None,
        answers: bool = True,
        by_user: bool = True,
    ) -> Turn:
        """Return a turn in the scope's session; it happens when it is iterated.

        Tools that need approval call `ask`; without it they emit `approval` events and wait for
        `Turn.decide`, or are denied at once if `answers` is False. A message that is not `by_user`
        does not count as the user's word.
        """
        if not message.strip():
            raise BadInput("the message is empty")

        async def work(turn: Turn) -> None:
            await self._run(turn, scope, self.sessions.begin(scope, message, by_user=by_user))

        return Turn(work, ask, answers=answers)

    def resume(self, scope: Scope, *, ask: Ask | None = None, answers: bool = True) -> Turn:
        """Return the turn that was cut off when the process ended, to be continued."""

        async def work(turn: Turn) -> None:
            await self._run(turn, scope, self.sessions.resume(scope))

        return Turn(work, ask, answers=answers)

    async def end(self, scope: Scope, reason: str = "closed") -> bool:
        """Close a session, so that it is learned from as a whole; False if it was closed."""
        return await self.sessions.close(scope, reason)

    async def _run(
        self, turn: Turn, scope: Scope, opening: Coroutine[Any, Any, OpenTurn | None]
    ) -> None:
        """Run one turn from its opening to its end, whichever way it ends."""
        async with self._locks.setdefault(scope, asyncio.Lock()):
            try:
                opened = await opening
                if opened is None:
                    raise NotFound(f"no turn was cut off in {scope.session!r}; send a message")
            except SeasonedError as error:
                turn.tell(AgentEvent("error", str(error)))
                return
            progress = Progress(opened, _tool_run(turn, opened))
            status, error = await self._answer(turn, progress)
            await self._keep_partial(progress)
            await self._finish(turn, progress, status, error)

    async def _answer(self, turn: Turn, progress: "Progress") -> tuple[TurnStatus, str]:
        """Get the model's reply; return how the turn ended, and why if it failed."""
        try:
            await turn.stoppable(self._reply(turn, progress))
        except Interrupted:
            return "cancelled", STOPPED if turn.disapproved else CLOSED
        except TimeoutError:
            seconds = self.config.turn_seconds
            return "failed", f"the turn took longer than {seconds:g} s (agent.turnSeconds)"
        except UsageLimitExceeded:
            return "failed", self._limit_reached(progress)
        except SeasonedError as failure:
            log.info("a turn of %s failed: %s", progress.opened.session.name, failure)
            return "failed", one_line(str(failure), LONGEST_ERROR)
        except Exception as failure:  # a provider may fail in any way; the turn still ends
            log.warning("a turn of %s failed", progress.opened.session.name, exc_info=True)
            said = one_line(str(failure), LONGEST_ERROR)
            return "failed", f"{type(failure).__name__}: {said}" if said else type(failure).__name__
        return "done", ""

    async def _reply(self, turn: Turn, progress: "Progress") -> None:
        opened = progress.opened
        async with asyncio.timeout(self.config.turn_seconds) as progress.tool_run.limit:
            await self._notice_correction(turn, opened)
            if not opened.is_answered:
                with listening(lambda retry: _tell_retry(turn, retry)):
                    model = await self._model_with_context(turn, opened)
                    await self._talk(turn, progress, model)

    def _limit_reached(self, progress: "Progress") -> str:
        steps, *tokens = progress.usage
        if steps >= self.config.max_steps:
            reached, setting = f"{steps} steps", "agent.maxSteps"
        else:
            reached, setting = f"{sum(tokens):,} tokens", "agent.turnTokens"
        return (
            f"stopped after {reached}, the limit of a turn; say 'go on' to continue, "
            f"or raise {setting}"
        )

    async def _keep_partial(self, progress: "Progress") -> None:
        """Store the beginning of a message that was shown but not finished."""
        if progress.partial:
            await self._store(progress, [ModelResponse(parts=[TextPart(progress.partial)])])

    async def _store(self, progress: "Progress", messages: list[ModelMessage]) -> None:
        await self.sessions.add(progress.opened, messages)
        progress.add(messages)

    async def _notice_correction(self, turn: Turn, opened: OpenTurn) -> None:
        noticed = await self.learning.on_message(opened)
        if noticed.rule is not None and noticed.rule.status == "active":
            told = AgentEvent(
                *("noticed", noticed.rule.content),
                lesson=noticed.rule.id,
                against=[(one.id, one.content) for one in noticed.against] or None,
                replaces=[(one.id, one.content) for one in noticed.replaced] or None,
                lasts=noticed.lasts,
            )
            turn.tell(told)

    async def _model_with_context(self, turn: Turn, opened: OpenTurn) -> Model:
        """Return the model, wrapped so that its prompt gets what was learned."""
        # Recall before the loop starts, because both compete for the processor.
        self.learning.restore_notes(opened)
        notes = await self._recall(turn, opened) if opened.is_new else None

        async def recall(query: str) -> PromptNotes:
            return notes or await self._recall(turn, opened)

        return ContextAware(self.model, recall, opened.blocks, rules_block(opened.standing or ()))

    async def _recall(self, turn: Turn, opened: OpenTurn) -> PromptNotes:
        notes, given = await self.learning.recall(opened)
        if given:
            turn.tell(AgentEvent("recalled", given=given))
        return notes

    async def _talk(self, turn: Turn, progress: "Progress", model: Model) -> None:
        """Send requests to the model and call the tools it asks for, until it has replied."""
        limits = UsageLimits(
            request_limit=self.config.max_steps, total_tokens_limit=self.config.turn_tokens
        )
        async with self._loop.iter(
            None,
            message_history=list(progress.opened.messages),
            deps=progress.tool_run,
            model=model,
            usage_limits=limits,
        ) as run:
            async for node in run:
                if ModelAgent.is_model_request_node(node):
                    async with node.stream(run.ctx) as stream:
                        async for event in stream:
                            if _tell_chunk(turn, progress, event):
                                await asyncio.sleep(0)  # let the listener have it at once
                elif ModelAgent.is_call_tools_node(node):
                    for call in unanswered(run.ctx.state.message_history):
                        await self.sessions.step(
                            progress.opened, f"{CALL_STARTED}{call.tool_call_id}"
                        )
                    async with node.stream(run.ctx) as stream:
                        async for event in stream:
                            if isinstance(event, FunctionToolResultEvent):
                                progress.partial = ""
                else:
                    continue
                new = run.new_messages()[len(progress.messages) :]
                await uncut(self._store(progress, new))
                usage = run.usage
                progress.usage = (usage.requests, usage.input_tokens, usage.output_tokens)

    async def _finish(
        self, turn: Turn, progress: "Progress", status: TurnStatus, error: str
    ) -> None:
        """Learn from the reply, store how the turn ended, and tell."""
        usage = TurnUsage(*progress.usage, time.monotonic() - progress.started)
        opened = progress.opened
        messages = [*opened.resumed, *progress.messages]
        reply = reply_of(messages)
        signals = _signals(progress, interrupted=status == "cancelled" and turn.disapproved)
        if status == "done" or signals is not None:
            calls = calls_in(messages)
            await self.learning.on_reply(opened, reply, calls, signals or Signals())
        _, sent, received = progress.usage
        await self.sessions.end(opened, status, error=error, tokens=(sent, received))
        now, session = self.sessions.clock.now(), opened.session
        self.bus.publish(TurnEnded(now, session.key, opened.turn, session.scope))
        self.bus.deliver()
        if status == "done":
            turn.tell(AgentEvent("done", reply, used=usage))
        else:
            turn.tell(AgentEvent("error", error, used=usage))


@dataclass(slots=True)
class Progress:
    """Everything that a turn has produced so far."""

    opened: OpenTurn
    tool_run: ToolRun
    messages: list[ModelMessage] = field(default_factory=list[ModelMessage])
    partial: str = ""  # text of a message that is not complete yet
    usage: tuple[int, int, int] = (0, 0, 0)  # requests, input tokens, output tokens
    started: float = field(default_factory=time.monotonic)

    def add(self, messages: list[ModelMessage]) -> None:
        self.messages.extend(messages)
        if messages:
            self.partial = ""


def _tool_run(turn: Turn, opened: OpenTurn) -> ToolRun:
    return ToolRun(
        scope=opened.session.scope,
        session=opened.session,
        turn=opened.turn,
        request=opened.request,
        ask=turn.ask,
        tell=turn.tell_tool,
    )


def _tell_chunk(turn: Turn, progress: Progress, event: Any) -> bool:
    """Pass on a piece of the model's stream; return whether there was any text in it."""
    text, thinking = streamed_text(event)
    if text:
        progress.partial += text
        turn.tell(AgentEvent("chunk", text))
    if thinking:
        turn.tell(AgentEvent("thinking", thinking))
    return bool(text or thinking)


def _tell_retry(turn: Turn, retry: Retry) -> None:
    turn.tell(AgentEvent("waiting", retry.reason, seconds=retry.seconds))


def _signals(progress: Progress, *, interrupted: bool) -> Signals | None:
    """Return what the user did without words: interrupt the turn, or deny a tool call."""
    denied = next((one for one in progress.tool_run.denied if one.by_user), None)
    denial = Denial(denied.tool, denied.reason) if denied else None
    return Signals(interrupted=interrupted, denied=denial) if interrupted or denial else None
