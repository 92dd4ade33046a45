"""Asks a model what it would be good to know, and which pending questions were answered.

What it says is not believed: an answer must quote the user, and only a sure one counts; a question
that was asked before, in whatever words, is not asked again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seasoned.core.similarity import dice, telling_words
from seasoned.core.stems import stem
from seasoned.core.text import one_line, storable
from seasoned.llm.model import Question
from seasoned.memory.inquiry import Inquiry, Told
from seasoned.memory.observation import Observation
from seasoned.memory.prompts import question, schema, shape
from seasoned.memory.quote import stands_in
from seasoned.memory.session import Kept
from seasoned.security.redact import cut

LONGEST = 300
MESSAGES, MESSAGE, NOTES = 16_000, 4000, 40  # characters, characters, lines
ALIKE = 0.7  # from which share of their words two questions are one
SAME_MEANING = 0.85  # from which cosine
CONFIDENCES = ("high", "medium", "low")

Embed = Callable[[Sequence[str]], Any]  # a row of length 1 for each text
Alike = Callable[[str, Sequence[str]], bool]  # whether a text means what one of the others does

SCHEMA = schema(
    "inquiries",
    {
        "answers": {
            "type": "array",
            "maxItems": 20,
            "items": shape(
                {
                    "inquiry": {"type": "number"},
                    "fact": {"type": "string", "maxLength": 4 * LONGEST},
                    "quote": {"type": "string", "maxLength": 4000},
                    "confidence": {"type": "string", "enum": list(CONFIDENCES)},
                }
            ),
        },
        "questions": {
            "type": "array",
            "maxItems": 20,
            "items": shape(
                {
                    "question": {"type": "string", "maxLength": 4 * LONGEST},
                    "reason": {"type": "string", "maxLength": 4 * LONGEST},
                }
            ),
        },
    },
)


@dataclass(frozen=True, slots=True)
class Look:
    """What the librarian has before it."""

    observations: Sequence[Observation]
    messages: Sequence[Kept]  # of the turns since it last looked
    pending: Sequence[Inquiry]
    earlier: Sequence[Inquiry]
    room: int  # for so many new questions


@dataclass(frozen=True, slots=True)
class Asked:
    question: str
    reason: str


def asked(look: Look) -> Question:
    pending = [f"{n}. {one.question}" for n, one in enumerate(look.pending, 1)]
    earlier = [f"- {one.question}" for one in look.earlier if one.status != "pending"]
    notes = [f"[{one.kind}] {one.text}" for one in look.observations[-NOTES:]]
    said = [
        f"{one.role}: {cut(storable(one.text), MESSAGE)}"
        for one in look.messages
        if one.role != "tool" and one.text.strip()
    ]
    data = {
        "room": str(look.room),
        "pending": "\n".join(pending),
        "earlier": "\n".join(earlier),
        "notes": "\n".join(notes),
        "messages": cut("\n".join(said), MESSAGES),
    }
    return question("librarian", data, SCHEMA)


def answers(said: Mapping[str, Any], look: Look) -> Sequence[tuple[Inquiry, Told]]:
    """The pending inquiries that the user answered outright, each once."""
    spoken = [one.text for one in look.messages if one.role == "user"]
    found: dict[str, tuple[Inquiry, Told]] = {}
    for one in said["answers"]:
        place, quote = int(one["inquiry"]), one["quote"]
        fact = _line(one["fact"])
        borne_out = any(stands_in(quote, text) for text in spoken)
        if one["confidence"] == "high" and fact and borne_out and 1 <= place <= len(look.pending):
            inquiry = look.pending[place - 1]
            found.setdefault(inquiry.id, (inquiry, Told(fact, _line(quote))))
    return list(found.values())


def questions(said: Mapping[str, Any], look: Look, alike: Alike) -> Sequence[Asked]:
    """The new questions that may be asked: none that was asked before, and not too many."""
    known = [one.question for one in (*look.pending, *look.earlier)]
    fresh: list[Asked] = []
    for one in said["questions"]:
        text = _line(one["question"])
        if text and len(fresh) < look.room and not alike(text, known):
            fresh.append(Asked(text, _line(one["reason"])))
            known.append(text)
    return fresh


def alike_in_words(text: str, others: Sequence[str]) -> bool:
    """Whether a question was asked before in nearly the same words.

    >>> alike_in_words("Which database do you use?", ["What database are you using?"])
    True
    >>> alike_in_words("Which editor do you use?", ["Which database do you use?"])
    False
    """
    own = _core(text)
    return any(dice(own, _core(other)) >= ALIKE for other in others)


def alike_in_meaning(embed: Embed) -> Alike:
    """The same, by what an embedder makes of it as well: it is asked in the worker's thread."""

    def alike(text: str, others: Sequence[str]) -> bool:
        if not others or alike_in_words(text, others):
            return bool(others)
        first, *rest = embed([text, *others])
        return any(float(first @ other) >= SAME_MEANING for other in rest)

    return alike


# Words of asking, which any two questions share.
ASKING = frozenset(
    stem(word) for word in "use using which what any your please tell prefer".split()
)


def _core(text: str) -> set[str]:
    every = {stem(word) for word in telling_words(text)}
    return every - ASKING or every


def _line(text: str) -> str:
    return one_line(cut(storable(text), 4 * LONGEST), LONGEST)
