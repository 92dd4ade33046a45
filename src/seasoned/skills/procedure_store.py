"""Keeps which tools were called for which request: what skills are distilled from."""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.memory.session import Session
from seasoned.skills.procedure import Procedure, procedure_from

LATEST = 50  # of a shape that are looked at


@dataclass(frozen=True, slots=True)
class Shape:
    """A sequence of tools that has succeeded so often."""

    scope: Scope
    shape: str
    times: int


class ProcedureStore:
    """Owns `procedures`."""

    async def add(
        self, tx: Connection, session: Session, turn: int, made: Procedure, at: int
    ) -> None:
        await tx.execute(
            "INSERT INTO procedures (session_key, turn, tenant, project, shape, request, steps, "
            "succeeded, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (session_key, turn) DO NOTHING",
            (
                *(session.key, turn, session.scope.tenant, session.scope.project, made.shape),
                *(made.request, made.steps_json, int(made.succeeded), at),
            ),
        )

    async def repeated(self, tx: Connection, least: int, limit: int = 200) -> Sequence[Shape]:
        """The shapes that succeeded at least so often, the most frequent first."""
        rows = await tx.fetch(
            "SELECT tenant, project, shape, count(*) FROM procedures WHERE succeeded = 1 "
            "GROUP BY tenant, project, shape HAVING count(*) >= ? "
            "ORDER BY count(*) DESC, shape LIMIT ?",
            (least, limit),
        )
        return [Shape(Scope(row[0], row[1]), row[2], row[3]) for row in rows]

    async def of(self, tx: Connection, shape: Shape) -> Sequence[Procedure]:
        """The latest that succeeded, the oldest of them first."""
        rows = await tx.fetch(
            "SELECT request, steps FROM procedures WHERE tenant = ? AND project = ? "
            "AND shape = ? AND succeeded = 1 ORDER BY at DESC, session_key DESC, turn DESC LIMIT ?",
            (shape.scope.tenant, shape.scope.project, shape.shape, LATEST),
        )
        return [procedure_from(*row, succeeded=True) for row in reversed(rows)]

    async def count(self, tx: Connection) -> int:
        row = await tx.fetch_one("SELECT count(*) FROM procedures")
        return int(row[0]) if row else 0
