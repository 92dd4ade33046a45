"""Traces of frameworks: runs of LangSmith, and spans of the OpenAI Agents SDK."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.core.messages import ToolResult
from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.outcome import outcome_of
from seasoned.transcripts.formats.shapes import (
    arguments,
    first,
    items,
    json_of,
    mapping,
    named,
    text,
)
from seasoned.transcripts.identity import json_digest
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "LangSmith or OpenAI Agents trace"

_OBJECTS = ("trace", "trace.span")


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is a run, a batch of runs, or a span."""
    return any(list(_runs(mapping(value))) or _is_span(mapping(value)) for value in values)


def _is_span(value: Mapping[str, Any]) -> bool:
    return value.get("object") in _OBJECTS


def _runs(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "run_type" in value and "id" in value:
        yield value
    for key in ("post", "patch", "runs"):
        for run in map(mapping, items(value.get(key))):
            if "id" in run and ("run_type" in run or "trace_id" in run):
                yield run


class TraceReader:
    """Reads one file; yields at its end, since a run is told in two pieces."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source
        self._all: dict[str, dict[str, Any]] = {}

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        runs = list(_runs(value))
        if not runs and not _is_span(value):
            yield self._source.problem(record.line, f"not a record of a {name}")
        for run in [value] if _is_span(value) else runs:
            known = self._all.setdefault(text(run.get("id")), {})
            known.update({key: one for key, one in run.items() if one is not None})

    def finish(self) -> Iterator[Item]:
        results = [found for run in self._all.values() if (found := _result(run)) is not None]
        yield from sorted(results, key=lambda one: one.at or 0)


def _result(run: Mapping[str, Any]) -> ToolResult | None:
    """Return the tool call of a run or a span; None if it is of another kind."""
    if _is_span(run):
        data = mapping(run.get("span_data"))
        wanted, tool = data.get("type") == "function", text(data.get("name"))
        given, told = data.get("input"), data.get("output")
        begun, ended = micros(run.get("started_at")), micros(run.get("ended_at"))
    else:
        wanted, tool = run.get("run_type") == "tool", text(run.get("name"))
        inputs = mapping(run.get("inputs"))
        given = json_of(inputs["input"]) if set(inputs) == {"input"} else inputs
        told = first(mapping(run.get("outputs")), "output", "result") or run.get("outputs")
        begun, ended = micros(run.get("start_time")), micros(run.get("end_time"))
    if not wanted or not tool:
        return None
    error = run.get("error")
    outcome = outcome_of(error if error else told, True if error else None)
    whole = begun is not None and ended is not None
    return ToolResult(
        tool=tool,
        params=arguments(given),
        result=outcome.result,
        error=outcome.error,
        session=named(run, "session_id", "trace_id") or text(run.get("id")),
        duration_ms=(ended - begun) / 1000 if whole and ended and begun else None,
        at=begun if ended is None else ended,
        id=json_digest("call", run.get("id")),
        refused=outcome.refused,
    )
