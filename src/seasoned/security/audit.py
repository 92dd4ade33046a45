"""The record of all that happened and all that was learned: appended only, each event chained."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.db.database import Connection, Database

PAGE = 5000


@dataclass(frozen=True, slots=True)
class AuditEvent:
    seq: int
    at: int
    kind: str
    subject: str
    detail: str  # canonical JSON, kept as text so that its digest stays true
    digest: str


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What verifying found: `broken_at` is the first event that does not fit the chain."""

    events: int
    broken_at: int | None = None
    reason: str = ""

    @property
    def intact(self) -> bool:
        return self.broken_at is None


@dataclass(frozen=True, slots=True)
class Entry:
    """An event that is not chained yet; `subject` is the id of the thing it is about."""

    kind: str
    subject: str
    detail: str  # canonical JSON


def chained(before: str, seq: int, at: int, kind: str, subject: str, detail: str) -> str:
    """The digest of an event: it covers the event and, through `before`, all events before it."""
    content = f"{before}\n{seq}\n{at}\n{len(kind)}:{kind}\n{len(subject)}:{subject}\n{detail}"
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


class AuditStore:
    """Owns the tables `audit` and `audit_head`."""

    def __init__(self, db: Database) -> None:
        # Two writers must not both follow the same event: on SQLite the transaction sees to it.
        self._lock = " FOR UPDATE" if db.dialect == "postgres" else ""
        self.db = db

    async def add(self, tx: Connection, at: int, entries: Sequence[Entry]) -> None:
        """Appends events. Do it last in a transaction: writers queue for the chain's end."""
        head = await tx.fetch_one(f"SELECT seq, digest FROM audit_head{self._lock}")
        seq, digest = (int(head[0]), str(head[1])) if head else (0, "")
        for entry in entries:
            seq += 1
            digest = chained(digest, seq, at, entry.kind, entry.subject, entry.detail)
            await tx.execute(
                "INSERT INTO audit (seq, at, kind, subject, detail, digest) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (seq, at, entry.kind, entry.subject, entry.detail, digest),
            )
        await tx.execute("UPDATE audit_head SET seq = ?, digest = ?", (seq, digest))

    async def list(self, tx: Connection, subject: str, limit: int = 50) -> list[AuditEvent]:
        """The events about one thing, oldest first."""
        rows = await tx.fetch(
            "SELECT seq, at, kind, subject, detail, digest FROM audit "
            "WHERE subject = ? AND subject <> '' ORDER BY seq LIMIT ?",
            (subject, limit),
        )
        return [AuditEvent(*row) for row in rows]

    async def count(self, tx: Connection) -> int:
        row = await tx.fetch_one("SELECT seq FROM audit_head")
        return int(row[0]) if row else 0

    async def verify(self) -> AuditReport:
        """Recomputes the chain from its first event to its head."""
        async with self.db.read() as tx:
            before, expected = "", 1
            while rows := await tx.fetch(
                "SELECT seq, at, kind, subject, detail, digest FROM audit "
                "WHERE seq >= ? ORDER BY seq LIMIT ?",
                (expected, PAGE),
            ):
                for seq, at, kind, subject, detail, digest in rows:
                    if seq != expected:
                        return AuditReport(expected - 1, expected, f"event {expected} is missing")
                    if digest != chained(before, seq, at, kind, subject, detail):
                        return AuditReport(seq - 1, seq, f"event {seq} was changed")
                    before, expected = digest, expected + 1
            return await self._at_its_end(tx, before, expected)

    async def _at_its_end(self, tx: Connection, before: str, expected: int) -> AuditReport:
        head = await tx.fetch_one("SELECT seq, digest FROM audit_head")
        if head is None:
            return AuditReport(expected - 1, expected, "the head of the chain is missing")
        if int(head[0]) > expected - 1:
            return AuditReport(
                expected - 1, expected, f"events {expected} to {head[0]} were cut off the end"
            )
        if head[0] == expected - 1 and head[1] != before:
            return AuditReport(expected - 1, expected - 1, "the chain was written anew")
        return AuditReport(expected - 1)
