"""Read a transcript: recognise its format by the content, then yield its items."""

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol

from seasoned.core.messages import Message, ToolResult
from seasoned.transcripts.assistants import (
    amp,
    claude_code,
    cline,
    codex,
    continue_dev,
    copilot,
    cursor,
    cursor_store,
    droid,
    gemini,
    goose,
    kimi,
    markdown,
    opencode,
    pi,
    qwen,
    vscode_chat,
    windsurf,
)
from seasoned.transcripts.containers import file_entries
from seasoned.transcripts.formats import (
    anthropic,
    chat_exports,
    inspect_logs,
    openai,
    openhands,
    otel,
    plain,
    swe_agent,
    traces,
)
from seasoned.transcripts.identity import json_digest
from seasoned.transcripts.item import (
    Item,
    LeftOut,
    Record,
    SessionOrigin,
    Tally,
    TranscriptProblem,
    TranscriptSource,
)
from seasoned.transcripts.records import FILE_LIMIT, LINE_LIMIT, BrokenJson, Entry, JsonValue

_FIRST_RECORDS = 64
_FIRST_BYTES = 4 * 1024 * 1024
# Number of records whose digest names a session that has no id.
_OPENING = 4
_READ_ERRORS = (OSError, EOFError, zlib.error)

# What a sound file may hold that teaches nothing.
NO_CALLS = "no tool calls, only messages (corrections in them count)"
NOTHING = "neither tool calls nor messages"
NO_RESULTS = "but not one with its result: nothing can be learned from calls alone"
UNANSWERED = "without a result (stopped, or the file is cut)"
STRAYS = "whose call is not in the file (it is cut)"
UNKNOWN = "not a transcript we know"


class TranscriptReader(Protocol):
    """Reads one file in one format."""

    def read(self, record: Record) -> Iterator[Item]: ...


class WholeFileReader(TranscriptReader, Protocol):
    """Reads a format in which a later record may change an earlier one."""

    def finish(self) -> Iterator[Item]:
        """Yield what can be told only at the end of the file."""
        ...


@dataclass(frozen=True, slots=True)
class TranscriptFormat:
    """A transcript format: how to recognise it, and its reader."""

    name: str
    recognises: Callable[[Sequence[Any]], bool]
    begin: Callable[[TranscriptSource], TranscriptReader]


# The first format that recognises a file reads it, so the most specific come first: Cursor, Droid
# and Qwen Code write lines that resemble those of Claude Code.
FORMATS = (
    TranscriptFormat(cursor.name, cursor.recognises, cursor.CursorReader),
    TranscriptFormat(qwen.name, qwen.recognises, qwen.QwenReader),
    TranscriptFormat(droid.name, droid.recognises, droid.DroidReader),
    TranscriptFormat(claude_code.name, claude_code.recognises, claude_code.ClaudeCodeReader),
    TranscriptFormat(codex.name, codex.recognises, codex.CodexReader),
    TranscriptFormat(copilot.name, copilot.recognises, copilot.CopilotReader),
    TranscriptFormat(gemini.name, gemini.recognises, gemini.GeminiReader),
    TranscriptFormat(opencode.name, opencode.recognises, opencode.OpenCodeReader),
    TranscriptFormat(pi.name, pi.recognises, pi.PiReader),
    TranscriptFormat(kimi.name, kimi.recognises, kimi.KimiReader),
    TranscriptFormat(goose.name, goose.recognises, goose.GooseReader),
    TranscriptFormat(windsurf.name, windsurf.recognises, windsurf.WindsurfReader),
    TranscriptFormat(vscode_chat.name, vscode_chat.recognises, vscode_chat.VSCodeChatReader),
    TranscriptFormat(cursor_store.name, cursor_store.recognises, cursor_store.CursorStoreReader),
    TranscriptFormat(amp.name, amp.recognises, amp.AmpReader),
    TranscriptFormat(continue_dev.name, continue_dev.recognises, continue_dev.ContinueReader),
    TranscriptFormat(cline.name, cline.recognises, cline.ClineReader),
    TranscriptFormat(markdown.name, markdown.recognises, markdown.MarkdownReader),
    TranscriptFormat(openhands.name, openhands.recognises, openhands.OpenHandsReader),
    TranscriptFormat(swe_agent.name, swe_agent.recognises, swe_agent.SweAgentReader),
    TranscriptFormat(inspect_logs.name, inspect_logs.recognises, inspect_logs.InspectReader),
    TranscriptFormat(chat_exports.name, chat_exports.recognises, chat_exports.ChatExportReader),
    TranscriptFormat(traces.name, traces.recognises, traces.TraceReader),
    TranscriptFormat(otel.name, otel.recognises, otel.OtelReader),
    TranscriptFormat(plain.name, plain.recognises, plain.PlainCallReader),
    TranscriptFormat(anthropic.name, anthropic.recognises, anthropic.AnthropicReader),
    TranscriptFormat(openai.name, openai.recognises, openai.OpenAIReader),
)


