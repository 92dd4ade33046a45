"""Plans: recipes for a text whose words are constants or come from the error or the old text.

A plan is plain JSON: ranked alternatives, each a list of items `[space, choices]`. A choice is a
list of atoms to be joined: `["is", text]` or `["from", sources, shape]`, where `shape` restricts
the value ("" accepts anything). Several alternatives explain one example; `common_repair` keeps
those that explain the next example too.
"""

import re
from collections.abc import Sequence
from typing import Any

from seasoned.changes.error_text import ErrorText, Source, locate, sources_of, weight
from seasoned.changes.words import OPERATORS, Word, common_prefix, has_shape, join_words, word_shape

Atom = list[Any]
Choice = list[Atom]
Item = list[Any]
Plan = list[list[Item]]

MAX_PLANNED = 40  # words; a longer text is kept as it is
_DIGITS = re.compile(r"(\d+)")
_FLAG = re.compile(r"--?[A-Za-z]")


def make_plan(
    new: Sequence[Word], error: ErrorText, old: Sequence[str], it: str | None = None
) -> Plan:
    """Return the ways to build `new` again from another error and another old text."""
    if len(new) > MAX_PLANNED:
        return [[[w.space, [[["is", w.text]]]] for w in new]]
    by_word = [[w.space, _choices(w.text, error, old, it)] for w in new]
    phrase = _longest_phrase(new, error)
    if phrase is None:
        return [by_word]
    start, stop, found = phrase
    item: Item = [new[start].space, [[["from", found, ""]]]]
    return [[*by_word[:start], item, *by_word[stop:]], by_word]


def _choices(text: str, error: ErrorText, old: Sequence[str], it: str | None) -> list[Choice]:
    """Rank them: named by the error, made from the replaced word, copied, constant."""
    constant: Choice = [["is", text]]
    if text in OPERATORS or not any(c.isalnum() for c in text):
        return [constant]
    strong, weak = sources_of(text, error, it, old)
    here: list[Source] = [["word", i] for i in _positions(text, old)]
    near = ["nearest"] in strong
    if _FLAG.match(text) and not near:
        likely, unlikely = _affixed(text, it)
        return _ranked(*likely, constant, *unlikely, _from(text, strong + weak), _from(text, here))
    if here and text in old[:2]:
        if text == old[0] or (text.isalpha() and not strong and not weak):
            return _ranked(constant, _from(text, here))
        here, weak = here + weak, []
    first = _from(text, strong + here)
    likely, unlikely = _affixed(text, it)
    guessed = _from(text, weak)
    if it is None:
        return _ranked(first, *_with_values(text, error), constant, guessed)
    told = _ranked(*likely, *_with_values(text, error, it), guessed)
    return _ranked(first, *told, constant, *unlikely)


def _ranked(*choices: Choice | None) -> list[Choice]:
    return [c for c in choices if c]


def _from(text: str, found: list[Source]) -> Choice | None:
    return [["from", found, word_shape(text)]] if found else None


def _positions(text: str, old: Sequence[str]) -> list[int]:
    if text not in old[:200]:
        return []
    index = list(old).index(text)
    return [index, index - len(old)] if index <= 1 else [index - len(old), index]


def _affixed(text: str, it: str | None) -> tuple[list[Choice], list[Choice]]:
    """Build the word from the replaced one by adding or removing a prefix or suffix."""
    if not it or it == text:
        return [], []
    found: list[tuple[str, Choice]] = []
    if it in text:
        before, _, behind = text.partition(it)
        found.append((before + behind, _atoms(before, [["it"]], behind)))
    elif text in it and len(text) > 1:
        before, _, behind = it.partition(text)
        found.append((before + behind, [["from", [["trimmed", before, behind]], ""]]))
    else:
        head, tail = common_prefix(it, text), common_prefix(it[::-1], text[::-1])
        if tail:
            cut = it[: len(it) - tail]
            found.append(("x", _atoms(text[: len(text) - tail], [["trimmed", cut, ""]], "")))
        if head:
            found.append(("x", _atoms("", [["trimmed", "", it[head:]]], text[head:])))
    # Added or missing letters are typos; signs (http://, ./, --) are worth learning.
    likely = [choice for affix, choice in found if not affix.isalnum()]
    return likely, [choice for affix, choice in found if affix.isalnum()]


