"""Gemini CLI sessions: one JSON document, or JSONL in which later lines change earlier ones.

A session names its folder only by a digest; the folder is found among the paths it mentions.
"""

import hashlib
import json
import ntpath
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.outcome import ended_badly
from seasoned.transcripts.formats.parts import Part, ToolAnswer, ToolUse, Utterance
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import arguments, first, items, mapping, text
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "Gemini CLI session"

_FINISHED = ("success", "error", "cancelled")
_ATTACHED = "--- Content from referenced files ---"
_PATH = re.compile(r"(?:/|[A-Za-z]:\\\\?)[\w.@+ ~\\/-]{2,300}")
_MOST_PATHS = 2000


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is the head of a session."""
    return any({"sessionId", "projectHash"} <= mapping(value).keys() for value in values)


class GeminiReader:
    """Reads one file; yields at its end, when it is known which messages were taken back."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source
        self._head: dict[str, Any] = {}
        self._messages: dict[str, Mapping[str, Any]] = {}  # by id; the last of an id counts

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        change = mapping(value.get("$set"))
        if "projectHash" in value:
            self._head.update(value)
            self._keep(items(value.get("messages")), record.line)
        elif change:
            self._head.update(change)
            if "messages" in change:
                self._messages.clear()
                self._keep(items(change.get("messages")), record.line)
        elif "$rewindTo" in value:
            self._rewind(text(value.get("$rewindTo")))
        elif isinstance(value.get("type"), str):
            self._keep([value], record.line)
        else:
            yield self._source.problem(record.line, f"not a record of a {name}")

    def finish(self) -> Iterator[Item]:
        log = SessionLog(self._source, text(self._head.get("sessionId")))
        log.locate(self._folder())
        by_user = self._head.get("kind") in (None, "main")
        for key, message in self._messages.items():
            at = micros(message.get("timestamp"))
            yield from log.take(_parts(message), key, at, by_user=by_user)

    def _keep(self, messages: Sequence[Any], line: int) -> None:
        for number, message in enumerate(map(mapping, messages)):
            self._messages[text(message.get("id")) or f"{line}.{number}"] = message

    def _rewind(self, target: str) -> None:
        """Drop the messages after this one, which the user took back."""
        kept = list(self._messages)
        if target in self._messages:
            for key in kept[kept.index(target) + 1 :]:
                del self._messages[key]

    def _folder(self) -> str:
        told = next((text(one) for one in items(self._head.get("directories"))), "")
        wanted = text(self._head.get("projectHash"))
        if told or not wanted:
            return told
        calls = [call for one in self._messages.values() for call in items(one.get("toolCalls"))]
        found = _PATH.findall(json.dumps(calls, ensure_ascii=False))[:_MOST_PATHS]
        tried: set[str] = set()
        for place in (place for path in found for place in _places(path)):
            if place in tried:
                continue
            tried.add(place)
            if hashlib.sha256(place.encode("utf-8", "replace")).hexdigest() == wanted:
                return place
        return ""


def _places(path: str) -> Iterator[str]:
    """Yield a path and the folders above it."""
    path = path.replace("\\\\", "\\")  # as JSON writes it
    parts = ntpath if path[1:2] == ":" else posixpath
    while len(path) > len(parts.dirname(path)) > 0:
        yield path
        path = parts.dirname(path)


def _parts(message: Mapping[str, Any]) -> Iterator[Part]:
    kind = message.get("type")
    if kind == "user":
        yield Utterance("user", _said(first(message, "displayContent", "content")))
    elif kind == "gemini":
        yield Utterance("assistant", _said(message.get("content")))
        for call in items(message.get("toolCalls")):
            yield from _call(mapping(call))


def _call(call: Mapping[str, Any]) -> Iterator[Part]:
    tool, call_id, status = text(call.get("name")), text(call.get("id")), call.get("status")
    if not tool:
        return
    params = arguments(call.get("args"))
    yield ToolUse(tool, params, call_id)
    if status not in _FINISHED:
        return
    output = _output(call)
    refused = status == "cancelled" and "denied" in str(output).lower()
    bad_exit = status == "success" and "command" in params and ended_badly(output)
    yield ToolAnswer(
        output,
        status != "success" or bad_exit,
        call_id,
        refused=refused,
        cancelled=status == "cancelled" and not refused,
    )


def _output(call: Mapping[str, Any]) -> Any:
    """Return what the model was told, else what the user was shown."""
    for part in (mapping(part) for part in items(call.get("result"))):
        response = mapping(mapping(part.get("functionResponse")).get("response"))
        told = first(response, "error", "output")
        if told is not None:
            return told
    return first(call, "result", "resultDisplay")


def _said(content: object) -> str:
    """Join the text of a message, without the files that the user referred to."""
    if isinstance(content, str):
        return content
    texts = [text(mapping(part).get("text")) for part in items(content)]
    end = next((n for n, one in enumerate(texts) if _ATTACHED in one), len(texts))
    return "\n".join(texts[:end])
