"""Keeps sessions and the last replies, so that both outlive the host's process."""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.core.scope import Scope
from seasoned.db.database import Connection


@dataclass(frozen=True, slots=True)
class KeptSession:
    id: str
    agent: str
    proof: str
    seen_at: int


@dataclass(frozen=True, slots=True)
class KeptReply:
    session: str
    message: str
    digest: str
    reply: str


class ProtocolStore:
    """Owns `protocol_sessions` and `protocol_replies`. A scope sees its own sessions alone."""

    async def add(self, tx: Connection, session: str, scope: Scope, now: int) -> None:
        await tx.execute(
            "INSERT INTO protocol_sessions (id, tenant, project, user_id, created_at, seen_at) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (session, *_owner(scope), now, now),
        )

    async def find(self, tx: Connection, session: str, scope: Scope) -> KeptSession | None:
        row = await tx.fetch_one(
            "SELECT id, agent, proof, seen_at FROM protocol_sessions "
            "WHERE id = ? AND tenant = ? AND project = ? AND user_id = ?",
            (session, *_owner(scope)),
        )
        return KeptSession(*row) if row else None

    async def update(self, tx: Connection, session: KeptSession) -> None:
        await tx.execute(
            "UPDATE protocol_sessions SET agent = ?, proof = ?, seen_at = ? WHERE id = ?",
            (session.agent, session.proof, session.seen_at, session.id),
        )

    async def remove(self, tx: Connection, session: str) -> None:
        await tx.execute("DELETE FROM protocol_sessions WHERE id = ?", (session,))
        await tx.execute("DELETE FROM protocol_replies WHERE session_id = ?", (session,))

    async def trim(self, tx: Connection, scope: Scope, unseen_since: int, most: int) -> None:
        """Drops what nobody came back to, and the oldest beyond `most`; those who never showed
        a token go first, so that strangers push out no agent."""
        owner = _owner(scope)
        await tx.execute("DELETE FROM protocol_sessions WHERE seen_at < ?", (unseen_since,))
        await tx.execute(
            "DELETE FROM protocol_sessions WHERE id IN (SELECT id FROM protocol_sessions "
            "WHERE tenant = ? AND project = ? AND user_id = ? "
            "ORDER BY (proof <> '') DESC, seen_at DESC LIMIT 1000000 OFFSET ?)",
            (*owner, most),
        )

    async def keep(self, tx: Connection, replies: Sequence[KeptReply]) -> None:
        await tx.execute_many(
            "INSERT INTO protocol_replies (session_id, message_id, digest, reply) "
            "VALUES (?, ?, ?, ?) ON CONFLICT (session_id, message_id) "
            "DO UPDATE SET digest = excluded.digest, reply = excluded.reply",
            [(each.session, each.message, each.digest, each.reply) for each in replies],
        )

    async def reply(self, tx: Connection, session: str, message: str) -> KeptReply | None:
        row = await tx.fetch_one(
            "SELECT session_id, message_id, digest, reply FROM protocol_replies "
            "WHERE session_id = ? AND message_id = ?",
            (session, message),
        )
        return KeptReply(*row) if row else None

    async def trim_replies(self, tx: Connection, most: int) -> None:
        await tx.execute(
            "DELETE FROM protocol_replies WHERE seq <= (SELECT max(seq) FROM protocol_replies) - ?",
            (most,),
        )


def _owner(scope: Scope) -> tuple[str, str, str]:
    return scope.tenant, scope.project, scope.user
