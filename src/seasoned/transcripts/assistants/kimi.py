"""Kimi sessions (`wire.jsonl`): those of Kimi Code, and of the older Kimi CLI."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from seasoned.core.safe_json import decode
from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.outcome import ended_badly
from seasoned.transcripts.formats.parts import Part, ToolAnswer, ToolUse, Utterance
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import arguments, first, flat, mapping, text
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "Kimi session"

_REFUSED = ("rejected", "denied")


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is the head of a session, or an event of one."""
    return any(
        (one.get("type") == "metadata" and "protocol_version" in one)
        or text(one.get("type")).startswith("context.append_")
        for one in map(mapping, values)
    )


class KimiReader:
    """Reads one file, which is one session or one of its sub-agents."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source
        self._log = SessionLog(source, folder=_folder(source.path))
        self._refused: set[str] = set()
        self._pieces: dict[str, list[str]] = {}  # arguments that come in pieces, by call
        self._tools: dict[str, str] = {}
        self._last = ""

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        message = mapping(value.get("message"))
        if isinstance(value.get("type"), str):
            self._log.locate(text(value.get("cwd")))
            parts = self._event(value["type"], value)
        elif "payload" in message:
            parts = self._wired(text(message.get("type")), mapping(message["payload"]))
        else:
            yield self._source.problem(record.line, f"not a record of a {name}")
            return
        at = micros(first(value, "time", "timestamp"))
        yield from self._log.take(parts, record.line, at)

    def _event(self, kind: str, value: Mapping[str, Any]) -> Iterator[Part]:
        """Yield the parts of an event of Kimi Code."""
        if kind == "turn.prompt" and mapping(value.get("origin")).get("kind") == "user":
            yield Utterance("user", text(flat(value.get("input"))))
        elif kind == "permission.record_approval_result":
            if mapping(value.get("result")).get("decision") in _REFUSED:
                self._refused.add(text(value.get("toolCallId")))
        elif kind == "context.append_loop_event":
            event = mapping(value.get("event"))
            part, call_id = mapping(event.get("part")), text(event.get("toolCallId"))
            if event.get("type") == "content.part" and part.get("type") == "text":
                yield Utterance("assistant", text(part.get("text")))
            elif event.get("type") == "tool.call" and text(event.get("name")):
                self._log.locate(text(mapping(event.get("display")).get("cwd")))
                yield ToolUse(event["name"], arguments(event.get("args")), call_id)
            elif event.get("type") == "tool.result":
                result = mapping(event.get("result"))
                yield self._answer(flat(result.get("output")), result.get("isError"), call_id)

    def _wired(self, kind: str, payload: Mapping[str, Any]) -> Iterator[Part]:
        """Yield the parts of a message of the older Kimi CLI."""
        if kind == "TurnBegin":
            yield Utterance("user", text(flat(payload.get("user_input"))))
        elif kind == "ContentPart" and payload.get("type") == "text":
            yield Utterance("assistant", text(payload.get("text")))
        elif kind == "ToolCall":
            function = mapping(payload.get("function"))
            self._last = text(payload.get("id"))
            self._tools[self._last] = text(function.get("name"))
            self._pieces[self._last] = [text(function.get("arguments"))]
        elif kind == "ToolCallPart":
            self._pieces.setdefault(self._last, []).append(text(payload.get("arguments_part")))
        elif kind == "ToolResult":
            call_id, result = (
                text(payload.get("tool_call_id")),
                mapping(payload.get("return_value")),
            )
            tool = self._tools.pop(call_id, "")
            if tool:
                yield ToolUse(tool, arguments("".join(self._pieces.pop(call_id, []))), call_id)
            failed = result.get("is_error")
            said = [text(flat(result.get("output"))), text(result.get("message"))]
            output = "\n".join(one for one in said if one) if failed else said[0]
            yield self._answer(output, failed, call_id)
        elif kind == "SubagentEvent":
            event = mapping(payload.get("event"))
            if event.get("type") != "TurnBegin":  # the prompt is another agent's
                yield from self._wired(text(event.get("type")), mapping(event.get("payload")))

    def _answer(self, output: object, failed: object, call_id: str) -> ToolAnswer:
        refused = call_id in self._refused
        return ToolAnswer(output, failed is True or ended_badly(output), call_id, refused=refused)


def _folder(path: Path) -> str:
    """Return the folder that the session's state names, beside the file or two levels above."""
    for place in (path.parent, path.parent.parent.parent):
        try:
            state = mapping(decode((place / "state.json").read_text("utf-8")))
        except (OSError, ValueError):
            continue
        if text(state.get("workDir")):
            return text(state.get("workDir"))
    return ""
