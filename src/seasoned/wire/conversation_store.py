"""Keep what was inserted into conversations, for as long as they may go on, across restarts."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from seasoned.core.clock import DAY
from seasoned.db.database import Connection
from seasoned.security.stored import CleanText

LIFETIME = 14 * DAY  # after the last request
MOST_SESSIONS = 20_000
MOST_REPLIES = 100_000

Inserted = Mapping[str, str]  # texts by place: "" is beside the message, else the id of a call


@dataclass(slots=True)
class StoredConversation:
    """A conversation as an earlier process left it."""

    session: str
    standing: Sequence[str] | None = None
    notes: str = ""
    known: dict[str, Inserted] = field(default_factory=dict[str, Inserted])


class ConversationStore:
    """Owns `wire_sessions`, `wire_messages` and `wire_replies`. All ids are digests."""

    async def find(self, tx: Connection, session_id: str) -> StoredConversation | None:
        row = await tx.fetch_one(
            "SELECT session, standing, notes FROM wire_sessions WHERE id = ?", (_id(session_id),)
        )
        if row is None:
            return None
        rows = await tx.fetch(
            "SELECT message, inserted FROM wire_messages WHERE session_id = ?", (_id(session_id),)
        )
        standing = cast("list[str]", json.loads(row[1])) if row[1] else None
        known: dict[str, Inserted] = {one: json.loads(texts or "{}") for one, texts in rows}
        return StoredConversation(row[0], standing, row[2], known)

    async def latest(self, tx: Connection, beginning: str) -> str:
        """Return the session of the last conversation that began like this; empty without one."""
        row = await tx.fetch_one(
            "SELECT session FROM wire_sessions WHERE beginning = ? ORDER BY seen_at DESC LIMIT 1",
            (_id(beginning),),
        )
        return row[0] if row else ""

    async def continued(self, tx: Connection, reply_id: str) -> str:
        """Return the session that a reply was given in; empty if that is not known."""
        row = await tx.fetch_one("SELECT session FROM wire_replies WHERE id = ?", (_id(reply_id),))
        return row[0] if row else ""

    async def touch(
        self, tx: Connection, session_id: str, beginning: str, session: str, now: int
    ) -> None:
        """Note that a conversation goes on."""
        await tx.execute(
            "INSERT INTO wire_sessions (id, beginning, session, seen_at) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at",
            (_id(session_id), _id(beginning), session, now),
        )

    async def keep(
        self, tx: Connection, session_id: str, standing: Sequence[str] | None, notes: str
    ) -> None:
        """Store the rules and notes that the prompt of a conversation has."""
        lines = json.dumps(list(standing), ensure_ascii=False) if standing is not None else ""
        await tx.execute(
            "UPDATE wire_sessions SET standing = ?, notes = ? WHERE id = ?",
            (lines, notes, _id(session_id)),
        )

    async def mark(self, tx: Connection, session_id: str, messages: Mapping[str, Inserted]) -> None:
        """Store that messages were seen, and what was inserted into them."""
        for message, texts in messages.items():
            written = json.dumps(dict(texts), ensure_ascii=False) if texts else ""
            await tx.execute(
                "INSERT INTO wire_messages (session_id, message, inserted) VALUES (?, ?, ?) "
                "ON CONFLICT (session_id, message) DO UPDATE SET inserted = excluded.inserted",
                (_id(session_id), _id(message), written),
            )

    async def replied(
        self, tx: Connection, reply_ids: Sequence[str], session_id: str, session: str, now: int
    ) -> None:
        """Store which conversation replies belong to."""
        for reply_id in reply_ids:
            await tx.execute(
                "INSERT INTO wire_replies (id, session_id, session, seen_at) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (id) DO UPDATE SET session_id = excluded.session_id, "
                "session = excluded.session, seen_at = excluded.seen_at",
                (_id(reply_id), _id(session_id), session, now),
            )

    async def drop_old(self, tx: Connection, now: int) -> None:
        """Forget conversations that nobody continued for long, and the oldest of too many."""
        before = now - LIFETIME
        await tx.execute("DELETE FROM wire_replies WHERE seen_at < ?", (before,))
        await tx.execute(
            "DELETE FROM wire_replies WHERE id IN (SELECT id FROM wire_replies "
            "ORDER BY seen_at DESC LIMIT ? OFFSET ?)",
            (MOST_REPLIES, MOST_REPLIES),
        )
        gone: Sequence[Any] = await tx.fetch(
            "SELECT id FROM wire_sessions WHERE seen_at < ? UNION SELECT id FROM (SELECT id "
            "FROM wire_sessions ORDER BY seen_at DESC LIMIT ? OFFSET ?) AS many",
            (before, MOST_SESSIONS, MOST_SESSIONS),
        )
        for (name,) in gone:
            await tx.execute("DELETE FROM wire_messages WHERE session_id = ?", (_id(name),))
            await tx.execute("DELETE FROM wire_sessions WHERE id = ?", (_id(name),))


def _id(digest: str) -> str:
    """Return a digest as a text that nobody takes for a secret."""
    return CleanText(digest)
