"""Let a plain LangGraph graph learn: `learning.tool_node(tools)` and `learning.model(llm, tools)`.

They stand for `ToolNode(tools)` and `llm.bind_tools(tools)`. Agents of LangChain use
`seasoned.adapters.langchain`, which translates by means of this file.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from seasoned.adapters.companion import (
    Additions,
    Companion,
    FollowedSession,
    Name,
    Stopwatch,
    described,
    error_text,
    missing_framework,
    running,
    with_hint_text,
)
from seasoned.api.async_seasoned import AsyncSeasoned
from seasoned.api.seasoned import Seasoned
from seasoned.recall.tool_notes import ToolNotes
from seasoned.tools.hinted_error import with_hint

try:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import (
        AIMessage,
        AnyMessage,
        BaseMessage,
        HumanMessage,
        SystemMessage,
        ToolMessage,
        convert_to_messages,
    )
    from langchain_core.prompt_values import PromptValue
    from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
    from langchain_core.runnables.config import ensure_config
    from langchain_core.tools import BaseTool
    from langchain_core.tools import tool as tool_from
    from langgraph.errors import GraphBubbleUp
    from langgraph.prebuilt import ToolNode
    from langgraph.prebuilt.tool_node import ToolCallRequest
    from langgraph.types import Command
except ImportError as missing:
    raise missing_framework("LangGraph", "langgraph") from missing

M = TypeVar("M", bound=BaseMessage)
Answer = ToolMessage | Command[Any]

# What a ToolNode writes around an error.
AROUND = re.compile(
    r"\A(?:Error \w+ tool '.*?' with kwargs .*? with error:\n|Error: )(?P<error>.*?)"
    r"(?:\n Please fix (?:your mistakes|the error and try again)\.)?\Z",
    re.DOTALL,
)
RAISED = re.compile(
    r"\A(?P<type>[A-Za-z_]\w*)\((?P<quote>['\"])(?P<text>.*)(?P=quote),?\)\Z", re.DOTALL
)


class Learning:
    """Learning for a graph: the nodes that call tools and the model are made by it.

    The graph's thread (`thread_id`) is the session, `user_id` in its configuration the user. A
    tool's exception goes where it went without this; with `tell_errors` the model reads it.
    """

    def __init__(
        self,
        seasoned: Seasoned | AsyncSeasoned,
        *,
        session: Name = None,
        user: Name = None,
        by_user: bool = True,
        tell_errors: bool = False,
    ) -> None:
        self.companion = Companion(seasoned, session=session, user=user, by_user=by_user)
        self.tell_errors = tell_errors

    def tool_node(self, tools: Sequence[BaseTool | Callable[..., Any]], **options: Any) -> ToolNode:
        """Make a `ToolNode` that learns; the options are those of a `ToolNode`."""
        return ToolNode(
            tools,
            wrap_tool_call=self.wrap_tool_call,
            awrap_tool_call=self.awrap_tool_call,
            **options,
        )

    def model(self, model: BaseChatModel, tools: Sequence[Any] = ()) -> Runnable[Any, AIMessage]:
        """Bind tools to a model, with what was learned about them and about its task."""
        known = [_tool(one) for one in tools]

        def prepared(given: Any, added: Additions) -> tuple[Runnable[Any, Any], list[BaseMessage]]:
            noted = [noted_tool(one, added.notes) for one in known]
            bound: Any = model.bind_tools(noted) if noted else model
            return bound, _with_system(with_blocks(given, added.blocks), added.stable)

        def ask(given: Any, config: RunnableConfig) -> Any:
            messages = _messages(given)
            followed = self.followed(messages, config)
            work = followed.prepare(*request_of(messages, known), new=is_new(messages))
            bound, noted = prepared(messages, followed.run(work, Additions()))
            reply = bound.invoke(noted, config)
            if (text := reply_text([reply])) is not None:
                followed.run(followed.replied(text), None)
            return reply

        async def ask_async(given: Any, config: RunnableConfig) -> Any:
            messages = _messages(given)
            followed = self.followed(messages, config)
            added = await followed.prepare(*request_of(messages, known), new=is_new(messages))
            bound, noted = prepared(messages, added)
            reply = await bound.ainvoke(noted, config)
            if (text := reply_text([reply])) is not None:
                await followed.replied(text)
            return reply

        return cast("Runnable[Any, AIMessage]", RunnableLambda(ask, ask_async, name="learning"))

    def wrap_tool_call(
        self, request: ToolCallRequest, execute: Callable[[ToolCallRequest], Answer]
    ) -> Answer:
        """Call a tool, report how it went, and put the hint into its message."""
        call = _WatchedCall(self._followed_call(request), request)
        try:
            with running(call.tool):
                answer = execute(request)
        except GraphBubbleUp:
            raise
        except Exception as error:  # noqa: BLE001 - raised again, or told to the model
            hint = call.followed.run(call.failed(error), "")
            return call.told(error, hint, tell=self.tell_errors)
        return call.with_hint(answer, call.followed.run(call.ended(answer), ""))

    async def awrap_tool_call(
        self, request: ToolCallRequest, execute: Callable[[ToolCallRequest], Awaitable[Answer]]
    ) -> Answer:
        call = _WatchedCall(self._followed_call(request), request)
        try:
            with running(call.tool):
                answer = await execute(request)
        except GraphBubbleUp:
            raise
        except Exception as error:  # noqa: BLE001 - raised again, or told to the model
            return call.told(error, await call.failed(error), tell=self.tell_errors)
        return call.with_hint(answer, await call.ended(answer))

    def followed(
        self, messages: Sequence[Any], config: RunnableConfig | None = None
    ) -> FollowedSession:
        """Return the conversation of the thread that runs."""
        config = ensure_config(config)
        names = config.get("configurable", {})
        thread, user = names.get("thread_id"), names.get("user_id")
        began = next((str(one.text) for one in messages if isinstance(one, HumanMessage)), "")
        return self.companion.follow(config, _name(thread), _name(user), began)

    def _followed_call(self, request: ToolCallRequest) -> FollowedSession:
        kept = _member(request.state, "messages")
        messages = cast("list[Any]", kept) if isinstance(kept, list) else []
        runtime: Any = getattr(request, "runtime", None)
        return self.followed(messages, getattr(runtime, "config", None))


class _WatchedCall:
    """Reports the outcome of a call, and puts the hint where the model reads it."""

    def __init__(self, followed: FollowedSession, request: ToolCallRequest) -> None:
        self.followed = followed
        self.tool = request.tool_call["name"]
        self._params = request.tool_call["args"]
        self._id = request.tool_call["id"]
        self._watch = Stopwatch()

    async def ended(self, answer: Any) -> str:
        seconds = self._watch.seconds
        if not isinstance(answer, ToolMessage):
            return await self.followed.called(self.tool, self._params, seconds=seconds)
        said = str(answer.text)
        failed = told_error(said) if answer.status == "error" else None
        result = None if failed else answer.artifact or said
        return await self.followed.called(self.tool, self._params, result, failed, seconds=seconds)

    async def failed(self, error: Exception) -> str:
        return await self.followed.called(
            self.tool, self._params, error=error, seconds=self._watch.seconds
        )

    def with_hint(self, answer: Answer, hint: str) -> Answer:
        return appended(answer, hint) if isinstance(answer, ToolMessage) and hint else answer

    def told(self, error: Exception, hint: str, *, tell: bool) -> Answer:
        """Return the message for a tool's exception, or raise it, with the hint in its text."""
        if tell:
            text = with_hint_text(str(error_text(error)), hint)
            return ToolMessage(text, name=self.tool, tool_call_id=self._id or "", status="error")
        raised = with_hint(error, hint) if hint else error
        if raised is error:
            raise error
        raise raised from error


