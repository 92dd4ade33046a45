"""Learn how one text became another, as a program that runs on other texts of the kind.

A program is plain JSON. Its `hunks` each have
- `size`: the number of words they replace, -1 for all,
- `places`: ranked ways to find the position, the first that is found counts, for example
  ["named", sources] (the word the error names), ["literal", words], ["behind", word], ["end"],
  ["at", index, shape],
- `plan`: the recipe of what is put there (a space of None is that of the replaced word),
- `gap`: the white space before the next word, if it changed.

`head` is the first word of the example: places that are mere positions hold only for it. It is None
if any word of the shape `form` will do. `shapes` are the shapes of all words if several hunks make
sense only together, else None. `drops` are the words of the example that a text quoted by the error
as a whole leaves out.
"""

from collections.abc import Sequence
from typing import Any

from seasoned.changes.error_text import ErrorText, Source, locate, nearest, sources_of
from seasoned.changes.plan import Plan, constant_text, is_constant, make_plan, render_plan
from seasoned.changes.words import (
    JOINTS,
    MAX_CHARS,
    MAX_WORDS,
    Hunk,
    Word,
    has_shape,
    hunks,
    join_words,
    split_words,
    word_likeness,
    word_shape,
)

Program = dict[str, Any]

MAX_HUNKS = 6


def learn_programs(old: str, new: str, error: ErrorText) -> list[Program]:
    """Return ranked programs that turn `old` into `new`; each has been tried on the example."""
    if max(len(old), len(new)) > MAX_CHARS:
        return []
    before, after = split_words(old), split_words(new)
    if max(len(before), len(after)) > MAX_WORDS:
        return []
    found = [_whole(before, after, error), *_edited(before, after, error)]
    return [p for p in found if p and replay_program(p, old, error) == new]


def _whole(before: list[Word], after: list[Word], error: ErrorText) -> Program | None:
    """Learn a text that the error quotes as a whole."""
    if len(after) < 2 or not before:
        return None
    text = after[0].text + join_words(after[1:])
    found = sources_of(text, error)[0]
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
            head, form = (old[0], word_shape(old[0])) if old else (None, "")
            apart = [h for h in differences if (h.start, h.stop) != (0, 0)]
            found.append(
                {
                    "head": head,
                    "form": form,
                    "shapes": [word_shape(w) for w in old] if len(apart) > 1 else None,
                    "drops": None,
                    "hunks": made,
                }
            )
    return found


def _around(old: list[str], new: list[str]) -> list[Hunk]:
    """See `new` as another command before the old one: `prepare && command`."""
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
    made = make_plan(put, error, old, it if len(put) == 1 else None)
    if hunk.stop > hunk.start and put and put[0].space == before[hunk.start].space:
        made = [[[None, items[0][1]], *items[1:]] for items in made]
    gap = None
    if hunk.stop < len(before) and hunk.new_stop < len(after):
        space = after[hunk.new_stop].space
        gap = space if space != before[hunk.stop].space else None
    texts = [w.text for w in put]
    where = places(old, hunk.start, hunk.stop, error, texts, is_constant(made))
    return {"size": hunk.stop - hunk.start, "places": where, "plan": made, "gap": gap}


Place = list[Any]
# Mere positions: they hold only for the same command.
BY_INDEX = frozenset({"at", "from_end"})


def places(
    old: Sequence[str], start: int, stop: int, error: ErrorText, put: Sequence[str], constant: bool
) -> list[Place]:
    """Return the ways to find `old[start:stop]`, the most telling first; `put` replaces it."""
    if start == stop:
        return _gaps(old, start, error, bool(put) and word_shape(put[0]) == "flag")
    found: list[Place] = []
    if stop - start == 1:
        named = _names(old[start], error)
        if named:
            found.append(["named", named, word_shape(old[start])])
        if _misspelt(old, error) == start:
            found.append(["misspelt"])
    literal: Place = ["literal", list(old[start:stop])]
    form = word_shape(old[start])
    index: list[Place] = [["at", start, form], ["from_end", start - len(old), form]]
    # A constant replacing a constant is about that very word.
    return [literal, *found, *index] if constant else [*found, literal, *index]


def _names(word: str, error: ErrorText) -> list[Source]:
    strong, weak = sources_of(word, error)
    return [s for s in strong + weak if s[0] not in {"suggested", "number"}]


def _gaps(old: Sequence[str], start: int, error: ErrorText, flag: bool) -> list[Place]:
    if start == 0:
        return [["start"]]
    behind: Place = ["behind", old[start - 1]]
    found: list[Place] = []
    if start < len(old):
        named = _names(old[start], error)
        found += [["before_named", named]] if named else []
    if start > 1:
        named = _names(old[start - 1], error)
        found += [["behind_named", named]] if named else []
    end: list[Place] = [["end"]] if start == len(old) else []
    # An option belongs to the command or subcommand before it, an argument to its neighbour.
    if flag and start <= 2 and word_shape(old[start - 1]) == "word":
        found = [behind, *end, *found]
    else:
        found = [*end, *found, behind]
    form = word_shape(old[start - 1])
    found.append(["at", start, form])
    if start < len(old):
        found.append(["from_end", start - len(old), form])
    return found


