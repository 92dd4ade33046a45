"""A repair: what was different when a call that had failed worked.

`repair_between` finds it by comparing the two calls, `apply_repair` replays it on another failing
call, or gives nothing rather than a guess.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal, cast

from seasoned.changes.conversions import convert, retyped_to, same
from seasoned.changes.error_text import ErrorText, locate, read_error
from seasoned.changes.plan import is_constant, make_plan, render_plan
from seasoned.changes.relatedness import BULK, Step, looks_only
from seasoned.changes.swaps import applied
from seasoned.changes.text_program import learn_programs, replay_program
from seasoned.changes.words import join_words, split_words

Kind = Literal[
    "added", "removed", "replaced", "renamed", "retyped", "rewritten", "swapped", "affixed"
]
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Edit:
    """One changed parameter; `detail` is plain JSON whose form depends on `kind`.

    - added, replaced: `value` holds a plan (see `plan.py`), a constant ("is") or the tool and field
      that returned it in the session ("result"); absent if episodes disagree. Replaced also has
      `old` if the failed value was always the same
    - renamed: `to` is the new key;  retyped: `to` names a conversion
    - swapped: words that replace others (see `swaps.py`)
    - affixed: `front` or `behind` is put to the value, in the place of `drop`
    - rewritten: `programs`, ranked alternatives that turn the old text into the new one
    """

    path: Path
    kind: Kind
    detail: Mapping[str, Any]


@dataclass(frozen=True)
class Preparation:
    """A step to take first; its params are plans, so that it fits other calls too.

    {"same": name} takes the value of the failed call's parameter, {"source": …} one of the error.
    """

    tool: str
    params: Mapping[str, Any]


@dataclass(frozen=True)
class Repair:
    """Edits to the parameters and steps to take first; with neither, just try again.

    >>> repair = Repair(edits=(Edit(("timeout",), "retyped", {"to": "int"}),))
    >>> Repair.from_json(repair.to_json()) == repair
    True
    """

    edits: tuple[Edit, ...] = ()
    steps: tuple[Preparation, ...] = ()

    @property
    def is_retry(self) -> bool:
        return not self.edits and not self.steps

    def to_json(self) -> dict[str, Any]:
        return {
            "edits": [[list(e.path), e.kind, dict(e.detail)] for e in self.edits],
            "steps": [[s.tool, dict(s.params)] for s in self.steps],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Repair":
        edits = cast("list[tuple[list[str | int], Kind, dict[str, Any]]]", data["edits"])
        steps = cast("list[tuple[str, dict[str, Any]]]", data["steps"])
        return cls(
            tuple(Edit(tuple(path), kind, detail) for path, kind, detail in edits),
            tuple(Preparation(tool, params) for tool, params in steps),
        )


SAID = frozenset("description explanation reason rationale thought comment note".split())
MAX_STEPS = 3
MAX_EDITS = 12
MAX_DEPTH = 8
MAX_WORDS = 12  # of a command whose arguments a step takes over
MAX_VALUE = 2_000


def repair_between(
    failed: Mapping[str, Any], worked: Mapping[str, Any], error: str, steps: Sequence[Step] = ()
) -> Repair | None:
    """Find what repaired the call; an empty repair means that a retry was enough.

    None if too much is different to tell.

    >>> repair = repair_between({"n": "5"}, {"n": 5}, "n must be a number")
    >>> repair.edits[0].kind, dict(repair.edits[0].detail)
    ('retyped', {'to': 'int'})
    """
    said = read_error(error)
    every = _edits((), failed, worked, said)
    if len(every) > MAX_EDITS:
        return None
    edits = [edit for edit in every if _matters(edit)] or [e for e in every if not _is_said(e)]
    telling = any(_matters(edit) for edit in edits)
    taken = _causes(steps, looking=not telling)
    if taken and not telling:
        edits = []  # only the text of the case differs: the steps are the repair
    old = _main_words(failed)
    made = tuple(_preparation(step, said, old) for step in taken)
    return Repair(tuple(edits), made)


def _is_said(edit: Edit) -> bool:
    """Tell whether the parameter only describes what the agent is about to do."""
    return str(edit.path[0]).casefold() in SAID


def _matters(edit: Edit) -> bool:
    """Tell whether an edit may be the repair, not a description or the text of one case."""
    return not _is_said(edit) and str(edit.path[0]).casefold() not in BULK


def _causes(steps: Sequence[Step], *, looking: bool) -> list[Step]:
    """Return the last few steps that act; ones that only look count if nothing else differs."""
    acting = [s for s in steps if not looks_only(s)]
    return (acting or (list(steps) if looking else []))[-MAX_STEPS:]


def _preparation(step: Step, error: ErrorText, old: list[str]) -> Preparation:
    params = {key: _value_plan(value, error, old) for key, value in step.params.items()}
    return Preparation(step.tool, params)


def _main_words(params: Mapping[str, Any]) -> list[str]:
    """Return the words of the call's main text, from which steps may take values."""
    texts = [v for v in params.values() if isinstance(v, str)]
    return [w.text for w in split_words(texts[0][:MAX_VALUE])][:60] if texts else []


