"""Let an agent of smolagents learn: `agent = learns(s, CodeAgent(…))`."""

import copy
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar, cast

from seasoned.adapters.companion import (
    Additions,
    Companion,
    FollowedSession,
    Name,
    Stopwatch,
    described,
    missing_framework,
    running,
    with_hint_text,
)
from seasoned.api.async_seasoned import AsyncSeasoned
from seasoned.api.seasoned import Seasoned
from seasoned.core.errors import BadInput
from seasoned.core.ids import new_id
from seasoned.tools.hinted_error import with_hint

try:
    from smolagents import ActionStep, ChatMessage, FinalAnswerStep, MultiStepAgent, Tool
    from smolagents.models import MessageRole, Model
    from smolagents.utils import AgentToolCallError
except ImportError as missing:
    raise missing_framework("smolagents", "smolagents") from missing

A = TypeVar("A", bound=MultiStepAgent)

TASK = "New task:\n"  # how smolagents introduces what the user says
ANSWER = "final_answer"  # the tool that ends a run


def learns(
    seasoned: Seasoned | AsyncSeasoned,
    agent: A,
    *,
    session: Name = None,
    user: Name = None,
    by_user: bool = True,
) -> A:
    """Let an agent, and those that it manages, learn; return the same object.

    A run that continues the one before (`reset=False`) belongs to its session; functions for
    `session` and `user` get the agent.
    """
    where = getattr(agent, "executor_type", "local")
    if where != "local":
        raise BadInput(
            f"the tools of this {type(agent).__name__} run in {where}, where "
            "they cannot report their calls; use executor_type='local', or observe() in the tools"
        )
    companion = Companion(seasoned, session=session, user=user, by_user=by_user)
    _Learning(companion, agent).attach()
    return agent


class _Learning:
    """One agent's share of learning: its model, its tools, and the steps of its memory."""

    def __init__(self, companion: Companion, agent: MultiStepAgent) -> None:
        self._companion = companion
        self._agent: Any = agent
        self._conversation = new_id()

    def attach(self) -> None:
        agent = self._agent
        agent.model = self._learning_model(agent.model)
        for tool in agent.tools.values():
            if isinstance(tool, Tool) and tool.name != ANSWER:
                self._hear(tool)
        agent.step_callbacks.register(ActionStep, self._on_step)
        agent.step_callbacks.register(FinalAnswerStep, self._on_answer)
        inner = Companion(self._companion.seasoned, by_user=False)
        for other in agent.managed_agents.values():
            _Learning(inner, other).attach()

    def _followed(self) -> FollowedSession:
        thread = f"{self._companion.seasoned.default_session}-{self._conversation}"
        return self._companion.follow(self._agent, thread)

    def _learning_model(self, model: Model) -> Model:
        """Copy the model, because agents may share it, and add lessons to what it is asked."""
        other: Any = copy.copy(model)
        generate: Callable[..., ChatMessage] = getattr(model, "generate")  # noqa: B009 - untyped

        @wraps(generate)
        def asked(messages: list[ChatMessage], *args: Any, **more: Any) -> ChatMessage:
            return generate(*self._prepared(messages, more), *args, **more)

        other.generate = asked
        stream: Callable[..., Generator[Any]] | None = getattr(model, "generate_stream", None)
        if stream is not None:

            @wraps(stream)
            def streamed(messages: list[ChatMessage], *args: Any, **more: Any) -> Generator[Any]:
                yield from stream(*self._prepared(messages, more), *args, **more)

            other.generate_stream = streamed
        return cast("Model", other)

    def _prepared(
        self, messages: Sequence[ChatMessage], more: dict[str, Any]
    ) -> tuple[list[ChatMessage]]:
        """Add lessons to the messages of a request, and to its tools if it has some."""
        said = [text for one in messages if (text := _said(one)) is not None]
        new = bool(messages) and _said(messages[-1]) is not None
        if new and len(said) == 1:
            self._conversation = new_id()
        followed = self._followed()
        names = [name for name in self._agent.tools if name != ANSWER]
        added = followed.run(followed.prepare(said, names, new=new), Additions())
        system = added.stable
        if more.get("tools_to_call_from"):
            tools: list[Any] = more["tools_to_call_from"]
            more["tools_to_call_from"] = [_noted(tool, added) for tool in tools]
        else:  # an agent that writes code has its tools in the system prompt
            system = "\n\n".join(filter(None, (system, added.notes_text)))
        blocks = iter(added.blocks)
        return ([_with_text(one, _text_for(one, system, blocks)) for one in messages],)

    def _hear(self, tool: Tool) -> None:
        """Let a tool report its calls, and end the text of its errors with the known fix."""
        forward: Callable[..., Any] = getattr(tool, "forward")  # noqa: B009 - untyped

        @wraps(forward)
        def heard(*args: Any, **kwargs: Any) -> Any:
            params = {**dict(zip(tool.inputs, args, strict=False)), **kwargs}
            followed, watch = self._followed(), Stopwatch()
            try:
                with running(tool.name):
                    result = forward(*args, **kwargs)
            except Exception as error:
                work = followed.called(tool.name, params, error=error, seconds=watch.seconds)
                hint = followed.run(work, "")
                raised = with_hint(error, hint) if hint else error
                if raised is error:
                    raise
                raise raised from error
            work = followed.called(tool.name, params, result, seconds=watch.seconds)
            hint = followed.run(work, "")
            return with_hint_text(result, hint) if isinstance(result, str) else result

        tool.forward = heard

    def _on_step(self, step: ActionStep) -> None:
        """Hear of arguments that smolagents refused before the tool was called."""
        calls: Any = getattr(step.model_output_message, "tool_calls", None) or ()
        if not isinstance(step.error, AgentToolCallError) or len(calls) != 1:
            return
        call, followed = calls[0].function, self._followed()
        given: Any = call.arguments
        params = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
        work = followed.called(call.name, params, error=str(step.error))
        if hint := followed.run(work, ""):
            step.error = cast("AgentToolCallError", with_hint(step.error, hint))

    def _on_answer(self, step: FinalAnswerStep) -> None:
        followed = self._followed()
        followed.run(followed.replied(step.output), None)


def _said(message: ChatMessage) -> str | None:
    """Return what the user said in a message; None for any other message."""
    text = _text(message)
    is_task = message.role == MessageRole.USER and text.startswith(TASK)
    return text.removeprefix(TASK) if is_task else None


def _text(message: ChatMessage) -> str:
    content = message.content
    if isinstance(content, str):
        return content
    first: dict[str, Any] = content[0] if content else {}
    return str(first.get("text", ""))


def _text_for(message: ChatMessage, system: str, blocks: Any) -> str:
    if message.role == MessageRole.SYSTEM:
        return system
    return next(blocks, "") if _said(message) is not None else ""


def _with_text(message: ChatMessage, text: str) -> ChatMessage:
    """Return a message with a text at the end of its first part, the one that all models read."""
    if not text:
        return message
    whole = with_hint_text(_text(message), text)
    if isinstance(message.content, str):
        return replace(message, content=whole)
    first, *others = message.content or [{"type": "text"}]
    return replace(message, content=[{**first, "text": whole}, *others])


def _noted(tool: Any, added: Additions) -> Any:
    if not isinstance(tool, Tool) or not added.notes.of(tool.name):
        return tool
    other = copy.copy(tool)
    other.description = described(tool.name, tool.description, added.notes)
    return other