class Reading:
    """One file being read; iterate over it for its items.

    `format` is the name of its format once the first item was asked for; None if it is unknown.
    """

    def __init__(
        self, path: Path, line_limit: int = LINE_LIMIT, file_limit: int = FILE_LIMIT
    ) -> None:
        self.path = path
        self.format: str | None = None
        self._limits = (line_limit, file_limit)

    def __iter__(self) -> Iterator[Item]:
        try:
            yield from self._items(file_entries(self.path, *self._limits))
        except _READ_ERRORS as error:
            yield TranscriptProblem(self.path, 0, f"cannot be read: {_why(error)}")

    def origins(self, most: int = _FIRST_RECORDS) -> list[SessionOrigin]:
        """Return where the sessions in the first records took place."""
        try:
            first = _first(islice(file_entries(self.path, *self._limits), most))
        except _READ_ERRORS:
            return []
        return [item for item in self._items(iter(first)) if isinstance(item, SessionOrigin)]

    def _items(self, stream: Iterator[Entry]) -> Iterator[Item]:
        first = _first(stream)
        values = _values(first)
        found = _recognised(values)
        if found is None:
            yield TranscriptProblem(self.path, 0, _unknown(first))
            return
        self.format = found.name
        source = TranscriptSource(self.path, json_digest("opening", values[:_OPENING]))
        calls = messages = 0
        for item in self._told(found.begin(source), chain(first, stream)):
            calls += isinstance(item, ToolResult)
            messages += isinstance(item, Message)
            yield item
        for reason, count, thing in _left_out(source.tally, calls, messages):
            yield LeftOut(self.path, reason, count, thing)

    def _told(self, reading: TranscriptReader, stream: Iterator[Entry]) -> Iterator[Item]:
        for entry in stream:
            if isinstance(entry, BrokenJson):
                yield TranscriptProblem(self.path, entry.line, entry.reason)
            else:
                yield from reading.read(Record(entry.line, entry.value))
        finish: Callable[[], Iterator[Item]] | None = getattr(reading, "finish", None)
        if finish is not None:
            yield from finish()


def read(path: Path, line_limit: int = LINE_LIMIT, file_limit: int = FILE_LIMIT) -> Iterator[Item]:
    """Yield the items of a transcript in order, with a `TranscriptProblem` for each unusable part.

    Never raises for the content of a file. Reads JSONL in constant memory. At the end a `LeftOut`
    says what in a sound file teaches nothing.
    """
    return iter(Reading(path, line_limit, file_limit))


def format_of(path: Path) -> str | None:
    """Return the name of a transcript's format; None if it is unknown or cannot be read."""
    try:
        found = _recognised(_values(_first(file_entries(path))))
    except _READ_ERRORS:
        return None
    return found.name if found else None


def origins_in(path: Path) -> list[SessionOrigin]:
    """Return where the sessions in the first records of a transcript took place."""
    return Reading(path).origins()


def _left_out(tally: Tally, calls: int, messages: int) -> Iterator[tuple[str, int, str]]:
    """Yield the reasons why something in a file teaches nothing, with how many of what."""
    unanswered = tally.calls - tally.answered
    if unanswered > 0:
        yield (UNANSWERED if calls else NO_RESULTS), unanswered, "call"
    if tally.strays:
        yield STRAYS, tally.strays, "result"
    for (thing, reason), count in tally.left_out.items():
        yield reason, count, thing
    if not (calls or tally.calls or tally.strays):
        yield (NO_CALLS if messages else NOTHING), 0, ""


def _first(stream: Iterator[Entry]) -> list[Entry]:
    """Read enough entries to recognise the format."""
    found: list[Entry] = []
    size = 0
    for entry in islice(stream, _FIRST_RECORDS):
        found.append(entry)
        size += entry.size if isinstance(entry, JsonValue) else 0
        if size > _FIRST_BYTES:
            break
    return found


def _values(first: Sequence[Entry]) -> list[Any]:
    return [entry.value for entry in first if isinstance(entry, JsonValue)]


def _recognised(values: Sequence[Any]) -> TranscriptFormat | None:
    return next((format_ for format_ in FORMATS if format_.recognises(values)), None)


def _unknown(first: Sequence[Entry]) -> str:
    if not first:
        return "the file is empty"
    broken = next((entry for entry in first if isinstance(entry, BrokenJson)), None)
    line = f"line {broken.line}: " if broken and broken.line else ""
    return f"{UNKNOWN} ({line}{broken.reason})" if broken else UNKNOWN


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