def _value_plan(value: Any, error: ErrorText, old: list[str]) -> dict[str, Any]:
    """Plan short texts word by word; keep other values as constants unless they are too large."""
    if isinstance(value, str):
        cut = split_words(value) if len(value) <= 400 else []
        if cut and len(cut) <= 40 and join_words(cut) == value:
            made = make_plan(cut, error, old)
            if render_plan(made, error, old) == cut:  # a plan must reproduce its example
                return {"plan": made}
    if isinstance(value, int) and not isinstance(value, bool) and str(value) in error.numbers:
        told = make_plan(split_words(str(value)), error, old)
        if not is_constant(told) and render_plan(told, error, old) == split_words(str(value)):
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
        found = learn_programs(old, new, error)
        if found:
            return Edit(path, "rewritten", {"programs": found})
    detail: dict[str, Any] = {"value": _value_plan(new, error, [])}
    if len(repr(old)) <= MAX_VALUE:
        detail["old"] = old
    return Edit(path, "replaced", detail)


class _Misfit(Exception):
    """The repair does not fit this call."""


def apply_repair(repair: Repair, params: Mapping[str, Any], error: str) -> dict[str, Any] | None:
    """Return the parameters of this call with the repair applied; None if it does not fit.

    >>> from seasoned.changes.repair import repair_between
    >>> said = "gti: not found, did you mean git?"
    >>> learned = repair_between({"command": "gti status"}, {"command": "git status"}, said)
    >>> apply_repair(learned, {"command": "gti log"}, said)
    {'command': 'git log'}
    """
    if not repair.edits:
        return None
    said = read_error(error)
    result: dict[str, Any] = _own(dict(params))
    try:
        for edit in repair.edits:
            _apply(edit, result, said)
    except _Misfit:
        return None
    return None if same(result, params) else result


def _own(value: Any) -> Any:
    """Copy dicts and lists, which edits change; what they hold may be anything, and is kept."""
    if isinstance(value, dict):
        return {name: _own(item) for name, item in cast("dict[Any, Any]", value).items()}
    return [_own(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def steps_for(repair: Repair, params: Mapping[str, Any], error: str) -> tuple[Step, ...] | None:
    """Return the steps to take first, adapted to this call; None if one does not fit."""
    said = read_error(error)
    old = _main_words(params)
    steps: list[Step] = []
    try:
        for step in repair.steps:
            made = {key: _step_value(plan, params, said, old) for key, plan in step.params.items()}
            steps.append(Step(step.tool, made))
    except _Misfit:
        return None
    return tuple(steps)


def simple_command(params: Mapping[str, Any]) -> list[str]:
    """Return the words of a call's command, if it is a single short one."""
    command = next((params[name] for name in ("command", "cmd", "script") if name in params), "")
    if not isinstance(command, str) or any(sign in command for sign in "|&;<>\n'\"$`"):
        return []
    words = command.split()
    return words if len(words) <= MAX_WORDS else []


def _command_from(words: Sequence[str | int], params: Mapping[str, Any]) -> str:
    called = simple_command(params)
    made: list[str] = []
    for word in words:
        if isinstance(word, int):
            if -word >= len(called):
                raise _Misfit
            made.append(called[word])
        else:
            made.append(word)
    if not called or made[0] != called[0]:
        raise _Misfit
    return " ".join(made)


def _step_value(
    plan: Mapping[str, Any], params: Mapping[str, Any], error: ErrorText, old: list[str]
) -> Any:
    if "same" in plan:
        if plan["same"] not in params:
            raise _Misfit
        return params[plan["same"]]
    if "source" in plan:
        found = locate(plan["source"], error, None, ())
        if found is None:
            raise _Misfit
        return found
    if "words" in plan:
        return _command_from(plan["words"], params)
    if "about" in plan:
        said = {*(word.casefold() for word in old), *error.lower}
        if not all(any(word in one for one in said) for word in plan["about"]):
            raise _Misfit
    return _value(plan, error, old)


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
        new = convert(old, edit.detail["to"])
    elif edit.kind == "rewritten":
        new = _rewritten(edit, old, error)
    elif edit.kind == "swapped":
        new = applied(edit.detail, old, error) if isinstance(old, str) else None
    elif edit.kind == "affixed":
        new = _affixed(edit.detail, old) if isinstance(old, str) else None
    else:
        if "old" in edit.detail and not same(old, edit.detail["old"]):
            raise _Misfit
        return _value(edit.detail.get("value"), error, [])
    if new is None:
        raise _Misfit
    return new


def _affixed(affix: Mapping[str, str], old: str) -> str | None:
    drop = affix["drop"]
    if "front" in affix:
        known = not old.startswith(drop) or old.startswith(affix["front"])
        return None if known else affix["front"] + old[len(drop) :]
    known = not old.endswith(drop) or old.endswith(affix["behind"])
    return None if known else old[: len(old) - len(drop)] + affix["behind"]


def _rewritten(edit: Edit, old: Any, error: ErrorText) -> str | None:
    if not isinstance(old, str):
        return None
    for program in edit.detail["programs"]:
        new = replay_program(program, old, error)
        # A text quoted by the error as a whole may be missing; of the edits only the best counts.
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
    if not plan or "result" in plan:
        raise _Misfit
    if "is" in plan:
        return deepcopy(plan["is"])
    made = render_plan(plan["plan"], error, old)
    text = None if made is None else join_words(made)
    if text is None or ("as" in plan and not text.isdecimal()):
        raise _Misfit
    return int(text) if "as" in plan else text
