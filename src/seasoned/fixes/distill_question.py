"""Asks a model to word fixes, several at a time, or to find that there is nothing to learn.

A model's answer is not trusted: an entry must quote its evidence, and its sentence must read well,
add no power, and tell no value that is not everybody's. What is wrong with one entry costs the
others nothing.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from seasoned.changes.power import added_power
from seasoned.core.errors import ModelError
from seasoned.core.ids import digest
from seasoned.core.text import one_line, storable
from seasoned.fixes.literals import foreign_words
from seasoned.lessons.lesson import Lesson
from seasoned.lessons.readable import flaw_of
from seasoned.llm.model import AnswerSchema, Model, ModelQuestion
from seasoned.security.pii import without_pii
from seasoned.security.redact import cut, redact, redacted, shortened

TOGETHER = 8  # fixes in one question
MOST_TOKENS = 6000
SENTENCE, WHEN, WHY, QUOTE = 200, 80, 160, 300
SHOWN_PAIRS, SHOWN_STEPS, SHOWN_VALUE, SHOWN_CALL, SHOWN_ERROR = 3, 3, 200, 800, 400
CODE = re.compile(r"`([^`]+)`")
WORD = re.compile(r"\w{2,}")
PROMPT = Path(__file__).parent.parent / "llm" / "prompts" / "distill_fixes.md"


def _text(longest: int, *, null: bool = True) -> dict[str, Any]:
    """Allow three times the length: what is too long is judged here, not sent back."""
    return {"type": ["string", "null"] if null else "string", "maxLength": 3 * longest}


ENTRY: dict[str, Any] = {
    "number": {"type": "number"},
    "quote": _text(QUOTE, null=False),
    "nothing": {"type": "boolean"},
    "sentence": _text(SENTENCE),
    "when": _text(WHEN),
    "why": _text(WHY),
}
SCHEMA = AnswerSchema(
    "distill_fixes",
    {
        "type": "object",
        "properties": {
            "lessons": {
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
        "required": ["lessons"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True)
class RepairedPair:
    """A failed call, its error, the steps after it, and the call that worked."""

    session: str
    user: str
    failed: Mapping[str, Any]
    error: str
    worked: Mapping[str, Any]
    steps: Sequence[tuple[str, Mapping[str, Any]]] = ()

    @property
    def text(self) -> str:
        """Everything that the pair shows, as plain words."""
        values = (self.failed, self.worked, *(params for _, params in self.steps))
        return "\n".join([self.error, *(word for value in values for word in _words(value))])


@dataclass(frozen=True, slots=True)
class FixEvidence:
    """A fix and what it was learned from.

    `shared` tells whether a value that all pairs show is known to enough people to be told.
    """

    lesson: Lesson
    plain: str  # the sentence that the repair itself gives
    pairs: Sequence[RepairedPair]
    sessions_for: int
    sessions_against: int
    shared: bool = False

    @property
    def tool(self) -> str:
        return self.lesson.fix.tool if self.lesson.fix else ""

    @property
    def known(self) -> str:
        """The words that belong to nobody: of the tool, its parameters, the error's pattern."""
        named = [name for one in self.pairs for name in (*one.failed, *one.worked)]
        tools = [tool for one in self.pairs for tool, _ in one.steps]
        return "\n".join([self.tool, self.lesson.trigger, self.plain, *tools, *map(str, named)])


@dataclass(frozen=True, slots=True)
class Distilled:
    """A model's answer about one fix.

    `sentence` is None if the plain one stands; `flaw` tells why. `nothing` is a veto.
    """

    sentence: str | None
    note: str = ""  # when it applies, why, and the words that decided
    flaw: str = ""
    nothing: bool = False


def ask(model: Model, fixes: Sequence[FixEvidence]) -> list[Distilled | ModelError]:
    """Ask the model to word these fixes. Blocks; raises whatever the model raises.

    Returns for each fix what the model says, or the error that says what is wrong with its entry.
    """
    said = model.answer(question_about(fixes)).data["lessons"]
    entries = {int(entry["number"]): entry for entry in reversed(said)}
    return [
        _checked(entries.get(number), fix, model.name) for number, fix in enumerate(fixes, start=1)
    ]


def question_about(fixes: Sequence[FixEvidence]) -> ModelQuestion:
    """Build the question, with all evidence as data."""
    system, template = _prompt()
    shown = [_shown(fix) for fix in fixes]
    mark = digest(*shown)[:12]  # no data can contain it: it is a digest of all of them
    parts = [
        f"## Lesson {number}\n\n<<<{mark} lesson\n{text}\n{mark}>>>"
        for number, text in enumerate(shown, start=1)
    ]
    return ModelQuestion(
        system, template.substitute(lessons="\n\n".join(parts)), SCHEMA, MOST_TOKENS
    )