def _misspelt(old: Sequence[str], error: ErrorText) -> int | None:
    """Return the index of the word most similar to one that the error suggests."""
    best, where = 0.6, None
    suggested = set(error.suggested)
    for index, word in enumerate(old[:10]):
        if not index or len(word) < 2 or word in suggested:
            continue
        near = nearest(word, error, old)
        score = word_likeness(word, near) if near is not None else 0.0
        if near not in suggested and (len(word) < 4 or word in error.candidates):
            continue
        if score > best:
            best, where = score, index
    return where


def found_at(
    place: Place, old: Sequence[str], size: int, error: ErrorText, near: Sequence[int] = ()
) -> int | None:
    """Return the index of a place in another text; of several, one of the indexes in `near`."""
    kind = place[0]
    count = len(old)
    at: int | None = None
    if kind in {"start", "all"}:
        at = 0
    elif kind == "end":
        at = count
    elif kind in BY_INDEX:
        at = _formed(place, old, size)
    elif kind == "literal":
        at = _nearest_hit(_hits(place[1], old), near)
    elif kind == "behind":
        at = _nearest_hit([hit + 1 for hit in _hits([place[1]], old)], near)
    elif kind == "misspelt":
        at = _misspelt(old, error)
    else:
        at = _named(place, old, error, near)
    return at if at is not None and 0 <= at <= count - size else None


def _formed(place: Place, old: Sequence[str], size: int) -> int | None:
    at: int = place[1] if place[0] == "at" else len(old) + place[1]
    word: int = at if size else at - 1
    if not 0 <= word < len(old) or not has_shape(old[word], place[2]):
        return None
    return at


def _hits(wanted: Sequence[str], old: Sequence[str]) -> list[int]:
    size, words = len(wanted), list(wanted)
    return [i for i in range(len(old) - size + 1) if list(old[i : i + size]) == words]


def _nearest_hit(hits: Sequence[int], near: Sequence[int]) -> int | None:
    return next((index for index in near if index in hits), hits[0] if hits else None)


def _named(place: Place, old: Sequence[str], error: ErrorText, near: Sequence[int]) -> int | None:
    behind = place[0] == "behind_named"
    for source in place[1]:
        value = locate(source, error, None, old)
        hits = [i + behind for i, word in enumerate(old) if word == value and (i or 0 in near)]
        if hits and (len(place) < 3 or has_shape(value or "", place[2])):
            return _nearest_hit(hits, [*near, hits[-1]])
    return None


def replay_program(program: Program, text: str, error: ErrorText) -> str | None:
    """Run a program on another text; None if it does not fit."""
    if len(text) > MAX_CHARS:
        return None
    before = split_words(text)
    old = [w.text for w in before]
    if program["shapes"] not in (None, [word_shape(w) for w in old]):
        return None
    result: list[Word] = []
    done = 0
    for hunk in program["hunks"]:
        size = len(old) if hunk["size"] < 0 else hunk["size"]
        place, at = _placed(program, hunk, old, size, error)
        if at < done:
            return None
        it = old[at] if size == 1 else None
        put = render_plan(hunk["plan"], error, old, it, place == "literal")
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
    new = join_words(result) + text[len(join_words(before)) :]
    if new == text or not _may_drop(program["drops"], old, [w.text for w in split_words(new)]):
        return None
    return new


def _may_drop(drops: list[str] | None, old: list[str], new: list[str]) -> bool:
    """Allow losing only the words the example lost, or arguments if it lost arguments."""
    if drops is None:
        return True
    lost = {word for word in old if word not in new} - set(drops)
    arguments = any(word_shape(word) != "flag" for word in drops)
    head = old[:1] == new[:1] or old[0] in drops
    return head and all(arguments and word_shape(word) != "flag" for word in lost)


def _placed(
    program: Program, hunk: dict[str, Any], old: Sequence[str], size: int, error: ErrorText
) -> tuple[str, int]:
    """Return the kind and index of the first place that is found; the index is -1 if none is."""
    found = hunk["places"]
    same = bool(old) and program["head"] in (None, old[0]) and has_shape(old[0], program["form"])
    near = [p[1] if p[0] == "at" else len(old) + p[1] for p in found if p[0] in BY_INDEX]
    # A subcommand is counted from the start, an argument from the end.
    near = near if near[:1] == [1] else near[::-1]
    constant = constant_text(hunk["plan"]) if size and is_constant(hunk["plan"]) else None
    told = size and not error.asks and any(place[0] == "named" for place in found)
    for place in found:
        # If the error named the word, it must name it again: a position is not enough.
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
    """Let a constant replace only that very word or a misspelling of it."""
    new = constant.strip()
    if place[0] in BY_INDEX or len(old) != 1 or old[0] in new or new in old[0]:
        return False
    return word_likeness(old[0], new) >= 0.7


def _may_wrap(made: Plan, form: str, old: Sequence[str]) -> bool:
    """Tell whether this may go before another command.

    A whole command may (`a && …`); a prefix like `sudo` only before a similar command.
    """
    joint = bool(made[0]) and made[0][-1][1][0] in [[["is", sign]] for sign in JOINTS]
    return joint or (bool(old) and has_shape(old[0], form))


def _already(put: Sequence[Word], old: Sequence[str], at: int, size: int) -> bool:
    """Tell whether the insertion is already there, or given elsewhere as an argument."""
    texts = [w.text for w in put]
    if size or not texts or texts[-1] in JOINTS:
        return False
    if at and not JOINTS.intersection(texts):
        return any(text in old for text in texts if word_shape(text) != "sign")
    return list(old[at : at + len(texts)]) == texts
