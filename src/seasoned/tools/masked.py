"""Lets a model edit a text that it saw with its secrets masked; the secrets stay what they are."""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.core.errors import BadInput
from seasoned.security.redact import SECRET, redact


@dataclass(frozen=True, slots=True)
class Masked:
    """A text as a model sees it, and the secrets behind the masks, in their order."""

    seen: str
    secrets: Sequence[str]


def masked(text: str) -> Masked | None:
    """None when it cannot be told what is behind which mask.

    >>> masked("user=ana\\npassword=hunter2\\n")
    Masked(seen='user=ana\\npassword=<secret>\\n', secrets=('hunter2',))
    """
    if SECRET in text:
        return None
    first, *pieces = redact(text).split(SECRET)
    if not text.startswith(first):
        return None
    secrets: list[str] = []
    at = len(first)
    for number, piece in enumerate(pieces, 1):
        last = number == len(pieces)
        end = len(text) - len(piece) if last else text.find(piece, at + 1)
        if end <= at or not text.startswith(piece, end) or not (piece or last):
            return None
        secrets.append(text[at:end])
        at = end + len(piece)
    return Masked(SECRET.join([first, *pieces]), tuple(secrets))


def edited(text: str, old: str, new: str) -> str | None:
    """The text with one masked piece replaced; None when it does not stand there exactly once.

    >>> edited("password=hunter2\\n", "password=<secret>", "PASSWORD=<secret>")
    'PASSWORD=hunter2\\n'
    """
    found = masked(text)
    if found is None or found.seen.count(old) != 1:
        return None
    if new.count(SECRET) != old.count(SECRET):
        raise BadInput(f"new must hold {SECRET} as often as old does: they are put back in order")
    before, after = found.seen.split(old)
    start, end = before.count(SECRET), before.count(SECRET) + old.count(SECRET)
    secrets = found.secrets
    return (
        _filled(before, secrets[:start])
        + _filled(new, secrets[start:end])
        + _filled(after, secrets[end:])
    )


def _filled(seen: str, secrets: Sequence[str]) -> str:
    first, *pieces = seen.split(SECRET)
    parts = (secret + piece for secret, piece in zip(secrets, pieces, strict=True))
    return first + "".join(parts)
