"""GitHub Copilot events: sessions of its command line, and the transcripts of its VS Code agent.

The transcripts of VS Code say whether a call worked, but not what it returned.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.outcome import ended_badly
from seasoned.transcripts.formats.parts import Part, ToolAnswer, ToolUse, Utterance
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import arguments, first, items, mapping, text
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "Copilot session"

NO_TEXT = ("result", "kept only as worked or failed, without the text")
_EVENTS = ("user.message", "assistant.message", "tool.execution_start", "tool.execution_complete")
_REFUSED = ("denied", "rejected")
_BY_THE_PROGRAM = ("<system_notification", "<system-reminder", "<skill-context")


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is an event of Copilot's agent."""
    return any(_is_event(mapping(value)) for value in values)


def _is_event(value: Mapping[str, Any]) -> bool:
    data = mapping(value.get("data"))
    if value.get("type") == "session.start":
        return "producer" in data or "sessionId" in data
    return value.get("type") in _EVENTS and bool(data) and "parentId" in value


class CopilotReader:
    """Reads one file, which is one session; each sub-agent in it is a session of its own."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source
        self._session = source.opening
        self._folder = ""
        self._in_repository = False
        self._logs: dict[str, SessionLog] = {}

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        kind, data = text(value.get("type")), mapping(value.get("data"))
        if not kind:
            yield self._source.problem(record.line, f"not a record of a {name}: it has no type")
        elif kind == "session.start":
            context = mapping(data.get("context"))
            self._session = text(data.get("sessionId")) or self._session
            self._folder = text(context.get("cwd"))
            self._in_repository = bool(context.get("gitRoot"))
        elif kind in _EVENTS:
            agent = text(first(value, "agentId")) or text(first(data, "agentId"))
            at = micros(value.get("timestamp"))
            position = text(value.get("id")) or record.line
            yield from self._log(agent).take(
                self._parts(kind, data), position, at, by_user=not agent
            )

    def _log(self, agent: str) -> SessionLog:
        if agent not in self._logs:
            self._logs[agent] = SessionLog(
                self._source,
                f"{self._session}/{agent}" if agent else self._session,
                folder=self._folder,
                in_repository=self._in_repository,
            )
        return self._logs[agent]

    def _parts(self, kind: str, data: Mapping[str, Any]) -> Iterator[Part]:
        content = text(data.get("content"))
        if kind == "user.message" and not content.startswith(_BY_THE_PROGRAM):
            yield Utterance("user", content)
        elif kind == "assistant.message":
            yield Utterance("assistant", content)
            for call in (mapping(call) for call in items(data.get("toolRequests"))):
                yield from _call(call, text(call.get("name")))
        elif kind == "tool.execution_start":
            yield from _call(data, text(data.get("toolName")))
        elif kind == "tool.execution_complete":
            if not {"result", "error"} & data.keys():
                self._source.tally.left_out[NO_TEXT] += 1
            yield _answer(data)


def _call(call: Mapping[str, Any], tool: str) -> Iterator[Part]:
    if tool:
        yield ToolUse(tool, arguments(call.get("arguments")), text(call.get("toolCallId")))


def _answer(data: Mapping[str, Any]) -> ToolAnswer:
    """Read a finished call; only the text says that a command failed."""
    error = mapping(data.get("error"))
    content = first(mapping(data.get("result")), "content", "detailedContent")
    failed = data.get("success") is False
    return ToolAnswer(
        (first(error, "message") or content) if failed else content,
        failed or ended_badly(content),
        text(data.get("toolCallId")),
        refused=error.get("code") in _REFUSED,
        cancelled=error.get("code") in ("cancelled", "aborted"),
    )
