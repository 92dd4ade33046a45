"""Find the sentences worth remembering, without a model.

Sentences are kept word for word, with the speaker. Tool output is ignored.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from seasoned.core.text import estimate_tokens, one_line, storable
from seasoned.core.words import words
from seasoned.memory.observation import BINDING, Kind, ObservationDraft
from seasoned.memory.phrases import LATER, NAME, NUMBER, REMIND, REQUESTS, STATES, TABLE, WILL
from seasoned.memory.sentences import sentences
from seasoned.security.redact import redact
from seasoned.sessions.session import Role, SessionMessage

LONGEST_SENTENCE = 300  # characters of a sentence
FEWEST_WORDS = 3
FACTS_SHARE = 4  # facts take at most one part in four of the messages
LEAST_FACTS = 60  # tokens, for short messages
SPEAKERS = {"user": "User", "assistant": "Assistant"}


def find_notable(messages: Iterable[SessionMessage]) -> list[ObservationDraft]:
    """Return the notable sentences in order, each once."""
    seen: set[tuple[str, ...]] = set()
    found: list[ObservationDraft] = []
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
                text = f"{SPEAKERS[message.role]}: {one_line(sentence, LONGEST_SENTENCE)}"
                place = (message.seq, message.seq)
                found.append(ObservationDraft(kind, text, *place, plain=True, strong=strong))
    return _few(found, max(LEAST_FACTS, tokens // FACTS_SHARE))


@lru_cache(maxsize=8192)  # a history that is too long is read again in each turn
def kind_of(sentence: str, role: Role) -> tuple[Kind | None, bool]:
    """Return the kind of a sentence, None if not notable, and whether it is explicit.

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


def _few(found: Sequence[ObservationDraft], budget: int) -> list[ObservationDraft]:
    """Keep all that binds; of the rest, preferences before facts, as many as fit."""
    kept = {id(one) for one in found if one.kind in BINDING}
    rest = [one for one in found if one.kind not in BINDING]
    for one in sorted(rest, key=lambda one: one.kind != "preference"):
        budget -= estimate_tokens(one.text)
        if budget < 0:
            break
        kept.add(id(one))
    return [one for one in found if id(one) in kept]
