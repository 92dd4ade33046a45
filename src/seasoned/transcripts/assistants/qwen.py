"""Qwen Code chats: records like those of Claude Code, with Gemini's function calls in them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.outcome import ended_badly
from seasoned.transcripts.formats.parts import Part, ToolAnswer, ToolUse, Utterance
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import arguments, first, items, mapping, text
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "Qwen Code chat"

_BY_THE_PROGRAM = re.compile(r"\s*<(?:qwen:|system-reminder)")


def recognises(values: Sequence[Any]) -> bool:
    """Whether any message is written in parts, as Gemini's are."""
    records = (mapping(value) for value in values)
    return any(
        "sessionId" in one and isinstance(mapping(one.get("message")).get("parts"), list)
        for one in records
    )


class QwenReader:
    """Reads one file; a branch that goes on from an earlier message is a session of its own."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source
        self._log: SessionLog | None = None
        self._last = ""

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        if not isinstance(value.get("type"), str):
            yield self._source.problem(record.line, f"not a record of a {name}: it has no type")
            return
        own, parent = text(value.get("uuid")), text(value.get("parentUuid"))
        log = self._log
        if log is None or (parent not in ("", self._last, own) and own != self._last):
            session = text(value.get("sessionId")) or self._source.opening
            in_repository = bool(text(value.get("gitBranch")))
            branch = f"{session}/{own}" if log else session
            log = SessionLog(
                self._source, branch, folder=text(value.get("cwd")), in_repository=in_repository
            )
            self._log = log
        self._last = own
        at = micros(value.get("timestamp"))
        by_user = value.get("subtype") != "notification" and not value.get("agentId")
        yield from log.take(_parts(value), (own, record.line), at, by_user=by_user)


def _parts(value: Mapping[str, Any]) -> Iterator[Part]:
    kind = value.get("type")
    for part in (mapping(part) for part in items(mapping(value.get("message")).get("parts"))):
        call, answer = mapping(part.get("functionCall")), mapping(part.get("functionResponse"))
        said = text(part.get("text"))
        if call and text(call.get("name")):
            yield ToolUse(call["name"], arguments(call.get("args")), text(call.get("id")))
        elif answer:
            yield _answer(answer, mapping(value.get("toolCallResult")))
        elif (
            kind in ("user", "assistant")
            and not part.get("thought")
            and not _BY_THE_PROGRAM.match(said)
        ):
            yield Utterance("user" if kind == "user" else "assistant", said)


def _answer(answer: Mapping[str, Any], outcome: Mapping[str, Any]) -> ToolAnswer:
    response = mapping(answer.get("response"))
    output = first(response, "error", "output")
    status = outcome.get("status")
    refused = status == "cancelled" and "denied" in str(output).lower()
    failed = status == "error" or response.get("error") is not None or ended_badly(output)
    return ToolAnswer(
        response if output is None else output,
        failed,
        text(answer.get("id")) or text(outcome.get("callId")),
        refused=refused,
        cancelled=status == "cancelled" and not refused,
    )
