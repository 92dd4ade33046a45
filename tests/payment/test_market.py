"""The web tool buys from a seller and a facilitator of the x402 package, over HTTP."""

import asyncio
import socket
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.payment.market import NETWORK, SELLER, Market
from tests.payment.test_payments import KEY
from tests.tools.turns import Person, Recorder, play
from typer.testing import CliRunner

from seasoned import Seasoned
from seasoned.cli.main import app
from seasoned.core.clock import DAY, HOUR, SECOND, FixedClock, SystemClock
from seasoned.payment.chain import Chain
from seasoned.payment.ledger_store import Payment
from seasoned.payment.payments import PaymentLimits, Payments
from seasoned.payment.signing import Wallet
from seasoned.tools.builtin.browser import Browser
from seasoned.tools.builtin.paid_web import PaidWeb
from seasoned.tools.builtin.web import WebConfig
from seasoned.tools.run import ALLOW, DENY, ToolRun
from seasoned.tools.toolset import toolset_from, wrapped

NEWS = "http://shop.example/news"
OTHER = "http://shop.example/other"


class Line:
    """The network between the tool and the market; it can lose an answer."""

    def __init__(self, market: Market) -> None:
        self.market = market
        self.loses_paid_answers = False
        self.hosts: list[str] = []

    def browser(self) -> Browser:
        return Browser(resolve=self._resolve, connect=self._connect)

    def _resolve(self, host: str, port: int) -> list[str]:
        self.hosts.append(host)
        return ["93.184.216.34"]

    def _connect(self, address: str, port: int, seconds: float) -> socket.socket:
        there = socket.create_connection(("127.0.0.1", self.market.port), seconds)
        if not self.loses_paid_answers:
            return there
        here, inside = socket.socketpair()
        threading.Thread(target=_forward, args=(inside, there), daemon=True).start()
        return here


def _forward(inside: socket.socket, there: socket.socket) -> None:
    """Pass a request on and its answer back; of a paid request the answer is lost."""
    request = inside.recv(65_536)
    there.sendall(request)
    answer = b"".join(iter(lambda: there.recv(65_536), b""))
    if b"PAYMENT-SIGNATURE" not in request:
        inside.sendall(answer)
    for one in (inside, there):
        one.close()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FixedClock:
    """The present, as authorisations are signed with it; no test runs into midnight."""
    real = time.time
    if DAY - SystemClock().now() % DAY < HOUR:
        monkeypatch.setattr(time, "time", lambda: real() - 3600)
    return FixedClock(int(time.time()) * SECOND)


@pytest.fixture
def s(sqlite_url: str, clock: FixedClock) -> Generator[Seasoned]:
    with Seasoned(sqlite_url, clock=clock) as opened:
        yield opened


def payments(s: Seasoned, daily: int = 10_000_000, node: str = "") -> Payments:
    limits = PaymentLimits(1_000_000, daily, 100_000)
    chain = Chain(node) if node else None
    return Payments(s.inner.app.unit, NETWORK, limits, lambda: Wallet(KEY), chain)


def read(paying: Payments, line: Line, url: str = NEWS, ask: Any = None) -> str:
    web = PaidWeb(line.browser(), WebConfig(), paying)
    tools = wrapped(toolset_from([web.fetch_page_paying]), Recorder())
    return play(tools, [("fetch_page", {"url": url})], run=ToolRun(ask=ask)).texts[0]


def ledger(paying: Payments) -> list[Payment]:
    return list(asyncio.run(paying.list(100)))


def spent(paying: Payments) -> int:
    return asyncio.run(paying.spent_today())


def test_a_small_price_is_paid_verified_and_settled(s: Seasoned, market: Market) -> None:
    paying = payments(s)
    assert "the news" in read(paying, Line(market))
    (transfer,) = market.chain.transfers
    assert transfer[0] == paying.wallet.address
    assert (transfer[1].lower(), transfer[2]) == (SELLER, 50_000)
    (payment,) = ledger(paying)
    assert (payment.state, payment.transaction) == ("settled", "0x" + "cd" * 32)
    assert spent(paying) == 50_000


