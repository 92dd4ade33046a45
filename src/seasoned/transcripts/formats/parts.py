"""Split chat messages into parts, and pair each tool call with its answer.

Content blocks (Anthropic, Claude Code) and Responses items (OpenAI, Codex) are read here, since
more than one format uses each of them.
"""

import re
import shlex
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from seasoned.core.messages import Message, ToolResult
from seasoned.transcripts.formats.outcome import outcome_of
from seasoned.transcripts.formats.shapes import arguments, first, flat, items, mapping, text
from seasoned.transcripts.identity import call_key, message_key
from seasoned.transcripts.item import Tally

_TOOL_USE = ("tool_use", "server_tool_use", "mcp_tool_use")
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>\s*|$)", re.DOTALL)
_SHELLS = frozenset({"bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash"})


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call by the model."""

    tool: str
    params: Mapping[str, Any]
    id: str | None = None


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """A tool's answer; `failed` is None if the transcript does not say."""

    output: Any
    failed: bool | None = None
    id: str | None = None
    tool: str | None = None
    duration_ms: float | None = None
    refused: bool = False
    cancelled: bool = False


@dataclass(frozen=True, slots=True)
class Utterance:
    """Text by the user or the model."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class TurnStart:
    """The start of a model turn; earlier calls without an id get no answer any more."""


Part = ToolUse | ToolAnswer | Utterance | TurnStart
Parts = Callable[[Mapping[str, Any]], Iterator[Part]]


class Pairing:
    """Pairs each answer of a session with its call, and drops calls without an answer.

    At most `capacity` calls wait for their answers; beyond that the oldest is dropped. The tally
    counts calls without an answer, and answers without a call.
    """

    def __init__(self, session: str, tally: Tally | None = None, capacity: int = 10_000) -> None:
        self.session = session
        self._tally = Tally() if tally is None else tally
        self._capacity = capacity
        self._open: OrderedDict[str, ToolUse] = OrderedDict()
        self._anonymous: list[ToolUse] = []

    def take(self, part: Part, position: object, at: int | None) -> ToolResult | Message | None:
        """Return the tool result or message that this part completes, if any."""
        match part:
            case Utterance(role, said):
                key = message_key(self.session, position, role, said)
                return Message(role, said, self.session, at, key) if said.strip() else None
            case TurnStart():
                self._anonymous.clear()
            case ToolUse():
                self._call(part)
            case ToolAnswer():
                call = self._called(part)
                if call is None:
                    self._tally.strays += 1
                    return None
                self._tally.answered += 1
                return self._result(call, part, position, at)
        return None

    def _call(self, call: ToolUse) -> None:
        self._tally.calls += call.id is None or call.id not in self._open
        if call.id is None:
            self._anonymous.append(call)
            return
        self._open[call.id] = call
        if len(self._open) > self._capacity:
            self._open.popitem(last=False)

    def _called(self, answer: ToolAnswer) -> ToolUse | None:
        if answer.id is not None:
            return self._open.pop(answer.id, None)
        for call in self._anonymous:
            if answer.tool in (None, call.tool):
                self._anonymous.remove(call)
                return call
        return None

    def _result(
        self, call: ToolUse, answer: ToolAnswer, position: object, at: int | None
    ) -> ToolResult:
        stopped = answer.refused or answer.cancelled
        outcome = outcome_of(answer.output, True if stopped else answer.failed)
        error = outcome.error
        if answer.refused and error is not None and not error.startswith("refused: "):
            error = f"refused: {error}"
        duration = outcome.duration_ms if answer.duration_ms is None else answer.duration_ms
        key = call_key(self.session, call.id, call.tool, call.params, position)
        return ToolResult(
            tool=call.tool,
            params=call.params,
            result=outcome.result,
            error=error,
            session=self.session,
            duration_ms=duration,
            at=at,
            id=key,
            refused=answer.refused or outcome.refused,
            cancelled=answer.cancelled and not (answer.refused or outcome.refused),
        )


def has_tool_blocks(message: Mapping[str, Any]) -> bool:
    """Whether the content blocks hold a tool call or an answer."""
    if not isinstance(message.get("role"), str):
        return False
    kinds = {text(mapping(block).get("type")) for block in items(message.get("content"))}
    return any(kind in _TOOL_USE or kind.endswith("tool_result") for kind in kinds)


def block_parts(message: Mapping[str, Any]) -> Iterator[Part]:
    """Yield the parts of a message with content blocks.

    >>> use = {"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {"path": "src"}}
    >>> list(block_parts({"role": "assistant", "content": [use]}))
    [ToolUse(tool='ls', params={'path': 'src'}, id='toolu_1')]
    """
    role, content = message.get("role"), message.get("content")
    if role not in ("user", "assistant"):
        return
    if isinstance(content, str):
        yield Utterance(role, _REMINDER.sub("", content).rstrip())
    for block in (mapping(block) for block in items(content)):
        kind = text(block.get("type"))
        if kind == "text":
            yield Utterance(role, _REMINDER.sub("", text(block.get("text"))).rstrip())
        elif kind in _TOOL_USE and text(block.get("name")):
            yield ToolUse(block["name"], arguments(block.get("input")), _id(block.get("id")))
        elif kind.endswith("tool_result"):
            failed = block.get("is_error")
            yield ToolAnswer(
                flat(block.get("content")),
                failed if isinstance(failed, bool) else None,
                _id(block.get("tool_use_id")),
            )


def _id(value: object) -> str | None:
    return value if isinstance(value, str) else None


def item_parts(item: Mapping[str, Any]) -> Iterator[Part]:
    """Yield the call or the output in a Responses item, if it is one."""
    kind = text(item.get("type"))
    call_id = first(item, "call_id", "id")
    call_id = call_id if isinstance(call_id, str) else None
    if kind in ("function_call", "custom_tool_call") and text(item.get("name")):
        params = arguments(first(item, "arguments", "input"))
        yield ToolUse(item["name"], _plain_command(params), call_id)
    elif kind == "local_shell_call":
        action = dict(mapping(item.get("action")))
        action.pop("type", None)
        yield ToolUse("local_shell", _plain_command(action), call_id)
    elif kind.endswith("_call_output"):
        failed = True if item.get("status") in ("failed", "incomplete") else None
        yield ToolAnswer(item.get("output"), failed, call_id)


def _plain_command(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Join a command given as words into one line, so that changes are easy to see.

    >>> _plain_command({"command": ["bash", "-lc", "pytest -q"], "workdir": "/src"})
    {'command': 'pytest -q', 'workdir': '/src'}
    """
    words = [word for word in items(params.get("command")) if isinstance(word, str)]
    if not words or len(words) != len(items(params.get("command"))):
        return params
    wrapped = len(words) == 3 and words[0] in _SHELLS and words[1] in ("-c", "-lc")
    return {**params, "command": words[2] if wrapped else shlex.join(words)}


def chat_parts(message: Mapping[str, Any]) -> Iterator[Part]:
    """Yield the parts of a chat message as OpenAI writes it, or of an item.

    >>> answer, = chat_parts({"role": "tool", "tool_call_id": "c1", "content": "Error: no user"})
    >>> answer.id, answer.output
    ('c1', 'Error: no user')
    """
    role = message.get("role")
    if role in ("tool", "function"):
        call_id = message.get("tool_call_id")
        tool = first(message, "name", "tool_name")
        yield ToolAnswer(
            message.get("content"),
            id=call_id if isinstance(call_id, str) else None,
            tool=tool if isinstance(tool, str) else None,
        )
    elif role == "assistant":
        yield TurnStart()
        yield Utterance("assistant", _message_text(message))
        yield from _calls(message)
    elif role == "user":
        yield Utterance("user", _message_text(message))
    else:
        yield from item_parts(message)


def _calls(message: Mapping[str, Any]) -> Iterator[Part]:
    for call in (mapping(call) for call in items(message.get("tool_calls"))):
        yield from _call(mapping(first(call, "function", "custom")) or call, call.get("id"))
    yield from _call(mapping(message.get("function_call")), None)


def _call(function: Mapping[str, Any], call_id: object) -> Iterator[Part]:
    tool = text(function.get("name"))
    if tool:
        params = arguments(first(function, "arguments", "input", "args"))
        yield ToolUse(tool, params, call_id if isinstance(call_id, str) else None)


def _message_text(message: Mapping[str, Any]) -> str:
    return text(flat(message.get("content")))
