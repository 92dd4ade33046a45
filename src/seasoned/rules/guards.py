"""Guards: a text or pattern that no reply may contain.

Only an operator sets one, and none runs without a time limit.
"""

import unicodedata

from seasoned.core.errors import BadInput
from seasoned.lessons.lesson import Guard

PATTERN_SECONDS = 0.05  # timeout of a guard's pattern on one reply
LONGEST_PATTERN = 500  # characters
LONGEST_REPLY = 200_000  # characters that are checked
_PIECES = ("a", "0", "0 ", "a ", "<a>", "\n", " ", "aA1 .-_/", "a,")
_BREAKING_TEXTS = tuple(
    piece * (2000 // len(piece)) + end for piece in _PIECES for end in ("", "!", "\0")
)


def checked_guard(guard: Guard) -> Guard:
    """Return a guard if it is usable; its pattern is tried on texts that are slow for bad ones."""
    if not guard.value.strip():
        raise BadInput(
            "the guard is empty; give the words or the pattern that no reply may contain"
        )
    if guard.kind == "text":
        return guard
    import regex  # on first use: few rules have a guard

    if len(guard.value) > LONGEST_PATTERN:
        raise BadInput(
            f"the pattern has {len(guard.value)} characters, at most {LONGEST_PATTERN} are allowed"
        )
    try:
        pattern = regex.compile(guard.value)
    except regex.error as error:
        raise BadInput(f"{guard.value!r} is not a valid pattern: {error}") from error
    if pattern.search(""):
        raise BadInput(f"{guard.value!r} matches every reply, even an empty one; make it narrower")
    for text in _BREAKING_TEXTS:
        try:
            pattern.search(text, timeout=PATTERN_SECONDS)
        except TimeoutError as error:
            raise BadInput(
                f"{guard.value!r} takes too long on some texts; avoid repetition inside repetition"
            ) from error
    return guard


def violation_in(guard: Guard, reply: str) -> str | None:
    """Return what a reply contains of a guard; None if nothing, empty after a timeout."""
    reply = reply[:LONGEST_REPLY]
    if guard.kind == "text":
        wanted, said = _fold(guard.value), _fold(reply)
        return guard.value if wanted in said else None
    import regex

    try:
        match = regex.search(guard.value, reply, timeout=PATTERN_SECONDS)
    except TimeoutError:
        return ""
    return match.group() if match else None


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
