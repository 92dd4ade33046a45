"""Put a repair into one plain sentence for a model or a person."""

import json
import re
from typing import Any

from seasoned.changes.conversions import NAMES, SCALES
from seasoned.changes.plan import Item, Plan
from seasoned.changes.repair import Edit, Preparation, Repair
from seasoned.changes.text_program import BY_INDEX
from seasoned.security.redact import hides_a_secret

MAX_SENTENCE = 290
MAX_VALUE = 60
_COMMANDS = frozenset({"command", "cmd", "script"})
RETRY = "It is transient: try the same call again."
_SECRET_VALUE = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])[A-Za-z0-9_+=-]{24,}|(?<=:)[^:@\s/]+(?=@)")
# Names for values that come from the error or the call.
_HOLES = {
    "nearest": "the closest name in the error",
    "suggested": "the name the error suggests",
    "quoted": "the value quoted in the error",
    "phrase": "the command quoted in the error",
    "number": "the number in the error",
    "path": "the path in the error",
    "after": "the value in the error",
    "line": "the command in the error",
    "rest": "the command in the error",
    "word": "the same argument",
    "it": "the same word",
    "trimmed": "the same word",
}


def sentence_for(repair: Repair, tool: str) -> str:
    """Describe the repair in one sentence, short enough for a prompt.

    >>> from seasoned.changes.repair import Edit
    >>> sentence_for(Repair((Edit(("timeout",), "retyped", {"to": "int"}),)), "http")
    'Pass `timeout` as a whole number.'
    """
    if repair.is_retry:
        return RETRY
    edits = "; ".join(_edit(e) for e in repair.edits)
    if not repair.steps:
        return _sentence(edits)
    steps = ", then ".join(_step(s) for s in repair.steps)
    return _sentence(f"first run {steps}, then {edits or 'try again'}")


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    cut = text if len(text) < MAX_SENTENCE else text[: MAX_SENTENCE - 1] + "…"
    return cut[:1].upper() + cut[1:] + ("" if cut.endswith(("…", ".")) else ".")


def _edit(edit: Edit) -> str:
    name = f"`{'.'.join(str(part) for part in edit.path)}`"
    detail = edit.detail
    if edit.kind == "rewritten":
        return _rewriting(detail["programs"][0], name)
    if edit.kind in {"added", "replaced"}:
        return _setting(edit, name)
    if detail.get("to") in SCALES:
        verb = "multiply" if detail["to"][0] == "x" else "divide"
        return f"{verb} {name} by {detail['to'][1:]}"
    phrases = {
        "renamed": f"use `{detail.get('to')}` instead of {name}",
        "retyped": f"pass {name} as {NAMES.get(detail.get('to', ''), '')}",
        "removed": f"leave out {name}",
    }
    return phrases[edit.kind]


def _setting(edit: Edit, name: str) -> str:
    value = _plan_value(str(edit.path[-1]), edit.detail.get("value"))
    if edit.kind == "added":
        return f"add {name}" if value is None else f"add `{edit.path[-1]}={value}`"
    if value is None:
        return f"change {name}"
    old = f" instead of `{_short(edit.detail['old'])}`" if "old" in edit.detail else ""
    return f"set {name} to `{value}`{old}"


def _step(step: Preparation) -> str:
    values = {k: _plan_value(k, v) for k, v in step.params.items()}
    first = next(((k, v) for k, v in values.items() if v), None)
    if first is None:
        return f"`{step.tool}`"
    if first[1] == f"<{_HOLES['word']}>":
        return f"`{step.tool}` with the same `{first[0]}`"
    return f"`{first[1]}` ({step.tool})"


def _plan_value(key: str, value: Any) -> str | None:
    if not value:
        return None
    if hides_a_secret(key):
        return "…"
    return _text(value["plan"]) if "plan" in value else _short(value["is"])


def _rewriting(program: Any, name: str) -> str:
    parts = [_hunk(hunk, program) for hunk in program["hunks"]]
    what = " and ".join(parts[:3])
    if name.strip("`") not in _COMMANDS:
        return f"in {name}, {what}"
    # Name the command only if a place is a mere position in it.
    by_position = any(hunk["places"][0][0] in BY_INDEX for hunk in program["hunks"])
    named = program["head"] and by_position
    return f"with `{_short(program['head'])}`, {what}" if named else what


def _hunk(hunk: Any, program: Any) -> str:
    plan, place = hunk["plan"], hunk["places"][0]
    if hunk["size"] < 0:
        return f"use {_quoted(plan)}"
    if hunk["size"] == 0:
        return f"put {_quoted(plan)} {_gap(place)}"
    old = _words(place, program)
    if not _text(plan):
        return f"leave out {old}"
    it = place[1][0] if place[0] == "literal" and len(place[1]) == 1 else None
    if it is None and (added := _affix(plan)):
        return f"put `{_short(added[1])}` {added[0]} {old}"
    return f"use {_quoted(plan, it)} instead of {old}"


def _affix(plan: Plan) -> tuple[str, str] | None:
    """Return the affix added to a word that stays, and on which side."""
    if len(plan[0]) != 1:
        return None
    kinds = [(a[0], a[1][0][0] if a[0] == "from" else a[1]) for a in plan[0][0][1][0]]
    match kinds:
        case [("is", prefix), ("from", "it")]:
            return "before", prefix
        case [("from", "it"), ("is", suffix)]:
            return "behind", suffix
        case _:
            return None


def _quoted(plan: Plan, it: str | None = None) -> str:
    """Quote a plan as code; a value taken whole from the error is described in words."""
    atoms = [atom for _, choices in plan[0] for atom in choices[0]]
    if len(atoms) == 1 and atoms[0][0] == "from":
        return _HOLES[atoms[0][1][0][0]]
    text = _text(plan)
    return f"`{text.replace('<the same word>', it) if it else text}`"


def _gap(place: Any) -> str:
    if place[0] == "start":
        return "in front"
    if place[0] == "end":
        return "at the end"
    if place[0] == "behind":
        return f"after `{_short(place[1])}`"
    if place[0] == "before_named":
        return "before the word the error names"
    if place[0] == "behind_named":
        return "after the word the error names"
    return f"after word {place[1]}" if place[0] == "at" else f"before word {place[1]} from the end"


def _words(place: Any, program: Any) -> str:
    if place[0] == "literal":
        return f"`{_short(' '.join(place[1]))}`"
    if place[0] == "named":
        return "the word the error names"
    if place[0] == "misspelt":
        return "the misspelt word"
    head = f" of `{_short(program['head'])}`" if program["head"] else ""
    if place[0] == "at":
        return f"word {place[1] + 1}{head}"
    return f"the last word{head}" if place == ["from_end", -1] else f"a word{head}"


def _text(plan: Plan) -> str:
    return _short("".join(_item(item) for item in plan[0]).strip(), 120)


def _item(item: Item) -> str:
    space, choices = item
    parts = [a[1] if a[0] == "is" else f"<{_HOLES[a[1][0][0]]}>" for a in choices[0]]
    return (space if space is not None else " ") + "".join(parts)


def _short(value: Any, most: int = MAX_VALUE) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = _SECRET_VALUE.sub("…", " ".join(text.split()).replace("`", "'"))
    return text if len(text) <= most else text[: most - 1] + "…"
