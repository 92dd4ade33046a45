"""Let agents of the OpenAI Agents SDK learn: `LearningRunner(s).run(…)` instead of `Runner.run(…)`.

Prompts get lessons by the run's `call_model_input_filter`, so histories and results stay as they
are; tools report their calls from within, so errors that the SDK hides from the model are heard.
"""

import json
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import lru_cache, wraps
from typing import Any, cast

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

try:
    from agents import (
        Agent,
        FunctionTool,
        Handoff,
        ModelBehaviorError,
        RunConfig,
        RunHooks,
        Runner,
        RunResult,
        RunResultStreaming,
        RunState,
    )
    from agents.run import CallModelData, ModelInputData
    from agents.tool_context import ToolContext
except ImportError as missing:
    raise missing_framework("the OpenAI Agents SDK", "openai-agents") from missing

Invoke = Callable[[ToolContext[Any], str], Awaitable[Any]]
Item = dict[str, Any]

HEARD = "_seasoned_hears"  # marks a tool or an agent that reports its calls
ON_SERVER = ("conversation_id", "previous_response_id", "auto_previous_response_id")


@dataclass
class _Run:
    """A run: its conversation, and the tools of its MCP servers."""

    companion: Companion
    place: tuple[Any, str | None, None, str]  # the arguments of `follow`
    on_server: bool  # the provider keeps the conversation, and gets new items only
    mcp_tools: set[str] = field(default_factory=set[str])

    def now(self) -> FollowedSession:
        """Return the conversation, or that of an agent which runs as a tool of it."""
        return self.companion.follow(*self.place)


_run: ContextVar[_Run | None] = ContextVar("seasoned_agents_run", default=None)
# Errors that an MCP server answered the present call with; the SDK shows them as plain results.
_answered: ContextVar[list[str] | None] = ContextVar("seasoned_mcp_errors", default=None)


class LearningRunner:
    """Runs agents as `Runner` does, with the same arguments, and lets them learn.

    The session is that of the SDK's `session`, else the `conversation_id`, else the `group_id` of
    the run's configuration. Agents that are handed over to learn, too, and tools of MCP servers.
    """

    def __init__(
        self,
        seasoned: Seasoned | AsyncSeasoned,
        *,
        session: Name = None,
        user: Name = None,
        by_user: bool = True,
    ) -> None:
        self.companion = Companion(seasoned, session=session, user=user, by_user=by_user)

    async def run(self, starting_agent: Agent[Any], input: Any, **options: Any) -> RunResult:  # noqa: A002
        with self._running(starting_agent, input, options) as changed:
            return await Runner.run(starting_agent, input, **changed)

    def run_sync(self, starting_agent: Agent[Any], input: Any, **options: Any) -> RunResult:  # noqa: A002
        with self._running(starting_agent, input, options) as changed:
            return Runner.run_sync(starting_agent, input, **changed)

    def run_streamed(
        self,
        starting_agent: Agent[Any],
        input: Any,  # noqa: A002 - named by the SDK
        **options: Any,
    ) -> RunResultStreaming:
        with self._running(starting_agent, input, options) as changed:
            return Runner.run_streamed(starting_agent, input, **changed)

    @contextmanager
    def _running(
        self, agent: Agent[Any], given: Any, options: Mapping[str, Any]
    ) -> Generator[dict[str, Any]]:
        """Give the options of a run that learns; what it starts inside the block belongs to it."""
        hear_tools(agent)
        config = _config(options.get("run_config"))
        session = getattr(options.get("session"), "session_id", None)
        thread = session or options.get("conversation_id") or config.group_id
        place = (options.get("context"), thread, None, _began(given))
        run = _Run(self.companion, place, any(options.get(name) for name in ON_SERVER))
        filtered = _Filter(run, config.call_model_input_filter)
        token = _run.set(run)
        try:
            yield {
                **options,
                "run_config": replace(config, call_model_input_filter=filtered),
                "hooks": _Hooks(run.now(), options.get("hooks")),
            }
        finally:
            _run.reset(token)


