"""Find the repair that explains two episodes of one error, and drop the rest."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from seasoned.changes.contrast import Finding, Trial
from seasoned.changes.conversions import same
from seasoned.changes.plan import Choice, Item, Plan
from seasoned.changes.relatedness import TARGETS
from seasoned.changes.repair import Edit, Preparation, Repair, apply_repair, repair_between
from seasoned.changes.text_program import BY_INDEX

T = TypeVar("T")

MOST_COMPARED = 12  # earlier trials with which a new one is compared as a whole


def common_repair(a: Repair, b: Repair) -> Repair | None:
    """Return the repair common to both episodes; None if they have none.

    >>> from seasoned.changes.repair import repair_between
    >>> one = repair_between({"q": "a", "n": "5"}, {"q": "b", "n": 5}, "n must be an integer")
    >>> two = repair_between({"q": "c", "n": "7"}, {"q": "c", "n": 7}, "n must be an integer")
    >>> [edit.kind for edit in common_repair(one, two).edits]
    ['retyped']
    """
    if a.is_retry or b.is_retry:
        return a if a.is_retry and b.is_retry else None
    edits = _paired(a.edits, b.edits, _edit)
    steps = _paired(a.steps, b.steps, _step)
    if not any(_tells(e) for e in edits) and not steps:
        return None
    # A step alone does not explain two episodes that both needed edits.
    if a.edits and b.edits and not edits:
        return None
    return Repair(tuple(e for e in edits if _tells(e) or len(edits) == 1), tuple(steps))


def agreeing(new: Trial, past: Sequence[Trial]) -> list[Finding]:
    """Find a change that this trial and another session's made to different values.

    It must turn both failed calls into the ones that worked.
    """
    own = _whole(new)
    if own is None:
        return []
    for other in past[:MOST_COMPARED]:
        theirs = _whole(other) if other.session != new.session else None
        both = common_repair(own, theirs) if theirs is not None else None
        if both is None or not both.edits or not (_repairs(both, new) and _repairs(both, other)):
            continue
        trials = (new, *past)
        made = [trial for trial in trials if _repairs(both, trial)]
        without = [
            trial
            for trial in trials
            if trial not in made and apply_repair(both, trial.params, trial.error) is not None
        ]
        return [Finding(both, made, without)]
    return []


def _whole(trial: Trial) -> Repair | None:
    if trial.worked is None:
        return None
    repair = repair_between(trial.params, trial.worked, trial.error)
    return repair if repair is not None and repair.edits else None


def _repairs(repair: Repair, trial: Trial) -> bool:
    return apply_repair(repair, trial.params, trial.error) == trial.worked


def _paired(a: Sequence[T], b: Sequence[T], meet: Callable[[T, T], T | None]) -> list[T]:
    left = list(b)
    found: list[T] = []
    for one in a:
        for other in left:
            both = meet(one, other)
            if both is not None:
                found.append(both)
                left.remove(other)
                break
    return found


def _tells(edit: Edit) -> bool:
    """Tell whether an edit says enough: a replaced value on which both episodes agree.

    For a missing parameter its name is enough, whatever its value.
    """
    return edit.kind != "replaced" or bool(edit.detail.get("value"))


def _edit(a: Edit, b: Edit) -> Edit | None:
    if a.path != b.path or a.kind != b.kind:
        return None
    if a.kind in {"removed", "renamed", "retyped"}:
        return a if a.detail == b.detail else None
    if a.kind == "rewritten":
        met = [_program(p, q) for p in a.detail["programs"] for q in b.detail["programs"]]
        found = [p for p in met if p]
        return Edit(a.path, a.kind, {"programs": found}) if found else None
    detail: dict[str, Any] = {}
    value = _value(a.detail.get("value"), b.detail.get("value"))
    if value is not None:
        detail["value"] = value
    if "old" in a.detail and "old" in b.detail and same(a.detail["old"], b.detail["old"]):
        detail["old"] = a.detail["old"]
    return Edit(a.path, a.kind, detail)


def _step(a: Preparation, b: Preparation) -> Preparation | None:
    """Keep the parameters that agree; None if the tools differ or no parameter agrees."""
    if a.tool != b.tool:
        return None
    met = {key: _value(a.params[key], b.params[key]) for key in a.params if key in b.params}
    params = {key: value for key, value in met.items() if value is not None}
    if (a.params or b.params) and not params:
        return None
    if any(key.casefold() in TARGETS and key not in params for key in a.params):
        return None  # done to another thing each time: not what repaired this error
    return Preparation(a.tool, params)


def _value(a: Mapping[str, Any] | None, b: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if not a or not b:
        return None
    if "is" in a:
        return dict(a) if "is" in b and same(a["is"], b["is"]) else None
    met = _plan(a["plan"], b["plan"]) if "plan" in b and a.get("as") == b.get("as") else None
    if not met:
        return None
    return {"plan": met, "as": a["as"]} if "as" in a else {"plan": met}


def _program(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any] | None:
    if len(a["hunks"]) != len(b["hunks"]):
        return None
    hunks = [_hunk(x, y) for x, y in zip(a["hunks"], b["hunks"], strict=True)]
    if not all(hunks):
        return None
    head = a["head"] if a["head"] == b["head"] else None
    drops = None if a["drops"] is None else sorted({*a["drops"], *(b["drops"] or ())})
    return {
        "head": head,
        "form": _form(a["form"], b["form"]),
        "shapes": a["shapes"] if a["shapes"] == b["shapes"] else None,
        "drops": drops,
        "hunks": hunks,
    }


def _hunk(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any] | None:
    if a["size"] != b["size"]:
        return None
    places = [p for p in (_place(x, y) for x in a["places"] for y in b["places"]) if p]
    plan = _plan(a["plan"], b["plan"])
    if not places or plan is None:
        return None
    return {"size": a["size"], "places": places, "plan": plan, "gap": a["gap"]}


def _place(a: list[Any], b: list[Any]) -> list[Any] | None:
    if a[0] != b[0]:
        return None
    if a[0] in {"named", "before_named", "behind_named"}:
        both = [s for s in a[1] if s in b[1]]
        form = [_form(x, y) for x, y in zip(a[2:], b[2:], strict=True)]
        return [a[0], both, *form] if both else None
    if a[0] in BY_INDEX and a[1] == b[1] and a[2] != b[2]:
        return [a[0], a[1], _form(a[2], b[2])]
    return a if a == b else None


def _form(a: str, b: str) -> str:
    """Return a shape that covers both; signs and words have none in common."""
    return a if a == b else "" if "sign" in (a, b) else "any"


def _plan(a: Plan, b: Plan) -> Plan | None:
    met = [_items(x, y) for x in a for y in b]
    return [m for m in met if m is not None] or None


def _items(a: list[Item], b: list[Item]) -> list[Item] | None:
    if len(a) != len(b):
        return None
    found: list[Item] = []
    for (space, choices), (_, others) in zip(a, b, strict=True):
        both = [c for c in (_choice(x, y) for x in choices for y in others) if c]
        if not both:
            return None
        found.append([space, both])
    return found


def _choice(a: Choice, b: Choice) -> Choice | None:
    if len(a) != len(b):
        return None
    atoms: Choice = []
    for one, other in zip(a, b, strict=True):
        if one[0] != other[0]:
            return None
        if one[0] == "is":
            if one[1] != other[1]:
                return None
            atoms.append(one)
            continue
        both = [source for source in one[1] if source in other[1]]
        if not both:
            return None
        atoms.append(["from", both, _form(one[2], other[2])])
    return atoms
