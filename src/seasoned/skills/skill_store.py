"""Store skills, and the procedures that skills are distilled from."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.core.authority import Caller
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.ids import digest, new_id
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Row
from seasoned.db.scope_filter import visible
from seasoned.sessions.session import Session
from seasoned.skills.procedure import Procedure, procedure_from
from seasoned.skills.skill import Skill, SkillSource, Status

COLUMNS = (
    "id, tenant, project, user_id, name, description, body, meta, status, source, origin, "
    "version, made_at, updated_at"
)
LATEST_PROCEDURES = 50  # of one tool sequence
REACHES = "tenant IN ('', ?) AND project IN ('', ?) AND user_id IN ('', ?)"
# The caller's own skill comes before a wider one of the same name.
NEAREST = "(tenant <> '') DESC, (project <> '') DESC, (user_id <> '') DESC"


@dataclass(frozen=True, slots=True)
class StoredSkill:
    id: str
    scope: Scope
    skill: Skill
    status: Status
    source: SkillSource
    origin: str  # its file, or the tool sequence it was distilled from
    version: int
    made_at: int
    updated_at: int

    @property
    def name(self) -> str:
        return self.skill.name

    @property
    def revision(self) -> str:
        """Return a digest of what people change by hand."""
        return digest(self.id, str(self.version), self.status)


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
        """Store a skill, or a new version of one by that name; tell whether anything changed."""
        known = await self._own(tx, draft.skill.name, scope)
        if known is not None:
            return await self._replace(tx, known, draft, now)
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

    async def _replace(
        self, tx: Connection, known: StoredSkill, draft: SkillDraft, now: int
    ) -> tuple[StoredSkill, bool]:
        same = _content(known.skill) == _content(draft.skill)
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
            raise NotFound(f"skill {skill_id!r} no longer exists")
        return _stored(row)

    async def get(self, tx: Connection, name: str, caller: Caller) -> StoredSkill:
        """Get a skill by name, id or start of the id; the caller's own before a wider one."""
        scope = caller.scope
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM skills WHERE {REACHES} AND name = ? ORDER BY {NEAREST} LIMIT 1",
            (scope.tenant, scope.project, scope.user, name),
        )
        if not rows and name:
            seen, values = visible(caller)
            rows = await tx.fetch(
                f"SELECT {COLUMNS} FROM skills WHERE {seen} AND substr(id, 1, ?) = ? "
                "ORDER BY id LIMIT 2",
                (*values, len(name), name),
            )
        if not rows:
            raise NotFound(f"no skill {name!r}; `seasoned skills list` shows the skills")
        if len(rows) > 1:
            raise BadInput(f"several skills have an id that starts with {name!r}; give more")
        return _stored(rows[0])

    async def list(
        self,
        tx: Connection,
        scope: Scope,
        *,
        status: Status | None = None,
        limit: int = 1000,
        after: str = "",
    ) -> Sequence[StoredSkill]:
        """List the skills visible in this scope by name; of several of one name, the caller's own.

        `after` is the name of the last one of the page before.
        """
        wanted = f"{REACHES} AND name > ?" + ("" if status is None else " AND status = ?")
        own = (scope.tenant, scope.project, scope.user, after, *((status,) if status else ()))
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM skills WHERE {wanted} AND name IN ("
            f"SELECT DISTINCT name FROM skills WHERE {wanted} ORDER BY name LIMIT ?) "
            f"ORDER BY name, {NEAREST}",
            (*own, *own, limit),
        )
        found: dict[str, StoredSkill] = {}
        for row in rows:
            found.setdefault(row[4], _stored(row))
        return list(found.values())

    async def move(
        self, tx: Connection, skill: StoredSkill, status: Status, now: int
    ) -> StoredSkill:
        """Change the status: adopt a skill or retire it."""
        await tx.execute(
            "UPDATE skills SET status = ?, updated_at = ? WHERE id = ?", (status, now, skill.id)
        )
        return await self.by_id(tx, skill.id)

    async def origins(self, tx: Connection, scope: Scope) -> frozenset[str]:
        """Return the origins of all skills ever proposed, whatever became of them."""
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
        """Return a row that differs after any change of a skill, by any process."""
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


@dataclass(frozen=True, slots=True)
class ToolSequence:
    """A sequence of tools and how often it has succeeded."""

    scope: Scope
    shape: str
    times: int


class ProcedureStore:
    """Owns `procedures`."""

    async def add(
        self, tx: Connection, session: Session, turn: int, procedure: Procedure, at: int
    ) -> None:
        await tx.execute(
            "INSERT INTO procedures (session_key, turn, tenant, project, shape, request, steps, "
            "succeeded, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (session_key, turn) DO NOTHING",
            (
                *(session.key, turn, session.scope.tenant, session.scope.project, procedure.shape),
                *(procedure.request, procedure.steps_json, int(procedure.succeeded), at),
            ),
        )

    async def repeated(
        self, tx: Connection, least: int, limit: int = 200
    ) -> Sequence[ToolSequence]:
        """List the tool sequences that succeeded `least` times or more, most frequent first."""
        rows = await tx.fetch(
            "SELECT tenant, project, shape, count(*) FROM procedures WHERE succeeded = 1 "
            "GROUP BY tenant, project, shape HAVING count(*) >= ? "
            "ORDER BY count(*) DESC, shape LIMIT ?",
            (least, limit),
        )
        return [ToolSequence(Scope(row[0], row[1]), row[2], row[3]) for row in rows]

    async def of(self, tx: Connection, sequence: ToolSequence) -> Sequence[Procedure]:
        """List the latest successful procedures of a tool sequence, oldest first."""
        rows = await tx.fetch(
            "SELECT request, steps FROM procedures WHERE tenant = ? AND project = ? "
            "AND shape = ? AND succeeded = 1 ORDER BY at DESC, session_key DESC, turn DESC LIMIT ?",
            (sequence.scope.tenant, sequence.scope.project, sequence.shape, LATEST_PROCEDURES),
        )
        return [procedure_from(*row, succeeded=True) for row in reversed(rows)]

    async def count(self, tx: Connection) -> int:
        row = await tx.fetch_one("SELECT count(*) FROM procedures")
        return int(row[0]) if row else 0


def _content(skill: Skill) -> tuple[str, str, str, str]:
    meta = json.dumps(dict(skill.meta), ensure_ascii=False)
    return skill.name, skill.description, skill.body, meta


def _stored(row: Row) -> StoredSkill:
    skill = Skill(row[4], row[5], row[6], json.loads(row[7]))
    return StoredSkill(row[0], Scope(*row[1:4]), skill, *row[8:])
