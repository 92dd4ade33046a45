"""Build a question to a model: instructions from a prompt file, and data between marks."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from seasoned.core.ids import digest
from seasoned.llm.model import AnswerSchema, ModelQuestion

FOLDER = Path(__file__).parent.parent / "llm" / "prompts"
MOST_TOKENS = 4000  # an answer takes a few hundred; thinking models need the rest
NOTHING = "(nothing)"


def question(name: str, data: Mapping[str, str], schema: AnswerSchema) -> ModelQuestion:
    """Build a question; its mark is derived from the data, so the data cannot forge it."""
    system, template = _prompt(name)
    filled = {key: text or NOTHING for key, text in data.items()}
    mark = digest(*filled.values())[:12]
    return ModelQuestion(system, template.substitute(filled, mark=mark), schema, MOST_TOKENS)


def schema(name: str, properties: Mapping[str, Any]) -> AnswerSchema:
    return AnswerSchema(name, shape(properties))


def shape(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of an object with exactly these keys."""
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
