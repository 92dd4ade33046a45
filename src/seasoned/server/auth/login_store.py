"""Browser logins: the cookie is random, its digest is stored, and it ends with its key."""

import hashlib
import secrets
from dataclasses import dataclass

from seasoned.core.clock import HOUR
from seasoned.core.scope import Scope
from seasoned.db.connection import Connection
from seasoned.db.unit import Change, Unit
from seasoned.security.api_keys import Role

MOST_LOGINS = 10_000
COLUMNS = "key_id, subject, name, role, tenant, project, user_id, created_at, expires_at"


@dataclass(frozen=True, slots=True)
class Login:
    """A login as it is stored."""

    key_id: str  # of the key that was pasted
    subject: str  # at the identity provider
    name: str
    role: Role
    scope: Scope
    created_at: int
    expires_at: int


class LoginStore:
    """Owns the table `login_sessions`."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit

    async def add(
        self, key_id: str, subject: str, name: str, role: Role, scope: Scope, hours: float
    ) -> tuple[str, Login]:
        """Begin a login; return its cookie and the login."""
        cookie = secrets.token_urlsafe(32)

        async def work(change: Change) -> Login:
            made = Login(
                key_id, subject, name, role, scope, change.at, change.at + int(hours * HOUR)
            )
            await self._trim(change, change.at)
            await change.execute(
                f"INSERT INTO login_sessions (digest, {COLUMNS}) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(cookie_digest(cookie), key_id, subject, name, role, *scope.fields()[:3]),
                    *(made.created_at, made.expires_at),
                ),
            )
            change.record("login.begun", key_id or subject, {"name": name, "role": role})
            return made

        return cookie, await self._unit.change(work)

    async def find(self, cookie: str) -> Login | None:
        """Return a login that has not ended."""
        async with self._unit.read() as tx:
            row = await tx.fetch_one(
                f"SELECT {COLUMNS} FROM login_sessions WHERE digest = ? AND expires_at > ?",
                (cookie_digest(cookie), self._unit.now()),
            )
        if row is None:
            return None
        key_id, subject, name, role, tenant, project, user, created, expires = row
        scope = Scope(tenant, project, user)
        return Login(key_id, subject, name, role, scope, created, expires)

    async def remove(self, cookie: str) -> None:
        async with self._unit.db.write() as tx:
            await tx.execute(
                "DELETE FROM login_sessions WHERE digest = ?", (cookie_digest(cookie),)
            )

    async def _trim(self, tx: Connection, now: int) -> None:
        """Delete logins that have ended, and the oldest beyond the limit."""
        await tx.execute("DELETE FROM login_sessions WHERE expires_at <= ?", (now,))
        await tx.execute(
            "DELETE FROM login_sessions WHERE digest IN (SELECT digest FROM login_sessions "
            "ORDER BY created_at DESC LIMIT 1000000 OFFSET ?)",
            (MOST_LOGINS - 1,),
        )


def cookie_digest(cookie: str) -> str:
    return hashlib.sha256(cookie.encode(errors="replace")).hexdigest()
