"""Inquiries: questions that the librarian wants answered, and their store."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, get_args

from seasoned.core.errors import BadInput, NotFound
from seasoned.core.ids import digest, new_id
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.db.database import Connection, Row
from seasoned.db.keyset import Place, following
from seasoned.db.scope_filter import contained
from seasoned.db.unit import Change
from seasoned.sessions.session import Session

InquiryStatus = Literal["pending", "resolved", "dismissed"]
STATUSES: tuple[InquiryStatus, ...] = get_args(InquiryStatus)
COLUMNS = (
    "id, tenant, project, user_id, session_key, question, reason, status, answer, lesson_id, "
    "asked_at, resolved_at"
)
OWN = "tenant = ? AND project = ? AND user_id = ?"
SEEN = "tenant = ? AND project = ? AND (? = '' OR user_id = ?)"
LATEST = "asked_at DESC, id"
SHORTEST_START = 3


@dataclass(frozen=True, slots=True)
class Inquiry:
    id: str
    scope: Scope  # whom the question is about
    session: int  # key of the session in which it came up
    question: str
    reason: str
    status: InquiryStatus
    answer: str
    lesson: str  # id of the lesson made from the answer
    asked_at: int
    resolved_at: int | None

    @property
    def place(self) -> tuple[int, str]:
        """Where it stands in a list, latest first: `after` of the next page."""
        return (self.asked_at, self.id)

    @property
    def version(self) -> str:
        """Return a digest of what people change by hand."""
        return digest(self.id, self.status, self.answer)


@dataclass(frozen=True, slots=True)
class InquiryAnswer:
    """An answer: the fact, the words quoted for it, and who gave it."""

    fact: str
    quote: str = ""
    by: Literal["operator", "user", "model"] = "model"


class Teach(Protocol):
    """Store an answer as a lesson, in the change that resolves the inquiry; return its id."""

    async def __call__(self, change: Change, inquiry: Inquiry, answer: InquiryAnswer) -> str: ...


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
        """List the user's pending inquiries, oldest first."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM inquiries WHERE {OWN} AND status = 'pending' "
            "ORDER BY asked_at, id LIMIT ?",
            (*scope.fields()[:3], limit),
        )
        return [_inquiry(row) for row in rows]

    async def earlier(self, tx: Connection, scope: Scope, limit: int) -> Sequence[Inquiry]:
        """List all inquiries to the user, latest first, whatever their status."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM inquiries WHERE {OWN} ORDER BY asked_at DESC, id LIMIT ?",
            (*scope.fields()[:3], limit),
        )
        return [_inquiry(row) for row in rows]

    async def list(
        self,
        tx: Connection,
        scope: Scope,
        status: str | None,
        limit: int,
        after: Place | None = None,
    ) -> Sequence[Inquiry]:
        """List inquiries, latest first; those of all users if the scope names none."""
        if status is not None and status not in STATUSES:
            raise BadInput(f"status is {status!r}; it must be one of {', '.join(STATUSES)}")
        later, place = following(LATEST, after)
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM inquiries WHERE {SEEN} AND (? = '' OR status = ?) "
            f"AND {later} ORDER BY {LATEST} LIMIT ?",
            (*_seen(scope), status or "", status or "", *place, limit),
        )
        return [_inquiry(row) for row in rows]

    async def get(self, tx: Connection, name: str, realm: Scope) -> Inquiry:
        """Get an inquiry inside a realm by its id or the beginning of it."""
        inside, values = contained(realm)
        rows = (
            await tx.fetch(
                f"SELECT {COLUMNS} FROM inquiries WHERE id >= ? AND id < ? AND {inside} "
                "ORDER BY id LIMIT 2",
                (name, name + "~", *values),
            )
            if len(name) >= SHORTEST_START
            else []
        )
        if not rows:
            raise NotFound(f"no inquiry {name!r}; `seasoned librarian list` shows them")
        if len(rows) > 1 and rows[0][0] != name:
            raise BadInput(f"several inquiries have an id that starts with {name!r}; give more")
        return _inquiry(rows[0])

    async def close(
        self, tx: Connection, inquiry: Inquiry, status: InquiryStatus, answer: str, now: int
    ) -> bool:
        """Resolve or dismiss an inquiry; return False if it was changed meanwhile."""
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
        """List sessions with `cooldown` turns since the last look, and something to look at."""
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