def _atoms(before: str, found: list[Source], behind: str) -> Choice:
    middle: Choice = [["from", found, ""]]
    return [*([["is", before]] if before else []), *middle, *([["is", behind]] if behind else [])]


def _with_values(text: str, error: ErrorText, it: str | None = None) -> list[Choice]:
    """Build the word from constants around values of the error: `+3:1`, `lib=2.0`."""
    for quoted in error.quoted:
        if len(quoted) > 2 and quoted in text and quoted not in (text, it):
            before, _, behind = text.partition(quoted)
            return [_atoms(before, sources_of(quoted, error)[0], behind)]
    pieces = [p for p in _DIGITS.split(text) if p]
    if len(pieces) < 2:
        return []
    atoms: Choice = []
    for piece in pieces:
        found = sources_of(piece, error)[0] if piece in error.numbers else []
        atoms.append(["from", found, "number"] if found else ["is", piece])
    return [atoms] if any(atom[0] == "from" for atom in atoms) else []


def _longest_phrase(new: Sequence[Word], error: ErrorText) -> tuple[int, int, list[Source]] | None:
    """Return the longest run of two or more words that the error contains as one phrase."""
    size = min(len(new), 30)
    while size > 1:
        for start in range(len(new) - size + 1):
            run = new[start : start + size]
            text = run[0].text + join_words(run[1:])
            if text in error.quoted or any(line.endswith(text) for line in error.lines):
                found = [s for s in sources_of(text, error)[0] if s[0] != "path"]
                if found:
                    return start, start + size, found
        size -= 1
    return None


def render_plan(
    made: Plan,
    error: ErrorText,
    old: Sequence[str],
    it: str | None = None,
    constants: bool = False,
) -> list[Word] | None:
    """Build the words of a plan from this error and this old text; None if it does not fit.

    With `constants`, a word that cannot be found falls back to the one in the example.
    """
    for alternative in made:
        result: list[Word] = []
        for space, choices in alternative:
            text = _chosen(choices[0], error, old, it)
            if text is None and constants:
                text = _constant(choices)
            if text is None:
                break
            result.append(Word(space, text))
        else:
            return result
    return None


def _constant(choices: list[Choice]) -> str | None:
    return next((c[0][1] for c in choices if len(c) == 1 and c[0][0] == "is"), None)


def _chosen(choice: Choice, error: ErrorText, old: Sequence[str], it: str | None) -> str | None:
    parts: list[str] = []
    value: str | None
    for atom in choice:
        value = atom[1] if atom[0] == "is" else _first(atom[1], atom[2], error, old, it)
        if value is None:
            return None
        parts.append(value)
    return "".join(parts)


def _first(
    found: list[Source], form: str, error: ErrorText, old: Sequence[str], it: str | None
) -> str | None:
    """Return the value that most sources point at; in the example they all agreed."""
    votes: dict[str, float] = {}
    for source in found:
        value = locate(source, error, it, old)
        if source[0] == "nearest":
            if value:
                return value
            # Learned by similarity: only a suggestion of the error may replace it.
            if not error.asks:
                return None
        if value and has_shape(value, form):
            votes[value] = votes.get(value, 0.0) + weight(source)
    return max(votes, key=lambda value: votes[value]) if votes else None


def constant_text(made: Plan) -> str | None:
    """Return the text of a plan made of constants alone, else None."""
    parts: list[str] = []
    for space, choices in made[-1]:
        text = _constant(choices)
        if text is None:
            return None
        parts.append((space or " ") + text)
    return "".join(parts)


def is_constant(made: Plan) -> bool:
    """Tell whether the first alternative consists of constants."""
    return all(atom[0] == "is" for _, choices in made[0] for atom in choices[0])
