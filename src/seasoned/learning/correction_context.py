"""What a turn means after the turns before it: a short "no", a thing that the reply had, a repetition."""

from dataclasses import replace

from seasoned.core.similarity import telling_words, words
from seasoned.core.stems import stem
from seasoned.learning.correction import Correction, Kind

TO_A_STATEMENT = 0.65  # what a bare "no" is worth when nothing had been asked
IN_THE_REPLY = 0.88  # "X, not Y", when Y is what the reply had
ALWAYS_THERE = 4_000  # characters of a reply that are looked at
LEAST_TELLING = 3  # words: "go on", "yes please" may be said twice
SAME, ALMOST = 0.7, 0.6
NEW_WORDS = 0.25  # share of new words up to which a request is still the same one


def in_context(found: Correction, message: str, reply: str | None) -> Correction:
    """The correction as it is to be understood after this reply."""
    if reply is None:
        return found
    if found.kind is Kind.DECLINED:
        if asks(reply):
            return found
        return replace(found, kind=Kind.WRONG, score=max(found.score, TO_A_STATEMENT))
    if found.kind is Kind.REPLACEMENT and found.unwanted and found.score < IN_THE_REPLY:
        if _has(reply, found.unwanted):
            return replace(found, score=IN_THE_REPLY)
    return found


def asks(reply: str) -> bool:
    """Whether a reply ends by asking something.

    >>> asks("I can use tabs. Shall I?"), asks("Is it done? Yes, it is."), asks("好いですか。")
    (True, False, True)
    """
    end = reply.rstrip(" \t\r\n\"'”’»)*_").removesuffix("。")[-60:]
    return end.endswith(("?", "？", "か", "吗", "嗎", "呢"))


def _has(reply: str, piece: str) -> bool:
    said = set(map(stem, words(reply[:ALWAYS_THERE])))
    wanted = [stem(word) for word in telling_words(piece)]
    return bool(wanted) and all(word in said for word in wanted)


def asked_again(message: str, previous: str | None) -> Correction | None:
    """A request that is made once more, in the same or almost the same words.

    Another name or number in it makes it another request.

    >>> asked_again("list the open invoices of May", "List open invoices of May!").kind
    <Kind.ASKED_AGAIN: 'asked_again'>
    >>> asked_again("list the open invoices of June", "list the open invoices of May") is None
    True
    """
    if not previous or len(message) > ALWAYS_THERE or len(previous) > ALWAYS_THERE:
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
