"""The table of API keys."""

from collections.abc import Sequence

from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.security.api_keys import ApiKey

COLUMNS = (
    "id, name, role, tenant, project, user_id, digest, created_at, expires_at, revoked_at, used_at"
)
USABLE = "revoked_at = 0 AND (expires_at = 0 OR expires_at > ?)"


class KeyStore:
    """Owns the table `api_keys`."""

    async def add(self, tx: Connection, key: ApiKey) -> None:
        await tx.execute(
            f"INSERT INTO api_keys ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(key.id, key.name, key.role, *key.scope.fields()[:3], key.digest),
                *(key.created_at, key.expires_at, key.revoked_at, key.used_at),
            ),
        )

    async def find(self, tx: Connection, name: str) -> ApiKey | None:
        row = await tx.fetch_one(f"SELECT {COLUMNS} FROM api_keys WHERE id = ?", (name,))
        return _key(row) if row else None

    async def list(self, tx: Connection, limit: int, tenant: str | None = None) -> Sequence[ApiKey]:
        """List keys, newest first; None: those of all tenants."""
        where, values = ("", ()) if tenant is None else (" WHERE tenant = ?", (tenant,))
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM api_keys{where} ORDER BY created_at DESC, id LIMIT ?",
            (*values, limit),
        )
        return [_key(row) for row in rows]

    async def named(self, tx: Connection, name: str, now: int) -> Sequence[ApiKey]:
        """Return the usable keys of this name, of all tenants."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM api_keys WHERE name = ? AND {USABLE} ORDER BY created_at",
            (name, now),
        )
        return [_key(row) for row in rows]

    async def has_usable(self, tx: Connection, now: int) -> bool:
        found = await tx.fetch_one(f"SELECT 1 FROM api_keys WHERE {USABLE} LIMIT 1", (now,))
        return found is not None

    async def revoke(self, tx: Connection, name: str, at: int) -> None:
        await tx.execute("UPDATE api_keys SET revoked_at = ? WHERE id = ?", (at, name))

    async def expire(self, tx: Connection, name: str, at: int) -> None:
        await tx.execute("UPDATE api_keys SET expires_at = ? WHERE id = ?", (at, name))

    async def use(self, tx: Connection, name: str, at: int) -> None:
        await tx.execute("UPDATE api_keys SET used_at = ? WHERE id = ?", (at, name))


def _key(row: Sequence[object]) -> ApiKey:
    name, label, role, tenant, project, user, *rest = row
    scope = Scope(tenant, project, user)  # pyright: ignore[reportArgumentType]
    return ApiKey(name, label, role, scope, *rest)  # pyright: ignore[reportArgumentType]
