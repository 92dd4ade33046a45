"""OpenHands runs: the history in an evaluation's output, and the events of a conversation."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.parts import Part, ToolAnswer, ToolUse, TurnStart, Utterance
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import (
    arguments,
    first,
    items,
    mapping,
    named,
    number,
    text,
)
from seasoned.transcripts.identity import json_digest
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "OpenHands run"

_NOT_CALLS = ("message", "system", "finish", "recall", "change_agent_state", "null", "think")
_NOT_PARAMS = ("thought", "action", "is_confirmed", "action_risk", "confirmation_state", "source")
_STILL_RUNNING = -1


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is a run with its history."""
    return any(_is_run(mapping(value)) for value in values)


def _is_run(value: Mapping[str, Any]) -> bool:
    events = _events(value)
    return bool(events) and all("action" in one or "observation" in one for one in events[:3])


def _events(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the history; older ones list pairs of an action and its observation."""
    flat = [one for event in items(value.get("history")) for one in (items(event) or [event])]
    return [mapping(one) for one in flat]


class OpenHandsReader:
    """Reads one file; each run in it is a session."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        if not _is_run(value):
            yield self._source.problem(record.line, f"not an {name}")
            return
        events = _events(value)
        session = json_digest("session", first(value, "conversation_id"), events[:4], record.line)
        personal = "conversation_id" in value
        log = SessionLog(self._source, session, personal=personal)
        known = {named(event, "id") for event in events if "action" in event}
        for position, event in enumerate(events):
            at = micros(event.get("timestamp"))
            parts = _action(event) if "action" in event else _observation(event, known)
            by_user = not event.get("delegate_level")
            yield from log.take(parts, position, at, by_user=by_user)


def _action(event: Mapping[str, Any]) -> Iterator[Part]:
    action, args = text(event.get("action")), mapping(event.get("args")) or event
    role = "user" if event.get("source") == "user" or "source" not in event else "assistant"
    if action == "message":
        yield Utterance(role, text(args.get("content")))
    if action in _NOT_CALLS:
        return
    yield TurnStart()
    yield Utterance("assistant", text(args.get("thought")))
    called = mapping(event.get("tool_call_metadata"))
    tool, call_id = text(called.get("function_name")), text(called.get("tool_call_id"))
    given = _given(called, call_id)
    params = given or {key: one for key, one in args.items() if key not in _NOT_PARAMS and one}
    yield ToolUse(tool or action, params, named(event, "id") or None)


def _given(called: Mapping[str, Any], call_id: str) -> dict[str, Any]:
    """Return the arguments as the model wrote them."""
    for choice in map(mapping, items(mapping(called.get("model_response")).get("choices"))):
        for call in map(mapping, items(mapping(choice.get("message")).get("tool_calls"))):
            if call.get("id") == call_id:
                return arguments(mapping(call.get("function")).get("arguments"))
    return {}


def _observation(event: Mapping[str, Any], known: set[str]) -> Iterator[Part]:
    kind, extras = text(event.get("observation")), mapping(event.get("extras"))
    if kind in ("agent_state_changed", "recall", "think", "null", ""):
        return
    cause = named(event, "cause")
    if cause not in known:  # older events have no ids, and follow their action
        cause = "none" if "id" in event or kind in ("error", "message") else ""
    content = text(event.get("content"))
    code = number(first({**extras, **mapping(extras.get("metadata")), **event}, "exit_code"))
    failed = (
        kind == "error" or content.startswith("ERROR:") or code not in (None, 0, _STILL_RUNNING)
    )
    yield ToolAnswer(
        content or (f"exit code {code:.0f}" if failed and code else ""),
        True if failed else (False if code == 0 else None),
        cause or None,
        refused=kind == "user_rejected",
    )
