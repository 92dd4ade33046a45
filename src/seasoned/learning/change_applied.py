"""Replay a change on another failing call: suggest parameters, or nothing rather than a guess."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, cast

from seasoned.learning.change import Change, Edit, Path, Step
from seasoned.learning.change_error import ErrorText, read
from seasoned.learning.change_plan import rendered
from seasoned.learning.change_replay import replayed
from seasoned.learning.change_types import converted, same
from seasoned.learning.change_words import joined, words


class _Misfit(Exception):
    """The change does not fit this call."""


def applied(change: Change, params: Mapping[str, Any], error: str) -> dict[str, Any] | None:
    """The parameters as the change would have them; None when it does not fit this call.

    >>> from seasoned.learning.change_between import change_between
    >>> said = "gti: not found, did you mean git?"
    >>> learned = change_between({"command": "gti status"}, {"command": "git status"}, said)
    >>> applied(learned, {"command": "gti log"}, said)
    {'command': 'git log'}
    """
    if not change.edits:
        return None
    said = read(error)
    result = deepcopy(dict(params))
    try:
        for edit in change.edits:
            _apply(edit, result, said)
    except _Misfit:
        return None
    return None if same(result, params) else result


def prepared(change: Change, params: Mapping[str, Any], error: str) -> tuple[Step, ...] | None:
    """The steps to take first, made concrete for this call; None when one does not fit."""
    said = read(error)
    texts = [v for v in params.values() if isinstance(v, str)]
    old = [w.text for w in words(texts[0][:2_000])][:60] if texts else []
    steps: list[Step] = []
    try:
        for step in change.steps:
            made = {key: _value(plan, said, old) for key, plan in step.params.items()}
            steps.append(Step(step.tool, made))
    except _Misfit:
        return None
    return tuple(steps)


def _apply(edit: Edit, params: dict[str, Any], error: ErrorText) -> None:
    holder = _holder(params, edit.path)
    key = cast("Any", edit.path[-1])
    present = 0 <= key < len(holder) if isinstance(key, int) else key in holder
    if edit.kind == "added":
        if present:
            raise _Misfit
        holder[key] = _value(edit.detail.get("value"), error, [])
        return
    if not present:
        raise _Misfit
    if edit.kind == "removed":
        del holder[key]
    elif edit.kind == "renamed":
        to = edit.detail["to"]
        if to in holder:
            raise _Misfit
        holder[to] = holder.pop(key)
    else:
        holder[key] = _new_value(edit, holder[key], error)


def _new_value(edit: Edit, old: Any, error: ErrorText) -> Any:
    if edit.kind == "retyped":
        new = converted(old, edit.detail["to"])
    elif edit.kind == "rewritten":
        new = _rewritten(edit, old, error)
    else:
        if "old" in edit.detail and not same(old, edit.detail["old"]):
            raise _Misfit
        return _value(edit.detail.get("value"), error, [])
    if new is None:
        raise _Misfit
    return new


def _rewritten(edit: Edit, old: Any, error: ErrorText) -> str | None:
    if not isinstance(old, str):
        return None
    for program in edit.detail["programs"]:
        new = replayed(program, old, error)
        # What the error says as a whole may be missing; but of the edits only the best counts.
        if new is not None or program["hunks"][0]["size"] >= 0:
            return new
    return None


def _holder(params: Any, path: Path) -> Any:
    holder: Any = params
    for key in path[:-1]:
        try:
            holder = holder[key]
        except (KeyError, IndexError, TypeError):
            raise _Misfit from None
    if not isinstance(holder, list if isinstance(path[-1], int) else dict):
        raise _Misfit
    return cast("Any", holder)


def _value(plan: Mapping[str, Any] | None, error: ErrorText, old: list[str]) -> Any:
    if not plan:
        raise _Misfit
    if "is" in plan:
        return deepcopy(plan["is"])
    made = rendered(plan["plan"], error, old)
    text = None if made is None else joined(made)
    if text is None or ("as" in plan and not text.isdecimal()):
        raise _Misfit
    return int(text) if "as" in plan else text
