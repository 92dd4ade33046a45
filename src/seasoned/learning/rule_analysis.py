"""Asks a language model what a correction teaches: a rule, or nothing.

What the model says is not believed: a rule must quote the user, and is one redacted line, so that
words which talked the model into something still do no more than describe a behaviour.
"""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, cast

from seasoned.core.errors import ModelError
from seasoned.core.ids import digest
from seasoned.core.text import one_line, storable
from seasoned.llm.model import AnswerSchema, Model, Question
from seasoned.rules.case import Case
from seasoned.rules.rule import RULE_TYPES, NoRule, Reach, RuleDraft, RuleType
from seasoned.security.redact import cut, redacted

MOST_TOKENS = 4000  # an answer has some hundreds; models that think need the rest
DESCRIPTION, TRIGGER, POISON, EXAMPLE, QUOTE, REASON = 400, 200, 400, 1200, 300, 300
QUOTES = 5
DATA = {"request": 4000, "reply": 6000, "message": 4000, "tools": 4000, "rules": 3000}
REACHES = ("session", "lasting")
NOTHING = "(nothing)"
PROMPT = Path(__file__).parent.parent / "llm" / "prompts" / "rule_from_correction.md"


def _text(longest: int, *, null: bool = True) -> dict[str, Any]:
    """What is somewhat too long is cut here, not sent back."""
    return {"type": ["string", "null"] if null else "string", "maxLength": 3 * longest}


PROPERTIES: dict[str, Any] = {
    "rule": {"type": "boolean"},
    "type": {"type": ["string", "null"], "enum": [*RULE_TYPES, None]},
    "description": _text(DESCRIPTION),
    "trigger": _text(TRIGGER),
    "poison": _text(POISON),
    "fewshot_user": _text(EXAMPLE),
    "fewshot_assistant": _text(EXAMPLE),
    "confidence": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
    "reach": {"type": ["string", "null"], "enum": [*REACHES, None]},
    "quotes": {"type": "array", "items": {"type": "string", "maxLength": 4000}, "maxItems": 20},
    "reason": _text(REASON, null=False),
}
SCHEMA = AnswerSchema(
    "rule_from_correction",
    {
        "type": "object",
        "properties": PROPERTIES,
        "required": list(PROPERTIES),
        "additionalProperties": False,
    },
)


def rule_from(model: Model, case: Case, rules: Sequence[str] = ()) -> RuleDraft | NoRule:
    """What the model makes of a correction; `rules` are the texts of those that were active.

    Blocks. Raises `ModelError` when the model gives no rule that can be used, and whatever the
    model raises.
    """
    return believed(model.answer(question(case, rules)).data, case.message, model.name)


def question(case: Case, rules: Sequence[str] = ()) -> Question:
    """The question, with all that is known of the case as data."""
    system, template = _prompt()
    data = {
        "request": case.request,
        "reply": case.reply,
        "message": case.message,
        "tools": "\n".join(map(_call, case.tool_calls)),
        "rules": "\n".join(f"- {one_line(rule, DESCRIPTION)}" for rule in rules),
    }
    data = {name: cut(storable(text), DATA[name]) or NOTHING for name, text in data.items()}
    signs = [case.kind, *(("in " + case.language,) if case.language else ())]
    mark = digest(*data.values())[:12]  # no data can hold it: it is made of all of them
    prompt = template.substitute(data, mark=mark, signs=one_line(", ".join(signs), 80))
    return Question(system, prompt, SCHEMA, MOST_TOKENS)


def believed(said: Mapping[str, Any], message: str, model: str = "the model") -> RuleDraft | NoRule:
    """What an answer that satisfies the schema amounts to."""
    reason = _line(said["reason"], REASON)
    if not said["rule"]:
        return NoRule(reason or "the model found none")
    description = _line(said["description"], DESCRIPTION)
    if not description or said["type"] is None:
        raise ModelError(f"{model} says that there is a rule, but not which: {reason!r}")
    quotes = quoted(said["quotes"], message)
    if not quotes:
        raise ModelError(
            f"{model} made a rule that no word of the user's message bears out: {description!r}"
        )
    asked, answered = (_block(said[name]) for name in ("fewshot_user", "fewshot_assistant"))
    paired = bool(asked and answered)
    return RuleDraft(
        type=cast("RuleType", said["type"]),
        description=description,
        trigger=_line(said["trigger"], TRIGGER),
        poison=_line(said["poison"], POISON) or None,
        fewshot_user=asked if paired else None,
        fewshot_assistant=answered if paired else None,
        confidence=0.5 if said["confidence"] is None else float(said["confidence"]),
        reach=cast("Reach", said["reach"] or "lasting"),
        quotes=quotes,
    )


def quoted(quotes: Sequence[str], message: str) -> tuple[str, ...]:
    """Those quotes that stand in the message, each once.

    >>> quoted(["use  pytest", "never use nose", "e"], "No, use pytest here.")
    ('use pytest',)
    """
    whole = _folded(message)
    kept: dict[str, None] = {}
    for quote in quotes:
        folded = _folded(quote)
        if folded and folded in whole and (_says_something(quote) or folded == whole):
            kept[" ".join(storable(quote).split())[:QUOTE]] = None
    return tuple(kept)[:QUOTES]


def _says_something(quote: str) -> bool:
    """Three letters stand in any English message; two Chinese signs are a word."""
    letters = [sign for sign in quote if sign.isalnum()]
    return len(letters) >= (4 if quote.isascii() else 2)


def _folded(text: str) -> str:
    """A text without what models change when they copy: spaces, and the form of quotes."""
    plain = unicodedata.normalize("NFKC", text).translate(TYPED)
    return " ".join(plain.casefold().split())


TYPED = str.maketrans("‘’‚ʼ“”„«»–—", '\'\'\'\'"""""--')


def _line(text: str | None, longest: int) -> str:
    return one_line(cut(storable(text or ""), 4 * longest), longest)


def _block(text: str | None) -> str:
    return cut(storable((text or "").strip()), EXAMPLE)


def _call(call: Mapping[str, Any]) -> str:
    return json.dumps(redacted(call, longest=500), ensure_ascii=False, default=repr)


@cache
def _prompt() -> tuple[str, Template]:
    system, _, template = PROMPT.read_text("utf-8").partition("\n---\n")
    return system.strip(), Template(template.strip())
