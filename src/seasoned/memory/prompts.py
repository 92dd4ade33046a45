"""Puts a question to a model: its instructions from a file, and what was said as marked data."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from seasoned.core.ids import digest
from seasoned.llm.model import AnswerSchema, Question

FOLDER = Path(__file__).parent.parent / "llm" / "prompts"
MOST_TOKENS = 4000  # an answer has some hundreds; models that think need the rest
NOTHING = "(nothing)"


def question(name: str, data: Mapping[str, str], schema: AnswerSchema) -> Question:
    """The question of this name; no data can hold the mark around it, which is made of it all."""
    system, template = _prompt(name)
    filled = {key: text or NOTHING for key, text in data.items()}
    mark = digest(*filled.values())[:12]
    return Question(system, template.substitute(filled, mark=mark), schema, MOST_TOKENS)


def schema(name: str, properties: Mapping[str, Any]) -> AnswerSchema:
    return AnswerSchema(name, shape(properties))


def shape(properties: Mapping[str, Any]) -> dict[str, Any]:
    """An object with these keys, all of them, and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


@cache
def _prompt(name: str) -> tuple[str, Template]:
    system, _, template = (FOLDER / f"{name}.md").read_text("utf-8").partition("\n---\n")
    return system.strip(), Template(template.strip())
