"""Extract from a turn's messages which tools were called, and whether they worked."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from seasoned.core.ids import digest
from seasoned.core.text import one_line, storable
from seasoned.security.redact import redact, redacted
from seasoned.sessions.session import SessionMessage

LEAST_TOOLS = 2
LONGEST_REQUEST = 600
LONGEST_VALUE = 500
MOST_STEPS = 20  # a longer turn is unlikely to be repeated
# Tools for the agent's own knowledge are not steps of a procedure.
READ = "read_skill"
OWN_TOOLS = frozenset(("remember", "recall", "teach", "forget", READ))
WORKED = "success"


@dataclass(frozen=True, slots=True)
class ToolStep:
    tool: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Procedure:
    """The tool calls of one turn; `succeeded` if every tool worked in the end."""

    request: str
    steps: tuple[ToolStep, ...]
    succeeded: bool

    @property
    def shape(self) -> str:
        """Key of the tool sequence: same tools, same order."""
        return digest(*(step.tool for step in self.steps))

    @property
    def steps_json(self) -> str:
        told = [{"tool": step.tool, "params": dict(step.params)} for step in self.steps]
        return storable(json.dumps(told, ensure_ascii=False, default=repr))


def procedure_of(messages: Sequence[SessionMessage], *, done: bool) -> Procedure | None:
    """Return the procedure of one turn; None if it used fewer than two tools.

    A call that failed and was repeated counts by its last outcome; calls of the same tool in a row
    are one step.
    """
    made = [one for one in _calls(messages) if one.step.tool not in OWN_TOOLS]
    steps = _without_repeats([one.step for one in made if one.worked])
    if len({step.tool for step in steps}) < LEAST_TOOLS or len(steps) > MOST_STEPS:
        return None
    request = " ".join(one.text for one in messages if one.role == "user")
    text = one_line(redact(storable(request)), LONGEST_REQUEST)
    return Procedure(text, tuple(steps), done and _ended_well(made))


def skills_read(messages: Sequence[SessionMessage], *, done: bool) -> list[tuple[str, bool]]:
    """Return the skills that the agent read in a turn, with whether the turn went well."""
    made = _calls(messages)
    names = [one.step.params.get("name") for one in made if one.step.tool == READ and one.worked]
    well = done and _ended_well([one for one in made if one.step.tool not in OWN_TOOLS])
    return [(str(name).strip(), well) for name in dict.fromkeys(names) if name]


@dataclass(frozen=True, slots=True)
class StepOutcome:
    step: ToolStep
    worked: bool


def _calls(messages: Sequence[SessionMessage]) -> list[StepOutcome]:
    """Return the calls of a turn in order; a call without a result did not work."""
    calls: dict[str, ToolStep] = {}
    outcomes: dict[str, bool] = {}
    for part in _parts(messages):
        name = str(part.get("tool_call_id") or "")
        if part.get("part_kind") == "tool-call" and name:
            calls[name] = ToolStep(str(part.get("tool_name")), _params(part.get("args")))
        elif part.get("part_kind") == "tool-return":
            outcomes[name] = part.get("outcome", WORKED) == WORKED
        elif part.get("part_kind") == "retry-prompt":
            outcomes[name] = False
    return [StepOutcome(step, outcomes.get(name, False)) for name, step in calls.items()]


def _ended_well(made: Sequence[StepOutcome]) -> bool:
    return all({one.step.tool: one.worked for one in made}.values())


def procedure_from(request: str, steps_json: str, succeeded: bool) -> Procedure:
    """Restore a stored procedure."""
    steps = tuple(ToolStep(one["tool"], one["params"]) for one in json.loads(steps_json))
    return Procedure(request, steps, succeeded)


def _parts(messages: Sequence[SessionMessage]) -> Iterator[Mapping[str, Any]]:
    """Yield the parts of the messages as the model got them; a body that is not JSON has none."""
    for message in messages:
        try:
            body: Any = json.loads(message.body)
        except ValueError:
            continue
        for one in _list(body) or [body]:
            parts = cast("dict[str, Any]", one).get("parts") if isinstance(one, dict) else None
            yield from (part for part in _list(parts) if isinstance(part, dict))


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _params(args: Any) -> dict[str, Any]:
    if isinstance(args, str):
        try:
            args = json.loads(args)
        except ValueError:
            return {}
    return redacted(args, longest=LONGEST_VALUE) if isinstance(args, dict) else {}


def _without_repeats(steps: Sequence[ToolStep]) -> list[ToolStep]:
    return [
        step
        for place, step in enumerate(steps)
        if place + 1 == len(steps) or steps[place + 1].tool != step.tool
    ]
