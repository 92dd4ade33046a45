"""Asks a language model what a stretch of conversation teaches; "nothing" is an answer, too.

What the model says is not believed: an item counts only with words that really stand in the
messages, and whose words they are decides how far it is trusted.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, cast

from seasoned.core.errors import ModelError
from seasoned.core.ids import digest
from seasoned.core.text import one_line, storable
from seasoned.core.triple import PREDICATES, Predicate
from seasoned.learning.conversation_items import (
    CERTAINTIES,
    ITEM_KINDS,
    Certainty,
    Item,
    ItemKind,
    Quote,
    Said,
)
from seasoned.learning.rule_analysis import quoted
from seasoned.llm.model import AnswerSchema, Model, Question
from seasoned.memory.session import Kept
from seasoned.security.redact import cut

MOST_TOKENS = 4000
CONTENT, WHEN, ENTITY, REASON = 400, 200, 120, 300
LONGEST = {"user": 4000, "assistant": 2000, "tool": 600}  # characters of a message
MOST_ITEMS = 8
NOTHING = "(nothing)"
PROMPT = Path(__file__).parent.parent / "llm" / "prompts" / "conversation_lessons.md"


def _text(longest: int) -> dict[str, Any]:
    """What is somewhat too long is cut here, not sent back."""
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


def items_from(model: Model, messages: Sequence[Kept], known: Sequence[str] = ()) -> list[Item]:
    """What the model finds in these messages; `known` are statements that are learned already.

    Blocks. Raises `ModelError` when no item that it gives can be used, and what the model raises.
    """
    answer = model.answer(question(messages, known))
    items = believed(answer.data, messages, len(known))
    if answer.data["items"] and not items:
        raise ModelError(
            f"{model.name} found {len(answer.data['items'])} things to learn, but no word of the "
            "conversation bears them out",
        )
    return items


def question(messages: Sequence[Kept], known: Sequence[str] = ()) -> Question:
    """The question, with all that was said as data."""
    system, template = _prompt()
    lines = [f"{place}. {one_line(text, CONTENT)}" for place, text in enumerate(known, 1)]
    data = {
        "known": "\n".join(lines) or NOTHING,
        "conversation": "\n".join(map(_line, messages)) or NOTHING,
    }
    mark = digest(*data.values())[:12]  # no data can hold it: it is made of all of them
    prompt = template.substitute(data, mark=mark)
    return Question(system, prompt, SCHEMA, MOST_TOKENS)


def believed(said: Mapping[str, Any], messages: Sequence[Kept], known: int = 0) -> list[Item]:
    """The items of an answer that satisfies the schema, without those that nobody said."""
    by_seq = {message.seq: message for message in messages}
    found: list[Item] = []
    for given in said["items"]:
        content = _short(given["content"], CONTENT)
        quotes = _borne_out(given["quotes"], by_seq)
        if content and quotes:
            number = given["known"]
            found.append(
                Item(
                    kind=cast("ItemKind", given["kind"]),
                    content=content,
                    certainty=cast("Certainty", given["confidence"]),
                    quotes=quotes,
                    when=_short(given["when"], WHEN),
                    said=_said(given),
                    known=int(number) - 1 if number and 1 <= number <= known else None,
                )
            )
    return found[:MOST_ITEMS]


def _borne_out(
    given: Sequence[Mapping[str, Any]], messages: Mapping[int, Kept]
) -> tuple[Quote, ...]:
    """The quotes that stand in a message: the one named, else whichever holds them.

    Models number messages wrongly more often than they invent words; but where several hold the
    same words, the least trusted one is taken.
    """
    found: dict[Quote, None] = {}
    for quote in given:
        named = messages.get(quote["message"])
        others = sorted(messages.values(), key=lambda one: one.role == "user")
        for message in ([named] if named else []) + others:
            if words := quoted([quote["text"]], message.text):
                found[Quote(message.seq, message.role, words[0], message.at)] = None
                break
    return tuple(found)


def _said(given: Mapping[str, Any]) -> Said | None:
    one, other = (_short(given[name], ENTITY) for name in ("subject", "object"))
    predicate = given["predicate"]
    return Said(one, cast("Predicate", predicate), other) if one and other and predicate else None


def _line(message: Kept) -> str:
    text = cut(storable(message.text.strip()), LONGEST[message.role])
    return f"[{message.seq} {message.role}] {text or NOTHING}"


def _short(text: str | None, longest: int) -> str:
    return one_line(cut(storable(text or ""), 4 * longest), longest)


@cache
def _prompt() -> tuple[str, Template]:
    system, _, template = PROMPT.read_text("utf-8").partition("\n---\n")
    told = Template(system.strip()).substitute(predicates=", ".join(PREDICATES))
    return told, Template(template.strip())