class _Filter:
    """Adds lessons to a request, after the filter of the run's owner."""

    def __init__(self, run: _Run, inner: Any) -> None:
        self._run = run
        self._inner = inner

    async def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        asked = data.model_data
        if self._inner is not None:
            found: Any = self._inner(data)
            asked = cast("ModelInputData", await found if hasattr(found, "__await__") else found)
        items = cast("list[Item]", asked.input)
        said = [text for one in items if (text := _said(one)) is not None]
        followed = self._run.now()
        new = bool(items) and _said(items[-1]) is not None
        tools = [*_tool_names(data.agent), *sorted(self._run.mcp_tools)]
        added = await followed.prepare(said, tools, new=new)
        instructions = "\n\n".join(filter(None, (asked.instructions, added.stable)))
        changed = _with_additions(items, added, followed.hints, apart=self._run.on_server)
        return ModelInputData(input=cast("Any", changed), instructions=instructions or None)


class _Hooks(RunHooks[Any]):
    """Hears the reply; passes everything on to the hooks of the run's owner."""

    def __init__(self, followed: FollowedSession, inner: RunHooks[Any] | None) -> None:
        self._followed = followed
        self._inner = inner or RunHooks[Any]()

    async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
        await self._inner.on_agent_end(context, agent, output)
        await self._followed.replied(output)

    async def on_llm_start(self, *args: Any, **more: Any) -> None:
        await self._inner.on_llm_start(*args, **more)

    async def on_llm_end(self, *args: Any, **more: Any) -> None:
        await self._inner.on_llm_end(*args, **more)

    async def on_agent_start(self, *args: Any, **more: Any) -> None:
        await self._inner.on_agent_start(*args, **more)

    async def on_handoff(self, *args: Any, **more: Any) -> None:
        await self._inner.on_handoff(*args, **more)

    async def on_tool_start(self, *args: Any, **more: Any) -> None:
        await self._inner.on_tool_start(*args, **more)

    async def on_tool_end(self, *args: Any, **more: Any) -> None:
        await self._inner.on_tool_end(*args, **more)


def hear_tools(agent: Agent[Any]) -> None:
    """Let the tools of an agent, and of those it hands over to, report calls made in our runs.

    The objects stay the same, because the SDK finds an approved call's tool by its identity.
    """
    for tool in agent.tools:
        if isinstance(tool, FunctionTool):
            _hear(tool)
    if getattr(agent, HEARD, False):
        return
    setattr(agent, HEARD, True)
    if agent.mcp_servers:
        _hear_servers(agent)
    for other in agent.handoffs:
        if isinstance(other, Agent):
            hear_tools(other)
        else:
            _hear_handoff(other)


def _hear_servers(agent: Agent[Any]) -> None:
    for server in agent.mcp_servers:
        if not getattr(server, HEARD, False):
            setattr(server, "call_tool", _heard_server(server.call_tool))  # noqa: B010 - as below
            setattr(server, HEARD, True)
    get_tools = agent.get_mcp_tools

    async def heard(run_context: Any) -> list[Any]:
        tools = await get_tools(run_context)
        for tool in tools:
            if isinstance(tool, FunctionTool):
                _hear(tool)
                if (run := _run.get()) is not None:
                    run.mcp_tools.add(tool.name)
        return tools

    setattr(agent, "get_mcp_tools", heard)  # noqa: B010 - a method, replaced on this object


