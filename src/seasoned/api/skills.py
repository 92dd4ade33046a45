"""`s.skills`: add, search, distill and adopt skills."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from seasoned.api.face import AsyncFace, SyncFace, sync
from seasoned.core.errors import BadInput
from seasoned.core.threads import run_in_thread, wait_for
from seasoned.skills.skill import Skill
from seasoned.skills.skill_file import skill_from, skill_text, skills_in

if TYPE_CHECKING:
    from seasoned.skills.search import SkillHit, SkillRecord
    from seasoned.skills.skill_store import StoredSkill

DISTILL_SECONDS = 900.0  # a model may word each proposal


class AsyncSkillsFace(AsyncFace):
    """Skills of one scope."""

    async def add(self, skill: Skill | str) -> "StoredSkill":
        """Add a skill: a `Skill`, or the text of a SKILL.md.

        An existing name in this scope gets a new version.
        """
        made = skill_from(skill) if isinstance(skill, str) else skill
        return await self._run(self._app.skills.add(made, self._scope))

    async def load(self, path: str | PathLike[str]) -> "Sequence[StoredSkill]":
        """Add skills from a SKILL.md, a folder with one, or a folder of such folders."""
        found = list(skills_in(Path(path)))  # read all before storing any
        return [
            await self._run(
                self._app.skills.add(skill, self._scope, source="file", origin=str(file))
            )
            for file, skill in found
        ]

    async def get(self, name: str) -> "StoredSkill":
        """Return a skill by its name, its id or a prefix of the id."""
        return await self._run(self._app.skills.get(name, self._caller))

    async def text(self, name: str) -> str:
        """Return a skill as SKILL.md."""
        return skill_text((await self.get(name)).skill)

    async def list(
        self, *, status: str | None = None, limit: int = 1000, after: str = ""
    ) -> "Sequence[tuple[StoredSkill, SkillRecord]]":
        """List skills by name, each with its success record; `after` is the last name before."""
        return await self._run(
            self._app.skills.list(self._scope, status=status, limit=limit, after=after)
        )

    async def search(self, query: str, *, limit: int = 10) -> "Sequence[SkillHit]":
        """Search active skills by request; those that often fail rank lower."""
        if limit < 0:
            raise BadInput(f"limit is {limit}; it must be 0 or more")
        return await self._run(self._app.skills.search(query, self._scope, most=limit))

    async def adopt(self, name: str, *, version: str | None = None) -> "StoredSkill":
        """Activate a proposed or retired skill.

        With the `revision` of the skill as it was read, raise `Changed` if it was changed since.
        """
        return await self._run(self._app.skills.adopt(name, self._caller, version))

    async def retire(self, name: str, *, version: str | None = None) -> "StoredSkill":
        """Retire a skill; it is kept, and not proposed again. `version` is as in `adopt`."""
        return await self._run(self._app.skills.retire(name, self._caller, version))

    async def used(self, name: str, success: bool, *, duration_ms: float | None = None) -> None:
        """Record that a skill was followed and whether it worked; failures rank it lower."""
        from seasoned.bandit.call import Call

        skill = await self.get(name)
        call = Call("skill", skill.name, success=success, duration_ms=duration_ms)
        await self._run(self._app.performance.note([call], self._scope))

    async def distill(self) -> "Sequence[StoredSkill]":
        """Propose skills from procedures that succeeded several times; return the new ones."""

        async def distilled() -> "Sequence[StoredSkill]":
            made = await wait_for(run_in_thread(self._app.distiller.distill), DISTILL_SECONDS)
            return [one for one in made if self._caller.may("see", one.scope)]

        return await self._run(distilled())


class SkillsFace(SyncFace[AsyncSkillsFace]):
    """The synchronous twin."""

    add = sync(AsyncSkillsFace.add)
    load = sync(AsyncSkillsFace.load)
    get = sync(AsyncSkillsFace.get)
    text = sync(AsyncSkillsFace.text)
    list = sync(AsyncSkillsFace.list)
    search = sync(AsyncSkillsFace.search)
    adopt = sync(AsyncSkillsFace.adopt)
    retire = sync(AsyncSkillsFace.retire)
    used = sync(AsyncSkillsFace.used)
    distill = sync(AsyncSkillsFace.distill)
