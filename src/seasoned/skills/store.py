"""Keeps the skills: what the agent may do, what was proposed to it, what is no longer in use."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.core.errors import BadInput, NotFound
from seasoned.core.ids import new_id
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Row
from seasoned.skills.skill import Skill, SkillSource, Status, skill_text

COLUMNS = (
    "id, tenant, project, user_id, name, description, body, meta, status, source, origin, "
    "version, made_at, updated_at"
)
REACHES = "tenant IN ('', ?) AND project IN ('', ?) AND user_id IN ('', ?)"
# The caller's own skill before a wider one of the same name.
NEAREST = "(tenant <> '') DESC, (project <> '') DESC, (user_id <> '') DESC"


@dataclass(frozen=True, slots=True)
class StoredSkill:
    id: str
    scope: Scope
    skill: Skill
    status: Status
    source: SkillSource
    origin: str  # the file, or the shape of the procedure it was distilled from
    version: int
    made_at: int
    updated_at: int

    @property
    def name(self) -> str:
        return self.skill.name


@dataclass(frozen=True, slots=True)
class SkillDraft:
    skill: Skill
    status: Status
    source: SkillSource
    origin: str = ""


class SkillStore:
    """Owns `skills`."""

    async def add(
        self, tx: Connection, draft: SkillDraft, scope: Scope, now: int
    ) -> tuple[StoredSkill, bool]:
        """Stores a skill, or a new version of the one of its name; and whether it has changed."""
        known = await self._own(tx, draft.skill.name, scope)
        if known is not None:
            return await self._replaced(tx, known, draft, now)
        made = StoredSkill(
            *(new_id(), Scope(scope.tenant, scope.project, scope.user), draft.skill),
            *(draft.status, draft.source, draft.origin, 1, now, now),
        )
        await tx.execute(
            f"INSERT INTO skills ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(made.id, scope.tenant, scope.project, scope.user, *_content(draft.skill)),
                *(draft.status, draft.source, draft.origin, 1, now, now),
            ),
        )
        return made, True

    async def _replaced(
        self, tx: Connection, known: StoredSkill, draft: SkillDraft, now: int
    ) -> tuple[StoredSkill, bool]:
        same = skill_text(known.skill) == skill_text(draft.skill)
        if same and known.status == draft.status:
            return known, False
        await tx.execute(
            "UPDATE skills SET name = ?, description = ?, body = ?, meta = ?, status = ?, "
            "source = ?, origin = ?, version = version + ?, updated_at = ? WHERE id = ?",
            (
                *(*_content(draft.skill), draft.status, draft.source, draft.origin),
                *(0 if same else 1, now, known.id),
            ),
        )
        return await self.by_id(tx, known.id), True

    async def by_id(self, tx: Connection, skill_id: str) -> StoredSkill:
        row = await tx.fetch_one(f"SELECT {COLUMNS} FROM skills WHERE id = ?", (skill_id,))
        if row is None:
            raise NotFound(f"skill {skill_id!r} is not there any more")
        return _stored(row)

    async def get(self, tx: Connection, name: str, scope: Scope) -> StoredSkill:
        """By its name, its id, or the beginning of it; the caller's own before a wider one."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM skills WHERE {REACHES} AND name = ? ORDER BY {NEAREST} LIMIT 1",
            (scope.tenant, scope.project, scope.user, name),
        )
        if not rows and name:
            rows = await tx.fetch(
                f"SELECT {COLUMNS} FROM skills WHERE {REACHES} AND substr(id, 1, ?) = ? "
                "ORDER BY id LIMIT 2",
                (scope.tenant, scope.project, scope.user, len(name), name),
            )
        if not rows:
            raise NotFound(f"no skill {name!r}; `seasoned skills list` shows those there are")
        if len(rows) > 1:
            raise BadInput(f"several skills have an id that starts with {name!r}; give more")
        return _stored(rows[0])

    async def list(
        self, tx: Connection, scope: Scope, *, status: Status | None = None, limit: int = 1000
    ) -> Sequence[StoredSkill]:
        """Those that reach this scope, by name; of several of one name, the caller's own."""
        wanted = "" if status is None else " AND status = ?"
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM skills WHERE {REACHES}{wanted} "
            f"ORDER BY name, {NEAREST} LIMIT ?",
            (scope.tenant, scope.project, scope.user, *((status,) if status else ()), limit),
        )
        found: dict[str, StoredSkill] = {}
        for row in rows:
            found.setdefault(row[4], _stored(row))
        return list(found.values())

    async def move(
        self, tx: Connection, skill: StoredSkill, status: Status, now: int
    ) -> StoredSkill:
        """Adopts a skill, or takes it out of use."""
        await tx.execute(
            "UPDATE skills SET status = ?, updated_at = ? WHERE id = ?", (status, now, skill.id)
        )
        return await self.by_id(tx, skill.id)

    async def origins(self, tx: Connection, scope: Scope) -> frozenset[str]:
        """What was proposed once, whatever became of it."""
        rows = await tx.fetch(
            "SELECT DISTINCT origin FROM skills WHERE tenant = ? AND project = ? "
            "AND source = 'distilled'",
            (scope.tenant, scope.project),
        )
        return frozenset(row[0] for row in rows)

    async def count(self, tx: Connection, scope: Scope) -> dict[str, int]:
        rows = await tx.fetch(
            f"SELECT status, count(*) FROM skills WHERE {REACHES} GROUP BY status",
            (scope.tenant, scope.project, scope.user),
        )
        return dict(rows)

    async def state(self, tx: Connection) -> Row:
        """Changes whenever a skill does, in whichever process."""
        row = await tx.fetch_one(
            "SELECT count(*), coalesce(max(updated_at), 0), coalesce(sum(version), 0), "
            "coalesce(sum(CASE WHEN status = 'active' THEN 1 ELSE 0 END), 0) FROM skills"
        )
        assert row is not None, "an aggregate has one row"
        return tuple(row)

    async def _own(self, tx: Connection, name: str, scope: Scope) -> StoredSkill | None:
        row = await tx.fetch_one(
            f"SELECT {COLUMNS} FROM skills WHERE tenant = ? AND project = ? AND user_id = ? "
            "AND name = ?",
            (scope.tenant, scope.project, scope.user, name),
        )
        return _stored(row) if row else None


def _content(skill: Skill) -> tuple[str, str, str, str]:
    meta = json.dumps(dict(skill.meta), ensure_ascii=False)
    return skill.name, skill.description, skill.body, meta


def _stored(row: Row) -> StoredSkill:
    skill = Skill(row[4], row[5], row[6], json.loads(row[7]))
    return StoredSkill(row[0], Scope(*row[1:4]), skill, *row[8:])
