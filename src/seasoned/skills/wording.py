"""Lets a model put a distilled procedure into words; what it does stays as it was observed."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from seasoned.core.errors import ModelError
from seasoned.core.ids import digest
from seasoned.core.text import one_line, storable
from seasoned.llm.model import AnswerSchema, Model, Question
from seasoned.security.redact import cut
from seasoned.skills.generalise import General, GeneralStep, body_of
from seasoned.skills.skill import LONGEST_NAME, Skill, name_from

MOST_TOKENS = 3000
NAME, TITLE, DESCRIPTION, STEP = LONGEST_NAME, 100, 400, 300
PROMPT = Path(__file__).parent.parent / "llm" / "prompts" / "skill_from_procedure.md"

PROPERTIES: dict[str, Any] = {
    "name": {"type": "string", "maxLength": 3 * NAME},
    "title": {"type": "string", "maxLength": 3 * TITLE},
    "description": {"type": "string", "maxLength": 3 * DESCRIPTION},
    "steps": {"type": "array", "maxItems": 40, "items": {"type": "string", "maxLength": 3 * STEP}},
}
SCHEMA = AnswerSchema(
    "skill_from_procedure",
    {
        "type": "object",
        "properties": PROPERTIES,
        "required": list(PROPERTIES),
        "additionalProperties": False,
    },
)


def worded(model: Model, made: General) -> Skill:
    """The skill in a model's words. Blocks; raises `ModelError` when they do not fit it."""
    said = model.answer(question(made)).data
    steps = [_line(step, STEP) for step in said["steps"]]
    description, title = _line(said["description"], DESCRIPTION), _line(said["title"], TITLE)
    if len(steps) != len(made.steps) or not description or not title:
        raise ModelError(
            f"{model.name} told a procedure of {len(made.steps)} steps in {len(steps)}"
        )
    meta = {"metadata": {"made-by": model.name}}
    return Skill(name_from(said["name"] or title), description, body_of(made, title, steps), meta)


def question(made: General) -> Question:
    system, template = _prompt()
    data = {
        "requests": "\n".join(f"- {cut(one, 400)}" for one in made.requests),
        "steps": "\n".join(_steps(made.steps)),
    }
    mark = digest(*data.values())[:12]  # no data can hold it: it is made of all of them
    return Question(system, template.substitute(data, mark=mark), SCHEMA, MOST_TOKENS)


def _steps(steps: Sequence[GeneralStep]) -> list[str]:
    told: list[str] = []
    for place, step in enumerate(steps, 1):
        given = ", ".join(f"{one.name}={cut(one.told, 200)}" for one in step.parameters)
        told.append(f"{place}. {step.tool}({given})")
    return told


def _line(text: str, longest: int) -> str:
    return one_line(cut(storable(text), 4 * longest), longest)


@cache
def _prompt() -> tuple[str, Template]:
    system, _, template = PROMPT.read_text("utf-8").partition("\n---\n")
    return system.strip(), Template(template.strip())
