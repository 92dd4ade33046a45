"""Tell whether the error itself names the repair: a second witness beside the episode."""

from collections.abc import Iterator
from typing import Any

from seasoned.learning.change import Change
from seasoned.learning.change_error import ErrorText, read
from seasoned.learning.change_plan import Plan, constant_text
from seasoned.learning.change_types import NAMES
from seasoned.learning.change_words import OPERATORS, words

# What an error says when it asks for a type.
_TYPE_WORDS = {
    "int": ("int", "integer", "number", "numeric"),
    "float": ("float", "number", "numeric", "double"),
    "bool": ("bool", "boolean"),
    "str": ("str", "string", "text"),
    "parsed": ("object", "dict", "list", "array", "json"),
    "list": ("list", "array", "sequence"),
    "parts": ("list", "array", "sequence"),
}
assert _TYPE_WORDS.keys() == NAMES.keys()


def named_by_error(change: Change, error: str) -> bool:
    """Does the error's text name what the change puts in, takes out, corrects or asks for?

    >>> from seasoned.learning.change_between import change_between
    >>> text = "git: 'psuh' is not a command. Did you mean 'push'?"
    >>> learned = change_between({"command": "git psuh"}, {"command": "git push"}, text)
    >>> named_by_error(learned, text)
    True
    """
    said = read(error)
    told = set(said.lower) | {q.casefold() for q in said.quoted}
    for edit in change.edits:
        detail = edit.detail
        if edit.kind == "retyped":
            if told & set(_TYPE_WORDS[detail["to"]]):
                return True
        elif edit.kind == "renamed":
            if str(detail["to"]).casefold() in told:
                return True
        elif edit.kind in {"removed", "added"} and str(edit.path[-1]).casefold() in told:
            return True
        if any(_named(plan, said, told) for plan in _plans(detail)) or _corrected(detail):
            return True
    return any(
        _named(v["plan"], said, told)
        for s in change.steps
        for v in s.params.values()
        if "plan" in v
    )


def _plans(detail: Any) -> Iterator[Plan]:
    for program in detail.get("programs", ()):
        for hunk in program["hunks"]:
            yield hunk["plan"]
    if "plan" in (detail.get("value") or ()):
        yield detail["value"]["plan"]


def _corrected(detail: Any) -> bool:
    """The one word that was changed, an argument, is the one that the error complains about."""
    for program in detail.get("programs", ()):
        hunks = program["hunks"]
        if len(hunks) == 1 and hunks[0]["size"] == 1:
            kinds = {place[0] for place in hunks[0]["places"]}
            return "named" in kinds and ["at", 0] not in [p[:2] for p in hunks[0]["places"]]
    return False


def _named(plan: Plan, said: ErrorText, told: set[str]) -> bool:
    """A word comes from the error, or the error says all the constant words that tell."""
    for _, choices in plan[0]:
        if any(atom[0] == "from" and _told(atom[1]) for atom in choices[0]):
            return True
    text = (constant_text(plan) or "").strip()
    new = [w.text for w in words(text) if w.text not in OPERATORS]
    if len(new) > 1 and any(" ".join(new).casefold() in line.casefold() for line in said.lines):
        return True
    telling = [w.casefold() for w in new if w.startswith("-") or len(w) > 3]
    return bool(telling) and all(w in told for w in telling)


def _told(sources: list[Any]) -> bool:
    return any(source[0] not in {"it", "trimmed", "word"} for source in sources)
