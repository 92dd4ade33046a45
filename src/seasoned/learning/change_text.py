"""Learn how one text became another, as a program that runs on other texts of the kind.

A program is plain JSON: `hunks`, each with the number of words it replaces (`size`, -1 for all),
its ranked `places`, the `plan` of what is put there (a space of None is that of the replaced word)
and the `gap` before the next word. `head` is the first word of the example, the guard of places
that are mere positions; None when any of the shape `form` will do. `shapes` are those of all the
words, where several hunks only make sense together; None when they do not matter. `drops` holds
the words of the example that were left out by a text that the error said as a whole.
"""

from collections.abc import Sequence
from typing import Any

from seasoned.learning.change_places import BY_INDEX, TELLING, Place, found_at, places
from seasoned.learning.change_plan import Plan, constant_text, is_constant, plan, rendered
from seasoned.learning.change_sources import ErrorText, sources
from seasoned.learning.change_words import (
    MAX_CHARS,
    MAX_WORDS,
    Hunk,
    Word,
    has_shape,
    hunks,
    joined,
    likeness,
    shape,
    words,
)

Program = dict[str, Any]
MAX_HUNKS = 6
JOINTS = frozenset({"&&", "||", ";"})


def programs(old: str, new: str, error: ErrorText) -> list[Program]:
    """Ranked programs that turn `old` into `new`; each has been run and found to do so."""
    if max(len(old), len(new)) > MAX_CHARS:
        return []
    before, after = words(old), words(new)
    if max(len(before), len(after)) > MAX_WORDS:
        return []
    found = [_whole(before, after, error), *_edited(before, after, error)]
    return [p for p in found if p and replayed(p, old, error) == new]


def _whole(before: list[Word], after: list[Word], error: ErrorText) -> Program | None:
    """The error says the new text as one phrase."""
    if len(after) < 2 or not before:
        return None
    text = after[0].text + joined(after[1:])
    found = sources(text, error)[0]
    if not found:
        return None
    made: Plan = [[["", [[["from", found, ""]]]]]]
    new = {w.text for w in after}
    hunk = {"size": -1, "places": [["all"]], "plan": made, "gap": None}
    return {
        "head": None,
        "form": "",
        "shapes": None,
        "drops": sorted({w.text for w in before} - new),
        "hunks": [hunk],
    }


def _edited(before: list[Word], after: list[Word], error: ErrorText) -> list[Program]:
    old = [w.text for w in before]
    new = [w.text for w in after]
    found: list[Program] = []
    around, plain = _around(old, new), hunks(old, new)
    for differences in (around, plain) if around != plain else (plain,):
        if 0 < len(differences) <= MAX_HUNKS:
            made = [_hunk(h, before, after, old, error) for h in differences]
            head, form = (old[0], shape(old[0])) if old else (None, "")
            apart = [h for h in differences if (h.start, h.stop) != (0, 0)]
            found.append(
                {
                    "head": head,
                    "form": form,
                    "shapes": [shape(w) for w in old] if len(apart) > 1 else None,
                    "drops": None,
                    "hunks": made,
                }
            )
    return found


def _around(old: list[str], new: list[str]) -> list[Hunk]:
    """`new` as the old command, changed or not, behind another one: `prepare && command`."""
    joints = [i for i, w in enumerate(new) if w in JOINTS]
    if not joints or any(w in JOINTS for w in old) or len(joints) > 3:
        return []
    cut = joints[-1] + 1
    if not old or new[cut : cut + 1] != old[:1]:
        return []
    rest = hunks(old, new[cut:])
    moved = [Hunk(h.start, h.stop, h.new_start + cut, h.new_stop + cut) for h in rest]
    if moved and moved[0].start == moved[0].stop == 0:
        return []
    return [Hunk(0, 0, 0, cut), *moved]


def _hunk(
    hunk: Hunk, before: list[Word], after: list[Word], old: list[str], error: ErrorText
) -> dict[str, Any]:
    put = after[hunk.new_start : hunk.new_stop]
    it = old[hunk.start] if hunk.stop - hunk.start == 1 else None
    made = plan(put, error, old, it if len(put) == 1 else None)
    if hunk.stop > hunk.start and put and put[0].space == before[hunk.start].space:
        made = [[[None, items[0][1]], *items[1:]] for items in made]
    gap = None
    if hunk.stop < len(before) and hunk.new_stop < len(after):
        space = after[hunk.new_stop].space
        gap = space if space != before[hunk.stop].space else None
    texts = [w.text for w in put]
    where = places(old, hunk.start, hunk.stop, error, texts, is_constant(made))
    return {"size": hunk.stop - hunk.start, "places": where, "plan": made, "gap": gap}


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
    told = size and any(place[0] in TELLING for place in found)
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
