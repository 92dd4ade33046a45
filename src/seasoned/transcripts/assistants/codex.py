"""Codex CLI rollouts: wrapped records (`response_item`), the older bare ones, and `exec --json`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.parts import (
    Pairing,
    Part,
    ToolAnswer,
    ToolUse,
    Utterance,
    item_parts,
)
from seasoned.transcripts.formats.shapes import arguments, first, flat, mapping, text
from seasoned.transcripts.item import Item, Record, SessionOrigin, TranscriptSource

name = "Codex rollout"

_WRAPPED = ("session_meta", "response_item", "turn_context", "event_msg", "compacted")
_STREAMED = ("thread.started", "turn.started", "turn.completed", "item.started", "item.completed")
# Messages that the program writes in the user's name.
_BY_THE_PROGRAM = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|permissions|turn_aborted|skill|INSTRUCTIONS)\b"
    r"|# AGENTS\.md instructions)"
)
_CWD = re.compile(r"<cwd>([^<\n]+)</cwd>|^Current working directory: (.+)$", re.MULTILINE)


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is one of Codex's."""
    records = [mapping(value) for value in values]
    return any(_is_wrapped(record) for record in records) or bool(
        records and _is_bare_head(records[0]) and any(_is_bare(record) for record in records[1:])
    )


def _is_wrapped(record: Mapping[str, Any]) -> bool:
    kind = record.get("type")
    return (kind in _WRAPPED and "payload" in record) or (
        kind in _STREAMED and any(key in record for key in ("thread_id", "item", "usage"))
    )


def _is_bare_head(record: Mapping[str, Any]) -> bool:
    return {"id", "timestamp"} <= record.keys() and "role" not in record and "type" not in record


def _is_bare(record: Mapping[str, Any]) -> bool:
    return record.get("record_type") == "state" or isinstance(record.get("type"), str)


class CodexReader:
    """Reads one file, which is one session."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source
        self._pairing = Pairing(source.opening, source.tally)
        self._named = False
        self._folder = ""
        self._in_repository = False
        self._begun = False
        self._by_user = True  # else another agent wrote the prompts

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        kind = text(value.get("type"))
        if kind in ("session_meta", "thread.started") or _is_bare_head(value):
            self._name(value)
        elif kind == "turn_context":
            self._folder = self._folder or text(mapping(value.get("payload")).get("cwd"))
        elif kind == "response_item":
            yield from self._take(mapping(value.get("payload")), record.line, value)
        elif kind == "item.completed":
            yield from self._take(mapping(value.get("item")), record.line, value)
        elif kind and kind not in _WRAPPED and kind not in _STREAMED:
            yield from self._take(value, record.line, value)
        elif not kind and "record_type" not in value:
            yield self._source.problem(record.line, f"not a record of a {name}: it has no type")

    def _name(self, value: Mapping[str, Any]) -> None:
        """Take the session id from the first head; later ones belong to sessions it forked from."""
        head = {**value, **mapping(value.get("payload"))}
        found = text(first(head, "id", "thread_id"))
        if found and not self._named:
            self._pairing = Pairing(found, self._source.tally)
        if not self._named:
            self._folder = text(head.get("cwd"))
            self._in_repository = bool(mapping(head.get("git")))
            self._by_user = not mapping(head.get("source")).get("subagent")
        self._named = True

    def _take(self, item: Mapping[str, Any], line: int, outer: Mapping[str, Any]) -> Iterator[Item]:
        at = micros(outer.get("timestamp"))
        self._folder = self._folder or _folder_in(item)
        parts = list(_parts(item))
        if parts and not self._begun:
            self._begun = True
            session, folder = self._pairing.session, self._folder
            yield SessionOrigin(session, folder, self._in_repository, personal=True)
        for number, part in enumerate(parts):
            if isinstance(part, Utterance) and part.role == "user" and not self._by_user:
                continue
            found = self._pairing.take(part, (line, number), at)
            if found is not None:
                yield found


def _folder_in(item: Mapping[str, Any]) -> str:
    """Return the working directory in a block that older versions put before the first message."""
    said = text(flat(item.get("content"))) if item.get("role") == "user" else ""
    found = _CWD.search(said) if _BY_THE_PROGRAM.match(said) else None
    return (found[1] or found[2]).strip() if found else ""


def _parts(item: Mapping[str, Any]) -> Iterator[Part]:
    kind, role = item.get("type"), item.get("role")
    if kind == "message" and role in ("user", "assistant"):
        said = text(flat(item.get("content")))
        if not _BY_THE_PROGRAM.match(said):
            yield Utterance(role, said)
    elif kind == "agent_message":
        yield Utterance("assistant", text(item.get("text")))
    elif kind == "command_execution":
        yield from _finished(item, "shell", {"command": item.get("command")}, "aggregated_output")
    elif kind == "mcp_tool_call":
        tool = f"{text(item.get('server'))}__{text(item.get('tool'))}"
        yield from _finished(item, tool, arguments(item.get("arguments")), "result")
    else:
        yield from item_parts(item)


def _finished(
    item: Mapping[str, Any], tool: str, params: Mapping[str, Any], output: str
) -> Iterator[Part]:
    """Yield the call and the answer of an item that holds both."""
    call_id, code = text(item.get("id")), item.get("exit_code")
    failed = item.get("status") == "failed" or (isinstance(code, int) and code != 0)
    said = first(item, "error", output) if failed else item.get(output)
    if failed and isinstance(code, int) and not said:
        said = f"exit code {code}"
    yield ToolUse(tool, params, call_id)
    yield ToolAnswer(said, failed, call_id)


def is_by_the_program(said: str) -> bool:
    """Tell whether the program wrote this text in the user's name."""
    return _BY_THE_PROGRAM.match(said) is not None