def _shown(fix: FixEvidence, plain: str | None = None) -> str:
    """Show a fix with its evidence; `plain` in the place of its plain sentence."""
    lines = [
        f"tool: {fix.tool or 'any'}",
        f"error: {_line(fix.lesson.trigger, SHOWN_ERROR)}",
        f"plain sentence: {fix.plain if plain is None else plain}",
        f"sessions for it: {fix.sessions_for}, against it: {fix.sessions_against}",
    ]
    for pair in fix.pairs[:SHOWN_PAIRS]:
        lines += ["", f"failed: {_call(pair.failed)}"]
        lines.append(f"with: {_line(pair.error, SHOWN_ERROR)}")
        lines += [f"then: {tool} {_call(params)}" for tool, params in pair.steps[-SHOWN_STEPS:]]
        lines.append(f"worked: {_call(pair.worked)}")
    return "\n".join(lines)


def _checked(
    entry: Mapping[str, Any] | None, fix: FixEvidence, model: str
) -> Distilled | ModelError:
    """Turn an entry that satisfies the schema into an answer."""
    if entry is None:
        return ModelError(f"{model} left out the fix {fix.lesson.id}")
    quote = _line(entry["quote"], QUOTE)
    if not _is_in(quote, _shown(fix, plain="")):
        return ModelError(f"{model} quotes words that no evidence of the fix has: {quote!r}")
    why = _own(entry["why"], WHY, fix)
    if entry["nothing"]:
        return Distilled(None, why, nothing=True)
    sentence = _line(entry["sentence"], 3 * SENTENCE)
    if not sentence:
        return ModelError(f"{model} gave no sentence for the fix {fix.lesson.id}")
    note = "; ".join(part for part in (_own(entry["when"], WHEN, fix), why) if part)
    if flaw := _flaw(sentence, fix):
        return Distilled(None, note, flaw)
    return Distilled(sentence, note)


def _flaw(sentence: str, fix: FixEvidence) -> str:
    """Say why a sentence is not taken; "" if it is."""
    if len(sentence) > SENTENCE:
        return "it is too long"
    if flaw := flaw_of(sentence):
        return flaw
    if redact(sentence) != sentence or without_pii(sentence) != sentence:
        return "it tells personal data or a secret"
    if power := added_power(sentence, fix.plain):
        return f"it {power}"
    if _foreign(sentence, fix):
        return "it tells a value that is not in all of its evidence"
    return "" if _is_about(sentence, fix) else "it names nothing that the fix is about"


def _is_about(sentence: str, fix: FixEvidence) -> bool:
    """Tell whether a sentence has a word in common with what the plain one shows as code."""
    named = {word.casefold() for code in CODE.findall(fix.plain) for word in WORD.findall(code)}
    return not named or not named.isdisjoint(map(str.casefold, WORD.findall(sentence)))


def _foreign(text: str, fix: FixEvidence) -> bool:
    pairs = [pair.text for pair in fix.pairs] if fix.shared else []
    return bool(foreign_words(text, fix.known, pairs))


def _own(text: str | None, longest: int, fix: FixEvidence) -> str:
    """Return a remark of the model, or nothing if it tells somebody's values."""
    line = _line(text, longest)
    private = redact(line) != line or without_pii(line) != line
    return "" if private or _foreign(line, fix) else line


def _is_in(quote: str, shown: str) -> bool:
    """Tell whether a quote stands in the evidence; spaces and escapes do not matter."""
    plain = _copied(quote)
    return sum(map(str.isalnum, plain)) > 3 and plain in _copied(shown)


def _copied(text: str) -> str:
    return " ".join(text.replace("\\n", " ").replace("\\", "").casefold().split()).strip("…")


def _line(text: str | None, longest: int) -> str:
    return one_line(cut(storable(text or ""), 4 * longest), longest)


def _call(params: Mapping[str, Any]) -> str:
    text = json.dumps(redacted(params, longest=SHOWN_VALUE), ensure_ascii=False, default=repr)
    return shortened(text, SHOWN_CALL)


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield str(key)  # pyright: ignore[reportUnknownArgumentType]
            yield from _words(inner)
    elif isinstance(value, list | tuple):
        for inner in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _words(inner)
    else:
        yield str(value)


@cache
def _prompt() -> tuple[str, Template]:
    system, _, template = PROMPT.read_text("utf-8").partition("\n---\n")
    return system.strip(), Template(template.strip())
