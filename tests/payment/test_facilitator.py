"""The x402 package's own facilitator accepts what the web tool sends, and refuses it if changed."""

import asyncio
import base64
import json
import threading
import warnings
from collections.abc import Callable, Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from tests.payment.market import Chain
from tests.payment.test_payments import NETWORK, SELLER, payments, read

from seasoned import Seasoned
from seasoned.core.clock import SystemClock

NAMES = {1: "X-PAYMENT", 2: "PAYMENT-SIGNATURE"}
PROOFS = {1: "X-PAYMENT-RESPONSE", 2: "PAYMENT-RESPONSE"}


class Seller(BaseHTTPRequestHandler):
    version: int
    facilitator: Any
    change: Callable[[dict[str, Any]], None]
    reasons: list[str]

    def do_GET(self) -> None:
        sent = self.headers.get(NAMES[self.version])
        if sent is None or not (proof := self._settled(sent)):
            demand = _demand(self.version)
            in_header = {"PAYMENT-REQUIRED": _packed(demand)} if self.version == 2 else {}
            self._answer(402, in_header, json.dumps(demand).encode())
            return
        self._answer(200, {PROOFS[self.version]: _packed(proof)}, b"the news")

    def _settled(self, sent: str) -> Any:
        from x402.schemas import PaymentPayload, PaymentRequirements
        from x402.schemas.v1 import PaymentPayloadV1, PaymentRequirementsV1

        kinds: Any = {
            1: (PaymentPayloadV1, PaymentRequirementsV1),
            2: (PaymentPayload, PaymentRequirements),
        }
        paid, wanted = kinds[self.version]
        given = json.loads(base64.b64decode(sent))
        type(self).change(given)
        payload = paid.model_validate(given)
        requirement = wanted.model_validate(_demand(self.version)["accepts"][0])
        verdict = self.facilitator.verify(payload, requirement)
        if not verdict.is_valid:
            self.reasons.append(str(verdict.invalid_reason))
            return None
        done = self.facilitator.settle(payload, requirement)
        return done.model_dump(mode="json", by_alias=True, exclude_none=True)

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


def _demand(version: int) -> dict[str, Any]:
    url = "http://shop.example/news"
    offer: dict[str, Any] = {
        "scheme": "exact",
        "network": NETWORK.id if version == 2 else NETWORK.name,
        "asset": NETWORK.asset,
        "payTo": SELLER,
        "maxTimeoutSeconds": 300,
        "extra": {"name": "USDC", "version": "2"},
    }
    if version == 2:
        accepts = [{**offer, "amount": "50000"}]
        return {"x402Version": 2, "resource": {"url": url}, "accepts": accepts}
    told = {"resource": url, "description": "", "mimeType": "text/plain"}
    return {
        "x402Version": 1,
        "error": "",
        "accepts": [{**offer, **told, "maxAmountRequired": "50000"}],
    }


def unchanged(given: dict[str, Any]) -> None:
    """Leave what was signed as it is."""


@pytest.fixture(params=[1, 2])
def seller(request: pytest.FixtureRequest) -> Generator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries below it, while they load
        from x402 import x402FacilitatorSync
        from x402.mechanisms.evm.exact.register import register_exact_evm_facilitator
    chain: Any = Chain()
    facilitator: Any = register_exact_evm_facilitator(x402FacilitatorSync(), chain, NETWORK.id)
    kept: dict[str, Any] = {
        "version": request.param,
        "facilitator": facilitator,
        "reasons": [],
        "chain": chain,
    }
    made: Any = type("Bound", (Seller,), {**kept, "change": staticmethod(unchanged)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), made)
    made.port = server.server_port
    serving = threading.Thread(target=server.serve_forever, args=(0.01,))
    serving.start()
    yield made
    server.shutdown()
    serving.join()
    server.server_close()


@pytest.fixture
def s(sqlite_url: str) -> Generator[Seasoned]:
    with Seasoned(sqlite_url, clock=SystemClock()) as opened:
        yield opened


def test_the_payment_is_verified_and_settled(s: Seasoned, seller: Any) -> None:
    paying = payments(s)
    assert "the news" in read(paying, seller)[0], seller.reasons
    (transfer,) = seller.chain.transfers
    assert (transfer[0], transfer[2]) == (paying.wallet.address, 50_000)
    assert transfer[1].lower() == SELLER
    assert asyncio.run(paying.spent_today()) == 50_000


@pytest.mark.parametrize(
    ("field", "value"),
    [("value", "40000"), ("to", "0x" + "12" * 20), ("nonce", "0x" + "00" * 32)],
)
def test_a_changed_payment_is_refused(s: Seasoned, seller: Any, field: str, value: str) -> None:
    def change(given: dict[str, Any]) -> None:
        given["payload"]["authorization"][field] = value

    seller.change = staticmethod(change)
    assert "did not accept the payment" in read(payments(s), seller)[0]
    assert len(seller.reasons) == 1
    assert seller.chain.transfers == []
