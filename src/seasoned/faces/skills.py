"""`s.skills`: procedures worth repeating, as operators write them and as they are distilled."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.core.waiting import begun, waited
from seasoned.faces.driving import Driven, Run, sync
from seasoned.skills.skill import Skill, skill_from, skill_text

if TYPE_CHECKING:
    from seasoned.app import App
    from seasoned.skills.search import Rated, SkillHit
    from seasoned.skills.store import StoredSkill

LONGEST_SECONDS = 900.0  # a model may word each proposal


class AsyncSkills:
    def __init__(self, app: "App", scope: Scope, run: Run) -> None:
        self._app = app
        self._scope = scope
        self._run = run

    async def add(self, skill: Skill | str) -> "StoredSkill":
        """Takes a skill into use: a `Skill`, or the text of a SKILL.md.

        One of its name in this scope becomes a new version of it.
        """
        made = skill_from(skill) if isinstance(skill, str) else skill
        return await self._run(self._app.skills.add(made, self._scope))

    async def load(self, path: str | PathLike[str]) -> "Sequence[StoredSkill]":
        """The same from a SKILL.md, a folder that holds one, or a folder of such folders."""
        from seasoned.skills.files import skills_in

        found = list(skills_in(Path(path)))  # all of them are read before any is stored
        return [
            await self._run(
                self._app.skills.add(skill, self._scope, source="file", origin=str(file))
            )
            for file, skill in found
        ]

    async def get(self, name: str) -> "StoredSkill":
        """One skill, by its name, or its id or the beginning of that."""
        return await self._run(self._app.skills.get(name, self._scope))

    async def text(self, name: str) -> str:
        """A skill as a SKILL.md."""
        return skill_text((await self.get(name)).skill)

    async def list(self, *, status: str | None = None) -> "Sequence[tuple[StoredSkill, Rated]]":
        """The skills there are, by name, each with how often it worked."""
        return await self._run(self._app.skills.list(self._scope, status=status))

    async def search(self, query: str, *, limit: int = 10) -> "Sequence[SkillHit]":
        """The skills in use that fit a request best; those that often fail come later."""
        if limit < 0:
            raise BadInput(f"limit is {limit}; it must be 0 or more")
        return await self._run(self._app.skills.search(query, self._scope, most=limit))

    async def adopt(self, name: str) -> "StoredSkill":
        """Takes a proposed or retired skill into use."""
        return await self._run(self._app.skills.adopt(name, self._scope))

    async def retire(self, name: str) -> "StoredSkill":
        """Takes a skill out of use; it is kept, and not proposed again."""
        return await self._run(self._app.skills.retire(name, self._scope))

    async def used(self, name: str, success: bool, *, duration_ms: float | None = None) -> None:
        """Says that a skill was followed and how that went: those that fail are ranked lower."""
        from seasoned.bandit.call import Call

        skill = await self.get(name)
        call = Call("skill", skill.name, success=success, duration_ms=duration_ms)
        await self._run(self._app.performance.note([call], self._scope))

    async def distill(self) -> "Sequence[StoredSkill]":
        """Looks for procedures that succeeded several times; the skills that are newly proposed."""

        async def distilled() -> "Sequence[StoredSkill]":
            return await waited(begun(self._app.distiller.distill), LONGEST_SECONDS)

        return await self._run(distilled())


class Skills(Driven[AsyncSkills]):
    """The same for synchronous code."""

    add = sync(AsyncSkills.add)
    load = sync(AsyncSkills.load)
    get = sync(AsyncSkills.get)
    text = sync(AsyncSkills.text)
    list = sync(AsyncSkills.list)
    search = sync(AsyncSkills.search)
    adopt = sync(AsyncSkills.adopt)
    retire = sync(AsyncSkills.retire)
    used = sync(AsyncSkills.used)
    distill = sync(AsyncSkills.distill)
