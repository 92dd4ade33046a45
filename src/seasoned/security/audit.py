"""The audit trail of everything that changed: append-only, each event chained to the last."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.db.database import Connection, Database
from seasoned.db.unit import AuditEntry
from seasoned.security.stored import stored_params

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
    """Result of verifying: `broken_at` is the first event that does not fit the chain."""

    events: int
    broken_at: int | None = None
    reason: str = ""

    @property
    def intact(self) -> bool:
        return self.broken_at is None


def chain_digest(before: str, seq: int, at: int, kind: str, subject: str, detail: str) -> str:
    """Digest an event and, through `before`, all events before it."""
    content = f"{before}\n{seq}\n{at}\n{len(kind)}:{kind}\n{len(subject)}:{subject}\n{detail}"
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _escaped(text: str) -> str:
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")


class AuditStore:
    """Owns the tables `audit` and `audit_head`."""

    def __init__(self, db: Database) -> None:
        # Two writers must not follow the same event; SQLite has only one writer at a time.
        self._lock = " FOR UPDATE" if db.dialect == "postgres" else ""
        self.db = db

    async def add(self, tx: Connection, at: int, entries: Sequence[AuditEntry]) -> None:
        """Append events. Do it last in a transaction: writers queue for the chain's end."""
        head = await tx.fetch_one(f"SELECT seq, digest FROM audit_head{self._lock}")
        seq, digest = (int(head[0]), str(head[1])) if head else (0, "")
        for given in entries:
            seq += 1
            clean = stored_params(given)  # or its digest would not fit what is stored
            entry = given if clean is given else AuditEntry(*clean)
            digest = chain_digest(digest, seq, at, entry.kind, entry.subject, entry.detail)
            await tx.send(
                "INSERT INTO audit (seq, at, kind, subject, detail, digest) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (seq, at, entry.kind, entry.subject, entry.detail, digest),
            )
        await tx.send("UPDATE audit_head SET seq = ?, digest = ?", (seq, digest))

    async def list(self, tx: Connection, subject: str, limit: int = 50) -> list[AuditEvent]:
        """Return the events about one thing, oldest first."""
        rows = await tx.fetch(
            "SELECT seq, at, kind, subject, detail, digest FROM audit "
            "WHERE subject = ? AND subject <> '' ORDER BY seq LIMIT ?",
            (subject, limit),
        )
        return [AuditEvent(*row) for row in rows]

    async def latest(
        self,
        tx: Connection,
        *,
        kind: str = "",
        subject: str = "",
        naming: str = "",
        before: int | None = None,
        limit: int = 50,
    ) -> Sequence[AuditEvent]:
        """Return events, latest first, before this number: of a kind, about a thing.

        A kind that ends with a dot, such as `lesson.`, means all that begin so. With `naming`, the
        details must contain that text.
        """
        wanted = ["seq < ?"]
        params: list[int | str] = [2**62 if before is None else before]
        if kind:
            wanted.append("substr(kind, 1, ?) = ?" if kind.endswith(".") else "kind = ?")
            params += [len(kind), kind] if kind.endswith(".") else [kind]
        if subject:
            wanted.append("subject = ? AND subject <> ''")
            params.append(subject)
        if naming:
            wanted.append("detail LIKE ? ESCAPE '!'")
            params.append(f"%{_escaped(naming)}%")
        rows = await tx.fetch(
            "SELECT seq, at, kind, subject, detail, digest FROM audit "
            f"WHERE {' AND '.join(wanted)} ORDER BY seq DESC LIMIT ?",
            (*params, limit),
        )
        return [AuditEvent(*row) for row in rows]

    async def count(self, tx: Connection) -> int:
        row = await tx.fetch_one("SELECT seq FROM audit_head")
        return int(row[0]) if row else 0

    async def verify(self) -> AuditReport:
        """Recompute the chain from its first event to the head, as it was at the start."""
        async with self.db.read() as tx:
            head = await tx.fetch_one("SELECT seq, digest FROM audit_head")
            if head is None:
                end = await self.last(tx)
                return AuditReport(end, end + 1, "the head of the chain is missing")
            last, ending = int(head[0]), str(head[1])
            before, seq = "", 0
            while rows := await tx.fetch(
                "SELECT seq, at, kind, subject, detail, digest FROM audit "
                "WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
                (seq, last, PAGE),
            ):
                for number, at, kind, subject, detail, digest in rows:
                    seq += 1
                    if number != seq:
                        return AuditReport(seq - 1, seq, f"event {seq} is missing")
                    if digest != chain_digest(before, seq, at, kind, subject, detail):
                        return AuditReport(seq - 1, seq, f"event {seq} was changed")
                    before = digest
            if seq < last:
                cut = f"events {seq + 1} to {last} were cut off the end"
                return AuditReport(seq, seq + 1, cut)
            if before != ending:
                return AuditReport(seq, seq, "the chain was rewritten")
            return await self._nothing_beside(tx, last)

    async def _nothing_beside(self, tx: Connection, last: int) -> AuditReport:
        """Check that no event precedes the first or follows the head (which may have moved)."""
        row = await tx.fetch_one("SELECT min(seq) FROM audit WHERE seq < 1")
        if row and row[0] is not None:
            return AuditReport(last, int(row[0]), f"event {row[0]} was inserted before the first")
        end = await self.last(tx)
        head = await tx.fetch_one("SELECT seq FROM audit_head")
        if head is None or end > int(head[0]):
            return AuditReport(last, last + 1, f"event {last + 1} was appended behind the last")
        return AuditReport(last)

    async def last(self, tx: Connection) -> int:
        row = await tx.fetch_one("SELECT coalesce(max(seq), 0) FROM audit")
        return int(row[0]) if row else 0
