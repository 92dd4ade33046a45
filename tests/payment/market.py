"""A facilitator and a seller made of the x402 package's own parts; only the chain is made up."""

import json
import socket
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse, RedirectResponse, Response

from seasoned.payment.networks import NETWORKS
from seasoned.payment.quiet_import import quiet_import

with quiet_import():
    from x402 import x402Facilitator, x402ResourceServer
    from x402.http import FacilitatorConfig, HTTPFacilitatorClient
    from x402.http.middleware.fastapi import PaymentMiddlewareASGI
    from x402.http.types import PaymentOption, RouteConfig
    from x402.mechanisms.evm.exact.register import (
        register_exact_evm_facilitator,
        register_exact_evm_server,
    )
    from x402.mechanisms.evm.types import TransactionReceipt
    from x402.schemas import PaymentPayload, PaymentRequirements

NETWORK = NETWORKS["eip155:84532"]
SELLER = "0x" + "ab" * 20

Message = MutableMapping[str, Any]


class Chain:
    """What a node and the coin's contract answer; signatures are checked by the package itself."""

    def __init__(self) -> None:
        self.transfers: list[tuple[Any, ...]] = []
        self.used: set[str] = set()
        self.final_at = 0  # the time of the last final block
        self.id = 84532

    def get_addresses(self) -> list[str]:
        return ["0x" + "ee" * 20]

    def get_chain_id(self) -> int:
        return self.id

    def get_code(self, address: str) -> bytes:
        return b"\x01" if address.lower() == NETWORK.asset.lower() else b""

    def get_balance(self, address: str, token_address: str) -> int:
        return 10**9

    def read_contract(self, address: str, abi: Any, function_name: str, *args: Any) -> Any:
        if function_name == "transferWithAuthorization":
            self._check(*args)
        return True

    def write_contract(
        self, address: str, abi: Any, function_name: str, *args: Any, data_suffix: Any = None
    ) -> str:
        self._check(*args)
        self.used.add(_hex(args[5]))
        self.transfers.append(args)
        return "0x" + "cd" * 32

    def _check(self, *args: Any) -> None:
        if _hex(args[5]) in self.used:
            raise ValueError("execution reverted: FiatTokenV2: authorization is used or canceled")

    def verify_typed_data(self, *args: Any) -> bool:
        raise AssertionError("the package recovers the signer without the chain")

    def send_transaction(self, to: str, data: bytes) -> str:
        raise AssertionError("no wallet is deployed")

    def wait_for_transaction_receipt(self, tx_hash: str) -> Any:
        return TransactionReceipt(status=1, block_number=1, tx_hash=tx_hash)

    def answer(self, asked: dict[str, Any]) -> Any:
        """Answer as a node does (JSON-RPC)."""
        if asked["method"] == "eth_chainId":
            return hex(self.id)
        if asked["method"] == "eth_getBlockByNumber":
            assert asked["params"][0] == "finalized"
            return {"number": "0x10", "timestamp": hex(self.final_at)}
        call, block = asked["params"]
        assert (block, call["to"]) == ("0x10", NETWORK.asset)
        assert call["data"].startswith("0xe94a0102")
        return f"0x{int('0x' + call['data'][-64:] in self.used):064x}"


def _hex(value: Any) -> str:
    return value if isinstance(value, str) else "0x" + bytes(value).hex()


class Market:
    """Both servers on loopback, and what went over the counter."""

    def __init__(self) -> None:
        self.chain = Chain()
        self.price = "$0.05"
        self.pay_to = SELLER
        self.status = 200  # of the page, before anything is settled
        self.leads_to = ""  # where it redirects those who paid
        self.hides_proof = False  # the seller takes the money and answers 500
        self.paid: list[str] = []  # headers that came in
        self._stops: list[Callable[[], None]] = []
        self.facilitator_port = self._serve(self._facilitator())
        self.port = self._serve(self._watched(self._seller()))

    @property
    def node(self) -> str:
        return f"http://127.0.0.1:{self.facilitator_port}/node"

    def stop(self) -> None:
        for one in reversed(self._stops):
            one()

    def _facilitator(self) -> FastAPI:
        made: Any = register_exact_evm_facilitator(x402Facilitator(), self.chain, NETWORK.id)  # type: ignore[arg-type]
        app = FastAPI()

        async def supported() -> Any:
            return _dumped(made.get_supported())

        async def verify(request: Request) -> Any:
            return _dumped(await made.verify(*_given(await request.json())))

        async def settle(request: Request) -> Any:
            return _dumped(await made.settle(*_given(await request.json())))

        async def node(request: Request) -> Any:
            asked = await request.json()
            return {"jsonrpc": "2.0", "id": asked["id"], "result": self.chain.answer(asked)}

        app.add_api_route("/supported", supported)
        for path, work in (("/verify", verify), ("/settle", settle), ("/node", node)):
            app.add_api_route(path, work, methods=["POST"])
        return app

    def _seller(self) -> FastAPI:
        client = HTTPFacilitatorClient(
            FacilitatorConfig(url=f"http://127.0.0.1:{self.facilitator_port}")
        )

        @asynccontextmanager
        async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
            yield
            await client.aclose()

        app = FastAPI(lifespan=lifespan)
        option = PaymentOption(
            scheme="exact",
            network=NETWORK.id,
            price=lambda _: self.price,
            pay_to=lambda _: self.pay_to,
        )

        async def news() -> Response:
            if self.leads_to:
                return RedirectResponse(self.leads_to)
            return PlainTextResponse("the news", self.status)

        async def moved(to: str) -> Response:
            return RedirectResponse(to)

        app.add_api_route("/news", news)
        app.add_api_route("/other", news)
        app.add_api_route("/moved", moved)
        server = register_exact_evm_server(x402ResourceServer(client), NETWORK.id)
        routes = {f"GET /{path}": RouteConfig(accepts=[option]) for path in ("news", "other")}
        app.add_middleware(PaymentMiddlewareASGI, routes=routes, server=server)
        return app

    def _watched(self, inner: Any) -> Any:
        """Stand before the seller's door: note payments, and cheat if asked to."""

        async def app(
            scope: Message,
            receive: Callable[[], Awaitable[Message]],
            send: Callable[[Message], Awaitable[None]],
        ) -> None:
            headers = dict(scope.get("headers", ()))
            if b"payment-signature" in headers:
                self.paid.append(headers[b"payment-signature"].decode())

            async def sending(message: Message) -> None:
                proves = any(name == b"payment-response" for name, _ in message.get("headers", ()))
                if self.hides_proof and proves:
                    length = [one for one in message["headers"] if one[0] == b"content-length"]
                    message = {**message, "status": 500, "headers": length}
                await send(message)

            await inner(scope, receive, sending)

        return app

    def _serve(self, app: Any) -> int:
        listener = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(app, ws="none", log_config=None, timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        running = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        running.start()
        while not server.started:
            time.sleep(0.005)

        def stop() -> None:
            server.should_exit = True
            running.join()
            listener.close()

        self._stops.append(stop)
        return int(listener.getsockname()[1])


def _given(body: dict[str, Any]) -> tuple[PaymentPayload, PaymentRequirements]:
    return (
        PaymentPayload.model_validate(body["paymentPayload"]),
        PaymentRequirements.model_validate(body["paymentRequirements"]),
    )


def _dumped(value: Any) -> Any:
    return json.loads(value.model_dump_json(by_alias=True, exclude_none=True))