def told_error(text: str) -> str:
    """Return the error in what a `ToolNode` tells the model.

    >>> told_error("Error: ValueError('no such day')\\n Please fix your mistakes.")
    'ValueError: no such day'
    >>> told_error("the disk is full")
    'the disk is full'
    """
    around = AROUND.match(text)
    error = around["error"].strip() if around else text
    raised = RAISED.match(error)
    return f"{raised['type']}: {raised['text']}" if raised else error


def request_of(
    messages: Sequence[BaseMessage], tools: Sequence[Any]
) -> tuple[list[str], list[str]]:
    """Return the texts of the user's messages, and the names of the tools."""
    said = [str(one.text) for one in messages if isinstance(one, HumanMessage)]
    return said, [name for one in tools if (name := _name_of(one))]


def is_new(messages: Sequence[BaseMessage]) -> bool:
    """Tell whether nothing was done yet about the user's last message."""
    return bool(messages) and isinstance(messages[-1], HumanMessage)


def reply_text(messages: Sequence[Any]) -> str | None:
    """Return the text of the reply at the end of some messages; None if there is none yet."""
    last = messages[-1] if messages else None
    return str(last.text) if isinstance(last, AIMessage) and not last.tool_calls else None


def with_blocks(messages: Sequence[AnyMessage], blocks: Sequence[str]) -> list[AnyMessage]:
    """Return the messages with a block after each message of the user that has one."""
    left = iter(blocks)
    return [
        appended(one, block) if isinstance(one, HumanMessage) and (block := next(left, "")) else one
        for one in messages
    ]


