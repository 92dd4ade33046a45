"""Analysts turn a correction into a rule: by the grammar of its words, or by asking a model.

A model's answer is not trusted: a rule must quote the user and is one redacted line, so that words
that manipulate the model still do no more than describe a behaviour.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, Protocol, cast

from seasoned.core.errors import ModelError
from seasoned.core.ids import digest
from seasoned.core.text import one_line, storable
from seasoned.db.database import Database
from seasoned.lessons.lesson import RULE_TYPES, RuleType
from seasoned.lessons.lesson_store import LessonStore
from seasoned.llm.model import AnswerSchema, Model, ModelQuestion
from seasoned.rules.case import DURATIONS, Case, Duration, NoRule, RuleDraft
from seasoned.rules.grammar.drafting import draft_rule
from seasoned.rules.grammar.text import quotes_in
from seasoned.security.redact import cut, redacted

MOST_TOKENS = 4000  # an answer takes some hundreds; reasoning needs the rest
DESCRIPTION, TRIGGER, POISON, EXAMPLE, REASON = 400, 200, 400, 1200, 300
DATA = {"request": 4000, "reply": 6000, "message": 4000, "tools": 4000, "rules": 3000}
NOTHING = "(nothing)"
PROMPT = Path(__file__).parent.parent / "llm" / "prompts" / "rule_from_correction.md"


class Analyst(Protocol):
    """Turns a case into a rule; a `slow` one may take seconds, so it runs in its own thread."""

    slow: bool

    @property
    def name(self) -> str: ...

    def __call__(self, case: Case) -> RuleDraft | NoRule: ...


class Grammar:
    """Drafts a rule by grammar, in the languages of detection, without a model."""

    slow = False
    name = "grammar"

    def __call__(self, case: Case) -> RuleDraft | NoRule:
        return draft_rule(case)


class ModelAnalyst:
    """Asks a model, and tells it the rules that were active."""

    slow = True

    def __init__(self, model: Model, db: Database, lessons: LessonStore) -> None:
        self.model = model
        self.db = db
        self.lessons = lessons

    @property
    def name(self) -> str:
        return self.model.name

    def __call__(self, case: Case) -> RuleDraft | NoRule:
        return rule_from(self.model, case, self.db.run(self._active_rules(case)))

    async def _active_rules(self, case: Case) -> list[str]:
        """Return the texts of the rules that were active when the user made the correction."""
        async with self.db.read() as tx:
            found = [await self.lessons.find(tx, name) for name in case.rules]
        return [lesson.content for lesson in found if lesson is not None]


def _text(longest: int, *, null: bool = True) -> dict[str, Any]:
    """Allow three times the length: a text somewhat too long is cut here, not sent back."""
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
    "reach": {"type": ["string", "null"], "enum": [*DURATIONS, None]},
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
    """Ask the model what a correction teaches; `rules` are the texts of the active rules.

    Blocks. Raises `ModelError` if the model gives no usable rule, and whatever the model raises.
    """
    return _checked_answer(model.answer(_question(case, rules)).data, case.message, model.name)


def _question(case: Case, rules: Sequence[str]) -> ModelQuestion:
    """Build the question, with all that is known of the case as data."""
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
    mark = digest(*data.values())[:12]  # no data can contain it: it is a digest of all of them
    prompt = template.substitute(data, mark=mark, signs=one_line(", ".join(signs), 80))
    return ModelQuestion(system, prompt, SCHEMA, MOST_TOKENS)


def _checked_answer(said: Mapping[str, Any], message: str, model: str) -> RuleDraft | NoRule:
    """Turn an answer that satisfies the schema into a rule; it must quote the user."""
    reason = _line(said["reason"], REASON)
    if not said["rule"]:
        return NoRule(reason or "the model found none")
    description = _line(said["description"], DESCRIPTION)
    if not description or said["type"] is None:
        raise ModelError(f"{model} says that there is a rule, but not which: {reason!r}")
    quotes = quotes_in(said["quotes"], message)
    if not quotes:
        raise ModelError(
            f"{model} made a rule that no word of the user's message supports: {description!r}"
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
        duration=cast("Duration", said["reach"] or "lasting"),
        quotes=quotes,
    )


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
