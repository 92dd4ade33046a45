"""The skills as callers use them: add, adopt, retire, find, and say which of them fit a request."""

import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from seasoned.core.clock import Clock
from seasoned.core.errors import BadInput, SeasonedError
from seasoned.core.ids import canonical
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.db.database import Connection, Database, Row
from seasoned.db.transact import transact
from seasoned.security.audit import AuditStore, Entry
from seasoned.skills.search import Rated, Shelf, SkillHit, found, text_of, words_of
from seasoned.skills.skill import STATUSES, Skill, SkillSource, Status, checked
from seasoned.skills.store import SkillDraft, SkillStore, StoredSkill

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seasoned.llm.embedder import Embedder

log = logging.getLogger("seasoned.skills")

Records = Callable[[Scope], Awaitable[Mapping[str, Rated]]]
LONGEST_STEPS = 300
LOOKS_AGAIN_SECONDS = 5.0  # for skills that other processes add
MOST_HELD = 100  # scopes whose skills are held ready


class Wanted(Protocol):
    """What recall asks a source for."""

    @property
    def query(self) -> str: ...
    @property
    def scope(self) -> Scope: ...
    @property
    def most(self) -> int: ...


class Skills:
    """`embedder` is None where there is none; `records` says how skills have performed."""

    def __init__(
        self,
        db: Database,
        store: SkillStore,
        audit: AuditStore,
        clock: Clock,
        records: Records,
        embedder: "Embedder | None" = None,
    ) -> None:
        self.db = db
        self.store = store
        self.audit = audit
        self.clock = clock
        self.records = records
        self.embedder = embedder
        self._held: dict[Scope, tuple[Row, Shelf]] = {}
        self._none_until = 0.0  # nobody has any, as far as was seen a moment ago

    @property
    def may_have_some(self) -> bool:
        """False where there were none a moment ago: most have no skills, and need not wait."""
        return time.monotonic() >= self._none_until

    async def has_some(self) -> bool:
        """Whether anybody has a skill."""
        if not self.may_have_some:
            return False
        async with self.db.read() as tx:
            return self._some(await self.store.state(tx))

    def _some(self, state: Row) -> bool:
        if not state[0]:
            self._none_until = time.monotonic() + LOOKS_AGAIN_SECONDS
        return bool(state[0])

    async def add(
        self, skill: Skill, scope: Scope, *, source: SkillSource = "operator", origin: str = ""
    ) -> StoredSkill:
        """Takes a skill into use; one of its name in this scope becomes a new version of it."""
        draft = SkillDraft(checked(skill), "active", source, origin)
        now = self.clock.now()

        async def added(tx: Connection) -> StoredSkill:
            stored, changed = await self.store.add(tx, draft, scope, now)
            if changed:
                await self._told(tx, "skill.added", stored, now)
            return stored

        stored = await transact(self.db, added)
        self._changed()
        return stored

    async def get(self, name: str, scope: Scope) -> StoredSkill:
        async with self.db.read() as tx:
            return await self.store.get(tx, name, scope)

    async def list(
        self, scope: Scope, *, status: str | None = None
    ) -> Sequence[tuple[StoredSkill, Rated]]:
        """Each with how it has performed."""
        if status is not None and status not in STATUSES:
            raise BadInput(f"status is {status!r}; it must be one of {', '.join(STATUSES)}")
        async with self.db.read() as tx:
            skills = await self.store.list(tx, scope, status=status)
        rated = await self.records(scope)
        return [(one, rated.get(one.name, Rated())) for one in skills]

    async def adopt(self, name: str, scope: Scope) -> StoredSkill:
        """Takes a proposed or retired skill into use."""
        return await self._moved(name, scope, "active", "skill.adopted")

    async def retire(self, name: str, scope: Scope) -> StoredSkill:
        """Takes a skill out of use; it is kept, and not proposed again."""
        return await self._moved(name, scope, "retired", "skill.retired")

    async def search(
        self, query: str, scope: Scope, *, most: int = 10, floor: float | None = None
    ) -> Sequence[SkillHit]:
        """The skills in use that fit a request, best first."""
        shelf = await self._shelf(scope)
        if not shelf.skills or not query.strip():
            return []
        limits = {} if floor is None else {"floor": floor}
        likeness = self._likeness(query, shelf)
        return found(query, shelf, await self.records(scope), likeness, **limits)[:most]

    async def _shelf(self, scope: Scope) -> Shelf:
        """The skills in use, made ready once for as long as none of them changes."""
        scope = Scope(scope.tenant, scope.project, scope.user)
        async with self.db.read() as tx:
            state = await self.store.state(tx)
            self._some(state)
            held = self._held.get(scope)
            if held is not None and held[0] == state:
                return held[1]
            skills = await self.store.list(tx, scope, status="active")
        shelf = Shelf(skills, [words_of(one.skill) for one in skills], self._vectors(skills))
        if len(self._held) >= MOST_HELD:
            self._held.clear()
        self._held[scope] = (state, shelf)
        return shelf

    def lines(self, wanted: Wanted) -> Sequence[str]:
        """What a prompt is told of the skills that fit; to be called in a thread of its own."""
        hits = self.db.run(self.search(wanted.query, wanted.scope, most=wanted.most))
        return [line_for(hit) for hit in hits]

    def _vectors(self, skills: Sequence[StoredSkill]) -> "NDArray[Any] | None":
        """Where the skills lie; None where nobody can say, and words must do."""
        if self.embedder is None or not self.embedder.local or not skills:
            return None  # one that is far away is not asked while a request waits
        try:
            return self.embedder.embed([text_of(one.skill) for one in skills])
        except SeasonedError as error:
            log.warning("skills are found by their words alone: %s", error)
            return None

    def _likeness(self, query: str, shelf: Shelf) -> "Sequence[float] | None":
        if self.embedder is None or shelf.vectors is None:
            return None
        try:
            asked = self.embedder.embed([query])[0]
        except SeasonedError as error:
            log.warning("skills are found by their words alone: %s", error)
            return None
        return [float(cosine) for cosine in shelf.vectors @ asked]

    async def _moved(self, name: str, scope: Scope, status: Status, event: str) -> StoredSkill:
        now = self.clock.now()

        async def moved(tx: Connection) -> StoredSkill:
            skill = await self.store.get(tx, name, scope)
            if skill.status == status:
                return skill
            changed = await self.store.move(tx, skill, status, now)
            await self._told(tx, event, changed, now)
            return changed

        changed = await transact(self.db, moved)
        self._changed()
        return changed

    def _changed(self) -> None:
        self._held.clear()
        self._none_until = 0.0

    async def _told(self, tx: Connection, event: str, skill: StoredSkill, now: int) -> None:
        detail = {"name": skill.name, "version": skill.version, "source": skill.source}
        await self.audit.add(tx, now, [Entry(event, skill.id, canonical(detail))])


def line_for(hit: SkillHit) -> str:
    """A skill on one line: its name, when to use it, how often it works, how it begins."""
    skill = hit.skill.skill
    often = f" ({hit.rated.told})" if hit.rated.told else ""
    return (
        f"[skill {skill.name}] {skill.description}{often} — {one_line(skill.body, LONGEST_STEPS)}"
    )
