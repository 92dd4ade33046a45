"""Cursor's databases: conversations of its editor (`state.vscdb`) and of its agent (`store.db`)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.core.safe_json import decode
from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.parts import Part, ToolAnswer, ToolUse, Utterance
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import (
    arguments,
    between,
    file_path,
    first,
    flat,
    items,
    json_of,
    mapping,
    number,
    text,
)
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "Cursor or VS Code database"

BINARY = ("record", "in a binary form that we cannot read")
_USER = (1, "user")
_FINISHED = ("completed", "error", "cancelled")
_QUERY = ("<user_query>", "</user_query>")
_WORKSPACE = re.compile(r"^Workspace Path: (.+)$", re.MULTILINE)
_BY_THE_PROGRAM = re.compile(r"\s*<(?:user_info|project_layout|rules|git_status|system_reminder)\b")


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is a conversation of Cursor's databases."""
    return any(
        {"composer", "bubbles"} <= one.keys() or {"agent", "binary"} <= one.keys()
        for one in map(mapping, values)
    )


class CursorStoreReader:
    """Reads one database."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        if "composer" in value:
            yield from self._composer(mapping(value.get("composer")), items(value.get("bubbles")))
        else:
            binary = value.get("binary")
            if isinstance(binary, int) and binary > 0:
                self._source.tally.left_out[BINARY] += binary
            yield from self._agent(mapping(value.get("agent")), items(value.get("messages")))

    def _composer(self, composer: Mapping[str, Any], bubbles: Sequence[Any]) -> Iterator[Item]:
        log = SessionLog(self._source, text(composer.get("composerId")))
        uri = mapping(mapping(composer.get("workspaceIdentifier")).get("uri"))
        log.locate(text(first(uri, "fsPath", "path")) or self._workspace())
        created = micros(composer.get("createdAt"))
        by_user = not first(composer, "subagentInfo", "parentComposerId")
        for position, bubble in enumerate(map(mapping, bubbles)):
            at = micros(bubble.get("createdAt"))
            key = text(first(bubble, "bubbleId", "id")) or position
            moment = created if at is None else at
            yield from log.take(_bubble(bubble), key, moment, by_user=by_user)

    def _agent(self, head: Mapping[str, Any], messages: Sequence[Any]) -> Iterator[Item]:
        log = SessionLog(self._source, text(head.get("agentId")))
        at = micros(head.get("createdAt"))
        for position, message in enumerate(map(mapping, messages)):
            found = _WORKSPACE.search(text(flat(message.get("content"))))
            log.locate(found[1].strip() if found else "")
            yield from log.take(_message(message), position, at)

    def _workspace(self) -> str:
        """Return the folder of the window, which a file beside its database names."""
        try:
            beside = self._source.path.with_name("workspace.json").read_text("utf-8")
            return file_path(mapping(decode(beside)).get("folder"))
        except (OSError, ValueError):
            return ""


def _bubble(bubble: Mapping[str, Any]) -> Iterator[Part]:
    role = "user" if bubble.get("type") in _USER else "assistant"
    yield Utterance(role, text(first(bubble, "text", "rawText")))
    call = mapping(bubble.get("toolFormerData"))
    tool, call_id = text(call.get("name")), text(call.get("toolCallId"))
    if not tool:
        return
    call_id = call_id or text(bubble.get("bubbleId"))
    yield ToolUse(tool, arguments(first(call, "rawArgs", "params")), call_id)
    status, refused = call.get("status"), call.get("userDecision") == "rejected"
    if status not in _FINISHED and not refused:
        return
    result = json_of(call.get("result"))
    told = mapping(result)
    code = number(first(told, "exitCodeV2", "exitCode"))
    refused = refused or told.get("rejected") is True
    yield ToolAnswer(
        _said(first(call, "error")) or _said(result) if status != "completed" else result,
        status != "completed" or bool(code),
        call_id,
        refused=refused,
        cancelled=status == "cancelled" and not refused,
    )


def _said(value: object) -> Any:
    """Return the message in an error that is kept as JSON in a string."""
    decoded = json_of(value)
    told = first(
        mapping(decoded),
        "clientVisibleErrorMessage",
        "modelVisibleErrorMessage",
        "error",
        "message",
    )
    return decoded if told is None else told


def _message(message: Mapping[str, Any]) -> Iterator[Part]:
    role, content = message.get("role"), message.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else items(content)
    for part in map(mapping, parts):
        kind, call_id = part.get("type"), text(part.get("toolCallId"))
        if kind == "text" and role in ("user", "assistant"):
            said = text(part.get("text"))
            query = between(said, *_QUERY)
            if query or not _BY_THE_PROGRAM.match(said):
                yield Utterance("user" if role == "user" else "assistant", query or said)
        elif kind == "tool-call" and text(part.get("toolName")):
            yield ToolUse(part["toolName"], arguments(first(part, "args", "input")), call_id)
        elif kind == "tool-result":
            failed = part.get("isError")
            output = first(part, "result", "output", "experimental_content")
            yield ToolAnswer(flat(output), failed if isinstance(failed, bool) else None, call_id)
