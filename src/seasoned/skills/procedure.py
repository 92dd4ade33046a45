"""Reads from a turn's messages which tools were called for a request, and whether they worked."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from seasoned.core.ids import digest
from seasoned.core.text import one_line, storable
from seasoned.memory.session import Kept
from seasoned.security.redact import redact, redacted

LEAST_TOOLS = 2
LONGEST_REQUEST = 600
LONGEST_VALUE = 500
MOST_STEPS = 20  # a longer turn is no procedure that anyone repeats
# Looking up and writing down lessons is how an agent thinks, not what it does for a request.
READ = "read_skill"
ASIDE = frozenset(("remember", "recall", "teach", "forget", READ))
WORKED = "success"


@dataclass(frozen=True, slots=True)
class Step:
    tool: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Procedure:
    """What was done in one turn; `succeeded` when every call worked in the end."""

    request: str
    steps: tuple[Step, ...]
    succeeded: bool

    @property
    def shape(self) -> str:
        """The same for the same tools in the same order."""
        return digest(*(step.tool for step in self.steps))

    @property
    def steps_json(self) -> str:
        told = [{"tool": step.tool, "params": dict(step.params)} for step in self.steps]
        return storable(json.dumps(told, ensure_ascii=False, default=repr))


def procedure_of(messages: Sequence[Kept], *, done: bool) -> Procedure | None:
    """The procedure of one turn; None when there were fewer than two tools in it.

    A call that failed and was made again counts by how it ended; the same tool several times in
    a row is one step.
    """
    made = [one for one in _calls(messages) if one.step.tool not in ASIDE]
    steps = _without_repeats([one.step for one in made if one.worked])
    if len({step.tool for step in steps}) < LEAST_TOOLS or len(steps) > MOST_STEPS:
        return None
    request = " ".join(one.text for one in messages if one.role == "user")
    text = one_line(redact(storable(request)), LONGEST_REQUEST)
    return Procedure(text, tuple(steps), done and _ended_well(made))


def skills_read(messages: Sequence[Kept], *, done: bool) -> list[tuple[str, bool]]:
    """The skills that an agent read in a turn, each with whether the turn went well."""
    made = _calls(messages)
    names = [one.step.params.get("name") for one in made if one.step.tool == READ and one.worked]
    well = done and _ended_well([one for one in made if one.step.tool not in ASIDE])
    return [(str(name).strip(), well) for name in dict.fromkeys(names) if name]


@dataclass(frozen=True, slots=True)
class Called:
    step: Step
    worked: bool


def _calls(messages: Sequence[Kept]) -> list[Called]:
    """The calls of a turn in their order; one that never came back did not work."""
    calls: dict[str, Step] = {}
    outcomes: dict[str, bool] = {}
    for part in _parts(messages):
        name = str(part.get("tool_call_id") or "")
        if part.get("part_kind") == "tool-call" and name:
            calls[name] = Step(str(part.get("tool_name")), _params(part.get("args")))
        elif part.get("part_kind") == "tool-return":
            outcomes[name] = part.get("outcome", WORKED) == WORKED
        elif part.get("part_kind") == "retry-prompt":
            outcomes[name] = False
    return [Called(step, outcomes.get(name, False)) for name, step in calls.items()]


def _ended_well(made: Sequence[Called]) -> bool:
    return all({one.step.tool: one.worked for one in made}.values())


def procedure_from(request: str, steps_json: str, succeeded: bool) -> Procedure:
    """As it was stored."""
    steps = tuple(Step(one["tool"], one["params"]) for one in json.loads(steps_json))
    return Procedure(request, steps, succeeded)


def _parts(messages: Sequence[Kept]) -> Iterator[Mapping[str, Any]]:
    """The parts of the messages as the model got them; a body that is no JSON has none."""
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


def _without_repeats(steps: Sequence[Step]) -> list[Step]:
    return [
        step
        for place, step in enumerate(steps)
        if place + 1 == len(steps) or steps[place + 1].tool != step.tool
    ]
