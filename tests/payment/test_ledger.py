"""The ledger adds up on both databases: whatever happens, a day stays within its limit."""

import asyncio
import base64
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.payment import paying_process
from tests.payment.paying_process import NETWORK, demand
from typer.testing import CliRunner

from seasoned import Seasoned
from seasoned.core.clock import DAY, HOUR, SECOND, FixedClock, SystemClock
from seasoned.core.errors import SeasonedError, Unreachable
from seasoned.payment.ledger_store import Payment
from seasoned.payment.networks import dollars
from seasoned.payment.payments import PaymentLimits, Payments
from seasoned.payment.signing import Wallet

DAILY = 300_000
PROOF = base64.b64encode(
    json.dumps({"success": True, "transaction": "0x" + "cd" * 32, "network": NETWORK.id}).encode()
).decode()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FixedClock:
    """The present, as authorisations are signed with it; no test runs into midnight."""
    real = time.time
    if DAY - SystemClock().now() % DAY < 2 * HOUR:
        monkeypatch.setattr(time, "time", lambda: real() - 7200)
    return FixedClock(int(time.time()) * SECOND)


@pytest.fixture
def s(database_url: str, clock: FixedClock) -> Generator[Seasoned]:
    with Seasoned(database_url, clock=clock) as opened:
        yield opened


class Book:
    """Payments of one store, with a wallet that is opened once."""

    def __init__(self, s: Seasoned, clock: FixedClock) -> None:
        limits = PaymentLimits(200_000, DAILY, 150_000)
        self.paying = Payments(s.inner.app.unit, NETWORK, limits, lambda: WALLET)
        self.db, self.clock = s.inner.app.db, clock

    def pay(self, page: str, amount: int, turn: str = "s:1", *, allowed: bool = False) -> Payment:
        async def confirm(wanted: Any, warning: str) -> None:
            if not allowed:
                raise SeasonedError("no")

        wanted = demand(amount)
        return asyncio.run(self.paying.pay(wanted, page, page, turn, confirm))

    def finish(self, payment: Payment, *, proved: bool) -> Payment:
        proof = PROOF if proved else ""
        return asyncio.run(self.paying.finish(payment, proof, "" if proved else "500"))

    def spent(self) -> int:
        return asyncio.run(self.paying.spent_today())

    def all(self) -> list[Payment]:
        return list(asyncio.run(self.paying.list(1000)))

    def clear(self) -> None:
        async def work() -> None:
            async with self.db.write() as tx:
                await tx.execute("DELETE FROM payments")

        self.db.run(work())


WALLET = Wallet("0x" + "11" * 32)


@pytest.fixture
def book(s: Seasoned, clock: FixedClock) -> Book:
    return Book(s, clock)


def test_a_request_has_one_authorisation_while_that_is_valid(book: Book) -> None:
    first = book.pay("/a", 50_000)
    assert book.pay("/a", 50_000).header == first.header
    assert book.finish(first, proved=False).state == "unknown"
    assert book.pay("/a", 50_000).header == first.header
    assert book.finish(first, proved=True).state == "settled"
    assert book.finish(first, proved=False).state == "settled"  # a later word changes nothing
    assert book.pay("/a", 50_000).header == first.header  # in the same turn
    assert book.pay("/a", 50_000, "s:2").header != first.header
    assert book.spent() == 100_000


def test_what_ran_out_unproved_needs_a_person(book: Book) -> None:
    first = book.pay("/a", 50_000)
    book.clock.advance(seconds=301)
    with pytest.raises(SeasonedError, match="no"):
        book.pay("/a", 50_000)
    assert book.pay("/b", 50_000).state == "signed"  # which closes what ran out
    assert {one.id: one.state for one in book.all()}[first.id] == "unknown"
    assert book.pay("/a", 50_000, allowed=True).header != first.header
    assert book.spent() == 150_000


