"""A skill: a procedure worth repeating, as written in a SKILL.md."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from seasoned.core.errors import BadInput

Status = Literal["proposed", "active", "retired"]
SkillSource = Literal["operator", "file", "distilled"]
STATUSES: tuple[Status, ...] = get_args(Status)

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1024
LONGEST_BODY = 100_000


@dataclass(frozen=True, slots=True)
class Skill:
    """`description` says when to use it, `body` what to do; `meta` is all other front matter."""

    name: str
    description: str
    body: str
    meta: Mapping[str, Any] = field(default_factory=dict[str, Any])


def check_skill(skill: Skill, where: str = "the skill") -> Skill:
    """Return the skill; raise `BadInput` if its name, description or body cannot be stored."""
    if not NAME.fullmatch(skill.name) or len(skill.name) > LONGEST_NAME:
        raise BadInput(
            f"{where}: the name {skill.name!r} is not valid; use up to {LONGEST_NAME} lower-case "
            "letters, digits and single hyphens, as in release-notes"
        )
    for what, text, longest in (
        ("description", skill.description, LONGEST_DESCRIPTION),
        ("body", skill.body, LONGEST_BODY),
    ):
        if not text.strip():
            raise BadInput(f"{where}: the {what} of {skill.name} is empty; {ADVICE[what]}")
        if len(text) > longest:
            raise BadInput(
                f"{where}: the {what} of {skill.name} has {len(text)} characters, "
                f"at most {longest} are allowed"
            )
    return skill


ADVICE = {
    "description": "say when to use it",
    "body": "say what to do, below the front matter",
}


def name_from(text: str) -> str:
    """Build a name from the words of a text.

    >>> name_from("Search the Web, then write!"), name_from("日本")
    ('search-the-web-then-write', 'skill')
    """
    words = "-".join(re.findall(r"[a-z0-9]+", text.lower()))[:LONGEST_NAME].strip("-")
    return words or "skill"
