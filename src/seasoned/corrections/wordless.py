"""Corrections without words: a reply edited, a turn interrupted, a tool call denied."""

import re
from difflib import SequenceMatcher

from seasoned.corrections.correction import Correction, Kind
from seasoned.corrections.detection import find_correction

EDITED = 0.85
INTERRUPTED = 0.5  # perhaps it only took too long
DENIED, DENIED_WITH_REASON = 0.6, 0.9
APART = " … "  # between pieces that did not stand beside each other
COMPARED = 400  # words: of a longer change only its two ends are told
_WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff]+|\S")


def edited(reply: str, edited: str) -> Correction | None:
    """What a user changed in a reply; None when only white space moved.

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
        Kind.EDITED,
        EDITED,
        (min(places), max(places)),
        wanted=APART.join(come) or None,
        unwanted=APART.join(gone) or None,
    )


def interrupted() -> Correction:
    """The user stopped the assistant while it was at work."""
    return Correction(Kind.INTERRUPTED, INTERRUPTED, (0, 0))


def denied(tool: str, reason: str | None = None) -> Correction:
    """The user did not let a tool run; a reason may say what is wanted instead.

    >>> denied("shell", "no, use podman, not docker").wanted
    'podman'
    """
    if not reason or not reason.strip():
        return Correction(Kind.DENIED, DENIED, (0, 0), unwanted=tool)
    told = find_correction(reason, floor=0)
    return Correction(
        Kind.DENIED,
        DENIED_WITH_REASON,
        (0, len(reason)),
        language=told.language if told else None,
        wanted=told.wanted if told else None,
        unwanted=(told.unwanted if told else None) or tool,
    )


Place = tuple[int, int]


def _changes(old: list[str], new: list[str]) -> list[tuple[Place, Place]]:
    """The stretches that differ, as places in both lists of words.

    Only what lies between the first and the last difference is compared word by word, and only
    while it is short: that takes quadratic time.
    """
    start = _shared(old, new)
    end = min(_shared(old[::-1], new[::-1]), len(old) - start, len(new) - start)
    last, end = len(old) - end, len(new) - end
    if max(last, end) - start > COMPARED:
        return [((start, last), (start, end))]
    matcher = SequenceMatcher(None, old[start:last], new[start:end], autojunk=False)
    return [
        ((start + a, start + b), (start + c, start + d))
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def _shared(one: list[str], other: list[str]) -> int:
    """How many words they have in common from the beginning."""
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return place
    return min(len(one), len(other))
