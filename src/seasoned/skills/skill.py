"""A skill: a procedure worth repeating, as a SKILL.md tells it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from seasoned.core.errors import BadInput
from seasoned.core.text import storable
from seasoned.skills.front_matter import joined, split

Status = Literal["proposed", "active", "retired"]
SkillSource = Literal["operator", "file", "distilled"]
STATUSES: tuple[Status, ...] = get_args(Status)

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1024
LONGEST_BODY = 100_000


@dataclass(frozen=True, slots=True)
class Skill:
    """`description` says when to use it, `body` what to do; `meta` is what else the head says."""

    name: str
    description: str
    body: str
    meta: Mapping[str, Any] = field(default_factory=dict[str, Any])


def skill_from(text: str, where: str = "SKILL.md") -> Skill:
    """Reads a SKILL.md.

    >>> skill_from("---\\nname: greet\\ndescription: Greets people.\\n---\\nSay hello.").body
    'Say hello.'
    """
    if len(text) > LONGEST_BODY + 10_000:
        raise BadInput(f"{where} has {len(text)} characters; a skill has at most {LONGEST_BODY}")
    try:
        head, body = split(storable(text))
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from error
    if not head:
        raise BadInput(
            f"{where} has no head; it must begin with ---, name:, description: and another ---"
        )
    name, description = (head.pop(key, "") for key in ("name", "description"))
    if not isinstance(name, str) or not isinstance(description, str):
        raise BadInput(f"{where}: name and description must be plain texts")
    return checked(Skill(name.strip(), " ".join(description.split()), body.strip(), head), where)


def checked(skill: Skill, where: str = "the skill") -> Skill:
    """The skill, if it can be kept."""
    if not NAME.fullmatch(skill.name) or len(skill.name) > LONGEST_NAME:
        raise BadInput(
            f"{where}: the name {skill.name!r} cannot be used; take up to {LONGEST_NAME} small "
            "letters, digits and single hyphens, like release-notes"
        )
    for what, text, longest in (
        ("description", skill.description, LONGEST_DESCRIPTION),
        ("body", skill.body, LONGEST_BODY),
    ):
        if not text.strip():
            raise BadInput(f"{where}: the {what} of {skill.name} is empty; {SAYS[what]}")
        if len(text) > longest:
            raise BadInput(
                f"{where}: the {what} of {skill.name} has {len(text)} characters, "
                f"at most {longest} are taken"
            )
    return skill


SAYS = {"description": "say when to use it", "body": "say what to do, below the head"}


def skill_text(skill: Skill) -> str:
    """The skill as a SKILL.md, which reads as the same skill again.

    >>> print(skill_text(Skill("greet", "Greets people.", "Say hello.")))
    ---
    name: greet
    description: Greets people.
    ---
    <BLANKLINE>
    Say hello.
    <BLANKLINE>
    """
    head = {"name": skill.name, "description": skill.description} | dict(skill.meta)
    return joined(head, skill.body)


def name_from(text: str) -> str:
    """A name made of a text's words.

    >>> name_from("Search the Web, then write!"), name_from("日本")
    ('search-the-web-then-write', 'skill')
    """
    words = "-".join(re.findall(r"[a-z0-9]+", text.lower()))[:LONGEST_NAME].strip("-")
    return words or "skill"
