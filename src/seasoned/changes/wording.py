"""Put a repair into one plain sentence for a model or a person.

A sentence names what to write instead of what. Where a repair takes its words from the error in a
way that no short sentence describes, the sentence refers to the error.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from seasoned.changes.conversions import NAMES, SCALES
from seasoned.changes.plan import Plan
from seasoned.changes.repair import Edit, Preparation, Repair
from seasoned.security.redact import hides_a_secret

MAX_SENTENCE = 290
MAX_VALUE = 60
RETRY = "It is transient: try the same call again."
AS_THE_ERROR_SAYS = "write what the error suggests"
_COMMANDS = frozenset({"command", "cmd", "script"})
_SECRET_VALUE = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])[A-Za-z0-9_+=-]{24,}|(?<=:)[^:@\s/]+(?=@)")
# Names for values that come from the error.
_FROM_ERROR = {
    "nearest": "the closest name in the error",
    "suggested": "the name that the error suggests",
    "quoted": "the value that the error quotes",
    "phrase": "the command that the error quotes",
    "number": "the number in the error",
    "path": "the path in the error",
    "after": "the value in the error",
    "line": "the command in the error",
    "rest": "the command in the error",
}
_PLACES = {"named": "the one that it rejects", "misspelt": "the misspelt one"}


def sentence_for(repair: Repair, tool: str) -> str:
    """Describe the repair in one sentence, short enough for a prompt.

    >>> from seasoned.changes.repair import Edit
    >>> sentence_for(Repair((Edit(("timeout",), "retyped", {"to": "int"}),)), "http")
    'Pass `timeout` as a whole number.'
    >>> sentence_for(Repair((Edit(("command",), "swapped", {"old": "rtk", "new": ""}),)), "shell")
    'Leave out `rtk`.'
    """
    if repair.is_retry:
        return RETRY
    edits = "; ".join(dict.fromkeys(_edit(edit) for edit in repair.edits))
    if not repair.steps:
        return _sentence(edits)
    steps = ", then ".join(_step(step) for step in repair.steps)
    return _sentence(f"first {steps}, then {edits or 'try again'}")


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    cut = text if len(text) < MAX_SENTENCE else text[: MAX_SENTENCE - 1] + "…"
    return cut[:1].upper() + cut[1:] + ("" if cut.endswith(("…", ".")) else ".")


def _edit(edit: Edit) -> str:
    name = f"`{'.'.join(str(part) for part in edit.path)}`"
    if edit.kind in ("swapped", "rewritten"):
        said = _swap(edit.detail) if edit.kind == "swapped" else _program(edit.detail["programs"])
        return said if edit.path[-1] in _COMMANDS else f"in {name}, {said}"
    return _PHRASES[edit.kind](edit, name)


def _swap(swap: Mapping[str, str]) -> str:
    if "front" in swap:
        return f"put {_code(swap['front'])} in front"
    if "after" in swap:
        return f"put {_code(swap['new'])} after {_code(swap['after'])}"
    if "prefix" in swap:
        return f"put {_code(swap['prefix'])} before the name that the error rejects"
    if "suffix" in swap:
        return f"put {_code(swap['suffix'])} behind the name that the error rejects"
    if not swap["new"]:
        return f"leave out {_code(swap['old'])}"
    return f"use {_code(swap['new'])} instead of {_code(swap['old'])}"


def _affixed(edit: Edit, name: str) -> str:
    put, where = (
        (edit.detail["front"], "before") if "front" in edit.detail
        else (edit.detail["behind"], "behind")
    )  # fmt: skip
    drop = edit.detail["drop"]
    instead = f", not {_code(drop)}" if drop else ""
    return f"put {_code(put)} {where} {name}{instead}" if put else f"leave {_code(drop)} off {name}"


def _retyped(edit: Edit, name: str) -> str:
    to = edit.detail["to"]
    if to in SCALES:
        return f"{'multiply' if to[0] == 'x' else 'divide'} {name} by {to[1:]}"
    return f"pass {name} as {NAMES.get(to, to)}"


def _added(edit: Edit, name: str) -> str:
    if origin := _origin(edit):
        return f"add {name}: {origin}"
    value = _value(edit)
    return f"pass {name}, too" if value is None else f"add `{edit.path[-1]}={value}`"


def _replaced(edit: Edit, name: str) -> str:
    if origin := _origin(edit):
        return f"take {name} from {origin}"
    value = _value(edit)
    if value is None:
        return f"write {name} as the error says"
    old = f" instead of {_code(edit.detail['old'])}" if "old" in edit.detail else ""
    return f"set {name} to `{value}`{old}"


def _renamed(edit: Edit, name: str) -> str:
    return f"use `{edit.detail['to']}` instead of {name}"


def _removed(_: Edit, name: str) -> str:
    return f"leave out {name}"


_PHRASES = {
    "affixed": _affixed,
    "retyped": _retyped,
    "added": _added,
    "replaced": _replaced,
    "renamed": _renamed,
    "removed": _removed,
}


def _origin(edit: Edit) -> str:
    value: Mapping[str, Any] = edit.detail.get("value") or {}
    if "result" not in value:
        return ""
    tool, field = value["result"]
    return f"the `{field}` that `{tool}` returned"


def _value(edit: Edit) -> str | None:
    return _plan_value(str(edit.path[-1]), edit.detail.get("value"))


def _plan_value(key: str, value: Any) -> str | None:
    if not value:
        return None
    if hides_a_secret(key):
        return "…"
    if "plan" in value:
        return _constant(value["plan"])
    return _short(value["is"]) if "is" in value else None


def _step(step: Preparation) -> str:
    same = [name for name, value in step.params.items() if "same" in value]
    if same:
        return f"call `{step.tool}` with the same `{same[0]}`"
    if any("source" in value for value in step.params.values()):
        return f"call `{step.tool}` with what the error names"
    words = next((value["words"] for value in step.params.values() if "words" in value), None)
    if words:
        command = " ".join(word for word in words if isinstance(word, str))
        return f"run `{_short(command)}` with the same arguments"
    values = (_plan_value(name, value) for name, value in step.params.items())
    command = next((value for value in values if value), None)
    return f"run `{command}`" if command else f"call `{step.tool}`"


def _program(programs: Any) -> str:
    """Describe a program that takes words from the error, if that can be said."""
    parts = [_hunk(hunk) for hunk in programs[0]["hunks"]]
    if any(part is None for part in parts) or len(parts) > 2:
        return AS_THE_ERROR_SAYS
    return " and ".join(str(part) for part in parts)


def _hunk(hunk: Any) -> str | None:
    plan, place = hunk["plan"], hunk["places"][0]
    put = _put(plan)
    if put is None:
        return None
    if hunk["size"] < 0:
        return f"use {put}"
    if hunk["size"] == 0:
        where = {"start": "in front", "end": "at the end"}.get(place[0])
        where = f"after {_code(place[1])}" if place[0] == "behind" else where
        return f"put {put} {where}" if where else None
    old = _code(" ".join(place[1])) if place[0] == "literal" else _PLACES.get(place[0])
    if old is None:
        return None
    return f"use {put} instead of {old}" if put else f"leave out {old}"


def _put(plan: Plan) -> str | None:
    """Describe what a plan puts: constant words, or one value of the error."""
    atoms = [atom for _, choices in plan[0] for atom in choices[0]]
    if not atoms:
        return ""
    if len(atoms) == 1 and atoms[0][0] == "from":
        return _FROM_ERROR.get(atoms[0][1][0][0])
    text = _constant(plan)
    return None if text is None else _code(text)


def _constant(plan: Plan) -> str | None:
    """Return the words of a plan that are all constant."""
    parts: list[str] = []
    for space, choices in plan[0]:
        if any(atom[0] != "is" for atom in choices[0]):
            return None
        parts.append((" " if space is None else space) + "".join(atom[1] for atom in choices[0]))
    return _short("".join(parts).strip(), 120)


def _code(text: Any) -> str:
    return f"`{_short(text)}`"


def _short(value: Any, most: int = MAX_VALUE) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = _SECRET_VALUE.sub("…", " ".join(text.split()).replace("`", "'"))
    return text if len(text) <= most else text[: most - 1] + "…"
