"""Finds what a user states outright, without a model: names, tools, preferences; in English.

Rather nothing than something wrong: a sentence must begin like a statement about the user or the
team, and must not ask, suppose, quote, complain, or speak of today.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from seasoned.core.similarity import telling_words
from seasoned.corrections import find_correction
from seasoned.learning.conversation_forms import (
    AS_IF,
    COMMON,
    CUT_OFF,
    FORMS,
    OPENING,
    OTHERS,
    PASSING,
    QUOTED,
    STILL_FIRST,
    SUPPOSED,
    TAIL,
    TURN,
    WISHES,
    Form,
)
from seasoned.learning.conversation_items import Item, ItemKind, Quote
from seasoned.memory.session import Kept
from seasoned.rules.general import holds_always
from seasoned.rules.reach import reach
from seasoned.rules.text import folded, sentence_case, sentences, tidy
from seasoned.security.redact import redact

LONGEST_MESSAGE = 2000  # what is longer is pasted more often than said
MOST_LINES = 30
LONGEST = 240
MOST_WORDS = 30
WHEN = 160


@dataclass(frozen=True, slots=True)
class Stated:
    """A sentence that states something, and how that is told of the user."""

    sentence: str
    kind: ItemKind
    content: str
    when: str = ""


class PlainReader:
    """Reads without a model. What corrects a reply is left to those who listen for corrections."""

    slow = False
    name = "plain"

    def __init__(self, *, corrections_elsewhere: bool = True) -> None:
        self.corrections_elsewhere = corrections_elsewhere

    def __call__(self, messages: Sequence[Kept], known: Sequence[str] = ()) -> list[Item]:
        found: list[Item] = []
        reply: str | None = None
        for message in messages:
            if message.role == "assistant":
                reply = message.text or reply
            elif message.role == "user":
                found += self._items(message, reply)
        return found

    def _items(self, message: Kept, reply: str | None) -> Iterator[Item]:
        corrected = None
        if self.corrections_elsewhere:
            corrected = find_correction(message.text, previous_reply=reply)
        for stated in statements(message.text):
            place = message.text.find(stated.sentence)
            if corrected is not None and corrected.safe and _meet(place, stated, corrected.span):
                continue
            quote = Quote(message.seq, "user", tidy(stated.sentence, LONGEST), message.at)
            yield Item(stated.kind, stated.content, "high", (quote,), stated.when, told=True)


def statements(message: str) -> Iterator[Stated]:
    """What a message states outright.

    >>> [one.content for one in statements("Hi! My editor is vim, by the way. Can you fix it?")]
    ["The user's editor is vim."]
    >>> [one.content for one in statements("I prefer short answers. And I live in Lisbon.")]
    ['Prefer short answers.', 'The user lives in Lisbon.']
    >>> list(statements("If I prefer tabs, what then?"))
    []
    """
    if len(message) > LONGEST_MESSAGE or message.count("\n") > MOST_LINES:
        return
    if AS_IF.search(folded(message)) or QUOTED.search(message):
        return
    for sentence in sentences(message):
        if stated := _stated(sentence):
            yield stated


def _stated(sentence: str) -> Stated | None:
    plain = folded(sentence)
    if SUPPOSED.search(plain) or PASSING.search(plain) or reach(sentence) == "session":
        return None
    if len(sentence.split()) > MOST_WORDS or any(mark in sentence for mark in '"“”«»`'):
        return None
    text = sentence.replace("’", "'")
    opened = OPENING.match(text)
    text = text[opened.end() :] if opened else text
    for form in FORMS:
        found = form.expression.match(text)
        if found and (content := _told(form, found)):
            wish = WISHES.get(form.told)
            if wish and holds_always(content):
                form = replace(form, kind="preference", told=wish)  # noqa: PLW2901 - meant so
                content = _told(form, found)
            content = redact(tidy(content, LONGEST))
            return Stated(sentence, form.kind, content, _when(form, content))
    return None


def _told(form: Form, found: re.Match[str]) -> str:
    """The statement as it is told of the user; empty when there is nothing in it."""
    pieces = {name: text or "" for name, text in found.groupdict().items()}
    rest = TAIL.sub("", TURN.sub("", pieces["rest"]).strip().rstrip(".,!;: "))
    if not rest or CUT_OFF.search(rest):
        return ""
    if STILL_FIRST.search(rest):
        return f"The user said: “{found.group().strip()}”"
    pieces["rest"] = re.sub(r"[\w']+", lambda word: OTHERS.get(word[0].lower(), word[0]), rest)
    return sentence_case(form.told.format(**pieces))


def _when(form: Form, content: str) -> str:
    """The situation that a preference matters in; empty means every turn."""
    if form.kind != "preference" or form.always or holds_always(content):
        return ""
    return tidy(" ".join(word for word in telling_words(content) if word not in COMMON), WHEN)


def _meet(place: int, stated: Stated, span: tuple[int, int]) -> bool:
    """Whether a correction stands in the sentence."""
    return place < span[1] and span[0] < place + len(stated.sentence)
