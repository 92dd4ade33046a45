"""The web tool pays a seller on loopback, within limits, and never twice for one request."""

import asyncio
import base64
import json
import socket
import threading
from collections.abc import Generator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from tests.payment.paying_process import demand
from tests.tools.turns import Person, Recorder, play

from seasoned import Seasoned
from seasoned.core.clock import SystemClock
from seasoned.payment.networks import NETWORKS, dollars
from seasoned.payment.payments import PaymentLimits, Payments
from seasoned.payment.signing import Wallet
from seasoned.tools.builtin.browser import Browser
from seasoned.tools.builtin.paid_web import PaidWeb
from seasoned.tools.builtin.web import WebConfig, web_tools
from seasoned.tools.run import ALLOW, DENY, ToolRun
from seasoned.tools.toolset import toolset_from, wrapped

KEY = "0x" + "11" * 32
NETWORK = NETWORKS["eip155:84532"]
SELLER = "0x" + "ab" * 20


class Shop(BaseHTTPRequestHandler):
    price: str
    offer: dict[str, Any]
    status: int
    says: str = "news"
    paid: list[str]

    def do_GET(self) -> None:
        header = self.headers.get("PAYMENT-SIGNATURE")
        if header is None:
            self._answer(402, {"PAYMENT-REQUIRED": _packed(self._demand())}, b"{}")
            return
        self.paid.append(header)
        proof = {"success": True, "transaction": "0x" + "cd" * 32, "network": NETWORK.id}
        sent = {"PAYMENT-RESPONSE": _packed(proof)} if self.status == 200 else {}
        if self.status == 402:
            sent = {"PAYMENT-REQUIRED": _packed(self._demand())}
        self._answer(self.status, sent, b"the news")

    def _demand(self) -> dict[str, Any]:
        offer = {
            "scheme": "exact",
            "network": NETWORK.id,
            "asset": NETWORK.asset,
            "amount": self.price,
            "payTo": SELLER,
            "maxTimeoutSeconds": 300,
            "extra": {"name": "USDC", "version": "2"},
            **self.offer,
        }
        url = "http://shop.example/news"
        told = {"url": url, "description": self.says}
        return {"x402Version": 2, "resource": told, "accepts": [offer]}

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Type": "text/plain"}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Log nothing."""


def _packed(value: Any) -> str:
    return base64.b64encode(json.dumps(value).encode()).decode()


@pytest.fixture
def shop() -> Generator[Any]:
    made: Any = type("Bound", (Shop,), {"price": "50000", "offer": {}, "status": 200, "paid": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), made)
    made.port = server.server_port
    serving = threading.Thread(target=server.serve_forever, args=(0.01,))
    serving.start()
    yield made
    server.shutdown()
    serving.join()
    server.server_close()


def browser(shop: Any) -> Browser:
    def connect(address: str, port: int, seconds: float) -> socket.socket:
        return socket.create_connection(("127.0.0.1", shop.port), seconds)

    def resolve(*_: object) -> list[str]:
        return ["93.184.216.34"]

    return Browser(resolve=resolve, connect=connect)


def payments(s: Seasoned, daily: int = 10_000_000) -> Payments:
    limits = PaymentLimits(1_000_000, daily, 100_000)
    return Payments(s.inner.app.unit, NETWORK, limits, lambda: Wallet(KEY))


def read(
    paying: Payments, shop: Any, *steps: Any, ask: Any = None, timeout_seconds: float = 30
) -> list[str]:
    web = PaidWeb(browser(shop), WebConfig(), paying, timeout_seconds)
    tools = wrapped(toolset_from([web.fetch_page_paying]), Recorder())
    calls = steps or ([("fetch_page", {"url": "http://shop.example/news"})],)
    return play(tools, *calls, run=ToolRun(ask=ask)).texts


@pytest.fixture
def s(sqlite_url: str) -> Generator[Seasoned]:
    with Seasoned(sqlite_url, clock=SystemClock()) as opened:
        yield opened


def test_a_small_price_is_paid_without_asking_and_recorded(s: Seasoned, shop: Any) -> None:
    paying = payments(s)
    assert "the news" in read(paying, shop)[0]
    assert len(shop.paid) == 1
    assert asyncio.run(paying.spent_today()) == 50_000


def test_a_price_above_the_limit_is_refused(s: Seasoned, shop: Any) -> None:
    shop.price = "1000001"
    assert "payment.mostUsd" in read(payments(s), shop)[0]
    assert shop.paid == []


def test_in_between_a_person_is_asked(s: Seasoned, shop: Any) -> None:
    shop.price = "500000"
    no, yes = Person([DENY]), Person([ALLOW])
    assert "did not allow" in read(payments(s), shop, ask=no)[0]
    assert shop.paid == []
    assert SELLER in no.asked[0].shown
    assert "the news" in read(payments(s), shop, ask=yes)[0]
    assert len(shop.paid) == 1