def test_a_reservation_that_nobody_signed_is_released(book: Book) -> None:
    class Broken:
        address = WALLET.address

        def sign(self, wanted: Any) -> Any:
            raise KeyboardInterrupt  # the process ends here

    book.paying._opened = Broken()  # type: ignore[assignment]  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
    with pytest.raises(KeyboardInterrupt):
        book.pay("/a", 140_000)
    assert book.spent() == 140_000
    book.paying._opened = WALLET  # pyright: ignore[reportPrivateUsage]
    book.clock.advance(seconds=601)
    assert book.pay("/a", 140_000).state == "signed"
    assert book.spent() == 140_000
    assert sorted(one.state for one in book.all()) == ["failed", "signed"]


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("pay"), st.integers(0, 4), st.integers(1, 250_000), st.booleans()),
        st.tuples(st.just("proved"), st.integers(0, 9)),
        st.tuples(st.just("unproved"), st.integers(0, 9)),
        st.tuples(st.just("wait"), st.integers(1, 400)),
    ),
    max_size=17,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_any_sequence_of_payments_stays_within_the_day_and_adds_up(
    book: Book, steps: list[Any]
) -> None:
    book.clear()
    book.clock.at = int(time.time()) * SECOND
    made: dict[str, Payment] = {}
    for step in steps:
        if step[0] == "pay":
            try:
                paid = book.pay(f"/{step[1]}", step[2], allowed=step[3])
                made[paid.id] = paid
            except SeasonedError:
                pass  # refused: the sums below must hold all the same
        elif step[0] == "wait":
            book.clock.advance(seconds=step[1])
        elif made:
            chosen = sorted(made)[int(step[1]) % len(made)]
            book.finish(made[chosen], proved=step[0] == "proved")
        everything = book.all()
        counted = [one for one in everything if one.state not in ("failed", "expired")]
        assert book.spent() == sum(one.amount for one in counted) <= DAILY
        assert {one.id for one in everything} == set(made)
        printed = sum((Decimal(dollars(one.amount)) for one in counted), Decimal(0))
        assert printed == Decimal(dollars(book.spent()))


def test_processes_at_the_limit_do_not_exceed_it_together(
    database_url: str, home: Path, book: Book
) -> None:
    daily, amount = 150_000, 70_000
    command = [sys.executable, paying_process.__file__, database_url]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    several: list[Any] = [
        subprocess.Popen([*command, name, str(daily), str(amount)], **pipes) for name in "abc"
    ]
    assert {one.stdout.readline() for one in several} == {"ready\n"}
    for number in range(10):
        book.clear()
        for one in several:
            one.stdin.write(f"{number}\n")
            one.stdin.flush()
        paid = [int(one.stdout.readline()) for one in several]
        assert sum(paid) == 140_000, paid  # as much as fits, and not a payment more
    for one in several:
        one.communicate(timeout=20)
        assert one.returncode == 0


KILLED = """
import asyncio, os, signal, sys
from tests.payment.paying_process import *
def end(*_): os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[2] == "signing":
    Wallet.sign = end
with Seasoned(sys.argv[1]) as s:
    limits = PaymentLimits(10**6, 10**6, 10**6)
    paying = Payments(s.inner.app.unit, NETWORK, limits, lambda: Wallet("0x" + "11" * 32))
    asyncio.run(paying.pay(demand(50_000), "/a", "/a", "s:1", nobody))
    end()  # before it is sent
"""


@pytest.mark.parametrize("moment", ["signing", "sending"])
def test_a_process_that_is_killed_before_it_sends_does_not_pay_twice(
    database_url: str, book: Book, moment: str
) -> None:
    command = [sys.executable, "-c", KILLED, database_url, moment]
    done = subprocess.run(command, check=False, timeout=60, cwd=Path(__file__).parents[2])
    assert done.returncode == -signal.SIGKILL
    (left,) = book.all()
    if moment == "signing":
        assert left.state == "reserved"
        with pytest.raises(Unreachable, match="being paid for already"):
            book.pay("/a", 50_000)
        book.clock.at = left.expires_at
        assert book.pay("/a", 50_000).state == "signed"
        assert sorted(one.state for one in book.all()) == ["failed", "signed"]
    else:
        assert left.state == "signed"
        assert book.pay("/a", 50_000).header == left.header
        assert len(book.all()) == 1
    assert book.spent() == 50_000


def test_the_command_line_prints_what_adds_up(
    book: Book, database_url: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from seasoned.cli.main import app

    monkeypatch.setenv("SEASONED_DATABASE__URL", database_url)
    for number, amount in enumerate((1, 99_999, 50_000)):
        book.finish(book.pay(f"/{number}", amount), proved=number != 1)
    call = CliRunner()
    listed = call.invoke(app, ["payments", "list"])
    assert listed.exit_code == 0, listed.output
    amounts = re.findall(r"\$(\d+\.\d+)", listed.stdout)
    told = json.loads(call.invoke(app, ["payments", "status", "--json"]).stdout)
    assert sum(map(Decimal, amounts)) == Decimal(told["spent_today_usd"]) == Decimal("0.15")
    left = Decimal(told["daily_usd"]) - Decimal(told["spent_today_usd"])
    assert left == Decimal(told["left_today_usd"])
