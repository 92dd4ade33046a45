"""Find out what was different between the call that failed and the call that worked."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from seasoned.learning.change import Change, Edit, Path, Preparation, Step
from seasoned.learning.change_error import ErrorText, read
from seasoned.learning.change_plan import is_constant, plan, rendered
from seasoned.learning.change_text import programs
from seasoned.learning.change_types import retyped_to, same
from seasoned.learning.change_words import joined, words
from seasoned.learning.relatedness import BULK, looks_only

SAID = frozenset("description explanation reason rationale thought comment note".split())
MAX_STEPS = 3
MAX_EDITS = 12
MAX_DEPTH = 8
MAX_VALUE = 2_000


def change_between(
    failed: Mapping[str, Any], worked: Mapping[str, Any], error: str, steps: Sequence[Step] = ()
) -> Change | None:
    """What repaired the call; an empty change means that trying again was enough.

    None when nothing can be said: everything is different, or it is too large to compare.

    >>> change = change_between({"n": "5"}, {"n": 5}, "n must be a number")
    >>> change.edits[0].kind, dict(change.edits[0].detail)
    ('retyped', {'to': 'int'})
    """
    said = read(error)
    every = _edits((), failed, worked, said)
    if len(every) > MAX_EDITS:
        return None
    edits = [edit for edit in every if _matters(edit)] or [e for e in every if not _is_said(e)]
    telling = any(_matters(edit) for edit in edits)
    taken = _causes(steps, looking=not telling)
    if taken and not telling:
        edits = []  # another text in another case: what was done before it is the story
    old = _main_words(failed)
    made = tuple(_preparation(step, said, old) for step in taken)
    return Change(tuple(edits), made)


def _is_said(edit: Edit) -> bool:
    """A parameter in which an agent only says what it is about to do."""
    return str(edit.path[0]).casefold() in SAID


def _matters(edit: Edit) -> bool:
    """An edit that may be the repair: not what was said about it, nor the text of this one case."""
    return not _is_said(edit) and str(edit.path[0]).casefold() not in BULK


def _causes(steps: Sequence[Step], *, looking: bool) -> list[Step]:
    """The last few steps that act; those that only look count when nothing else tells."""
    acting = [s for s in steps if not looks_only(s)]
    return (acting or (list(steps) if looking else []))[-MAX_STEPS:]


def _preparation(step: Step, error: ErrorText, old: list[str]) -> Preparation:
    params = {key: _value_plan(value, error, old) for key, value in step.params.items()}
    return Preparation(step.tool, params)


def _main_words(params: Mapping[str, Any]) -> list[str]:
    """The words of the call's main text, for values that steps take from it."""
    texts = [v for v in params.values() if isinstance(v, str)]
    return [w.text for w in words(texts[0][:MAX_VALUE])][:60] if texts else []


def _value_plan(value: Any, error: ErrorText, old: list[str]) -> dict[str, Any]:
    """Short texts are planned word by word; anything else is a constant, or too large to keep."""
    if isinstance(value, str):
        cut = words(value) if len(value) <= 400 else []
        if cut and len(cut) <= 40 and joined(cut) == value:
            made = plan(cut, error, old)
            if rendered(made, error, old) == cut:  # what does not remake its example is no plan
                return {"plan": made}
    if isinstance(value, int) and not isinstance(value, bool) and str(value) in error.numbers:
        told = plan(words(str(value)), error, old)
        if not is_constant(told) and rendered(told, error, old) == words(str(value)):
            return {"plan": told, "as": "int"}
    return {"is": value} if len(repr(value)) <= MAX_VALUE else {}


def _edits(path: Path, old: Any, new: Any, error: ErrorText) -> list[Edit]:
    if same(old, new):
        return []
    if len(path) < MAX_DEPTH:
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            pair = cast("tuple[Mapping[str, Any], Mapping[str, Any]]", (old, new))
            return _mapping_edits(path, *pair, error)
        if isinstance(old, list) and isinstance(new, list):
            olds, news = cast("tuple[list[Any], list[Any]]", (old, new))
            if len(olds) == len(news) <= 50:
                pairs = enumerate(zip(olds, news, strict=True))
                return [e for i, (a, b) in pairs for e in _edits((*path, i), a, b, error)]
    return [_value_edit(path, old, new, error)]


def _mapping_edits(
    path: Path, old: Mapping[str, Any], new: Mapping[str, Any], error: ErrorText
) -> list[Edit]:
    gone = [k for k in old if k not in new]
    come = [k for k in new if k not in old]
    edits: list[Edit] = []
    for key in list(gone):
        to = next((k for k in come if same(new[k], old[key])), None)
        if to is not None and old[key] not in (None, True, False, ""):
            edits.append(Edit((*path, key), "renamed", {"to": to}))
            gone.remove(key)
            come.remove(to)
    edits += [Edit((*path, key), "removed", {}) for key in gone]
    edits += [Edit((*path, k), "added", {"value": _value_plan(new[k], error, [])}) for k in come]
    kept = [k for k in old if k in new]
    return edits + [e for k in kept for e in _edits((*path, k), old[k], new[k], error)]


def _value_edit(path: Path, old: Any, new: Any, error: ErrorText) -> Edit:
    to = retyped_to(old, new)
    if to is not None:
        return Edit(path, "retyped", {"to": to})
    if isinstance(old, str) and isinstance(new, str):
        found = programs(old, new, error)
        if found:
            return Edit(path, "rewritten", {"programs": found})
    detail: dict[str, Any] = {"value": _value_plan(new, error, [])}
    if len(repr(old)) <= MAX_VALUE:
        detail["old"] = old
    return Edit(path, "replaced", detail)