def test_above_the_limit_it_is_refused_and_in_between_a_person_decides(
    s: Seasoned, market: Market
) -> None:
    paying = payments(s)
    market.price = "$1.01"
    assert "payment.mostUsd" in read(paying, Line(market), ask=Person([ALLOW]))
    market.price = "$0.50"
    no, yes = Person([DENY]), Person([ALLOW])
    assert "did not allow" in read(paying, Line(market), ask=no)
    assert "nobody who could be asked" in read(paying, Line(market))
    assert market.paid == []
    assert ledger(paying) == []
    assert "the news" in read(paying, Line(market), ask=yes)
    assert "0.50 USD" in yes.asked[0].shown
    assert len(market.chain.transfers) == 1


def test_the_day_s_limit_holds_to_the_last_unit(s: Seasoned, market: Market) -> None:
    paying = payments(s, daily=100_000)
    for number in range(2):
        assert "the news" in read(paying, Line(market), f"{NEWS}?{number}")
    market.price = "$0.000001"
    assert "payment.dailyUsd" in read(paying, Line(market), f"{NEWS}?3")
    assert sum(one[2] for one in market.chain.transfers) == spent(paying) == 100_000


def test_another_host_is_not_paid_for_the_first_one(s: Seasoned, market: Market) -> None:
    paying, line = payments(s), Line(market)
    told = read(paying, line, "http://shop.example/moved?to=http://other.example/news")
    assert "redirects to other.example" in told
    assert line.hosts == ["shop.example", "other.example"]
    assert (market.paid, ledger(paying)) == ([], [])
    assert "the news" in read(paying, line, "http://shop.example/moved?to=/news")
    assert len(market.chain.transfers) == 1


def test_a_paid_request_is_never_redirected(s: Seasoned, market: Market) -> None:
    market.leads_to = "http://other.example/news"
    paying, line = payments(s), Line(market)
    assert "with a redirect" in read(paying, line)
    assert line.hosts == ["shop.example", "shop.example"]
    assert ledger(paying)[0].state == "settled"


def test_a_price_that_changes_after_the_question_is_not_paid(s: Seasoned, market: Market) -> None:
    class Slow(Person):
        async def __call__(self, request: Any) -> Any:
            market.price = "$0.90"  # while the person thinks
            return await super().__call__(request)

    market.price = "$0.50"
    paying = payments(s)
    assert "did not accept" in read(paying, Line(market), ask=Slow([ALLOW]))
    (payment,) = ledger(paying)
    assert (payment.amount, payment.state) == (500_000, "unknown")
    assert "not paid again" in read(paying, Line(market), ask=Person([ALLOW]))
    assert len(ledger(paying)) == 1
    assert market.chain.transfers == []


def test_a_payee_that_changes_is_not_paid_on_top(s: Seasoned, market: Market) -> None:
    paying = payments(s)
    market.status = 500
    read(paying, Line(market))
    market.status, market.pay_to = 200, "0x" + "12" * 20
    assert "not paid again" in read(paying, Line(market))
    assert market.chain.transfers == []
    assert len(set(market.paid)) == 1


def test_after_a_lost_answer_the_same_payment_is_sent_again(s: Seasoned, market: Market) -> None:
    paying, line = payments(s), Line(market)
    line.loses_paid_answers = True
    told = read(paying, line)
    assert "may have been taken" in told
    assert len(market.chain.transfers) == 1  # the seller has the money, and we do not know it
    assert ledger(paying)[0].state == "unknown"
    line.loses_paid_answers = False
    for _ in range(2):
        read(paying, line)
    assert len(market.paid) == 3
    assert len(set(market.paid)) == 1
    assert len(market.chain.transfers) == 1
    assert len(ledger(paying)) == 1
    assert spent(paying) == 50_000


