"""Keeps the librarian's inquiries."""

from collections.abc import Sequence
from dataclasses import replace

from seasoned.core.errors import BadInput, NotFound
from seasoned.core.ids import new_id
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.db.database import Connection, Row
from seasoned.memory.inquiry import STATUSES, Inquiry, InquiryStatus
from seasoned.memory.session import Session

COLUMNS = (
    "id, tenant, project, user_id, session_key, question, reason, status, answer, lesson_id, "
    "asked_at, resolved_at"
)
OWN = "tenant = ? AND project = ? AND user_id = ?"
SEEN = "tenant = ? AND project = ? AND (? = '' OR user_id = ?)"
SHORTEST_START = 3


class InquiryStore:
    """Owns `inquiries`."""

    async def add(
        self, tx: Connection, session: Session, question: str, reason: str, now: int
    ) -> Inquiry:
        scope = replace(session.scope, session="")
        asked = Inquiry(
            *(new_id(), scope, session.key, storable(question), storable(reason), "pending"),
            *("", "", now, None),
        )
        await tx.execute(
            "INSERT INTO inquiries (id, tenant, project, user_id, session_key, question, reason, "
            "status, asked_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', ?)",
            (asked.id, *scope.fields()[:3], session.key, asked.question, asked.reason, now),
        )
        return asked

    async def pending(self, tx: Connection, scope: Scope, limit: int) -> Sequence[Inquiry]:
        """Those of this very user that wait for an answer, the oldest first."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM inquiries WHERE {OWN} AND status = 'pending' "
            "ORDER BY asked_at, id LIMIT ?",
            (*scope.fields()[:3], limit),
        )
        return [_inquiry(row) for row in rows]

    async def earlier(self, tx: Connection, scope: Scope, limit: int) -> Sequence[Inquiry]:
        """All that this user was asked, the latest first, whatever became of it."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM inquiries WHERE {OWN} ORDER BY asked_at DESC, id LIMIT ?",
            (*scope.fields()[:3], limit),
        )
        return [_inquiry(row) for row in rows]

    async def list(
        self, tx: Connection, scope: Scope, status: str | None, limit: int
    ) -> Sequence[Inquiry]:
        """The latest first; of all users where the scope names none."""
        if status is not None and status not in STATUSES:
            raise BadInput(f"status is {status!r}; it must be one of {', '.join(STATUSES)}")
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM inquiries WHERE {SEEN} AND (? = '' OR status = ?) "
            "ORDER BY asked_at DESC, id LIMIT ?",
            (*_seen(scope), status or "", status or "", limit),
        )
        return [_inquiry(row) for row in rows]

    async def get(self, tx: Connection, name: str, scope: Scope) -> Inquiry:
        """By its id, or the beginning of it."""
        rows = (
            await tx.fetch(
                f"SELECT {COLUMNS} FROM inquiries WHERE id >= ? AND id < ? AND {SEEN} "
                "ORDER BY id LIMIT 2",
                (name, name + "~", *_seen(scope)),
            )
            if len(name) >= SHORTEST_START
            else []
        )
        if not rows:
            raise NotFound(f"no inquiry {name!r}; `seasoned librarian list` shows those there are")
        if len(rows) > 1 and rows[0][0] != name:
            raise BadInput(f"several inquiries have an id that starts with {name!r}; give more")
        return _inquiry(rows[0])

    async def close(
        self, tx: Connection, inquiry: Inquiry, status: InquiryStatus, answer: str, now: int
    ) -> bool:
        """Resolves or dismisses it; False when another did something about it meanwhile."""
        return bool(
            await tx.execute(
                "UPDATE inquiries SET status = ?, answer = ?, resolved_at = ? "
                "WHERE id = ? AND status = ?",
                (status, storable(answer), now, inquiry.id, inquiry.status),
            )
        )

    async def link(self, tx: Connection, inquiry: Inquiry, lesson: str) -> None:
        await tx.execute("UPDATE inquiries SET lesson_id = ? WHERE id = ?", (lesson, inquiry.id))

    async def due(
        self, tx: Connection, cooldown: int, observations: int, limit: int
    ) -> Sequence[int]:
        """Sessions with so many turns since the librarian looked, and something to look at."""
        rows = await tx.fetch(
            "SELECT s.key FROM sessions s WHERE s.turns > s.asked_turn "
            "AND s.turns - s.asked_turn >= ? AND ((SELECT count(*) FROM observations o "
            "WHERE o.session_key = s.key) >= ? OR EXISTS (SELECT 1 FROM inquiries i "
            "WHERE i.status = 'pending' AND i.tenant = s.tenant AND i.project = s.project "
            "AND i.user_id = s.user_id)) ORDER BY s.active_at DESC LIMIT ?",
            (cooldown, observations, limit),
        )
        return [row[0] for row in rows]

    async def count(self, tx: Connection, scope: Scope) -> dict[str, int]:
        rows = await tx.fetch(
            f"SELECT status, count(*) FROM inquiries WHERE {SEEN} GROUP BY status", _seen(scope)
        )
        return dict.fromkeys(STATUSES, 0) | {row[0]: int(row[1]) for row in rows}

    async def has_some(self, tx: Connection) -> bool:
        return await tx.fetch_one("SELECT 1 FROM inquiries LIMIT 1") is not None


def _seen(scope: Scope) -> tuple[str, ...]:
    return (scope.tenant, scope.project, scope.user, scope.user)


def _inquiry(row: Row) -> Inquiry:
    name, tenant, project, user, *rest = row
    return Inquiry(name, Scope(tenant, project, user), *rest)
