"""Corrections by deeds: the user edits a reply, interrupts a turn or denies a tool call."""

import re
from difflib import SequenceMatcher

from seasoned.corrections.correction import Correction, CorrectionKind
from seasoned.corrections.detection import find_correction

EDITED = 0.85
INTERRUPTED = 0.5  # perhaps it only took too long
DENIED, DENIED_WITH_REASON = 0.6, 0.9
APART = " … "  # joins pieces that were not adjacent
COMPARED_WORDS = 400  # a longer change is reported as one piece
_WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff]+|\S")


def edited(reply: str, edited: str) -> Correction | None:
    """Return what a user changed in a reply; None if only white space changed.

    >>> change = edited("Run it in docker, please.", "Run it in podman, please.")
    >>> change.unwanted, change.wanted, change.span
    ('docker', 'podman', (10, 16))
    >>> edited("Run  it.", "Run it.\\n") is None
    True
    """
    before, after = list(_WORD.finditer(reply)), list(_WORD.finditer(edited))
    old, new = [word.group() for word in before], [word.group() for word in after]
    if old == new:
        return None
    gone: list[str] = []
    come: list[str] = []
    places: list[int] = []
    for (first, last), (start, end) in _changes(old, new):
        if first < last:
            gone.append(reply[before[first].start() : before[last - 1].end()])
        if start < end:
            come.append(edited[after[start].start() : after[end - 1].end()])
            places += [after[start].start(), after[end - 1].end()]
        else:
            places.append(after[start].start() if start < len(after) else len(edited))
    return Correction(
        CorrectionKind.EDITED,
        EDITED,
        (min(places), max(places)),
        wanted=APART.join(come) or None,
        unwanted=APART.join(gone) or None,
    )


def interrupted() -> Correction:
    """Return the correction of a user who stopped the assistant at work."""
    return Correction(CorrectionKind.INTERRUPTED, INTERRUPTED, (0, 0))


def denied(tool: str, reason: str | None = None) -> Correction:
    """Return the correction of a user who denied a tool call; the reason may name what is wanted.

    >>> denied("shell", "no, use podman, not docker").wanted
    'podman'
    """
    if not reason or not reason.strip():
        return Correction(CorrectionKind.DENIED, DENIED, (0, 0), unwanted=tool)
    stated = find_correction(reason, floor=0)
    return Correction(
        CorrectionKind.DENIED,
        DENIED_WITH_REASON,
        (0, len(reason)),
        language=stated.language if stated else None,
        wanted=stated.wanted if stated else None,
        unwanted=(stated.unwanted if stated else None) or tool,
    )


Place = tuple[int, int]


def _changes(old: list[str], new: list[str]) -> list[tuple[Place, Place]]:
    """Return the stretches that differ, as positions in both lists of words.

    Only the part between the first and the last difference is compared word by word, and only if
    it is short, because that takes quadratic time.
    """
    start = _shared(old, new)
    end = min(_shared(old[::-1], new[::-1]), len(old) - start, len(new) - start)
    last, end = len(old) - end, len(new) - end
    if max(last, end) - start > COMPARED_WORDS:
        return [((start, last), (start, end))]
    matcher = SequenceMatcher(None, old[start:last], new[start:end], autojunk=False)
    return [
        ((start + a, start + b), (start + c, start + d))
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def _shared(one: list[str], other: list[str]) -> int:
    """Count the words that both lists begin with."""
    for index, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return index
    return min(len(one), len(other))
