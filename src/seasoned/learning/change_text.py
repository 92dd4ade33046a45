"""Learn how one text became another, as a program that runs on other texts of the kind.

A program is plain JSON: `hunks`, each with the number of words it replaces (`size`, -1 for all),
its ranked `places`, the `plan` of what is put there (a space of None is that of the replaced word)
and the `gap` before the next word. `head` is the first word of the example, the guard of places
that are mere positions; None when any of the shape `form` will do. `shapes` are those of all the
words, where several hunks only make sense together; None when they do not matter. `drops` holds
the words of the example that were left out by a text that the error said as a whole.
"""

from typing import Any

from seasoned.learning.change_error import ErrorText
from seasoned.learning.change_places import places
from seasoned.learning.change_plan import Plan, is_constant, plan
from seasoned.learning.change_replay import Program, replayed
from seasoned.learning.change_sources import sources
from seasoned.learning.change_words import (
    JOINTS,
    MAX_CHARS,
    MAX_WORDS,
    Hunk,
    Word,
    hunks,
    joined,
    shape,
    words,
)

MAX_HUNKS = 6


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
