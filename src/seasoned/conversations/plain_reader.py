"""Finds what a user states outright, without a model: names, tools, preferences; in English.

It prefers to miss a statement than to misread one: a sentence must begin like a statement about the
user or the team, and must not ask, suppose, quote, complain, or speak of today.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from seasoned.conversations.items import ConversationItem, ItemKind, Quote
from seasoned.conversations.phrases import (
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
from seasoned.core.words import telling_words
from seasoned.corrections import find_correction
from seasoned.rules.grammar.manner import holds_always
from seasoned.rules.grammar.text import fold, sentence_case, split_sentences, tidy
from seasoned.rules.grammar.validity import duration_of
from seasoned.security.redact import redact
from seasoned.sessions.session import SessionMessage

LONGEST_MESSAGE = 2000  # characters: a longer one is probably pasted
MOST_LINES = 30
LONGEST_STATEMENT = 240  # characters
MOST_WORDS = 30
LONGEST_SITUATION = 160  # characters


@dataclass(frozen=True, slots=True)
class PlainStatement:
    """A sentence that states something, and its wording as a lesson."""

    sentence: str
    kind: ItemKind
    content: str
    when: str = ""


class PhraseReader:
    """Reads without a model; skips corrections if something else learns from them."""

    slow = False
    name = "plain"

    def __init__(self, *, corrections_elsewhere: bool = True) -> None:
        self.corrections_elsewhere = corrections_elsewhere

    def __call__(
        self, messages: Sequence[SessionMessage], known: Sequence[str] = ()
    ) -> list[ConversationItem]:
        found: list[ConversationItem] = []
        reply: str | None = None
        for message in messages:
            if message.role == "assistant":
                reply = message.text or reply
            elif message.role == "user":
                found += self._items(message, reply)
        return found

    def _items(self, message: SessionMessage, reply: str | None) -> Iterator[ConversationItem]:
        corrected = None
        if self.corrections_elsewhere:
            corrected = find_correction(message.text, previous_reply=reply)
        for stated in statements(message.text):
            place = message.text.find(stated.sentence)
            if (
                corrected is not None
                and corrected.safe
                and _overlaps(place, stated, corrected.span)
            ):
                continue
            quote = Quote(message.seq, "user", tidy(stated.sentence, LONGEST_STATEMENT), message.at)
            yield ConversationItem(
                stated.kind, stated.content, "high", (quote,), stated.when, told=True
            )


def statements(message: str) -> Iterator[PlainStatement]:
    """Yield what a message states outright.

    >>> [one.content for one in statements("Hi! My editor is vim, by the way. Can you fix it?")]
    ["The user's editor is vim."]
    >>> [one.content for one in statements("I prefer short answers. And I live in Lisbon.")]
    ['Prefer short answers.', 'The user lives in Lisbon.']
    >>> list(statements("If I prefer tabs, what then?"))
    []
    """
    if len(message) > LONGEST_MESSAGE or message.count("\n") > MOST_LINES:
        return
    if AS_IF.search(fold(message)) or QUOTED.search(message):
        return
    for sentence in split_sentences(message):
        if stated := _statement(sentence):
            yield stated


def _statement(sentence: str) -> PlainStatement | None:
    plain = fold(sentence)
    if SUPPOSED.search(plain) or PASSING.search(plain) or duration_of(sentence) == "session":
        return None
    if len(sentence.split()) > MOST_WORDS or any(mark in sentence for mark in '"“”«»`'):
        return None
    text = sentence.replace("’", "'")
    opened = OPENING.match(text)
    text = text[opened.end() :] if opened else text
    for form in FORMS:
        found = form.expression.match(text)
        if found and (content := _worded(form, found)):
            wish = WISHES.get(form.told)
            if wish and holds_always(content):
                form = replace(form, kind="preference", told=wish)  # noqa: PLW2901 - intended
                content = _worded(form, found)
            content = redact(tidy(content, LONGEST_STATEMENT))
            return PlainStatement(sentence, form.kind, content, _when(form, content))
    return None


def _worded(form: Form, found: re.Match[str]) -> str:
    """Return the statement worded as a lesson; empty if it says nothing."""
    pieces = {name: text or "" for name, text in found.groupdict().items()}
    rest = TAIL.sub("", TURN.sub("", pieces["rest"]).strip().rstrip(".,!;: "))
    if not rest or CUT_OFF.search(rest):
        return ""
    if STILL_FIRST.search(rest):
        return f"The user said: “{found.group().strip()}”"
    pieces["rest"] = re.sub(r"[\w']+", lambda word: OTHERS.get(word[0].lower(), word[0]), rest)
    return sentence_case(form.told.format(**pieces))


def _when(form: Form, content: str) -> str:
    """Return the situation of a preference; empty means every turn."""
    if form.kind != "preference" or form.always or holds_always(content):
        return ""
    return tidy(
        " ".join(word for word in telling_words(content) if word not in COMMON), LONGEST_SITUATION
    )


def _overlaps(place: int, stated: PlainStatement, span: tuple[int, int]) -> bool:
    """Whether a correction overlaps the sentence."""
    return place < span[1] and span[0] < place + len(stated.sentence)
