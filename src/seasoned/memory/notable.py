"""Notices what must not be forgotten of messages, without a model: sentence by sentence.

It keeps the very words, and who said them. What tools said is nobody's word, and is not kept.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from seasoned.core.similarity import words
from seasoned.core.text import one_line, storable
from seasoned.core.tokens import estimate
from seasoned.memory.observation import BINDING, Kind, Noticed
from seasoned.memory.phrases import LATER, NAME, NUMBER, REMIND, REQUESTS, STATES, TABLE, WILL
from seasoned.memory.sentences import sentences
from seasoned.memory.session import Kept, Role
from seasoned.security.redact import redact

LONGEST = 300  # characters of a sentence
FEWEST_WORDS = 3
FACTS_SHARE = 4  # plain facts take at most so small a part of what they come from
LEAST_FACTS = 60  # tokens, where the messages are short
SPEAKERS = {"user": "User", "assistant": "Assistant"}


def noticed(messages: Iterable[Kept]) -> list[Noticed]:
    """What is worth keeping, in its order, each sentence once."""
    seen: set[tuple[str, ...]] = set()
    found: list[Noticed] = []
    tokens = 0
    for message in messages:
        tokens += message.tokens
        if message.role not in SPEAKERS:
            continue
        for sentence in sentences(redact(storable(message.text))):
            said = tuple(words(sentence))
            kind, strong = kind_of(sentence, message.role)
            if kind is not None and said not in seen:
                seen.add(said)
                text = f"{SPEAKERS[message.role]}: {one_line(sentence, LONGEST)}"
                place = (message.seq, message.seq)
                found.append(Noticed(kind, text, *place, plain=True, strong=strong))
    return _few(found, max(LEAST_FACTS, tokens // FACTS_SHARE))


@lru_cache(maxsize=8192)  # a history that is too long is looked at again in each turn
def kind_of(sentence: str, role: Role) -> tuple[Kind | None, bool]:
    """What a sentence is, if it is anything to remember, and whether that is certain.

    >>> kind_of("I promise to send the report every Friday.", "assistant")
    ('promise', True)
    >>> kind_of("I'll look at the file now.", "assistant")
    (None, False)
    >>> kind_of("Let's use Postgres.", "user"), kind_of("What is a monad?", "user")
    (('decision', False), (None, False))
    """
    if len(words(sentence)) < FEWEST_WORDS:
        return None, False
    asks = sentence.rstrip("\"'”’)").endswith(("?", "？"))
    for kind, phrases, only_user, strong in TABLE:
        if asks and kind != "question" and phrases is not REMIND:
            continue
        if (role == "user" or not only_user) and phrases.search(sentence):
            return kind, strong
    if not asks and WILL.search(sentence) and LATER.search(sentence):
        return "promise", False
    if role != "user" or asks or REQUESTS.search(sentence) or not STATES.search(sentence):
        return None, False
    return ("fact", False) if NUMBER.search(sentence) or NAME.search(sentence) else (None, False)


def _few(found: Sequence[Noticed], budget: int) -> list[Noticed]:
    """All that binds; of the rest, preferences before facts, as much as there is room for."""
    kept = {id(one) for one in found if one.kind in BINDING}
    rest = [one for one in found if one.kind not in BINDING]
    for one in sorted(rest, key=lambda one: one.kind != "preference"):
        budget -= estimate(one.text)
        if budget < 0:
            break
        kept.add(id(one))
    return [one for one in found if id(one) in kept]
