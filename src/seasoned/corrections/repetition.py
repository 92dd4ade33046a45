"""Notice that a request is made once more: whoever asks again was not served."""

from seasoned.core.similarity import telling_words
from seasoned.core.stems import stem
from seasoned.corrections.correction import Correction, Kind

LONGEST = 4_000  # characters: a longer request is not compared
LEAST_TELLING = 3  # words: "go on", "yes please" may be said twice
SAME, ALMOST = 0.7, 0.6
NEW_WORDS = 0.25  # share of new words up to which a request is still the same one


def asked_again(message: str, previous: str | None) -> Correction | None:
    """A request that is made once more, in the same or almost the same words.

    Another name or number in it makes it another request.

    >>> asked_again("list the open invoices of May", "List open invoices of May!").kind
    <Kind.ASKED_AGAIN: 'asked_again'>
    >>> asked_again("list the open invoices of June", "list the open invoices of May") is None
    True
    """
    if not previous or len(message) > LONGEST or len(previous) > LONGEST:
        return None
    now, before = (
        dict.fromkeys(stem(word) for word in telling_words(text)) for text in (message, previous)
    )
    if min(len(now), len(before)) < LEAST_TELLING:
        return None
    gone, new = before.keys() - now.keys(), now.keys() - before.keys()
    if any(word.isdigit() for word in gone | new):
        return None
    if gone and new and not _slip(gone, new):
        return None
    if len(gone | new) > NEW_WORDS * len(before.keys() | now.keys()):
        return None
    return Correction(Kind.ASKED_AGAIN, SAME if not gone | new else ALMOST, (0, len(message)))


def _slip(gone: set[str], new: set[str]) -> bool:
    """One word for one word that begins or ends like it: it was mistyped before."""
    if len(gone) != 1 or len(new) != 1:
        return False
    a, b = gone.pop(), new.pop()
    gone.add(a)
    new.add(b)
    shared = sum(x == y for x, y in zip(a, b, strict=False))
    shared = max(shared, sum(x == y for x, y in zip(a[::-1], b[::-1], strict=False)))
    return shared >= max(3, max(len(a), len(b)) - 2)
