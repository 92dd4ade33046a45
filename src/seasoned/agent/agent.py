"""The agent: from a message to an answer. The whole turn stands on this page.

What the user says is stored, listened to (does it correct the last reply?), and answered by a model
that is told what was learned. Tools are watched: a failure with a known fix comes back with the
fix. Every message and every step is stored as it happens, so a turn that a crash cut off goes on,
and nothing is learned twice.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

from pydantic_ai import Agent as ModelAgent
from pydantic_ai import UsageLimits
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.messages import (
    FunctionToolResultEvent,
    ModelMessage,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
)
from pydantic_ai.models import Model
from pydantic_ai.toolsets import AbstractToolset

from seasoned.agent.event import AgentEvent, Used
from seasoned.agent.experience import Experience
from seasoned.agent.history import calls_in, reply_of, unanswered
from seasoned.agent.session import BEGUN, Begun, SessionLog
from seasoned.agent.standing import block_of
from seasoned.agent.turn import Turn
from seasoned.core.bus import Bus
from seasoned.core.errors import BadInput, NotFound, SeasonedError
from seasoned.core.events import SessionEnded, TurnEnded
from seasoned.core.scope import Scope
from seasoned.learning.turns import Denial, Signals
from seasoned.llm.context_aware import ContextAware, Given
from seasoned.tools.run import Ask, Run

log = logging.getLogger("seasoned.agent")


@dataclass(frozen=True, slots=True)
class AgentConfig:
    instructions: str = ""
    max_steps: int = 25  # requests to the model in a turn
    turn_seconds: float = 300
    turn_tokens: int | None = None


class Agent:
    """Talks in sessions; `model` and `toolset` are pydantic-ai's, `experience` is ours."""

    def __init__(
        self,
        model: Model,
        toolset: AbstractToolset[Run] | None,
        sessions: SessionLog,
        experience: Experience,
        bus: Bus,
        config: AgentConfig | None = None,
    ) -> None:
        self.model = model
        self.sessions = sessions
        self.experience = experience
        self.bus = bus
        self.config = config or AgentConfig()
        self._loop = ModelAgent[Run, str](
            deps_type=Run,
            instructions=self.config.instructions or None,
            toolsets=[toolset] if toolset is not None else [],
            retries=self.config.max_steps,  # the limit of steps ends what does not end
        )
        self._one_at_a_time = WeakValueDictionary[Scope, asyncio.Lock]()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["Agent"]:
        """Keeps what models and tools need (connections, MCP servers) open meanwhile."""
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
        """A turn in the session that the scope names; iterate it to have it happen.

        Tools that must be allowed are asked for by `ask`, else by `approval` events that wait for
        `Turn.decide`; with `answers` False there is nobody, and they are denied at once. What is
        not said `by_user` is not taken for the user's word.
        """
        if not message.strip():
            raise BadInput("the message is empty; say something")

        async def work(turn: Turn) -> None:
            begin = self.sessions.begin(scope, message, by_user=by_user)
            await self._turn(turn, scope, begin)

        return Turn(work, ask, answers=answers)

    def resume(self, scope: Scope, *, ask: Ask | None = None, answers: bool = True) -> Turn:
        """Goes on with the turn that was cut off when the process ended."""

        async def work(turn: Turn) -> None:
            await self._turn(turn, scope, self.sessions.resume(scope))

        return Turn(work, ask, answers=answers)

    async def end(self, scope: Scope, reason: str = "closed") -> bool:
        """Closes a session, which is then learned from as a whole."""
        ended = await self.sessions.close(scope, reason)
        if ended is not None:
            self.bus.publish(SessionEnded(self.sessions.clock.now(), ended.key, reason, scope))
            self.bus.deliver()
        return ended is not None

    async def _turn(
        self, turn: Turn, scope: Scope, begin: Coroutine[Any, Any, Begun | None]
    ) -> None:
        async with self._one_at_a_time.setdefault(scope, asyncio.Lock()):
            try:
                begun = await begin
                if begun is None:
                    raise NotFound(f"no turn was cut off in {scope.session!r}; just go on talking")
            except SeasonedError as error:
                turn.tell(AgentEvent("error", str(error)))
                return
            await self._answer(turn, begun)

    async def _answer(self, turn: Turn, begun: Begun) -> None:
        """Has the model answer, and stores how the turn ended, whichever way it did."""
        run = Run(
            scope=begun.session.scope,
            session=begun.session,
            turn=begun.turn,
            request=begun.request,
            ask=turn.ask,
            tell=turn.tool,
        )
        talk = Talk(begun, run)
        started = time.monotonic()
        try:
            async with asyncio.timeout(self.config.turn_seconds):
                noticed = await self.experience.heard(begun)
                if noticed.rule is not None and noticed.rule.status == "active":
                    turn.tell(AgentEvent("noticed", noticed.rule.content))
                if not begun.is_answered:
                    await self._talk(turn, talk)
            status, error = "done", ""
        except asyncio.CancelledError:
            status, error = "cancelled", "stopped by the user"
            if not turn.interrupted:  # the process is being ended: the turn can be taken up again
                raise
        except TimeoutError:
            status, error = "failed", f"the turn took longer than {self.config.turn_seconds:g} s"
        except UsageLimitExceeded as limit:
            status, error = "failed", f"the turn was stopped: {limit}"
        except Exception as failure:  # whatever a provider does, the turn ends and is told
            log.warning("a turn of %s failed", begun.session.name, exc_info=True)
            status, error = "failed", str(failure) or type(failure).__name__
        await self._end(turn, talk, status, error, time.monotonic() - started)

    async def _talk(self, turn: Turn, talk: "Talk") -> None:
        """Has the model answer, told what was learned."""
        begun = talk.begun
        # Before the loop begins: two that want the same processor only hinder each other.
        given = await self.experience.recall(begun) if begun.is_new else None

        async def recall(query: str) -> Given:
            return given or await self.experience.recall(begun)

        stable = block_of(begun.standing or ())
        await self._iterate(turn, talk, ContextAware(self.model, recall, begun.blocks, stable))

    async def _iterate(self, turn: Turn, talk: "Talk", model: Model) -> None:
        """One request to the model after another, until it has answered."""
        begun = talk.begun
        limits = UsageLimits(
            request_limit=self.config.max_steps, total_tokens_limit=self.config.turn_tokens
        )
        async with self._loop.iter(
            None,
            message_history=list(begun.messages),
            deps=talk.run,
            model=model,
            usage_limits=limits,
        ) as run:
            async for node in run:
                if ModelAgent.is_model_request_node(node):
                    async with node.stream(run.ctx) as stream:
                        async for event in stream:
                            if _tell(turn, talk, event):
                                await asyncio.sleep(0)  # whoever listens hears it at once
                elif ModelAgent.is_call_tools_node(node):
                    calls = unanswered(run.ctx.state.message_history)
                    for call in calls:
                        await self.sessions.step(begun, f"{BEGUN}{call.tool_call_id}")
                    async with node.stream(run.ctx) as stream:
                        async for event in stream:
                            if isinstance(event, FunctionToolResultEvent):
                                talk.partial = ""
                else:
                    continue
                await self._keep(talk, run.new_messages()[len(talk.messages) :])
                usage = run.usage
                talk.used = (usage.requests, usage.input_tokens, usage.output_tokens)

    async def _keep(self, talk: "Talk", messages: Sequence[ModelMessage]) -> None:
        await self.sessions.add(talk.begun, messages)
        talk.messages.extend(messages)
        if messages:
            talk.partial = ""

    async def _end(self, turn: Turn, talk: "Talk", status: Any, error: str, seconds: float) -> None:
        begun = talk.begun
        every = [*begun.resumed, *talk.messages]
        reply = "\n\n".join(filter(None, (reply_of(every), talk.partial)))
        requests, asked, answered = talk.used
        used = Used(requests, asked, answered, seconds)
        signals = _signals(talk, status)
        if status == "done" or signals is not None:
            await self.experience.said(begun, reply, calls_in(every), signals or Signals())
        await self.sessions.end(begun, status, error=error, tokens=(asked, answered))
        now, session = self.sessions.clock.now(), begun.session
        self.bus.publish(TurnEnded(now, session.key, begun.turn, session.scope))
        self.bus.deliver()
        done = status == "done"
        turn.tell(AgentEvent("done" if done else "error", reply if done else error, used=used))


