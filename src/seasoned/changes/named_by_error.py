"""Check whether the error itself names the repair, which makes it a second witness."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from seasoned.changes.conversions import NAMES
from seasoned.changes.error_text import read_error
from seasoned.changes.plan import Atom, Plan
from seasoned.changes.repair import Edit, Preparation, Repair
from seasoned.changes.words import OPERATORS

# The words by which an error asks for a type.
_TYPE_WORDS = {
    "int": ("int", "integer", "number", "numeric"),
    "float": ("float", "number", "numeric", "double"),
    "bool": ("bool", "boolean"),
    "str": ("str", "string", "text"),
    "parsed": ("object", "dict", "list", "array", "json"),
    "list": ("list", "array", "sequence"),
    "parts": ("list", "array", "sequence"),
    "iso_date": ("iso", "iso8601", "yyyy-mm-dd"),
}
assert _TYPE_WORDS.keys() <= NAMES.keys()


# Sources in the failed call itself, not in the error.
_COPIED = {"it", "trimmed", "word"}
_MOST_WORDS = 12  # a longer text belongs to its own case
_WORDY = re.compile(r"\w")
_MISSING = re.compile(
    r"missing|required|requires|must (?:have|include|contain)|expected|needs", re.I
)
_REFUSED = re.compile(
    r"unknown|unrecogni[sz]ed|unexpected|invalid|not (?:allowed|accepted|permitted|supported)"
    r"|unsupported|no such (?:option|argument|parameter)|extra|forbidden|illegal",
    re.IGNORECASE,
)
_SUGGESTS = re.compile(
    r"did you mean|perhaps you meant|similar|instead|use\b|run\b|try\b|must be|should be|expected"
    r"|one of|allowed|valid|available|suggest|rename",
    re.IGNORECASE,
)


def named_by_error(repair: Repair, error: str) -> bool:
    """Tell whether the error names everything that the repair adds, removes or asks for.

    >>> from seasoned.changes.repair import repair_between
    >>> text = "git: 'psuh' is not a command. Did you mean 'push'?"
    >>> learned = repair_between({"command": "git psuh"}, {"command": "git push"}, text)
    >>> named_by_error(learned, text)
    True
    >>> missing = repair_between({}, {"currency": "EUR"}, "missing field: currency")
    >>> named_by_error(missing, "missing field: currency")
    False
    """
    said = read_error(error)
    told = {*said.lower, *(quoted.casefold() for quoted in said.quoted)}
    if repair.edits:
        return all(_edit_named(edit, told) for edit in repair.edits)
    return bool(repair.steps) and all(_step_named(step, told) for step in repair.steps)


def suggests(error: str) -> bool:
    """Tell whether an error says what to do, not only what went wrong."""
    return _SUGGESTS.search(error) is not None or _MISSING.search(error) is not None


def stated_changes(changes: Sequence[Repair], error: str) -> list[Repair]:
    """Return those single changes that the error asks for by name.

    >>> from seasoned.changes.single import single_changes
    >>> made = single_changes({"to": "DE"}, {"to": "DE", "currency": "EUR"}, "")
    >>> [str(one.edits) for one in stated_changes(made, "missing field: currency")]
    ["(Edit(path=('currency',), kind='added', detail={}),)"]
    """
    said = read_error(error)
    told = {*said.lower, *(quoted.casefold() for quoted in said.quoted)}
    return [change for change in changes if _change_stated(change, told, error)]


def _change_stated(change: Repair, told: set[str], error: str) -> bool:
    if change.steps:
        return all(_step_stated(step, told) for step in change.steps)
    edit = change.edits[0]
    if edit.kind in ("retyped", "renamed", "removed"):
        return _edit_named(edit, told) and (edit.kind != "removed" or bool(_REFUSED.search(error)))
    if edit.kind == "added":
        value = edit.detail.get("value")
        named = str(edit.path[-1]).casefold() in told
        missing = _MISSING.search(error) is not None
        return named and (missing if not value else _value_named(value, told))
    if edit.kind == "affixed":
        return str(edit.detail.get("front") or edit.detail.get("behind")).casefold() in told
    if edit.kind == "swapped":
        return _swap_stated(edit.detail, told, error)
    return False


def _step_stated(step: Preparation, told: set[str]) -> bool:
    """The error names the tool to use first, and the step is about the same thing."""
    shared = any("same" in value or "source" in value for value in step.params.values())
    return shared and step.tool.casefold() in told


def _swap_stated(swap: Mapping[str, str], told: set[str], error: str) -> bool:
    """The error suggests the new words, or refuses the option that was left out."""
    new = [word for word in swap.get("new", swap.get("front", "")).split() if _WORDY.search(word)]
    if not new:
        old = swap.get("old", "")
        return old.startswith("-") and old.casefold() in told and bool(_REFUSED.search(error))
    named = {word.strip("-'\"`.,;:()?").casefold() for word in new}
    return bool(_SUGGESTS.search(error)) and named <= {word.strip("-.,;:?") for word in told}


def _edit_named(edit: Edit, told: set[str]) -> bool:
    detail = edit.detail
    name = str(edit.path[-1]).casefold()
    if edit.kind == "retyped":
        return bool(told & set(_TYPE_WORDS.get(detail["to"], ())))
    if edit.kind == "renamed":
        return str(detail["to"]).casefold() in told
    if edit.kind == "removed":
        return name in told
    if edit.kind == "rewritten":
        return all(_hunk_named(hunk, told) for hunk in detail["programs"][0]["hunks"])
    return _value_named(detail.get("value"), told) and (edit.kind == "replaced" or name in told)


def _hunk_named(hunk: Mapping[str, Any], told: set[str]) -> bool:
    if any(hunk["plan"]):
        return _plan_named(hunk["plan"], told)
    # A removal: only of an option that the error complains about, not of the call's subject.
    kinds = {place[0] for place in hunk["places"]}
    option = any(p[0] == "literal" and p[1][0].startswith("-") for p in hunk["places"])
    return "named" in kinds and option


def _step_named(step: Preparation, told: set[str]) -> bool:
    return any(_value_named(value, told) for value in step.params.values())


def _value_named(value: Mapping[str, Any] | None, told: set[str]) -> bool:
    if not value:
        return False
    if "plan" in value:
        return _plan_named(value["plan"], told)
    return str(value["is"]).casefold() in told


def _plan_named(plan: Plan, told: set[str]) -> bool:
    """Require each word to be named by the error or copied from the call, and one named."""
    items = plan[0]
    if len(items) > _MOST_WORDS:
        return False
    verdicts = [_atom_told(atom, told) for _, choices in items for atom in choices[0]]
    return True in verdicts and False not in verdicts


def _atom_told(atom: Atom, told: set[str]) -> bool | None:
    """Tell whether the error names this atom; None if that does not matter."""
    if atom[0] == "from":
        return True if any(source[0] not in _COPIED for source in atom[1]) else None
    text = str(atom[1]).casefold()
    if text in OPERATORS or not any(character.isalnum() for character in text):
        return None
    return text in told or text.strip("-'\"`.,;:()") in told