def appended(message: M, text: str) -> M:
    """Return a copy of a message with a text at its end."""
    content: Any = message.content
    if isinstance(content, str):
        changed: Any = with_hint_text(content, text)
    else:
        changed = [*content, {"type": "text", "text": text}]
    return message.model_copy(update={"content": changed})


def noted_tool(tool: Any, notes: ToolNotes) -> Any:
    """Return a tool with its notes at the end of its description."""
    name = _name_of(tool)
    if not notes.of(name):
        return tool
    if isinstance(tool, BaseTool):
        text = described(name, tool.description, notes)
        return tool.model_copy(update={"description": text})
    if not isinstance(tool, dict):
        return tool
    schema = cast("dict[str, Any]", tool)
    inner = cast("dict[str, Any]", schema.get("function") or schema)
    noted = {**inner, "description": described(name, inner.get("description") or "", notes)}
    return {**schema, "function": noted} if "function" in schema else noted


def with_system(message: SystemMessage | None, stable: str) -> SystemMessage | None:
    """Return the system message with the rules that hold at its end."""
    if not stable:
        return message
    return SystemMessage(stable) if message is None else appended(message, stable)


def _with_system(messages: list[AnyMessage], stable: str) -> list[BaseMessage]:
    first = messages[0] if messages else None
    if isinstance(first, SystemMessage):
        return [cast("BaseMessage", with_system(first, stable)), *messages[1:]]
    system = with_system(None, stable)
    return [system, *messages] if system else [*messages]


def _messages(given: Any) -> list[Any]:
    if isinstance(given, PromptValue):
        return given.to_messages()
    kept = _member(given, "messages")
    return convert_to_messages([kept] if isinstance(kept, str | BaseMessage) else kept)


def _tool(tool: Any) -> Any:
    """Make a tool of a function, as a `ToolNode` does."""
    return tool_from(tool) if callable(tool) and not isinstance(tool, type | BaseTool) else tool


def _name_of(tool: Any) -> str:
    if isinstance(tool, dict):
        inner = cast("dict[str, Any]", tool)
        return str(cast("dict[str, Any]", inner.get("function") or inner).get("name") or "")
    return str(getattr(tool, "name", "") or getattr(tool, "__name__", ""))


def _member(state: Any, name: str) -> Any:
    """Return a member of a state, which may be a dict, an object, or just that member."""
    if isinstance(state, Mapping):
        return cast("Mapping[str, Any]", state).get(name, [])
    return getattr(state, name, state)


def _name(value: Any) -> str | None:
    return None if value is None else str(value)