@dataclass(slots=True)
class Talk:
    """What has come of a turn so far."""

    begun: Begun
    run: Run
    messages: list[ModelMessage] = field(default_factory=list[ModelMessage])
    partial: str = ""  # what the model has said of a message that is not whole yet
    used: tuple[int, int, int] = (0, 0, 0)  # requests, tokens asked, tokens answered


def _tell(turn: Turn, talk: Talk, event: Any) -> bool:
    """A piece of what the model says, as it comes; whether there was any."""
    text = thinking = ""
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        text = event.part.content
    elif isinstance(event, PartStartEvent) and isinstance(event.part, ThinkingPart):
        thinking = event.part.content
    elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        text = event.delta.content_delta
    elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, ThinkingPartDelta):
        thinking = event.delta.content_delta or ""
    if text:
        talk.partial += text
        turn.tell(AgentEvent("chunk", text))
    if thinking:
        turn.tell(AgentEvent("thinking", thinking))
    return bool(text or thinking)


def _signals(talk: Talk, status: str) -> Signals | None:
    """What the user did without a word: stopped the turn, or did not let a tool run."""
    denied = next((one for one in talk.run.denied if one.by_user), None)
    refused = Denial(denied.tool, denied.reason) if denied else None
    stopped = status == "cancelled"
    return Signals(interrupted=stopped, denied=refused) if stopped or refused else None
