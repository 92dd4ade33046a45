"""Store what a user always allows, so that the same question is not asked twice."""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.core.clock import Clock
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.ids import digest, new_id
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.db.database import Connection, Database, Row
from seasoned.db.unit import transact
from seasoned.security.redact import cut
from seasoned.tools.calls import call_key
from seasoned.tools.run import ApprovalDecision, ApprovalRequest

COLUMNS = "id, tenant, project, user_id, tool, params, shown, at"
LONGEST_SHOWN = 1000


@dataclass(frozen=True, slots=True)
class Approval:
    """`params` is the key of the one call that is allowed; empty allows the tool as a whole.

    `shown` is the call, and the folder that it is allowed in.
    """

    id: str
    scope: Scope
    tool: str
    params: str
    shown: str
    at: int


class ApprovalStore:
    """Owns `approvals`. They belong to one user; other users of the project are asked again."""

    async def add(
        self, tx: Connection, scope: Scope, tool: str, params: str, shown: str, now: int
    ) -> None:
        await tx.execute(
            f"INSERT INTO approvals ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (tenant, project, user_id, tool, params) DO NOTHING",
            (new_id(), *_owner(scope), tool, params, cut(storable(shown), LONGEST_SHOWN), now),
        )

    async def holds(self, tx: Connection, scope: Scope, tool: str, params: str) -> bool:
        """Tell whether this call of the tool is always allowed."""
        row = await tx.fetch_one(
            "SELECT 1 FROM approvals WHERE tenant = ? AND project = ? AND user_id = ? "
            "AND tool = ? AND params IN ('', ?)",
            (*_owner(scope), tool, params),
        )
        return row is not None

    async def list(self, tx: Connection, scope: Scope) -> Sequence[Approval]:
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM approvals WHERE tenant = ? AND project = ? AND user_id = ? "
            "ORDER BY at DESC, id",
            _owner(scope),
        )
        return [_approval(row) for row in rows]

    async def remove(self, tx: Connection, scope: Scope, name: str) -> Approval:
        """Withdraw an approval, by its id or the beginning of it."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM approvals WHERE tenant = ? AND project = ? AND user_id = ? "
            "AND substr(id, 1, ?) = ? LIMIT 2",
            (*_owner(scope), len(name), name),
        )
        if not rows or not name:
            raise NotFound(f"no approval {name!r}; list the approvals to see their ids")
        if len(rows) > 1:
            raise BadInput(f"several approvals start with {name!r}; give more of the id")
        await tx.execute("DELETE FROM approvals WHERE id = ?", (rows[0][0],))
        return _approval(rows[0])


class Approvals:
    """Read and write standing approvals from the agent's event loop."""

    def __init__(self, db: Database, clock: Clock, store: ApprovalStore | None = None) -> None:
        self.db = db
        self.clock = clock
        self.store = store or ApprovalStore()

    async def hold(self, scope: Scope, request: ApprovalRequest) -> bool:
        async def read() -> bool:
            async with self.db.read() as tx:
                return await self.store.holds(tx, scope, request.tool, _key(request))

        return await self.db.run_async(read())

    async def keep(
        self, scope: Scope, request: ApprovalRequest, decision: ApprovalDecision
    ) -> None:
        whole = decision.reach == "tool"
        params = "" if whole else _key(request)
        where = f" in {request.folder}" if request.folder else ""
        shown = request.tool if whole else f"{request.shown}{where}"

        async def write(tx: Connection) -> None:
            await self.store.add(tx, scope, request.tool, params, shown, self.clock.now())

        await self.db.run_async(transact(self.db, write))

    async def list(self, scope: Scope) -> Sequence[Approval]:
        """List what a user always allows, latest first."""

        async def read() -> Sequence[Approval]:
            async with self.db.read() as tx:
                return await self.store.list(tx, scope)

        return await self.db.run_async(read())

    async def remove(self, scope: Scope, name: str) -> Approval:
        """Withdraw an approval, by its id or the beginning of it."""

        async def write(tx: Connection) -> Approval:
            return await self.store.remove(tx, scope, name)

        return await self.db.run_async(transact(self.db, write))


def _key(request: ApprovalRequest) -> str:
    """Return the key of a call in its folder: "make" elsewhere may do anything."""
    key = call_key(request.tool, request.params)
    return digest(key, request.folder) if request.folder else key


def _owner(scope: Scope) -> tuple[str, str, str]:
    return (scope.tenant, scope.project, scope.user)


def _approval(row: Row) -> Approval:
    name, tenant, project, user, *rest = row
    return Approval(name, Scope(tenant, project, user), *rest)
