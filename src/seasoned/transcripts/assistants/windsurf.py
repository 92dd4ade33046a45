"""Windsurf transcripts, as its hooks write them: a step on each line, call and result together."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.parts import Part, ToolAnswer, ToolUse, Utterance
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import file_path, first, mapping, number, text
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "Windsurf transcript"

_ENDED = ("done", "error", "canceled", "cancelled")
# What a step returned; the rest is what it was called with.
_RETURNED = frozenset(
    "content output exit_code total_results user_rejected acknowledgement_type original_content "
    "error results response end_line".split()
)


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is a step."""
    return any(_is_step(mapping(value)) for value in values)


def _is_step(value: Mapping[str, Any]) -> bool:
    kind = text(value.get("type"))
    return isinstance(value.get("status"), str) and bool(kind) and isinstance(value.get(kind), dict)


class WindsurfReader:
    """Reads one file, which is one session; it has no ids and no times.

    Only a command tells the folder, so the steps before the first one wait for it.
    """

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source
        self._log = SessionLog(source)
        self._waiting: list[Record] | None = []

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        if not text(value.get("type")):
            yield self._source.problem(record.line, f"not a step of a {name}")
            return
        folder = text(mapping(value.get("run_command")).get("cwd"))
        if self._waiting is None:
            yield from self._take(record)
            return
        self._waiting.append(record)
        if folder:
            self._log.locate(folder)
            yield from self.finish()

    def finish(self) -> Iterator[Item]:
        for record in self._waiting or ():
            yield from self._take(record)
        self._waiting = None

    def _take(self, record: Record) -> Iterator[Item]:
        parts = _parts(mapping(record.value), record.line)
        yield from self._log.take(parts, record.line)


def _parts(value: Mapping[str, Any], line: int) -> Iterator[Part]:
    kind = text(value.get("type"))
    step = mapping(value.get(kind))
    if kind == "user_input":
        yield Utterance("user", text(step.get("user_response")))
    elif kind == "planner_response":
        yield Utterance("assistant", text(step.get("response")))
    elif kind:
        params = {key: one for key, one in step.items() if key not in _RETURNED}
        if "path" in params:
            params["path"] = file_path(params["path"])
        yield ToolUse(kind, params, str(line))
        if value.get("status") in _ENDED:
            yield _answer(value, step, str(line))


def _answer(value: Mapping[str, Any], step: Mapping[str, Any], call_id: str) -> ToolAnswer:
    code = number(step.get("exit_code"))
    output = first(step, "error", "output", "content") or ""
    accepted = text(step.get("acknowledgement_type"))
    refused = step.get("user_rejected") is True or accepted.endswith("_REJECT")
    return ToolAnswer(
        output or (f"exit code {code:.0f}" if code else ""),
        value.get("status") != "done" or bool(code),
        call_id,
        refused=refused,
        cancelled=text(value.get("status")).startswith("cancel"),
    )
