"""Asks a language model what a stretch of conversation teaches; "nothing" is a valid answer.

The answer is not trusted: an item counts only with quotes that occur in the messages, and the role
of the speaker decides its prior belief.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, cast

from seasoned.conversations.items import (
    CERTAINTIES,
    ITEM_KINDS,
    Certainty,
    ConversationItem,
    ItemKind,
    ItemRelation,
    Quote,
)
from seasoned.core.errors import ModelError
from seasoned.core.ids import digest
from seasoned.core.text import one_line, storable
from seasoned.graph.triple import PREDICATES, Predicate
from seasoned.llm.model import AnswerSchema, Model, ModelQuestion
from seasoned.rules.grammar.text import quotes_in
from seasoned.security.redact import cut
from seasoned.sessions.session import SessionMessage

MOST_TOKENS = 4000
CONTENT, WHEN, ENTITY, REASON = 400, 200, 120, 300
LONGEST_BY_ROLE = {"user": 4000, "assistant": 2000, "tool": 600}  # characters of a message
MOST_ITEMS = 8
NOTHING = "(nothing)"
PROMPT = Path(__file__).parent.parent / "llm" / "prompts" / "conversation_lessons.md"


def _text(longest: int) -> dict[str, Any]:
    """Allow three times the length: a text somewhat too long is cut here, not sent back."""
    return {"type": ["string", "null"], "maxLength": 3 * longest}


ITEM: dict[str, Any] = {
    "kind": {"type": "string", "enum": list(ITEM_KINDS)},
    "content": {"type": "string", "maxLength": 3 * CONTENT},
    "when": _text(WHEN),
    "confidence": {"type": "string", "enum": list(CERTAINTIES)},
    "subject": _text(ENTITY),
    "predicate": {"type": ["string", "null"], "enum": [*PREDICATES, None]},
    "object": _text(ENTITY),
    "quotes": {
        "type": "array",
        "maxItems": 10,
        "items": {
            "type": "object",
            "properties": {
                "message": {"type": "number"},
                "text": {"type": "string", "maxLength": 4000},
            },
            "required": ["message", "text"],
            "additionalProperties": False,
        },
    },
    "known": {"type": ["number", "null"]},
}
SCHEMA = AnswerSchema(
    "conversation_lessons",
    {
        "type": "object",
        "properties": {
            "items": {
                "type": "array",
                "maxItems": 20,
                "items": {
                    "type": "object",
                    "properties": ITEM,
                    "required": list(ITEM),
                    "additionalProperties": False,
                },
            },
            "reason": {"type": "string", "maxLength": 3 * REASON},
        },
        "required": ["items", "reason"],
        "additionalProperties": False,
    },
)


class ModelReader:
    """Reads with a model; blocks while it answers, and raises what it raises."""

    slow = True

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def name(self) -> str:
        return self.model.name

    def __call__(
        self, messages: Sequence[SessionMessage], known: Sequence[str] = ()
    ) -> Sequence[ConversationItem]:
        return items_from(self.model, messages, known)


def items_from(
    model: Model, messages: Sequence[SessionMessage], known: Sequence[str] = ()
) -> list[ConversationItem]:
    """Ask the model what these messages teach; `known` are statements that are learned already.

    Blocks. Raises `ModelError` if none of its items is usable, and whatever the model raises.
    """
    answer = model.answer(_question(messages, known))
    items = _checked_items(answer.data, messages, len(known))
    if answer.data["items"] and not items:
        raise ModelError(
            f"{model.name} found {len(answer.data['items'])} things to learn, but no word of the "
            "conversation supports them",
        )
    return items


def _question(messages: Sequence[SessionMessage], known: Sequence[str]) -> ModelQuestion:
    """Build the question, with the messages as data."""
    system, template = _prompt()
    lines = [f"{place}. {one_line(text, CONTENT)}" for place, text in enumerate(known, 1)]
    data = {
        "known": "\n".join(lines) or NOTHING,
        "conversation": "\n".join(map(_line, messages)) or NOTHING,
    }
    mark = digest(*data.values())[:12]  # no data can contain it: it is a digest of all of them
    prompt = template.substitute(data, mark=mark)
    return ModelQuestion(system, prompt, SCHEMA, MOST_TOKENS)


def _checked_items(
    said: Mapping[str, Any], messages: Sequence[SessionMessage], known: int
) -> list[ConversationItem]:
    """Return the items of a valid answer, without those that no quote supports."""
    by_seq = {message.seq: message for message in messages}
    found: list[ConversationItem] = []
    for given in said["items"]:
        content = _short(given["content"], CONTENT)
        quotes = _verified_quotes(given["quotes"], by_seq)
        if content and quotes:
            number = given["known"]
            found.append(
                ConversationItem(
                    kind=cast("ItemKind", given["kind"]),
                    content=content,
                    certainty=cast("Certainty", given["confidence"]),
                    quotes=quotes,
                    when=_short(given["when"], WHEN),
                    relation=_relation(given),
                    known=int(number) - 1 if number and 1 <= number <= known else None,
                )
            )
    return found[:MOST_ITEMS]


def _verified_quotes(
    given: Sequence[Mapping[str, Any]], messages: Mapping[int, SessionMessage]
) -> tuple[Quote, ...]:
    """Return the quotes that occur in the named message, or else in any message.

    Models number messages wrongly more often than they invent words. If several messages contain
    the same words, the least trusted one counts.
    """
    found: dict[Quote, None] = {}
    for quote in given:
        named = messages.get(quote["message"])
        others = sorted(messages.values(), key=lambda one: one.role == "user")
        for message in ([named] if named else []) + others:
            if words := quotes_in([quote["text"]], message.text):
                found[Quote(message.seq, message.role, words[0], message.at)] = None
                break
    return tuple(found)


def _relation(given: Mapping[str, Any]) -> ItemRelation | None:
    one, other = (_short(given[name], ENTITY) for name in ("subject", "object"))
    predicate = given["predicate"]
    return (
        ItemRelation(one, cast("Predicate", predicate), other)
        if one and other and predicate
        else None
    )


def _line(message: SessionMessage) -> str:
    text = cut(storable(message.text.strip()), LONGEST_BY_ROLE[message.role])
    return f"[{message.seq} {message.role}] {text or NOTHING}"


def _short(text: str | None, longest: int) -> str:
    return one_line(cut(storable(text or ""), 4 * longest), longest)


@cache
def _prompt() -> tuple[str, Template]:
    system, _, template = PROMPT.read_text("utf-8").partition("\n---\n")
    told = Template(system.strip()).substitute(predicates=", ".join(PREDICATES))
    return told, Template(template.strip())
