"""Add, adopt, retire and search skills, and pick those that fit a request."""

import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from seasoned.core.authority import Caller
from seasoned.core.errors import BadInput, Changed, SeasonedError
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.db.database import Row
from seasoned.db.unit import Change, Unit
from seasoned.skills.search import (
    SkillHit,
    SkillIndex,
    SkillRecord,
    find_skills,
    skill_head,
    words_of,
)
from seasoned.skills.skill import STATUSES, Skill, SkillSource, Status, check_skill
from seasoned.skills.skill_store import SkillDraft, SkillStore, StoredSkill

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seasoned.llm.embed.embedder import Embedder

log = logging.getLogger("seasoned.skills")

Records = Callable[[Scope], Awaitable[Mapping[str, SkillRecord]]]
LONGEST_STEPS = 300
RECHECK_SECONDS = 5.0  # for skills that other processes add
MOST_CACHED = 100  # scopes


class SkillRequest(Protocol):
    """A request of recall to a source of prompt lines."""

    @property
    def query(self) -> str: ...
    @property
    def scope(self) -> Scope: ...
    @property
    def most(self) -> int: ...


class Skills:
    """`records` returns how skills have performed; without `embedder`, search goes by words."""

    def __init__(
        self,
        unit: Unit,
        store: SkillStore,
        records: Records,
        embedder: "Embedder | None" = None,
    ) -> None:
        self.unit = unit
        self.store = store
        self.records = records
        self.embedder = embedder
        self._cached: dict[Scope, tuple[Row, SkillIndex]] = {}
        self._none_until = 0.0  # until then, nobody is known to have a skill

    @property
    def may_have_some(self) -> bool:
        """Return False if there were no skills a moment ago, to spare most users the query."""
        return time.monotonic() >= self._none_until

    async def has_some(self) -> bool:
        """Tell whether anybody has a skill."""
        if not self.may_have_some:
            return False
        async with self.unit.read() as tx:
            return self._note_whether_some(await self.store.state(tx))

    def _note_whether_some(self, state: Row) -> bool:
        if not state[0]:
            self._none_until = time.monotonic() + RECHECK_SECONDS
        return bool(state[0])

    async def add(
        self, skill: Skill, scope: Scope, *, source: SkillSource = "operator", origin: str = ""
    ) -> StoredSkill:
        """Add an active skill; one by that name in this scope gets a new version."""
        draft = SkillDraft(check_skill(skill), "active", source, origin)

        async def add(change: Change) -> StoredSkill:
            stored, changed = await self.store.add(change, draft, scope, change.at)
            if changed:
                _record(change, "skill.added", stored)
            return stored

        stored = await self.unit.change(add)
        self._invalidate()
        return stored

    async def get(self, name: str, caller: Caller) -> StoredSkill:
        async with self.unit.read() as tx:
            return await self.store.get(tx, name, caller)

    async def list(
        self, scope: Scope, *, status: str | None = None, limit: int = 1000, after: str = ""
    ) -> Sequence[tuple[StoredSkill, SkillRecord]]:
        """List skills with their records."""
        if status is not None and status not in STATUSES:
            raise BadInput(f"status is {status!r}; it must be one of {', '.join(STATUSES)}")
        async with self.unit.read() as tx:
            skills = await self.store.list(tx, scope, status=status, limit=limit, after=after)
        records = await self.records(scope)
        return [(one, records.get(one.name, SkillRecord())) for one in skills]

    async def adopt(self, name: str, caller: Caller, version: str | None = None) -> StoredSkill:
        """Activate a proposed or retired skill."""
        return await self._move(name, caller, "active", "skill.adopted", version)

    async def retire(self, name: str, caller: Caller, version: str | None = None) -> StoredSkill:
        """Retire a skill; it is kept and not proposed again."""
        return await self._move(name, caller, "retired", "skill.retired", version)

    async def search(
        self, query: str, scope: Scope, *, most: int = 10, floor: float | None = None
    ) -> Sequence[SkillHit]:
        """Return the active skills that fit a request, best first."""
        index = await self._index(scope)
        if not index.skills or not query.strip():
            return []
        limits = {} if floor is None else {"floor": floor}
        similarities = self._similarities(query, index)
        return find_skills(query, index, await self.records(scope), similarities, **limits)[:most]

    async def _index(self, scope: Scope) -> SkillIndex:
        """Return the active skills, prepared for search and cached until one of them changes."""
        scope = Scope(scope.tenant, scope.project, scope.user)
        async with self.unit.read() as tx:
            state = await self.store.state(tx)
            self._note_whether_some(state)
            cached = self._cached.get(scope)
            if cached is not None and cached[0] == state:
                return cached[1]
            skills = await self.store.list(tx, scope, status="active")
        index = SkillIndex(skills, [words_of(one.skill) for one in skills], self._vectors(skills))
        if len(self._cached) >= MOST_CACHED:
            self._cached.clear()
        self._cached[scope] = (state, index)
        return index

    def lines(self, request: SkillRequest) -> Sequence[str]:
        """Return prompt lines for the skills that fit. Blocks: call it in a thread."""
        hits = self.unit.db.run(self.search(request.query, request.scope, most=request.most))
        return [prompt_line(hit) for hit in hits]

    def _vectors(self, skills: Sequence[StoredSkill]) -> "NDArray[Any] | None":
        """Embed the skills; None if there is no local embedder, so search goes by words."""
        if self.embedder is None or not self.embedder.local or not skills:
            return None  # a remote embedder would delay the request
        try:
            return self.embedder.embed([skill_head(one.skill) for one in skills])
        except SeasonedError as error:
            log.warning("skills are searched by words only: %s", error)
            return None

    def _similarities(self, query: str, index: SkillIndex) -> "Sequence[float] | None":
        if self.embedder is None or index.vectors is None:
            return None
        try:
            asked = self.embedder.embed([query])[0]
        except SeasonedError as error:
            log.warning("skills are searched by words only: %s", error)
            return None
        return [float(cosine) for cosine in index.vectors @ asked]

    async def _move(
        self, name: str, caller: Caller, status: Status, event: str, version: str | None
    ) -> StoredSkill:
        async def move(change: Change) -> StoredSkill:
            skill = await self.store.get(change, name, caller)
            caller.require("change", skill.scope, f"skill {skill.name!r}")
            if version is not None and skill.revision != version:
                raise Changed(f"skill {skill.name!r} was changed meanwhile; read it again")
            if skill.status == status:
                return skill
            changed = await self.store.move(change, skill, status, change.at)
            _record(change, event, changed)
            return changed

        changed = await self.unit.change(move)
        self._invalidate()
        return changed

    def _invalidate(self) -> None:
        self._cached.clear()
        self._none_until = 0.0


def _record(change: Change, event: str, skill: StoredSkill) -> None:
    detail = {"name": skill.name, "version": skill.version, "source": skill.source}
    change.record(event, skill.id, detail)


def prompt_line(hit: SkillHit) -> str:
    """Return a skill on one line: name, description, record, beginning of the body."""
    skill = hit.skill.skill
    often = f" ({hit.record.told})" if hit.record.told else ""
    return (
        f"[skill {skill.name}] {skill.description}{often} — {one_line(skill.body, LONGEST_STEPS)}"
    )
