"""The ledger: every payment from its reservation on, so that limits hold and none is paid twice."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from seasoned.core.errors import NotFound
from seasoned.db.connection import Connection, Row

State = Literal["reserved", "signed", "settled", "failed", "unknown", "expired"]
TOOK_NOTHING = "('failed', 'expired')"  # for certain; all others count
COLUMNS = (
    "id, request, turn, state, network, asset, amount, pay_to, host, url, version, header, "
    "transaction_hash, error, day, reserved_at, expires_at, changed_at"
)


@dataclass(frozen=True, slots=True)
class Payment:
    id: str
    request: str
    turn: str
    state: State
    network: str
    asset: str
    amount: int
    pay_to: str
    host: str
    url: str
    version: int
    header: str = field(repr=False)
    transaction: str
    error: str
    day: int
    reserved_at: int
    expires_at: int
    changed_at: int


class LedgerStore:
    """Owns `payments` and `payment_gate`."""

    async def lock(self, tx: Connection) -> None:
        """Let one transaction reserve at a time, in all processes."""
        await tx.execute("UPDATE payment_gate SET passed = passed + 1 WHERE id = 1")

    async def add(self, tx: Connection, payment: Payment) -> None:
        one = payment
        values = (
            *(one.id, one.request, one.turn, one.state, one.network, one.asset, one.amount),
            *(one.pay_to, one.host, one.url, one.version, one.header, one.transaction),
            *(one.error, one.day, one.reserved_at, one.expires_at, one.changed_at),
        )
        marks = ", ".join("?" * len(values))
        await tx.execute(f"INSERT INTO payments ({COLUMNS}) VALUES ({marks})", values)

    async def earlier(self, tx: Connection, request: str, turn: str, now: int) -> Payment | None:
        """Find a payment for this request that may still be used, or was used in this turn."""
        row = await tx.fetch_one(
            f"SELECT {COLUMNS} FROM payments WHERE request = ? AND "
            "((state IN ('reserved', 'signed', 'unknown') AND expires_at > ?) "
            "OR (state = 'settled' AND turn = ?)) ORDER BY reserved_at DESC LIMIT 1",
            (request, now, turn),
        )
        return None if row is None else _payment(row)

    async def in_doubt(
        self, tx: Connection, since: int, now: int, request: str = ""
    ) -> Sequence[Payment]:
        """Find payments, of one request or all, that ran out without proof of what came of them."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM payments WHERE state IN ('signed', 'unknown') "
            "AND expires_at <= ? AND reserved_at >= ? AND (request = ? OR ? = '') "
            "ORDER BY reserved_at, id",
            (now, since, request, request),
        )
        return [_payment(row) for row in rows]

    async def spent(self, tx: Connection, network: str, day: int) -> int:
        """Sum what a day's payments took or may take."""
        row = await tx.fetch_one(
            "SELECT coalesce(sum(amount), 0) FROM payments "
            f"WHERE network = ? AND day = ? AND state NOT IN {TOOK_NOTHING}",
            (network, day),
        )
        return int(row[0]) if row else 0

    async def expire(self, tx: Connection, now: int) -> None:
        """Close what ran out: unsigned reservations failed, handed out ones may have been used."""
        await tx.execute(
            "UPDATE payments SET state = 'failed', error = 'it was never signed', changed_at = ? "
            "WHERE state = 'reserved' AND expires_at <= ?",
            (now, now),
        )
        await tx.execute(
            "UPDATE payments SET state = 'unknown', error = 'no answer was seen', changed_at = ? "
            "WHERE state = 'signed' AND expires_at <= ?",
            (now, now),
        )

    async def sign(self, tx: Connection, name: str, header: str, until: int, now: int) -> bool:
        changed = await tx.execute(
            "UPDATE payments SET state = 'signed', header = ?, expires_at = ?, changed_at = ? "
            "WHERE id = ? AND state = 'reserved'",
            (header, until, now, name),
        )
        return changed == 1

    async def finish(
        self, tx: Connection, name: str, state: State, transaction: str, error: str, now: int
    ) -> None:
        """Note an outcome; what a proof or the chain decided stays so, whatever comes later."""
        await tx.execute(
            "UPDATE payments SET state = ?, transaction_hash = ?, error = ?, changed_at = ? "
            "WHERE id = ? AND state NOT IN ('settled', 'expired')",
            (state, transaction, error, now, name),
        )

    async def list(self, tx: Connection, most: int = 100) -> Sequence[Payment]:
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM payments ORDER BY reserved_at DESC, id LIMIT ?", (most,)
        )
        return [_payment(row) for row in rows]

    async def get(self, tx: Connection, name: str) -> Payment:
        row = await tx.fetch_one(f"SELECT {COLUMNS} FROM payments WHERE id = ?", (name,))
        if row is None:
            raise NotFound(f"no payment {name!r}; `seasoned payments list` shows those there are")
        return _payment(row)


def _payment(row: Row) -> Payment:
    return Payment(*row)
