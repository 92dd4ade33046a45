"""Trajectories of SWE-agent and mini-swe-agent: commands and what they printed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.parts import (
    Part,
    ToolAnswer,
    ToolUse,
    TurnStart,
    Utterance,
    chat_parts,
)
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import (
    arguments,
    flat,
    items,
    json_of,
    mapping,
    number,
    text,
)
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "SWE-agent trajectory"

_BLOCK = re.compile(r"```(?:mswea_bash_command|bash)[ \t]*\n(.*?)```", re.DOTALL)
_OBSERVED = re.compile(r"\s*<(?:returncode|exception)>")
_EXCEPTION = re.compile(r"\s*<exception>(.*?)</exception>", re.DOTALL)
_BAD_EDIT = re.compile(
    r"Your (?:proposed )?edit has introduced new syntax error|No replacement was performed"
)


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is a trajectory, or a message of one that holds only messages."""
    return any(_is_trajectory(one) or _is_marked(one) for one in map(mapping, values))


def _is_trajectory(value: Mapping[str, Any]) -> bool:
    steps = [mapping(step) for step in items(value.get("trajectory"))]
    ours = bool(steps) and all("action" in step and "observation" in step for step in steps)
    return ours or text(value.get("trajectory_format")).startswith("mini-swe-agent")


def _is_marked(value: Mapping[str, Any]) -> bool:
    said = text(value.get("content"))
    observed = value.get("role") == "user" and _OBSERVED.match(said)
    return bool(observed) or (value.get("role") == "assistant" and "```mswea_bash_command" in said)


class SweAgentReader:
    """Reads one file, which is one run; it has no times."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source
        self._log = SessionLog(source, personal=False)
        self._asked = False

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        if items(value.get("trajectory")):
            calls = _calls(value)
            steps = [mapping(step) for step in items(value.get("trajectory"))]
            given = calls if len(calls) == len(steps) else []
            for position, step in enumerate(steps):
                state = mapping(json_of(step.get("state")))
                self._log.locate(text(state.get("working_dir")), in_repository=True)
                call = given[position] if given else None
                yield from self._log.take(_step(step, call, position), position)
        elif items(value.get("messages")):
            for position, message in enumerate(map(mapping, items(value.get("messages")))):
                yield from self._log.take(self._message(message), position)
        elif "role" in value:
            yield from self._log.take(self._message(value), record.line)
        else:
            yield self._source.problem(record.line, f"not a record of a {name}")

    def _message(self, message: Mapping[str, Any]) -> Iterator[Part]:
        """Yield the parts of a message of mini-swe-agent."""
        role, said = message.get("role"), text(flat(message.get("content")))
        if role == "tool" or items(message.get("tool_calls")):
            yield from chat_parts(message)
        elif role == "assistant":
            yield TurnStart()
            yield Utterance("assistant", said)
            blocks = _BLOCK.findall(said)
            self._asked = len(blocks) == 1
            if self._asked:
                yield ToolUse("bash", {"command": blocks[0].strip("\n")})
        elif role == "user" and self._asked and _OBSERVED.match(said):
            self._asked = False
            failed = _EXCEPTION.match(said)
            yield ToolAnswer(failed[1].strip() if failed else said, True if failed else None)
        elif role == "user" and not self._asked:
            yield Utterance("user", said)


def _calls(value: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the tools that the model called, if it called them by name."""
    history = [mapping(one) for one in items(value.get("history"))]
    calls = [
        mapping(call.get("function"))
        for one in history
        if one.get("role") == "assistant" and not one.get("is_demo")
        for call in map(mapping, items(one.get("tool_calls")))
    ]
    return [(text(call.get("name")), arguments(call.get("arguments"))) for call in calls]


def _step(
    step: Mapping[str, Any], call: tuple[str, dict[str, Any]] | None, position: int
) -> Iterator[Part]:
    yield Utterance("assistant", text(step.get("thought")).strip())
    action = text(step.get("action")).strip()
    if not action:
        return
    tool, params = call or ("bash", {"command": action})
    observed = text(step.get("observation"))
    seconds = number(step.get("execution_time"))
    yield ToolUse(tool or "bash", params, str(position))
    yield ToolAnswer(
        observed,
        True if _BAD_EDIT.match(observed) else None,
        str(position),
        duration_ms=None if seconds is None else seconds * 1000,
    )
