"""Guards: what a reply must not hold. An operator sets them, and none runs without a time limit."""

import unicodedata

from seasoned.core.errors import BadInput
from seasoned.learning.lesson import Guard

SECONDS = 0.05  # that a pattern may take on one reply
LONGEST_PATTERN = 500
LONGEST_REPLY = 200_000  # characters of a reply that are looked at
PIECES = ("a", "0", "0 ", "a ", "<a>", "\n", " ", "aA1 .-_/", "a,")
TRIED = tuple(piece * (2000 // len(piece)) + end for piece in PIECES for end in ("", "!", "\0"))


def checked_guard(guard: Guard) -> Guard:
    """The guard, if it can be used; a pattern is tried on texts that break bad ones."""
    if not guard.value.strip():
        raise BadInput("the guard is empty; give the words or the pattern that no reply may hold")
    if guard.kind == "text":
        return guard
    import regex

    if len(guard.value) > LONGEST_PATTERN:
        raise BadInput(
            f"the pattern has {len(guard.value)} characters, at most {LONGEST_PATTERN} are taken"
        )
    try:
        pattern = regex.compile(guard.value)
    except regex.error as error:
        raise BadInput(f"{guard.value!r} is no valid pattern: {error}") from error
    if pattern.search(""):
        raise BadInput(f"{guard.value!r} fits every reply, even an empty one; say it more narrowly")
    for text in TRIED:
        try:
            pattern.search(text, timeout=SECONDS)
        except TimeoutError as error:
            raise BadInput(
                f"{guard.value!r} takes too long on some texts; avoid repetition inside repetition"
            ) from error
    return guard


def held_by(guard: Guard, reply: str) -> str | None:
    """What the reply holds of it; None when nothing, empty when it could not be checked in time."""
    reply = reply[:LONGEST_REPLY]
    if guard.kind == "text":
        wanted, said = _folded(guard.value), _folded(reply)
        return guard.value if wanted in said else None
    import regex

    try:
        match = regex.search(guard.value, reply, timeout=SECONDS)
    except TimeoutError:
        return ""
    return match.group() if match else None


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