def _heard_server(call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    @wraps(call)
    async def heard(*args: Any, **more: Any) -> Any:
        result = await call(*args, **more)
        errors = _answered.get()
        if errors is not None and getattr(result, "is_error", getattr(result, "isError", False)):
            parts: list[Any] = result.content or []
            errors.append("\n".join(str(getattr(part, "text", "")) for part in parts))
        return result

    return heard


def _hear_handoff(handoff: Handoff[Any, Any]) -> None:
    invoke = handoff.on_invoke_handoff

    async def heard(*args: Any) -> Any:
        agent = cast("Agent[Any]", await invoke(*args))
        hear_tools(agent)
        return agent

    handoff.on_invoke_handoff = heard


def _hear(tool: FunctionTool) -> None:
    """Let a tool report its calls, and show its notes, in the runs of a `LearningRunner`."""
    if getattr(tool, HEARD, False):
        return
    invoker: Any = tool.on_invoke_tool
    # The SDK's own invoker words an error for the model; the error itself is heard inside of it.
    if hasattr(invoker, "_invoke_tool_impl"):
        invoker._invoke_tool_impl = _heard(tool.name, invoker._invoke_tool_impl)
    else:
        tool.on_invoke_tool = _heard(tool.name, invoker)
    tool.__class__ = _noted_class(type(tool))
    setattr(tool, HEARD, True)


def _heard(name: str, invoke: Invoke) -> Invoke:
    @wraps(invoke)
    async def heard(context: ToolContext[Any], arguments: str) -> Any:
        run = _run.get()
        if run is None:
            return await invoke(context, arguments)
        followed, params, watch = run.now(), _params(arguments), Stopwatch()
        errors: list[str] = []
        token = _answered.set(errors)
        try:
            with running(name):
                result = await invoke(context, arguments)
        except Exception as error:
            text = _error_text(error)
            hint = await followed.called(name, params, error=text, seconds=watch.seconds)
            followed.keep_hint(context.tool_call_id, hint)
            raise
        finally:
            _answered.reset(token)
        error = "\n".join(errors) or None
        hint = await followed.called(name, params, result, error, seconds=watch.seconds)
        followed.keep_hint(context.tool_call_id, hint)
        return result

    return heard


@lru_cache
def _noted_class(kind: type[FunctionTool]) -> type[FunctionTool]:
    """Make a class of tools whose description has the notes of the run that reads it."""

    def read(tool: FunctionTool) -> str:
        text, run = str(tool.__dict__["description"]), _run.get()
        return text if run is None else described(tool.name, text, run.now().notes)

    def write(tool: FunctionTool, text: str) -> None:
        tool.__dict__["description"] = text

    members = {"description": property(read, write), "__module__": kind.__module__}
    return cast("type[FunctionTool]", type(kind.__name__, (kind,), members))


def _with_additions(
    items: Sequence[Item], added: Additions, hints: Mapping[str, str], *, apart: bool
) -> list[Item]:
    """Return the items with blocks beside the user's messages and hints after failed results.

    `apart` adds items instead of changing some: the provider keeps the conversation, and the SDK
    must recognise which of its items were sent.
    """
    blocks = iter(added.blocks)
    changed: list[Item] = []
    for item in items:
        is_said = _said(item) is not None
        text = next(blocks, "") if is_said else hints.get(str(item.get("call_id")), "")
        is_result = item.get("type") == "function_call_output"
        if not text or not (is_said or is_result):
            changed.append(item)
        elif apart:
            changed += [item, {"role": "user" if is_said else "developer", "content": text}]
        else:
            changed.append(_appended(item, "content" if is_said else "output", text))
    return changed


def _appended(item: Item, member: str, text: str) -> Item:
    value = item.get(member)
    if isinstance(value, list):
        return {**item, member: [*cast("list[Any]", value), {"type": "input_text", "text": text}]}
    return {**item, member: with_hint_text(str(value), text)}


def _said(item: Item) -> str | None:
    """Return the text of a user's message; None for any other item."""
    if item.get("role") != "user" or item.get("type", "message") != "message":
        return None
    content: Any = item.get("content")
    if isinstance(content, str):
        return content
    parts = cast("list[Item]", content or [])
    return "\n".join(str(part["text"]) for part in parts if part.get("type") == "input_text")


def _began(given: Any) -> str:
    """Return the first message of a run's input."""
    if isinstance(given, RunState):
        given = getattr(cast("Any", given), "_original_input", "")
    if isinstance(given, str):
        return given
    items = cast("list[Item]", given)
    return next((text for one in items if (text := _said(one)) is not None), "")


def _config(given: Any) -> RunConfig:
    if isinstance(given, RunConfig):
        return given
    return RunConfig(**cast("dict[str, Any]", given or {}))


def _tool_names(agent: Agent[Any]) -> list[str]:
    return [tool.name for tool in agent.tools if isinstance(tool, FunctionTool)]


def _params(arguments: str) -> dict[str, Any]:
    try:
        given = json.loads(arguments or "{}")
    except ValueError:
        given = None
    return cast("dict[str, Any]", given) if isinstance(given, dict) else {"arguments": arguments}


def _error_text(error: Exception) -> str:
    """Return an error's text; what the SDK leaves out of one about arguments, it has as cause."""
    cause = error.__cause__ or error.__context__
    told = cause if isinstance(error, ModelBehaviorError) and cause else error
    return str(error_text(told))
