"""Asks a model about messages, several at a time: do they correct, do they hold, what to keep?

A model's answer is not trusted: an entry must quote its message, and a rule is one redacted line,
so that words that manipulate the model still do no more than describe a behaviour. What is wrong
with one entry costs the others nothing.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, cast

from seasoned.core.errors import ModelError
from seasoned.core.ids import digest
from seasoned.core.text import one_line, storable
from seasoned.corrections import CorrectionKind
from seasoned.lessons.lesson import RULE_TYPES, RuleType
from seasoned.llm.model import AnswerSchema, Model, ModelQuestion
from seasoned.rules.case import Case, Judgement, NoRule, RuleDraft
from seasoned.rules.grammar.text import quotes_in
from seasoned.security.redact import cut, redacted

SURE = 0.65  # confidence from which a message that the grammar passes over corrects
TOGETHER = 8  # messages in one question
MOST_TOKENS = 8000  # an entry takes about 150; reasoning needs the rest
SENTENCE, TRIGGER, POISON, EXAMPLE, REASON, QUOTE = 400, 200, 400, 1200, 300, 600
# How much of each text is shown: its beginning and its end, in characters.
SHOWN = {"request": (500, 200), "reply": (400, 1400), "tools": (600, 0), "rules": (1000, 0)}
MESSAGE = (1600, 600)
PROMPT = Path(__file__).parent.parent / "llm" / "prompts" / "judge_messages.md"


def _text(longest: int, *, null: bool = True) -> dict[str, Any]:
    """Allow three times the length: a text somewhat too long is cut here, not sent back."""
    return {"type": ["string", "null"] if null else "string", "maxLength": 3 * longest}


ENTRY: dict[str, Any] = {
    "number": {"type": "number"},
    "quote": _text(QUOTE, null=False),
    "corrects": {"type": "boolean"},
    "standing": {"type": "boolean"},
    "praise": {"type": "boolean"},
    "sentence": _text(SENTENCE),
    "type": {"type": ["string", "null"], "enum": [*RULE_TYPES, None]},
    "trigger": _text(TRIGGER),
    "poison": _text(POISON),
    "right_reply": _text(EXAMPLE),
    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    "reason": _text(REASON, null=False),
}
SCHEMA = AnswerSchema(
    "judge_messages",
    {
        "type": "object",
        "properties": {
            "messages": {
                "type": "array",
                "maxItems": 4 * TOGETHER,
                "items": {
                    "type": "object",
                    "properties": ENTRY,
                    "required": list(ENTRY),
                    "additionalProperties": False,
                },
            }
        },
        "required": ["messages"],
        "additionalProperties": False,
    },
)


def judge(
    model: Model, cases: Sequence[Case], rules: Mapping[str, Sequence[str]]
) -> list[Judgement | ModelError]:
    """Ask the model about these messages; `rules` are the texts of the active rules, by case.

    Blocks. Returns for each case its judgement, or the error that says what is wrong with its
    entry. Raises whatever the model raises.
    """
    said = model.answer(question_about(cases, rules)).data["messages"]
    entries = {int(entry["number"]): entry for entry in reversed(said)}
    return [
        _checked(entries.get(number), case, model.name)
        for number, case in enumerate(cases, start=1)
    ]


def question_about(cases: Sequence[Case], rules: Mapping[str, Sequence[str]]) -> ModelQuestion:
    """Build the question, with all that is known of the cases as data."""
    system, template = _prompt()
    shown = [_shown(case, rules.get(case.id, ())) for case in cases]
    mark = digest(*(text for one in shown for text in one.values()))[:12]  # no data can contain it
    parts = [
        f"## Message {number}\n\n"
        + ("" if "reply" in one else "The agent had not replied to anything before.\n\n")
        + "\n\n".join(_section(name, text, mark, case.kind) for name, text in one.items())
        for number, (case, one) in enumerate(zip(cases, shown, strict=True), start=1)
    ]
    return ModelQuestion(
        system, template.substitute(messages="\n\n".join(parts)), SCHEMA, MOST_TOKENS
    )


TITLES = {
    "request": "What the person had asked for before:",
    "reply": "What the agent replied to that:",
    "tools": "The tools it used:",
    "rules": "The rules in force:",
    "message": "The message to judge:",
}
DEEDS = {
    "edited": "Instead of a message, the reply as the person changed it; judge the change:",
    "denied": "The person refused a call of a tool, and said why:",
}


def _section(name: str, text: str, mark: str, kind: str) -> str:
    title = DEEDS.get(kind, TITLES[name]) if name == "message" else TITLES[name]
    return f"{title}\n<<<{mark} {name}\n{text}\n{mark}>>>"


def _shown(case: Case, rules: Sequence[str]) -> dict[str, str]:
    """Return what is shown of a case, by name; what is empty is left out."""
    texts = {
        "request": case.request,
        "reply": case.reply,
        "tools": "\n".join(map(_call, case.tool_calls)),
        "rules": "\n".join(f"- {one_line(rule, SENTENCE)}" for rule in rules),
    }
    shown = {name: _ends(text, *SHOWN[name]) for name, text in texts.items() if text.strip()}
    return {**shown, "message": _ends(case.message, *MESSAGE)}


def _ends(text: str, first: int, last: int) -> str:
    """Return both ends of a text.

    >>> _ends("one two three " + 30 * "." + " four five", 8, 5)
    'one two\\n[…]\\nfive'
    """
    text = cut(storable(text), 20_000).strip()
    if len(text) <= first + last + 20:
        return text
    tail = text[-last:].strip() if last else ""
    return f"{text[:first].strip()}\n[…]\n{tail}".strip()


def _checked(entry: Mapping[str, Any] | None, case: Case, model: str) -> Judgement | ModelError:
    """Turn an entry that satisfies the schema into a judgement."""
    if entry is None:
        return ModelError(f"{model} left out this message")
    corrects, standing = bool(entry["corrects"]), bool(entry["standing"])
    reason = _line(entry["reason"], REASON)
    confidence = float(entry["confidence"])
    # Where the grammar found nothing, a model that is unsure finds objections everywhere.
    corrects = corrects and (case.kind != CorrectionKind.REMARK.value or confidence >= SURE)
    sentence = _line(entry["sentence"], SENTENCE)
    if not sentence or not (corrects or standing):
        why = NoRule(reason or "the model found none")
        return Judgement(why, corrects, bool(entry["praise"]), confidence)
    quotes = quotes_in([entry["quote"]], case.message)
    if not quotes:
        return ModelError(
            f"{model} made a rule that no word of the user's message supports: {sentence!r}"
        )
    reply = cut(storable((entry["right_reply"] or "").strip()), EXAMPLE)
    paired = bool(reply and case.request.strip())
    draft = RuleDraft(
        type=cast("RuleType", entry["type"] or "preference"),
        description=sentence,
        trigger=_line(entry["trigger"], TRIGGER),
        poison=_line(entry["poison"], POISON) or None,
        fewshot_user=_ends(case.request, EXAMPLE, 0) if paired else None,
        fewshot_assistant=reply if paired else None,
        confidence=confidence,
        duration="lasting" if standing else "session",
        quotes=quotes,
    )
    return Judgement(draft, corrects, bool(entry["praise"]), confidence)


def _line(text: str | None, longest: int) -> str:
    return one_line(cut(storable(text or ""), 4 * longest), longest)


def _call(call: Mapping[str, Any]) -> str:
    return json.dumps(redacted(call, longest=200), ensure_ascii=False, default=repr)


@cache
def _prompt() -> tuple[str, Template]:
    system, _, template = PROMPT.read_text("utf-8").partition("\n---\n")
    return system.strip(), Template(template.strip())
