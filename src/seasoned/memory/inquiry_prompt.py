"""The librarian's question to a model: what to ask the user, and which inquiries are answered.

The answer is verified: an answered inquiry needs a quote from the user and high confidence, and a
question that was asked before, in any words, is dropped.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seasoned.core.text import one_line, storable
from seasoned.core.words import dice, stem, telling_words
from seasoned.llm.model import ModelQuestion
from seasoned.memory.inquiries import Inquiry, InquiryAnswer
from seasoned.memory.observation import Observation
from seasoned.memory.prompts import question, schema, shape
from seasoned.memory.sentences import is_quote_from
from seasoned.security.redact import cut
from seasoned.sessions.session import SessionMessage

LONGEST_LINE = 300
MESSAGES, MESSAGE, NOTES = 16_000, 4000, 40  # characters, characters, lines
SAME_QUESTION = 0.7  # share of common words from which two questions are the same
SAME_MEANING = 0.85  # cosine from which two questions are the same
CONFIDENCES = ("high", "medium", "low")

Embed = Callable[[Sequence[str]], Any]  # a unit vector for each text
Alike = Callable[[str, Sequence[str]], bool]  # does a text mean the same as one of the others?

SCHEMA = schema(
    "inquiries",
    {
        "answers": {
            "type": "array",
            "maxItems": 20,
            "items": shape(
                {
                    "inquiry": {"type": "number"},
                    "fact": {"type": "string", "maxLength": 4 * LONGEST_LINE},
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
                    "question": {"type": "string", "maxLength": 4 * LONGEST_LINE},
                    "reason": {"type": "string", "maxLength": 4 * LONGEST_LINE},
                }
            ),
        },
    },
)


@dataclass(frozen=True, slots=True)
class LibrarianView:
    """The part of a session that the librarian looks at."""

    observations: Sequence[Observation]
    messages: Sequence[SessionMessage]  # of the turns since the last look
    pending: Sequence[Inquiry]
    earlier: Sequence[Inquiry]
    room: int  # for new questions


@dataclass(frozen=True, slots=True)
class ProposedQuestion:
    question: str
    reason: str


def librarian_question(view: LibrarianView) -> ModelQuestion:
    pending = [f"{n}. {one.question}" for n, one in enumerate(view.pending, 1)]
    earlier = [f"- {one.question}" for one in view.earlier if one.status != "pending"]
    notes = [f"[{one.kind}] {one.text}" for one in view.observations[-NOTES:]]
    said = [
        f"{one.role}: {cut(storable(one.text), MESSAGE)}"
        for one in view.messages
        if one.role != "tool" and one.text.strip()
    ]
    data = {
        "room": str(view.room),
        "pending": "\n".join(pending),
        "earlier": "\n".join(earlier),
        "notes": "\n".join(notes),
        "messages": cut("\n".join(said), MESSAGES),
    }
    return question("librarian", data, SCHEMA)


def answers(
    said: Mapping[str, Any], view: LibrarianView
) -> Sequence[tuple[Inquiry, InquiryAnswer]]:
    """Return the pending inquiries that the user clearly answered, each once."""
    spoken = [one.text for one in view.messages if one.role == "user"]
    found: dict[str, tuple[Inquiry, InquiryAnswer]] = {}
    for one in said["answers"]:
        place, quote = int(one["inquiry"]), one["quote"]
        fact = _line(one["fact"])
        borne_out = any(is_quote_from(quote, text) for text in spoken)
        if one["confidence"] == "high" and fact and borne_out and 1 <= place <= len(view.pending):
            inquiry = view.pending[place - 1]
            found.setdefault(inquiry.id, (inquiry, InquiryAnswer(fact, _line(quote))))
    return list(found.values())


def questions(
    said: Mapping[str, Any], view: LibrarianView, alike: Alike
) -> Sequence[ProposedQuestion]:
    """Return the new questions that fit; none that was asked before."""
    known = [one.question for one in (*view.pending, *view.earlier)]
    fresh: list[ProposedQuestion] = []
    for one in said["questions"]:
        text = _line(one["question"])
        if text and len(fresh) < view.room and not alike(text, known):
            fresh.append(ProposedQuestion(text, _line(one["reason"])))
            known.append(text)
    return fresh


def alike_in_words(text: str, others: Sequence[str]) -> bool:
    """Tell whether a question was asked before in nearly the same words.

    >>> alike_in_words("Which database do you use?", ["What database are you using?"])
    True
    >>> alike_in_words("Which editor do you use?", ["Which database do you use?"])
    False
    """
    own = _core(text)
    return any(dice(own, _core(other)) >= SAME_QUESTION for other in others)


def alike_in_meaning(embed: Embed) -> Alike:
    """Compare by words and by embeddings; the embedder runs in the worker's thread."""

    def alike(text: str, others: Sequence[str]) -> bool:
        if not others or alike_in_words(text, others):
            return bool(others)
        first, *rest = embed([text, *others])
        return any(float(first @ other) >= SAME_MEANING for other in rest)

    return alike


# Words that any two questions share.
ASKING = frozenset(
    stem(word) for word in "use using which what any your please tell prefer".split()
)


def _core(text: str) -> set[str]:
    every = {stem(word) for word in telling_words(text)}
    return every - ASKING or every


def _line(text: str) -> str:
    return one_line(cut(storable(text), 4 * LONGEST_LINE), LONGEST_LINE)
