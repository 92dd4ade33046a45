"""Split a Markdown text into messages that a platform takes, without breaking its code blocks.

A cut falls between paragraphs, else between lines, sentences or words. A code block that is cut is
closed in one piece and opened again, with its language, in the next.
"""

import re
from collections.abc import Callable, Sequence
from unicodedata import category

Measure = Callable[[str], int]

FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})([^\n]*)")
BOUNDARIES = ("\n\n", "\n", ". ", "! ", "? ", " ")
LEAST_FILLED = 3  # a cut in the first third of what fits is too early
WIDEST = 4  # a piece has at most so many times the limit in signs, seen or not
NEARLY = 32  # a piece is full when a 32nd of the limit is left: each try reads the Markdown again
STEPS = 6  # by proportion, before the search halves what is left
LONGEST_LANGUAGE = 20
UNSEEN = ("Cc", "Cf", "Zs", "Zl", "Zp")  # categories of Unicode


def split(text: str, limit: int, measure: Measure = len) -> Sequence[str]:
    """Return the pieces in order, each at most `limit` long by `measure`.

    >>> split("One two. Three four.", 12)
    ['One two.', 'Three four.']
    """
    return GrowingSplit(limit, measure).split(text)


class GrowingSplit:
    """Splits a text again and again while it grows; what was cut off for good is not read again.

    >>> growing = GrowingSplit(9)
    >>> growing.split("One two. Three"), growing.split("One two. Three four.")
    (['One two.', 'Three'], ['One two.', 'Three', 'four.'])
    """

    def __init__(self, limit: int, measure: Measure = len) -> None:
        self._limit, self._measure = limit, measure
        self._begin()

    def split(self, text: str) -> Sequence[str]:
        """Return the pieces of a text, which begins as the one before or anew."""
        text = text.lstrip("\n")
        if not text.startswith(self._settled):
            self._begin()
        pieces = list(self._pieces)
        opening, at, whole = self._opening, len(self._settled), text.rstrip("\n")
        while whole[at:].strip():
            piece, end, following = self._cut(opening, whole, at)
            if not is_blank(piece) and self._measure(piece):
                pieces.append(piece)
            if len(whole) - end > self._limit:  # a cut is as good with more words behind it
                self._pieces, self._settled, self._opening = list(pieces), whole[:end], following
            opening, at = following, end
        return pieces

    def _begin(self) -> None:
        self._pieces: list[str] = []
        self._settled, self._opening = "", ""

    def _cut(self, opening: str, whole: str, at: int) -> tuple[str, int, str]:
        """Return the next piece, where the rest begins, and the fence that is open there."""
        start = f"{opening}\n" if opening else ""
        rest = whole[at : at + WIDEST * self._limit]
        used = _end(start, rest, self._limit, self._measure, is_last=at + len(rest) == len(whole))
        piece = start + rest[:used]
        made = closed(piece).strip("\n") if opening else closed(piece).strip()
        following, end = open_fence(piece), at + used
        if following:
            return made, end + whole.startswith("\n", end), following
        left = len(whole[end:].lstrip("\n").lstrip(" "))
        return made, len(whole) - left, following


def is_blank(text: str) -> bool:
    """Tell whether nothing of a text can be seen; platforms refuse such messages.

    >>> is_blank(" \\u200b"), is_blank("…")
    (True, False)
    """
    return all(category(sign) in UNSEEN for sign in text)


def open_fence(text: str) -> str:
    """Return the line that opens the code block in which a text ends; empty if it ends in none.

    >>> open_fence("Look:\\n```python\\nx = 1")
    '```python'
    """
    fence = language = ""
    for line in text.split("\n"):
        found = FENCE.fullmatch(line)
        if found is None:
            continue
        marker, info = found[1], found[2].strip()
        if not fence:
            if not (marker[0] == "`" and "`" in info):
                fence, language = marker, (info.split() or [""])[0][:LONGEST_LANGUAGE]
        elif marker[0] == fence[0] and len(marker) >= len(fence) and not info:
            fence = ""
    return f"{fence}{language}" if fence else ""


def closed(text: str) -> str:
    """Close the code block in which a text ends."""
    opening = open_fence(text)
    if not opening:
        return text
    marker = opening[: len(opening) - len(opening.lstrip(opening[0]))]
    return f"{text}{'' if text.endswith(chr(10)) else chr(10)}{marker}"


def _end(start: str, rest: str, limit: int, measure: Measure, *, is_last: bool) -> int:
    """Return how much of the rest goes into the next piece."""

    def size(end: int) -> int:
        return measure(closed(start + rest[:end]))

    low, high = 0, len(rest) + 1  # `low` fits, `high` does not
    guess, steps = min(len(rest), limit), 0
    while high - low > 1:
        filled, steps = size(guess), steps + 1
        low, high = (guess, high) if filled <= limit else (low, guess)
        if low == len(rest) or 0 <= limit - filled <= limit // NEARLY:
            break
        likely = guess * limit // filled if filled and steps < STEPS else (low + high) // 2
        guess = min(max(likely, low + 1), high - 1)
    if low == len(rest) and is_last:
        return low
    end = _boundary(start, rest, max(low, 1))
    while end > 1 and size(end) > limit:  # what is visible need not grow evenly
        end = _boundary(start, rest, end - 1)
    return end


def _boundary(start: str, rest: str, most: int) -> int:
    """Return the best place for a cut among the first `most` characters."""
    for mark in BOUNDARIES[:2] if open_fence(start + rest[:most]) else BOUNDARIES:
        found = rest.rfind(mark, most // LEAST_FILLED, most)
        if found > 0:
            return _outside_marker(rest, found + len(mark.rstrip()) if mark.strip() else found)
    return _outside_marker(rest, most)


def _outside_marker(rest: str, end: int) -> int:
    """Move a cut that falls into or right behind a line of fence to the start of that line."""
    line = rest.rfind("\n", 0, end) + 1
    following = rest.find("\n", end)
    whole = rest[line : following if following >= 0 else len(rest)]
    is_closing = end == line + len(whole) and not open_fence(rest[:end])
    if line > 0 and FENCE.fullmatch(whole) and not is_closing:
        return line
    return max(end, 1)
