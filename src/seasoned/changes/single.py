"""Take an episode apart into single changes, so that each can be compared with other episodes.

Of what differed when a call worked, most is chance. A single change is a `Repair` with one edit or
one step; two episodes made the same change if its JSON is the same.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from seasoned.changes.conversions import retyped_to, same
from seasoned.changes.error_text import ErrorText, read_error, sources_of
from seasoned.changes.relatedness import BULK, Step, looks_only
from seasoned.changes.repair import (
    MAX_DEPTH,
    SAID,
    Edit,
    Path,
    Preparation,
    Repair,
    apply_repair,
    simple_command,
    steps_for,
)
from seasoned.changes.swaps import (
    TOKEN,
    applied,
    completions,
    hides_failure,
    rejected_words,
    swaps_between,
)
from seasoned.core.ids import canonical

SHORTEST_SHARED = 3  # characters of a value that two calls share
LONGEST_CONSTANT = 40  # characters of a value that is remembered
MOST_ITEMS = 50  # of a list that is compared item by item
LONGEST_STEP = 60  # characters of a command that is remembered as it stands
UNTOLD = SAID | BULK | {"timeout", "run_in_background", "yield_time_ms", "max_output_tokens"}
# Parameters that most calls of a session share: they identify none of them.
AMBIENT = frozenset(
    "workdir cwd working_directory working_dir dir root session_id shell_id output_mode mode type "
    "format glob encoding language model limit offset page".split()
)
COMMANDS = ("command", "cmd", "script")
_WORD = re.compile(r"[^\W\d_][\w.-]{2,}")
_CORE = re.compile(r"[^\s]{1,40}")


@dataclass(frozen=True)
class Origin:
    """Where a value was seen before in the session: the tool that returned it, and the field."""

    tool: str
    field: str


Origins = Mapping[str, Origin]  # by the value as text


def single_changes(
    failed: Mapping[str, Any],
    worked: Mapping[str, Any],
    error: str,
    steps: Sequence[Step] = (),
    origins: Origins | None = None,
) -> tuple[Repair, ...]:
    """Return every change between a failed call and the one that worked, each on its own.

    >>> [change.to_json()["edits"] for change in single_changes({"n": "5"}, {"n": 5}, "")]
    [[[['n'], 'retyped', {'to': 'int'}]]]
    """
    said = read_error(error)
    edits = _telling(_edits((), failed, worked, origins or {}), said)
    made = [Repair(edits=(edit,)) for edit in _to_the_point(edits, failed, said)]
    made += [Repair(steps=(step,)) for step in _steps(steps, failed, said)]
    return tuple({identity(change): change for change in made}.values())


def _telling(edits: Iterator[Edit], error: ErrorText) -> list[Edit]:
    """Mark the words that the error complains about; if there are such, only those matter."""
    rejected = rejected_words(error)
    found = [_marked(edit, rejected) for edit in edits]
    found += [
        Edit(edit.path, "swapped", {**whole, "named": True})
        for edit in found
        if edit.kind == "swapped"
        for whole in completions([edit.detail], rejected)
    ]
    named = [edit for edit in found if edit.detail.get("named")]
    found = [edit for edit in found if not is_open(edit) or _is_spoken_of(edit, error)]
    rest = [edit for edit in found if edit not in named and not (named and edit.kind == "swapped")]
    return named + [edit for edit in rest if not (_is_case_only(edit) and _is_name(edit))]


def _to_the_point(edits: list[Edit], failed: Mapping[str, Any], error: ErrorText) -> list[Edit]:
    """If the error is about a parameter that was changed, other parameters do not matter."""
    about = {name for name in failed if _is_about(name, failed[name], error)}
    if not any(edit.path[0] in about for edit in edits):
        return edits
    return [edit for edit in edits if edit.path[0] in about or _is_spoken_of(edit, error)]


def _is_about(name: str, value: Any, error: ErrorText) -> bool:
    """Tell whether an error names a parameter, a part of its name, or its value."""
    parts = [part for part in name.casefold().split("_") if len(part) > 2]
    if any(part in error.lower for part in parts):
        return True
    return isinstance(value, str) and value in (*error.quoted, *error.paths, *error.words)


def is_open(edit: Edit) -> bool:
    """Tell whether an edit only says that a parameter had to change."""
    return edit.kind == "replaced" and not edit.detail.get("value")


def _is_spoken_of(edit: Edit, error: ErrorText) -> bool:
    """Tell whether the error names a parameter, in the singular or plural."""
    name = str(edit.path[-1]).casefold()
    parts = {name, *name.split("_")}
    said = set(error.lower)
    return any(part in said or f"{part}s" in said for part in parts if len(part) > 2)


def _marked(edit: Edit, rejected: frozenset[str]) -> Edit:
    words = TOKEN.findall(str(edit.detail.get("old", "")).casefold())
    if edit.kind != "swapped" or not rejected.intersection(words):
        return edit
    return Edit(edit.path, edit.kind, {**edit.detail, "named": True})


def _is_case_only(edit: Edit) -> bool:
    old, new = edit.detail.get("old", ""), edit.detail.get("new", "")
    return edit.kind == "swapped" and bool(old) and str(old).casefold() == str(new).casefold()


def _is_name(edit: Edit) -> bool:
    """Tell whether an edit is about a name; in options, case matters."""
    return re.fullmatch(r"\w{2,}", str(edit.detail.get("old", ""))) is not None


def is_masked(failed: Mapping[str, Any], worked: Mapping[str, Any]) -> bool:
    """Tell whether the command works only because its failure no longer shows."""
    texts = [(failed.get(name), worked.get(name)) for name in COMMANDS]
    return any(
        isinstance(old, str) and isinstance(new, str) and hides_failure(old, new)
        for old, new in texts
    )


def identity(change: Repair) -> str:
    """Return what two equal changes have in common; case counts only where nothing else does."""
    text = canonical(change.to_json())
    return text if any(map(_is_case_only, change.edits)) else text.casefold()


def parts_of(repair: Repair) -> list[Repair]:
    """Take a repair apart into single changes."""
    return [
        *(Repair(edits=(edit,)) for edit in repair.edits),
        *(Repair(steps=(step,)) for step in repair.steps),
    ]


def joined(changes: Sequence[Repair]) -> Repair:
    """Put single changes together; of two that say the same, the one in whole words stays."""
    edits = [edit for change in changes for edit in change.edits]
    steps = [step for change in changes for step in change.steps]
    kept = [edit for edit in edits if not any(_covers(other, edit) for other in edits)]
    return Repair(tuple(kept), tuple(steps))


def is_covered(change: Repair, repair: Repair) -> bool:
    """Tell whether a repair says a single change already, as it stands or in more words."""
    if change.steps:
        return any(identity(change) == identity(part) for part in parts_of(repair))
    own = identity(change)
    return any(
        identity(Repair((edit,))) == own or _covers(edit, change.edits[0]) for edit in repair.edits
    )


def _covers(one: Edit, other: Edit) -> bool:
    """Tell whether the first edit says all that the second does, and more."""
    if one is other or one.path != other.path or one == other:
        return False
    if one.kind in ("retyped", "affixed") and other.kind in ("swapped", "replaced"):
        return True
    if other.kind in ("added", "replaced") and not other.detail.get("value"):
        return other.kind in (one.kind, "replaced")
    if one.kind != other.kind or one.kind != "swapped" or "old" not in other.detail:
        return False
    if "prefix" in one.detail or "suffix" in one.detail:
        return True
    mine, its = one.detail.get("old", ""), other.detail["old"]
    return len(mine) > len(its) and its in mine


def fits(repair: Repair, params: Mapping[str, Any], error: str) -> bool:
    """Tell whether a repair could be made in this call."""
    if not all(_edit_fits(edit, params, error) for edit in repair.edits):
        return False
    return not repair.steps or steps_for(repair, params, error) is not None


def still_fits(repair: Repair, params: Mapping[str, Any]) -> bool:
    """Tell whether a call that worked is one that the repair would have changed."""
    return all(_still_fits(edit, params) for edit in repair.edits)


def _still_fits(edit: Edit, params: Mapping[str, Any]) -> bool:
    if edit.kind != "swapped":
        return _edit_fits(edit, params, "")
    text = value_at(params, edit.path)
    return isinstance(text, str) and applied(edit.detail, text) is not None


def _edit_fits(edit: Edit, params: Mapping[str, Any], error: str) -> bool:
    value = edit.detail.get("value")
    if edit.kind in ("added", "replaced") and (not value or "result" in value):
        present = value_at(params, edit.path) is not None
        return present == (edit.kind == "replaced")
    return apply_repair(Repair((edit,)), params, error) is not None


def value_at(params: Any, path: Path) -> Any:
    """Return what stands at a path of the parameters; None if nothing does."""
    for key in path:
        try:
            params = params[key]
        except (KeyError, IndexError, TypeError):
            return None
    return params


def _edits(path: Path, old: Any, new: Any, origins: Origins) -> Iterator[Edit]:
    if same(old, new) or len(path) > MAX_DEPTH:
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        pair = cast("tuple[Mapping[str, Any], Mapping[str, Any]]", (old, new))
        yield from _mapping_edits(path, *pair, origins)
    elif isinstance(old, list) and isinstance(new, list):
        olds, news = cast("tuple[list[Any], list[Any]]", (old, new))
        if len(olds) == len(news) <= MOST_ITEMS:
            for index, pair in enumerate(zip(olds, news, strict=True)):
                yield from _edits((*path, index), *pair, origins)
    elif path:
        yield from _value_edits(path, old, new, origins)


def _mapping_edits(
    path: Path, old: Mapping[str, Any], new: Mapping[str, Any], origins: Origins
) -> Iterator[Edit]:
    gone = [key for key in old if key not in new and _tells(path, key)]
    come = [key for key in new if key not in old and _tells(path, key)]
    for key in list(gone):
        to = next((name for name in come if same(new[name], old[key])), None)
        if to is not None and old[key] not in (None, True, False, ""):
            yield Edit((*path, key), "renamed", {"to": to})
            gone.remove(key)
            come.remove(to)
    for key in gone:
        yield Edit((*path, key), "removed", {})
    for key in come:
        yield Edit((*path, key), "added", {})
        if value := _value(new[key], origins):
            yield Edit((*path, key), "added", {"value": value})
    for key in old:
        if key in new and _tells(path, key):
            yield from _edits((*path, key), old[key], new[key], origins)


def _tells(path: Path, key: str) -> bool:
    """Tell whether a parameter says what is done; not how it is described, nor its bulk."""
    return bool(path) or key.casefold() not in UNTOLD


def _value(value: Any, origins: Origins) -> dict[str, Any]:
    """Name the origin of a value; else keep a short one as it stands."""
    if (origin := origins.get(str(value))) is not None:
        return {"result": [origin.tool, origin.field]}
    return {"is": value} if len(str(value)) <= LONGEST_CONSTANT else {}


def _value_edits(path: Path, old: Any, new: Any, origins: Origins) -> Iterator[Edit]:
    if path[-1] not in COMMANDS and len(f"{old}{new}") <= 2 * LONGEST_CONSTANT:
        yield Edit(path, "replaced", {})  # whatever its value: this parameter had to change
    if to := retyped_to(old, new):
        yield Edit(path, "retyped", {"to": to})
        return
    origin = origins.get(str(new))
    if origin is not None and not isinstance(new, bool):
        yield Edit(path, "replaced", {"value": {"result": [origin.tool, origin.field]}})
        return  # the value belongs to this session: only its origin can be a lesson
    if isinstance(old, str) and isinstance(new, str):
        if affix := _affix(old, new):
            yield Edit(path, "affixed", affix)
        yield from (Edit(path, "swapped", swap) for swap in swaps_between(old, new))
    elif not isinstance(new, Mapping | list) and len(str(new)) <= LONGEST_CONSTANT:
        yield Edit(path, "replaced", {"value": {"is": new}})


def _affix(old: str, new: str) -> dict[str, str] | None:
    """Return what was put before or behind a value that stayed, and what it took the place of.

    >>> _affix("#71904", "ord_71904")
    {'drop': '#', 'front': 'ord_'}
    >>> _affix("71904", "71904-EU")
    {'drop': '', 'behind': '-EU'}
    """
    if not (_CORE.fullmatch(old) and _CORE.fullmatch(new)):
        return None
    tail = _common(old[::-1], new[::-1])
    if tail >= SHORTEST_SHARED and tail >= len(old) - 4 and _breaks(old, len(old) - tail):
        return {"drop": old[: len(old) - tail], "front": new[: len(new) - tail]}
    head = _common(old, new)
    if head >= SHORTEST_SHARED and head >= len(old) - 4 and _breaks(old, head):
        return {"drop": old[head:], "behind": new[head:]}
    return None


def _common(a: str, b: str) -> int:
    size = 0
    while size < min(len(a), len(b)) and a[size] == b[size]:
        size += 1
    return size


def _breaks(text: str, at: int) -> bool:
    """Tell whether a value may be cut here: at its ends, or where its kind of character changes."""
    if at in (0, len(text)):
        return True
    return (text[at - 1].isalnum(), text[at - 1].isdigit()) != (
        text[at].isalnum(),
        text[at].isdigit(),
    )


def _steps(
    steps: Sequence[Step], failed: Mapping[str, Any], error: ErrorText
) -> Iterator[Preparation]:
    for step in steps:
        if shared := _shared(step, failed, error):
            yield Preparation(step.tool, shared)
        elif (command := _short_command(step)) and (about := _shared_words(command, failed, error)):
            name = next(name for name in COMMANDS if name in step.params)
            yield Preparation(step.tool, {name: _command_plan(command, about, failed)})


def _shared(step: Step, failed: Mapping[str, Any], error: ErrorText) -> dict[str, Any]:
    """Return the parameters of a step that repeat a value of the failed call or of the error."""
    shared: dict[str, Any] = {}
    for name, value in step.params.items():
        short = isinstance(value, bool) or len(str(value)) < SHORTEST_SHARED
        if short or name in UNTOLD or name.casefold() in AMBIENT:
            continue
        again = next((key for key, other in failed.items() if same(value, other)), None)
        if again is not None and again not in UNTOLD:
            shared[name] = {"same": again}
        elif isinstance(value, str) and (sources := _sources(value, error)):
            shared[name] = {"source": sources[0]}
    return shared


def _sources(value: str, error: ErrorText) -> list[Any]:
    stands = value in error.quoted or value in error.paths
    return sources_of(value, error)[0] if stands else []


def _short_command(step: Step) -> str:
    command = next((step.params[name] for name in COMMANDS if name in step.params), None)
    short = isinstance(command, str) and len(command) <= LONGEST_STEP and "\n" not in command
    return str(command) if short and not looks_only(step) else ""


def _command_plan(command: str, about: list[str], failed: Mapping[str, Any]) -> dict[str, Any]:
    """Plan a command: the arguments of the failed command are counted from its end.

    >>> _command_plan("git pull origin dev", ["git"], {"command": "git push origin dev"})
    {'words': ['git', 'pull', -2, -1]}
    """
    called = simple_command(failed)
    if not called:
        return {"is": command, "about": about}
    words: list[str | int] = []
    for position, word in enumerate(command.split()):
        again = called.index(word) if word in called else 0
        subcommand = position == again == 1 and word.isalpha()
        is_argument = position > 0 and again > 0 and not word.startswith("-") and not subcommand
        words.append(again - len(called) if is_argument else word)
    if any(isinstance(word, int) for word in words):
        return {"words": words}
    return {"is": command, "about": about}


def _shared_words(command: str, failed: Mapping[str, Any], error: ErrorText) -> list[str]:
    """Return the words that a command has in common with the failed call or the error's quotes."""
    said = [value[:400] for value in failed.values() if isinstance(value, str)]
    known = {word.casefold() for text in (*said, *error.quoted) for word in _WORD.findall(text)}
    return sorted({word.casefold() for word in _WORD.findall(command)} & known)
