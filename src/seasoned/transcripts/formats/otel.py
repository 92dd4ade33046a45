"""OpenTelemetry spans of GenAI tools, as OTLP/JSON or as a console exporter prints them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.core.messages import ToolResult
from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.outcome import outcome_of
from seasoned.transcripts.formats.shapes import arguments, first, items, mapping, named, text
from seasoned.transcripts.identity import json_digest
from seasoned.transcripts.item import Item, Record, SessionOrigin, TranscriptSource

name = "OpenTelemetry spans"

_BATCH = ("resourceSpans", "resource_spans")
_KINDS = ("gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind")
_TOOL_KINDS = ("execute_tool", "TOOL", "tool")
_TOOL = ("gen_ai.tool.name", "tool.name", "traceloop.entity.name")
_CALL = ("gen_ai.tool.call.id", "tool.id")
_PARAMS = ("gen_ai.tool.call.arguments", "tool_arguments", "input.value", "traceloop.entity.input")
_RESULT = ("gen_ai.tool.call.result", "tool_response", "output.value", "traceloop.entity.output")
_SESSION = ("gen_ai.conversation.id", "session.id", "conversation.id")
_USER = ("user.id", "enduser.id")
_START = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime")
_END = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime")
_ERROR_CODES = (2, "2", "ERROR", "STATUS_CODE_ERROR", "Error", "StatusCode.ERROR")


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is a span or a batch of spans."""
    return any(_is_batch(mapping(value)) or _is_span(mapping(value)) for value in values)


def _is_batch(record: Mapping[str, Any]) -> bool:
    return any(isinstance(record.get(key), list) for key in (*_BATCH, "scopeSpans")) or any(
        _is_span(mapping(span)) for span in items(record.get("spans"))
    )


def _is_span(record: Mapping[str, Any]) -> bool:
    timed = first(record, *_START) is not None or "duration" in record
    return "attributes" in record and bool(_trace_id(record)) and timed


class OtelReader:
    """Reads one file; the spans of a batch come in the order in which they ended."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source
        self._users: dict[str, str] = {}  # by session

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        if not _is_batch(value) and not _is_span(value):
            yield self._source.problem(record.line, "neither a span nor a batch of spans")
            return
        spans = list(_spans(value))
        for session, user in filter(None, map(_session_user, spans)):
            if self._users.get(session) != user:
                self._users[session] = user
                yield SessionOrigin(session, user=user)
        results = [found for span in spans if (found := _result(span)) is not None]
        yield from sorted(results, key=lambda result: result.at or 0)


def _spans(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if _is_span(value):
        yield value
    for batch in (mapping(batch) for key in _BATCH for batch in items(value.get(key))):
        yield from _spans(batch)
    for key in ("scopeSpans", "scope_spans", "instrumentationLibrarySpans"):
        for scope in items(value.get(key)):
            yield from _spans(mapping(scope))
    for span in items(value.get("spans")):
        yield from _spans(mapping(span))


def _result(span: Mapping[str, Any]) -> ToolResult | None:
    """Return the tool call of a span; None if the span is of another kind."""
    attributes = _attributes(span.get("attributes"))
    kind = first(attributes, *_KINDS)
    tool = first(attributes, *_TOOL)
    if not isinstance(tool, str) or not (kind is None or kind in _TOOL_KINDS):
        return None
    params = arguments(first(attributes, *_PARAMS))
    outcome = outcome_of(first(attributes, *_RESULT), False if _is_ok(span) else None)
    error = _error(span, attributes) or outcome.error
    start, end = micros(first(span, *_START)), micros(first(span, *_END))
    trace, own = _trace_id(span), _span_id(span)
    return ToolResult(
        tool=tool,
        params=params,
        result=outcome.result,
        error=error,
        session=_session(attributes, trace),
        duration_ms=_duration(span, start, end),
        at=start if end is None else end,
        id=json_digest("call", trace, own or [first(attributes, *_CALL), tool, params, start]),
    )


def _session(attributes: Mapping[str, Any], trace: str) -> str:
    session = first(attributes, *_SESSION)
    return str(session) if session is not None else trace


def _session_user(span: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the session and the user of a span that names its user."""
    attributes = _attributes(span.get("attributes"))
    user = named(attributes, *_USER)
    return (_session(attributes, _trace_id(span)), user) if user else None


def _error(span: Mapping[str, Any], attributes: Mapping[str, Any]) -> str | None:
    status = mapping(span.get("status"))
    failed = first(status, "code", "status_code", "statusCode") in _ERROR_CODES
    if not failed and "error.type" not in attributes:
        return None
    said = _exception(span) or text(first(status, "message", "description"))
    said = said or outcome_of(first(attributes, *_RESULT), failed=True).error or ""
    known = said if said not in ("", "null", "failed without a message") else ""
    return known or text(attributes.get("error.type")) or "failed without a message"


def _is_ok(span: Mapping[str, Any]) -> bool:
    code = first(mapping(span.get("status")), "code", "status_code", "statusCode")
    return code in (1, "1", "OK", "STATUS_CODE_OK", "Ok", "StatusCode.OK")


def _exception(span: Mapping[str, Any]) -> str:
    for event in (mapping(event) for event in items(span.get("events"))):
        if event.get("name") == "exception":
            told = _attributes(event.get("attributes"))
            kind, message = told.get("exception.type"), told.get("exception.message")
            return ": ".join(str(part) for part in (kind, message) if part)
    return ""


def _duration(span: Mapping[str, Any], start: int | None, end: int | None) -> float | None:
    if start is not None and end is not None:
        return max(0, end - start) / 1000
    micros_taken = span.get("duration")
    return micros_taken / 1000 if isinstance(micros_taken, int | float) else None


def _trace_id(span: Mapping[str, Any]) -> str:
    return text(first({**mapping(span.get("context")), **span}, "traceId", "trace_id"))


def _span_id(span: Mapping[str, Any]) -> str:
    return text(first({**mapping(span.get("context")), **span}, "spanId", "span_id", "id"))


def _attributes(value: object) -> Mapping[str, Any]:
    """Return attributes as an object, from either notation.

    >>> _attributes([{"key": "a", "value": {"intValue": "3"}}])
    {'a': 3}
    """
    if members := mapping(value):
        return members
    pairs = (mapping(pair) for pair in items(value))
    return {text(pair.get("key")): _value(mapping(pair.get("value"))) for pair in pairs}


def _value(value: Mapping[str, Any]) -> Any:
    kind, held = next(iter(value.items()), ("", None))
    if kind == "intValue":
        return _integer(held)
    if kind == "arrayValue":
        return [_value(mapping(element)) for element in items(mapping(held).get("values"))]
    if kind == "kvlistValue":
        return _attributes(mapping(held).get("values"))
    return held


def _integer(held: Any) -> Any:
    """OTLP writes 64-bit integers as strings."""
    try:
        return int(held) if isinstance(held, str) else held
    except ValueError:
        return held
