"""Chat sessions of VS Code (Copilot Chat): one JSON document, or a log of changes to one.

A session holds each call twice: as the model saw it, which is read, and as the window showed it,
which tells what was refused.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, cast

from seasoned.core.safe_json import decode
from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.parts import Part, ToolAnswer, ToolUse, Utterance
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import arguments, file_path, first, items, mapping, text
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "VS Code chat session"

_SNAPSHOT, _SET, _APPEND, _DELETE = 0, 1, 2, 3
_DENIED = 0  # how the window notes that the user did not allow a call


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is a session, or the first state of one."""
    return any(_is_session(_state(mapping(value))) for value in values)


def _state(value: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(value.get("v")) if value.get("kind") == _SNAPSHOT else value


def _is_session(value: Mapping[str, Any]) -> bool:
    known = any(key in value for key in ("requesterUsername", "responderUsername", "creationDate"))
    return known and isinstance(value.get("requests"), list)


class VSCodeChatReader:
    """Reads one file; yields at its end, when all changes are made."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source
        self._session: dict[str, Any] = {}

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        if _is_session(_state(value)):
            self._session = dict(_state(value))
        elif value.get("kind") in (_SET, _APPEND, _DELETE) and items(value.get("k")):
            if not _changed(self._session, value):
                yield self._source.problem(record.line, "a change to something that is not there")
        else:
            yield self._source.problem(record.line, f"neither a {name} nor a change to one")

    def finish(self) -> Iterator[Item]:
        log = SessionLog(self._source, text(self._session.get("sessionId")))
        log.locate(self._workspace())
        requests = [mapping(one) for one in items(self._session.get("requests"))]
        for request in requests:
            log.locate(_base(request))
        for position, request in enumerate(requests):
            key = text(request.get("requestId")) or position
            yield from log.take(_parts(request), key, micros(request.get("timestamp")))

    def _workspace(self) -> str:
        """Return the folder of the window, which a file beside the sessions names."""
        try:
            beside = self._source.path.parent.parent / "workspace.json"
            return file_path(mapping(decode(beside.read_text("utf-8"))).get("folder"))
        except (OSError, ValueError):
            return ""


def _changed(session: dict[str, Any], change: Mapping[str, Any]) -> bool:
    """Make a change at its place in the session; False if there is no such place."""
    *way, last = items(change.get("k"))
    holder: Any = session
    try:
        for step in way:
            holder = holder[step]
        if change.get("kind") == _SET:
            holder[last] = change.get("v")
        elif change.get("kind") == _DELETE:
            del holder[last]
        else:
            if isinstance(holder, dict):
                cast("dict[Any, Any]", holder).setdefault(last, [])
            kept = change.get("i")
            if isinstance(kept, int):
                del holder[last][kept:]
            holder[last] += items(change.get("v"))
    except (KeyError, IndexError, TypeError):
        return False
    return True


def _base(request: Mapping[str, Any]) -> str:
    bases = (mapping(mapping(part).get("baseUri")) for part in items(request.get("response")))
    return next((text(base.get("path")) for base in bases if base.get("path")), "")


def _parts(request: Mapping[str, Any]) -> Iterator[Part]:
    yield Utterance("user", text(mapping(request.get("message")).get("text")))
    response = [mapping(part) for part in items(request.get("response"))]
    shown = [part for part in response if part.get("kind") == "toolInvocationSerialized"]
    metadata = mapping(mapping(request.get("result")).get("metadata"))
    rounds = [mapping(one) for one in items(metadata.get("toolCallRounds"))]
    calls = [mapping(call) for one in rounds for call in items(one.get("toolCalls"))]
    results = mapping(metadata.get("toolCallResults"))
    if calls:
        same = shown if len(shown) == len(calls) else []
        for call, view in zip_longest(calls, same, fillvalue=mapping(None)):
            yield from _call(call, mapping(results.get(text(call.get("id")))), view)
    else:
        for view in shown:
            yield from _shown_call(view)
    yield Utterance("assistant", "".join(_said(part) for part in response if "kind" not in part))


def _said(part: Mapping[str, Any]) -> str:
    value = part.get("value")
    return value if isinstance(value, str) else text(mapping(value).get("value"))


def _call(
    call: Mapping[str, Any], result: Mapping[str, Any], view: Mapping[str, Any]
) -> Iterator[Part]:
    tool, call_id = text(call.get("name")), text(call.get("id"))
    if not tool:
        return
    yield ToolUse(tool, arguments(call.get("arguments")), call_id)
    if result:
        output = "\n".join(
            _tree(mapping(part).get("value")) for part in items(result.get("content"))
        )
        failed = True if mapping(view.get("resultDetails")).get("isError") is True else None
        yield ToolAnswer(output, failed, call_id, refused=_is_denied(view))


def _shown_call(view: Mapping[str, Any]) -> Iterator[Part]:
    """Yield a call of which only the window's view is left."""
    tool, call_id = text(view.get("toolId")), text(view.get("toolCallId"))
    details = mapping(view.get("resultDetails"))
    if tool:
        yield ToolUse(tool, arguments(details.get("input")), call_id)
    if tool and view.get("isComplete") is True and (details or _is_denied(view)):
        output = [mapping(one).get("value") for one in items(details.get("output"))]
        said = "\n".join(one for one in output if isinstance(one, str))
        failed = details.get("isError") is True
        yield ToolAnswer(said, failed, call_id, refused=_is_denied(view))


def _is_denied(view: Mapping[str, Any]) -> bool:
    confirmed = view.get("isConfirmed")
    return confirmed is False or (
        isinstance(confirmed, dict) and mapping(confirmed).get("type") == _DENIED  # pyright: ignore[reportUnknownArgumentType]
    )


def _tree(value: object) -> str:
    """Join the texts of a prompt that is kept as a tree."""
    if isinstance(value, str):
        return value
    node = mapping(value)
    below = first(node, "node", "children", "value")
    said = text(node.get("text"))
    inner = items(below) or ([below] if below is not None else [])
    return said + "".join(_tree(one) for one in inner)
