"""Edit a text of which the model saw a copy with masked secrets; the secrets stay in place."""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.core.errors import BadInput
from seasoned.security.redact import SECRET, redact


@dataclass(frozen=True, slots=True)
class MaskedText:
    """A text as the model sees it, and the masked secrets in order."""

    seen: str
    secrets: Sequence[str]


def mask_text(text: str) -> MaskedText | None:
    """Mask the secrets in a text; None if they cannot be assigned to their masks.

    >>> mask_text("user=ana\\npassword=hunter2\\n")
    MaskedText(seen='user=ana\\npassword=<secret>\\n', secrets=('hunter2',))
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
    return MaskedText(SECRET.join([first, *pieces]), tuple(secrets))


def edit_masked(text: str, old: str, new: str) -> str | None:
    """Replace one masked piece; None unless it occurs exactly once.

    >>> edit_masked("password=hunter2\\n", "password=<secret>", "PASSWORD=<secret>")
    'PASSWORD=hunter2\\n'
    """
    found = mask_text(text)
    if found is None or found.seen.count(old) != 1:
        return None
    if new.count(SECRET) != old.count(SECRET):
        raise BadInput(f"new must contain {SECRET} as often as old; they are put back in order")
    before, after = found.seen.split(old)
    start, end = before.count(SECRET), before.count(SECRET) + old.count(SECRET)
    secrets = found.secrets
    return (
        _unmask(before, secrets[:start])
        + _unmask(new, secrets[start:end])
        + _unmask(after, secrets[end:])
    )


def _unmask(seen: str, secrets: Sequence[str]) -> str:
    first, *pieces = seen.split(SECRET)
    parts = (secret + piece for secret, piece in zip(secrets, pieces, strict=True))
    return first + "".join(parts)
