"""The inbox of the channels: each message is stored before its platform is told that we have it.

It waits until its answer is delivered. Before a turn begins, the number of the session's turns is
noted, so that after a crash it is known whether the turn had begun. Secrets are never stored.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar, cast

from seasoned.channels.channel import Address, Incoming, Person
from seasoned.core.text import storable
from seasoned.db.connection import Row
from seasoned.db.unit import Change, Unit
from seasoned.security.redact import redact

T = TypeVar("T")
Kind = Literal["message", "refusal", "overflow"]

COLUMNS = (
    "key, channel, event, chat, thread, kind, sender, handle, text, session, turns, reply, direct"
)
KEPT = 30 * 24 * 3600 * 1_000_000  # an answer can be rated that long, in microseconds
NOT_BEGUN = -1


# A person in a conversation: in a group each has a history of their own, and waits for nobody.
Correspondence = tuple[Address, str]


@dataclass(frozen=True, slots=True)
class Letter:
    """A stored message; `turns` is how many its session had before it, `reply` its answer."""

    key: int
    id: str
    at: Address
    kind: Kind
    sender: Person
    text: str
    session: str = ""
    turns: int = NOT_BEGUN
    reply: str | None = None
    is_direct: bool = True

    def with_text(self, text: str) -> "Letter":
        """Return it with its words as they came."""
        return replace(self, text=text)


class Inbox:
    """Stores letters, their answers, and which messages the answers became."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit

    async def add(self, event: Incoming, kind: Kind = "message") -> bool:
        """Store a message; False if it was known."""
        at, sender = event.at, event.sender

        async def work(change: Change) -> bool:
            added = await change.execute(
                "INSERT INTO channel_inbox "
                "(channel, event, chat, thread, kind, sender, handle, text, direct, received_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (channel, event) DO NOTHING",
                (
                    *(at.channel, event.id, at.chat, at.thread, kind, sender.id),
                    *(storable(sender.handle), _safe(event.text), int(event.is_direct), change.at),
                ),
            )
            return bool(added)

        return await self._change(work)

    async def waiting(self, channel: str) -> Sequence[Correspondence]:
        """Return who waits for an answer, and in which conversation."""
        rows = await self._fetch(
            "SELECT DISTINCT chat, thread, sender FROM channel_inbox "
            "WHERE channel = ? AND done_at = 0",
            (channel,),
        )
        return [
            (Address(channel, str(chat), str(thread)), str(sender)) for chat, thread, sender in rows
        ]

    async def waiting_of(self, channel: str, sender: str, kind: Kind = "message") -> int:
        """Count what waits of a person."""
        rows = await self._fetch(
            "SELECT COUNT(*) FROM channel_inbox "
            "WHERE channel = ? AND done_at = 0 AND sender = ? AND kind = ?",
            (channel, sender, kind),
        )
        return int(rows[0][0])

    async def was_refused(self, channel: str, sender: str) -> bool:
        """Tell whether a person was told, or will be, that they may not write."""
        rows = await self._fetch(
            "SELECT 1 FROM channel_inbox "
            "WHERE channel = ? AND kind = 'refusal' AND sender = ? AND error = '' LIMIT 1",
            (channel, sender),
        )
        return bool(rows)

    async def next(self, at: Address, sender: str) -> Letter | None:
        """Return a person's first letter in a conversation that is not answered."""
        rows = await self._fetch(
            f"SELECT {COLUMNS} FROM channel_inbox WHERE channel = ? AND done_at = 0 "
            "AND chat = ? AND thread = ? AND sender = ? ORDER BY key LIMIT 1",
            (at.channel, at.chat, at.thread, sender),
        )
        return _letter(rows[0]) if rows else None

    async def session(self, at: Address, sender: Person) -> str:
        """Return the session in which somebody talks there."""
        rows = await self._fetch(
            "SELECT session FROM channel_sessions "
            "WHERE channel = ? AND chat = ? AND thread = ? AND sender = ?",
            (at.channel, at.chat, at.thread, sender.id),
        )
        return str(rows[0][0]) if rows else base_session(at)

    async def begin_session(self, letter: Letter, session: str) -> None:
        """Let its sender talk in another session there from now on."""
        at = letter.at
        await self._execute(
            "INSERT INTO channel_sessions (channel, chat, thread, sender, session) "
            "VALUES (?, ?, ?, ?, ?) ON CONFLICT (channel, chat, thread, sender) "
            "DO UPDATE SET session = excluded.session",
            (at.channel, at.chat, at.thread, letter.sender.id, session),
        )

    async def begin(self, letter: Letter, session: str, turns: int) -> None:
        """Note that a turn is about to begin in a session that has so many."""
        await self._execute(
            "UPDATE channel_inbox SET session = ?, turns = ? WHERE key = ?",
            (session, turns, letter.key),
        )

    async def answer(self, letter: Letter, reply: str) -> None:
        """Keep the answer until it is delivered."""
        await self._execute(
            "UPDATE channel_inbox SET reply = ? WHERE key = ?", (_safe(reply), letter.key)
        )

    async def sent(self, letter: Letter) -> Mapping[int, str]:
        """Return the messages of an answer that the platform has, by number of the piece."""
        rows = await self._fetch(
            "SELECT piece, message FROM channel_sent WHERE inbox_key = ?", (letter.key,)
        )
        return {int(cast("int", piece)): str(message) for piece, message in rows}

    async def note_sent(self, letter: Letter, piece: int, message: str) -> None:
        """Note which message a piece became; an earlier one of it is gone."""

        async def work(change: Change) -> None:
            await change.execute(
                "DELETE FROM channel_sent WHERE inbox_key = ? AND piece = ?", (letter.key, piece)
            )
            await change.execute(
                "INSERT INTO channel_sent (channel, chat, message, inbox_key, piece) "
                "VALUES (?, ?, ?, ?, ?) ON CONFLICT (channel, chat, message) DO NOTHING",
                (letter.at.channel, letter.at.chat, message, letter.key, piece),
            )

        await self._change(work)

    async def done(self, letter: Letter, reply: str, error: str = "") -> None:
        """Note that the answer is delivered, or why it cannot be."""

        async def work(change: Change) -> None:
            await change.execute(
                "UPDATE channel_inbox SET done_at = ?, reply = ?, error = ? WHERE key = ?",
                (change.at, _safe(reply), _safe(error), letter.key),
            )

        await self._change(work)

    async def answered_by(self, at: Address, message: str) -> Letter | None:
        """Return the letter that one of our messages answers."""
        columns = ", ".join(f"i.{one}" for one in COLUMNS.split(", "))
        rows = await self._fetch(
            f"SELECT {columns} FROM channel_sent s JOIN channel_inbox i ON i.key = s.inbox_key "
            "WHERE s.channel = ? AND s.chat = ? AND s.message = ?",
            (at.channel, at.chat, message),
        )
        return _letter(rows[0]) if rows else None

    async def forget_old(self, channel: str) -> None:
        """Delete what was answered long ago."""

        async def work(change: Change) -> None:
            old = "SELECT key FROM channel_inbox WHERE channel = ? AND done_at BETWEEN 1 AND ?"
            known = (channel, change.at - KEPT)
            await change.execute(f"DELETE FROM channel_sent WHERE inbox_key IN ({old})", known)
            await change.execute(f"DELETE FROM channel_inbox WHERE key IN ({old})", known)

        await self._change(work)

    async def threads(self, channel: str) -> Sequence[tuple[str, str]]:
        """Return the threads of groups in which the bot answered, the latest last."""
        rows = await self._fetch(
            "SELECT chat, thread, MAX(key) AS latest FROM channel_inbox WHERE channel = ? "
            "AND thread <> '' AND direct = 0 AND kind = 'message' AND reply IS NOT NULL "
            "GROUP BY chat, thread ORDER BY latest",
            (channel,),
        )
        return [(str(chat), str(thread)) for chat, thread, _ in rows]

    async def last_seen(self, channel: str) -> Mapping[str, str]:
        """Return the last message of each chat or thread, for platforms that must be asked."""
        rows = await self._fetch(
            "SELECT chat, thread, event FROM channel_inbox WHERE key IN "
            "(SELECT MAX(key) FROM channel_inbox WHERE channel = ? GROUP BY chat, thread)",
            (channel,),
        )
        return {str(thread or chat): str(event) for chat, thread, event in rows}

    async def counts(self, channel: str) -> Mapping[str, int]:
        """Count letters: those that wait, and those whose answer could not be delivered."""
        rows = await self._fetch(
            "SELECT COALESCE(SUM(CASE WHEN done_at = 0 THEN 1 ELSE 0 END), 0), "
            "COALESCE(SUM(CASE WHEN error <> '' THEN 1 ELSE 0 END), 0) "
            "FROM channel_inbox WHERE channel = ?",
            (channel,),
        )
        waiting, undelivered = rows[0]
        return {"waiting": int(waiting), "undelivered": int(undelivered)}

    async def _execute(self, sql: str, params: tuple[object, ...]) -> None:
        async def work(change: Change) -> None:
            await change.execute(sql, params)

        await self._change(work)

    async def _change(self, work: Callable[[Change], Awaitable[T]]) -> T:
        return await self._unit.run(self._unit.change(work))

    async def _fetch(self, sql: str, params: tuple[object, ...]) -> list[Row]:
        async def read() -> list[Row]:
            async with self._unit.read() as tx:
                return await tx.fetch(sql, params)

        return await self._unit.run(read())


def base_session(at: Address) -> str:
    """Return the name of the first session in a conversation.

    It is a place that results of jobs can be sent to, see `outlets`.

    >>> base_session(Address("slack", "C1", "17.2")), base_session(Address("hook", "#a:b", ""))
    ('slack:C1:17.2', 'hook:%23a%3Ab')
    """
    return ":".join(filter(None, (at.channel, _quoted(at.chat), _quoted(at.thread))))


def _quoted(name: str) -> str:
    return name.replace("%", "%25").replace(":", "%3A").replace("#", "%23")


def _letter(row: Row) -> Letter:
    key, channel, event, chat, thread, kind, sender, handle, text, session, turns, reply, direct = (
        row
    )
    return Letter(
        int(key),
        str(event),
        Address(str(channel), str(chat), str(thread)),
        cast("Kind", kind),
        Person(str(sender), str(handle)),
        str(text),
        str(session),
        int(turns),
        None if reply is None else str(reply),
        bool(direct),
    )


def _safe(text: str) -> str:
    return redact(storable(text))
