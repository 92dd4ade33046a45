"""What a message is made of, so that all chat formats share one way of pairing."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from seasoned.core.messages import Message
from seasoned.core.tool_result import ToolResult
from seasoned.transcripts.identity import call_key, message_key
from seasoned.transcripts.outcome import outcome_of


@dataclass(frozen=True, slots=True)
class Called:
    """The model asked for a tool."""

    tool: str
    params: Mapping[str, Any]
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """The tool's answer; `failed` is None where the transcript does not say."""

    output: Any
    failed: bool | None = None
    id: str | None = None
    tool: str | None = None
    duration_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """Text of a person or of the model."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Asking:
    """A new turn of the model begins: calls without an id are not answered any more."""


Part = Called | Answered | Said | Asking
Parts = Callable[[Mapping[str, Any]], Iterator[Part]]


class Pairing:
    """Joins each answer of a session to its call; a call that never got one is dropped.

    At most `capacity` calls wait at a time, the oldest gives way: memory stays constant.
    """

    def __init__(self, session: str, capacity: int = 10_000) -> None:
        self.session = session
        self._capacity = capacity
        self._open: OrderedDict[str, Called] = OrderedDict()
        self._anonymous: list[Called] = []

    def take(self, part: Part, position: object, at: int | None) -> ToolResult | Message | None:
        """What this part completes: a call, something said, or nothing yet."""
        match part:
            case Said(role, said):
                key = message_key(self.session, position, role, said)
                return Message(role, said, self.session, at, key) if said.strip() else None
            case Asking():
                self._anonymous.clear()
            case Called():
                self._call(part)
            case Answered():
                call = self._called(part)
                return self._result(call, part, position, at) if call else None
        return None

    def _call(self, call: Called) -> None:
        if call.id is None:
            self._anonymous.append(call)
            return
        self._open[call.id] = call
        if len(self._open) > self._capacity:
            self._open.popitem(last=False)

    def _called(self, answer: Answered) -> Called | None:
        if answer.id is not None:
            return self._open.pop(answer.id, None)
        for call in self._anonymous:
            if answer.tool in (None, call.tool):
                self._anonymous.remove(call)
                return call
        return None

    def _result(
        self, call: Called, answer: Answered, position: object, at: int | None
    ) -> ToolResult:
        outcome = outcome_of(answer.output, answer.failed)
        duration = outcome.duration_ms if answer.duration_ms is None else answer.duration_ms
        key = call_key(self.session, call.id, call.tool, call.params, position)
        return ToolResult(
            tool=call.tool,
            params=call.params,
            result=outcome.result,
            error=outcome.error,
            session=self.session,
            duration_ms=duration,
            at=at,
            id=key,
        )
