"""Read a workflow: YAML that names steps, what each needs, and what it hands on."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any, Literal, cast

from seasoned.core.errors import BadInput
from seasoned.jobs.workflow_text import read_yaml

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
KEYS = {"agent", "tool", "with", "needs", "retries", "timeout"}
MOST_STEPS = 200
MOST_RETRIES = 20
DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Step:
    """One step: `text` is the prompt of an agent, or the name of a tool."""

    name: str
    kind: Literal["agent", "tool"]
    text: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    needs: frozenset[str] = frozenset()
    retries: int = 0
    timeout_seconds: float = 600


@dataclass(frozen=True, slots=True)
class Workflow:
    name: str
    steps: Mapping[str, Step]
    inputs: Sequence[str] = ()
    deliver: str = "log"


def parse_workflow(text: str, where: str, tools: Collection[str] | None = None) -> Workflow:
    """Parse and check a workflow; `where` names the file in errors, `tools` those there are."""
    loaded, lines = read_yaml(text, where)
    top = _mapping(loaded, where, "the workflow")
    if unknown := set(top) - {"name", "inputs", "deliver", "steps"}:
        raise BadInput(f"{where}: unknown {_names(unknown)}; known: name, inputs, deliver, steps")
    given = _mapping(top.get("steps"), where, "`steps`")
    if not 0 < len(given) <= MOST_STEPS:
        raise BadInput(f"{where}: `steps` must name between 1 and {MOST_STEPS} steps")
    inputs = _strings(top.get("inputs") or [], where, "`inputs`")
    places = {name: f"{where}:{lines[name]}" for name in given if name in lines}
    steps = {name: _step(name, one, places.get(name, where)) for name, one in given.items()}
    for step in steps.values():
        _check(step, steps, inputs, places.get(step.name, where), tools)
    _refuse_cycles(steps, places, where)
    for key in ("name", "deliver"):
        if not isinstance(top.get(key) or "", str):
            raise BadInput(f"{where}: `{key}` must be text; put it in quotes")
    return Workflow(top.get("name") or where, steps, inputs, top.get("deliver") or "log")


def longest_seconds(flow: Workflow) -> int:
    """Return how long a workflow takes at most, if all its steps use all their tries and time.

    >>> longest_seconds(parse_workflow("steps: {a: {tool: t, timeout: 10, retries: 1}}", "x"))
    80
    """
    steps = flow.steps.values()
    return math.ceil(
        sum(one.timeout_seconds + one.retries * (one.timeout_seconds + 60) for one in steps)
    )


def check_values(flow: Workflow, values: Mapping[str, Any]) -> None:
    """Refuse values that a workflow does not take, and missing ones."""
    for name in set(values) - set(flow.inputs):
        raise BadInput(f"{flow.name} takes no input {name!r}; its inputs: {', '.join(flow.inputs)}")
    for name in set(flow.inputs) - set(values):
        raise BadInput(f"{flow.name} needs input {name!r}; give it as --input {name}=VALUE")


def filled(value: Any, results: Mapping[str, str], given: Mapping[str, Any]) -> Any:
    """Fill the placeholders in a text, or in the texts of a list or mapping.

    What is filled in is not read again: a result that contains `{{…}}` stays as it is.

    >>> filled("Hi {{input.who}}: {{a.result}}", {"a": "{{b.result}}"}, {"who": "Ada"})
    'Hi Ada: {{b.result}}'
    """
    if isinstance(value, str):
        return PLACEHOLDER.sub(lambda match: _value(match[1].strip(), results, given), value)
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return {key: filled(one, results, given) for key, one in items}
    if isinstance(value, list):
        return [filled(one, results, given) for one in cast("list[Any]", value)]
    return value


def _value(name: str, results: Mapping[str, str], given: Mapping[str, Any]) -> str:
    first, _, rest = name.partition(".")
    return str(given.get(rest, "")) if first == "input" else results[first]


def _step(name: str, value: Any, where: str) -> Step:
    at = f"{where}: step {name!r}"
    if not NAME.fullmatch(name) or name == "input":
        raise BadInput(f"{at} needs another name: letters, digits, _ and -, and not `input`")
    given = _mapping(value, where, f"step {name!r}")
    if unknown := set(given) - KEYS:
        raise BadInput(f"{at} has unknown {_names(unknown)}; known are {_names(KEYS)}")
    kinds = [kind for kind in ("agent", "tool") if given.get(kind)]
    if len(kinds) != 1:
        raise BadInput(f"{at} must have either `agent: PROMPT` or `tool: NAME`")
    kind: Literal["agent", "tool"] = "agent" if kinds[0] == "agent" else "tool"
    if not isinstance(given[kind], str):
        raise BadInput(f"{at}: `{kind}` must be text; put it in quotes")
    arguments = _mapping(given.get("with") or {}, where, f"`with` of step {name!r}")
    needs = _strings(given.get("needs") or [], where, f"`needs` of step {name!r}")
    used = {_first(found) for found in _placeholders([given[kind], arguments])} - {"input"}
    return Step(
        *(name, kind, str(given[kind]), arguments, frozenset({*needs, *used})),
        _retries(given.get("retries", 0), at),
        _number(given.get("timeout", 600), 0.1, DAY_SECONDS, f"{at}: `timeout` (seconds)"),
    )


def _check(
    step: Step,
    steps: Mapping[str, Step],
    inputs: Sequence[str],
    where: str,
    tools: Collection[str] | None,
) -> None:
    at = f"{where}: step {step.name!r}"
    for found in _placeholders([step.text, dict(step.arguments)]):
        first, _, rest = found.partition(".")
        if first == "input" and rest in inputs:
            continue
        if first in steps and rest == "result":
            continue
        raise BadInput(
            f"{at} uses {{{{{found}}}}}, which is unknown; write {{{{STEP.result}}}} with one of "
            f"{_names(steps)}, or {{{{input.NAME}}}} with a name listed in `inputs`"
        )
    for need in step.needs - set(steps):
        raise BadInput(f"{at} needs step {need!r}, which is not there; there are {_names(steps)}")
    if tools is not None and step.kind == "tool" and step.text not in tools:
        raise BadInput(
            f"{at} calls tool {step.text!r}, which is unknown; "
            f"known: {_names(tools)} (`agent.tools` turns on more)"
        )


def _refuse_cycles(steps: Mapping[str, Step], places: Mapping[str, str], where: str) -> None:
    try:
        TopologicalSorter({one.name: one.needs for one in steps.values()}).prepare()
    except CycleError as error:
        circle, first = " → ".join(error.args[1]), str(error.args[1][0])
        raise BadInput(
            f"{places.get(first, where)}: the steps {circle} wait for one another; "
            "take one of these needs out"
        ) from error


def _placeholders(value: Any) -> list[str]:
    if isinstance(value, str):
        return [found.strip() for found in PLACEHOLDER.findall(value)]
    if isinstance(value, dict):
        value = list(cast("dict[Any, Any]", value).values())
    if isinstance(value, list):
        return [found for one in cast("list[Any]", value) for found in _placeholders(one)]
    return []


def _first(placeholder: str) -> str:
    return placeholder.partition(".")[0]


def _mapping(value: Any, where: str, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadInput(f"{where}: {what} must be a mapping of names to values")
    return {str(key): one for key, one in cast("dict[Any, Any]", value).items()}


def _strings(value: Any, where: str, what: str) -> list[str]:
    if not isinstance(value, list):
        raise BadInput(f"{where}: {what} must be a list of names")
    return [str(one) for one in cast("list[Any]", value)]


def _number(value: Any, least: float, most: float, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise BadInput(f"{what} must be a number from {least} to {most}")
    return value


def _retries(value: Any, at: str) -> int:
    number = _number(value, 0, MOST_RETRIES, f"{at}: `retries`")
    if number != int(number):
        raise BadInput(f"{at}: `retries` must be a whole number")
    return int(number)


def _names(names: Collection[str]) -> str:
    return ", ".join(sorted(names))
