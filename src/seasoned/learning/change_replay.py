"""Run a program learned from one text on another: make the same change there, or none at all."""

from collections.abc import Sequence
from typing import Any

from seasoned.learning.change_error import ErrorText
from seasoned.learning.change_places import BY_INDEX, Place, found_at
from seasoned.learning.change_plan import Plan, constant_text, is_constant, rendered
from seasoned.learning.change_words import (
    JOINTS,
    MAX_CHARS,
    Word,
    has_shape,
    joined,
    likeness,
    shape,
    words,
)

Program = dict[str, Any]


def replayed(program: Program, text: str, error: ErrorText) -> str | None:
    """Run a program on another text; None when it does not fit there."""
    if len(text) > MAX_CHARS:
        return None
    before = words(text)
    old = [w.text for w in before]
    if program["shapes"] not in (None, [shape(w) for w in old]):
        return None
    result: list[Word] = []
    done = 0
    for hunk in program["hunks"]:
        size = len(old) if hunk["size"] < 0 else hunk["size"]
        place, at = _placed(program, hunk, old, size, error)
        if at < done:
            return None
        it = old[at] if size == 1 else None
        put = rendered(hunk["plan"], error, old, it, place == "literal")
        if put is None or _already(put, old, at, size):
            return None
        if put and put[0].space is None:
            put = [Word(before[at].space, put[0].text), *put[1:]]
        result += before[done:at] + put
        done = at + size
        if hunk["gap"] is not None and done < len(before):
            result.append(Word(hunk["gap"], before[done].text))
            done += 1
    result += before[done:]
    new = joined(result) + text[len(joined(before)) :]
    if new == text or not _may_drop(program["drops"], old, [w.text for w in words(new)]):
        return None
    return new


def _may_drop(drops: list[str] | None, old: list[str], new: list[str]) -> bool:
    """Nothing is lost but what was lost before, or an argument where arguments were lost."""
    if drops is None:
        return True
    lost = {word for word in old if word not in new} - set(drops)
    arguments = any(shape(word) != "flag" for word in drops)
    head = old[:1] == new[:1] or old[0] in drops
    return head and all(arguments and shape(word) != "flag" for word in lost)


def _placed(
    program: Program, hunk: dict[str, Any], old: Sequence[str], size: int, error: ErrorText
) -> tuple[str, int]:
    """The kind of the first place that is found, and where it is; -1 when none is."""
    found = hunk["places"]
    same = bool(old) and program["head"] in (None, old[0]) and has_shape(old[0], program["form"])
    near = [p[1] if p[0] == "at" else len(old) + p[1] for p in found if p[0] in BY_INDEX]
    # A subcommand is counted from the start, an argument from the end.
    near = near if near[:1] == [1] else near[::-1]
    constant = constant_text(hunk["plan"]) if size and is_constant(hunk["plan"]) else None
    told = size and not error.asks and any(place[0] == "named" for place in found)
    for place in found:
        # Where the error told which word it was, it must tell it again: a position will not do.
        if place[0] in BY_INDEX and (told or not same):
            continue
        at = found_at(place, old, size, error, near)
        if at is None:
            continue
        if place[0] == "start" and not (same or _may_wrap(hunk["plan"], program["form"], old)):
            continue
        if constant and place[0] != "literal" and not _slip(place, old[at : at + size], constant):
            continue
        return place[0], at
    return "", -1


def _slip(place: Place, old: Sequence[str], constant: str) -> bool:
    """A constant is put in for that very word, or for one that is the same but for a slip."""
    new = constant.strip()
    if place[0] in BY_INDEX or len(old) != 1 or old[0] in new or new in old[0]:
        return False
    return likeness(old[0], new) >= 0.7


def _may_wrap(made: Plan, form: str, old: Sequence[str]) -> bool:
    """May this stand before another command? A command of its own may, `a && …`; else `sudo …`
    goes before what looks like the command it was learned with."""
    joint = bool(made[0]) and made[0][-1][1][0] in [[["is", sign]] for sign in JOINTS]
    return joint or (bool(old) and has_shape(old[0], form))


def _already(put: Sequence[Word], old: Sequence[str], at: int, size: int) -> bool:
    """What would be inserted stands there already, or is an argument that is given elsewhere."""
    texts = [w.text for w in put]
    if size or not texts or texts[-1] in JOINTS:
        return False
    if at and not JOINTS.intersection(texts):
        return any(text in old for text in texts if shape(text) != "sign")
    return list(old[at : at + len(texts)]) == texts
