"""The tool with which an agent reads a skill in full, when it was told of one that fits."""

from collections.abc import Callable, Sequence
from typing import Any

from pydantic_ai import RunContext

from seasoned.core.errors import BadInput, NotFound
from seasoned.skills.procedure import READ
from seasoned.skills.skills import Skills
from seasoned.tools.run import Run
from seasoned.tools.tool import tool


def skill_tools(skills: Skills) -> Sequence[Callable[..., Any]]:
    return (SkillTools(skills).read_skill,)


class SkillTools:
    def __init__(self, skills: Skills) -> None:
        self.skills = skills

    @tool(name=READ, examples=[{"name": "release-notes"}])
    async def read_skill(self, ctx: RunContext[Run], name: str) -> str:
        """Reads how to do something that was worth writing down; then follow it.

        Args:
            name: The skill's name, as it stands in the notes beside the user's message.
        """
        if not name.strip():
            raise BadInput("name is empty; give the name of a skill")
        wanted = self.skills.get(name.strip(), ctx.deps.scope)
        stored = await self.skills.db.run_async(wanted)
        if stored.status != "active":
            raise NotFound(f"the skill {stored.name!r} is {stored.status}; do without it")
        return f"# Skill {stored.name}\n{stored.skill.description}\n\n{stored.skill.body}"