def test_when_the_authorisation_ran_out_a_person_is_asked_before_a_second_one(
    s: Seasoned, market: Market, clock: FixedClock
) -> None:
    paying, line = payments(s), Line(market)
    market.hides_proof = True
    read(paying, line)
    clock.advance(seconds=301)
    assert "nobody who could be asked" in read(paying, line)
    no = Person([DENY])
    assert "did not allow" in read(paying, line, ask=no)
    assert "may have been taken" in no.asked[0].shown
    assert len(market.chain.transfers) == 1
    market.hides_proof = False
    assert "the news" in read(paying, line, ask=Person([ALLOW]))
    assert len(market.chain.transfers) == 2
    assert spent(paying) == 100_000  # both count: the first one may have been taken, and was


def test_what_ran_out_counts_until_the_chain_says_that_it_was_not_used(
    s: Seasoned, market: Market, clock: FixedClock
) -> None:
    paying, line = payments(s, 80_000, market.node), Line(market)
    market.status = 500  # this seller does not take money for an error
    read(paying, line)
    ends = ledger(paying)[0].expires_at
    market.status = 200
    clock.advance(seconds=301)
    market.chain.final_at = ends // SECOND  # the last block in which it could be used
    assert "payment.dailyUsd" in read(paying, line, OTHER)
    market.chain.final_at += 1
    market.chain.id = 8453  # a node of another chain knows nothing of it
    assert "payment.dailyUsd" in read(paying, line, OTHER)
    market.chain.id = 84532
    assert "the news" in read(paying, line, OTHER)
    states = {one.url: one.state for one in ledger(paying)}
    assert states == {NEWS: "expired", OTHER: "settled"}
    assert spent(paying) == 50_000
    assert s.verify_audit().intact


def test_what_the_chain_says_was_used_counts_as_settled(
    s: Seasoned, market: Market, clock: FixedClock
) -> None:
    paying, line = payments(s, 80_000, market.node), Line(market)
    market.hides_proof = True
    read(paying, line)
    clock.advance(seconds=301)
    market.chain.final_at = clock.now() // SECOND + 1000
    assert "payment.dailyUsd" in read(paying, line, OTHER)
    assert [one.state for one in ledger(paying)] == ["settled"]
    assert len(market.chain.transfers) == 1


def test_without_a_node_what_ran_out_counts_for_its_day(
    s: Seasoned, market: Market, clock: FixedClock
) -> None:
    paying, line = payments(s, 80_000), Line(market)
    market.hides_proof = True
    read(paying, line)
    clock.advance(seconds=301)
    assert "payment.dailyUsd" in read(paying, line, OTHER)
    clock.advance(days=1)
    assert spent(paying) == 0


def test_a_node_that_fails_releases_nothing(
    s: Seasoned, market: Market, clock: FixedClock, caplog: pytest.LogCaptureFixture
) -> None:
    paying, line = payments(s, 80_000, "http://127.0.0.1:1/key-of-the-node"), Line(market)
    market.status = 500
    read(paying, line)
    clock.advance(seconds=301)
    assert "payment.dailyUsd" in read(paying, line, OTHER)
    assert ledger(paying)[0].state == "unknown"
    assert "the chain was not asked" in caplog.text
    assert "key-of-the-node" not in caplog.text


def test_the_command_line_asks_the_chain(
    s: Seasoned,
    market: Market,
    clock: FixedClock,
    sqlite_url: str,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    market.status = 500
    clock.advance(seconds=-600)  # so that it ran out by the machine's clock, too
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() - 600)
    read(payments(s), Line(market))
    monkeypatch.undo()
    monkeypatch.setenv("SEASONED_HOME", str(home))
    call = CliRunner()
    refused = call.invoke(app, ["payments", "check", "--db", sqlite_url])
    assert refused.exit_code == 2
    assert "payment.rpcUrl" in refused.stderr
    monkeypatch.setenv("SEASONED_PAYMENT__RPC_URL", market.node)
    told = call.invoke(app, ["payments", "check", "--db", sqlite_url])
    assert (told.exit_code, told.stdout) == (0, "")
    assert "nothing new" in told.stderr
    market.chain.final_at = int(time.time())
    told = call.invoke(app, ["payments", "check", "--db", sqlite_url])
    assert told.exit_code == 0, told.output
    assert "expired" in told.stdout
