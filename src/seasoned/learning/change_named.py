"""Tell whether the error itself names the repair: a second witness beside the episode."""

from collections.abc import Mapping
from typing import Any

from seasoned.learning.change import Change, Edit, Preparation
from seasoned.learning.change_error import read
from seasoned.learning.change_plan import Atom, Plan
from seasoned.learning.change_types import NAMES
from seasoned.learning.change_words import OPERATORS

# What an error says when it asks for a type.
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


# Where a value comes from when it is not the error that tells it: the failed call itself.
_COPIED = {"it", "trimmed", "word"}
_MOST_WORDS = 12  # a longer text was written for its case


def named_by_error(change: Change, error: str) -> bool:
    """Does the error's text say everything that the change puts in, takes out or asks for?

    >>> from seasoned.learning.change_between import change_between
    >>> text = "git: 'psuh' is not a command. Did you mean 'push'?"
    >>> learned = change_between({"command": "git psuh"}, {"command": "git push"}, text)
    >>> named_by_error(learned, text)
    True
    >>> missing = change_between({}, {"currency": "EUR"}, "missing field: currency")
    >>> named_by_error(missing, "missing field: currency")
    False
    """
    said = read(error)
    told = {*said.lower, *(quoted.casefold() for quoted in said.quoted)}
    if change.edits:
        return all(_edit_named(edit, told) for edit in change.edits)
    return bool(change.steps) and all(_step_named(step, told) for step in change.steps)


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
    # Something was taken out: an option that the error complains about, not the call's subject.
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
    """Every word is told by the error or copied from the failed call, and some are told."""
    items = plan[0]
    if len(items) > _MOST_WORDS:
        return False
    verdicts = [_atom_told(atom, told) for _, choices in items for atom in choices[0]]
    return True in verdicts and False not in verdicts


def _atom_told(atom: Atom, told: set[str]) -> bool | None:
    """Whether the error tells this piece; None when it needs no telling."""
    if atom[0] == "from":
        return True if any(source[0] not in _COPIED for source in atom[1]) else None
    text = str(atom[1]).casefold()
    if text in OPERATORS or not any(character.isalnum() for character in text):
        return None
    return text in told or text.strip("-'\"`.,;:()") in told