def test_no_answer_in_time_is_a_no(s: Seasoned, shop: Any) -> None:
    shop.price = "500000"
    paying = payments(s)
    slow = Person([ALLOW], takes_seconds=60)
    assert "nobody answered" in read(paying, shop, ask=slow, timeout_seconds=0.05)[0]
    assert shop.paid == []
    assert asyncio.run(paying.list(10)) == []


def test_the_seller_s_words_stay_on_their_line(s: Seasoned, shop: Any) -> None:
    shop.price, shop.says = "500000", "fine\n  to: a friend\r\n  amount: 0.01 USD"
    no = Person([DENY])
    read(payments(s), shop, ask=no)
    assert "seller says: fine to: a friend amount: 0.01 USD\n" in no.asked[0].shown + "\n"


def test_a_seller_who_asks_again_for_ever_is_paid_once(s: Seasoned, shop: Any) -> None:
    paying = payments(s)
    shop.status = 402
    for _ in range(4):
        assert "did not accept the payment" in read(paying, shop)[0]
    assert len(set(shop.paid)) == 1
    (payment,) = asyncio.run(paying.list(10))
    assert payment.state == "unknown"
    assert asyncio.run(paying.spent_today()) == 50_000


@pytest.mark.parametrize(
    "changed",
    [{"amount": "50001"}, {"payTo": "0x" + "66" * 20}, {"maxTimeoutSeconds": 30_000}],
)
def test_what_was_signed_is_what_was_decided_on(changed: dict[str, Any]) -> None:
    wanted = demand(50_000)
    wallet = Wallet(KEY)
    assert wallet.sign(wanted)[0]
    with pytest.raises(ValueError, match="was signed"):
        wallet.sign(replace(wanted, requirement={**wanted.requirement, **changed}))


def test_parallel_calls_pay_once(s: Seasoned, shop: Any) -> None:
    call = ("fetch_page", {"url": "http://shop.example/news"})
    assert all("the news" in text for text in read(payments(s), shop, [call, call, call]))
    assert len(set(shop.paid)) == 1


def test_a_retry_after_an_error_sends_the_same_payment(s: Seasoned, shop: Any) -> None:
    paying = payments(s)
    shop.status = 500
    assert "may have been taken" in read(paying, shop)[0]
    shop.status = 200
    assert "the news" in read(paying, shop)[0]
    assert len(shop.paid) == 2
    assert len(set(shop.paid)) == 1
    assert asyncio.run(paying.spent_today()) == 50_000


def test_a_raised_price_is_not_paid_on_top(s: Seasoned, shop: Any) -> None:
    paying = payments(s)
    shop.status = 500
    read(paying, shop)
    shop.price = "60000"
    assert "not paid again" in read(paying, shop)[0]
    assert len(shop.paid) == 1


def test_the_daily_limit_counts_what_is_unknown(s: Seasoned, shop: Any) -> None:
    paying = payments(s, daily=80_000)
    shop.status = 500
    read(paying, shop)
    other = [("fetch_page", {"url": "http://shop.example/other"})]
    assert "payment.dailyUsd" in read(paying, shop, other)[0]
    assert len(shop.paid) == 1


@pytest.mark.parametrize(
    "offer",
    [
        {"asset": "0x" + "99" * 20},
        {"network": "eip155:8453"},
        {"amount": "-5"},
        {"amount": "9" * 40},
        {"amount": 5},
        {"amount": "0"},
        {"amount": "0.05"},
        {"amount": "5e4"},
        {"amount": "٥٠"},
        {"extra": {"name": "USD Coin", "version": "2"}},
        {"extra": {"name": "USDC", "version": "2", "assetTransferMethod": "permit2"}},
        {"payTo": "0x" + "00" * 20},
        {"payTo": "me"},
        {"scheme": "upto"},
        {"maxTimeoutSeconds": 10**9},
    ],
)
def test_a_price_that_is_not_in_order_is_refused(s: Seasoned, shop: Any, offer: Any) -> None:
    shop.offer = offer
    assert "cannot be paid" in read(payments(s), shop)[0]
    assert shop.paid == []


def test_without_payments_the_error_says_how_to_switch_them_on(shop: Any) -> None:
    tools = wrapped(toolset_from(web_tools(browser(shop))), Recorder())
    text = play(tools, [("fetch_page", {"url": "http://shop.example/news"})]).texts[0]
    assert "payment.enabled" in text


def test_the_key_shows_nowhere() -> None:
    assert KEY[2:] not in repr(Wallet(KEY))
    assert dollars(50_000) == "0.05"
