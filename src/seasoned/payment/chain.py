"""Ask the chain whether a signed authorisation was used, once it can be used no more."""

import base64
import json
import logging
import urllib.request
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any, cast

from seasoned.core.clock import SECOND
from seasoned.payment.ledger_store import Payment

log = logging.getLogger("seasoned.payment")

AUTHORIZATION_STATE = "0xe94a0102"  # authorizationState(address,bytes32) of EIP-3009
TRUE, FALSE = f"0x{1:064x}", f"0x{0:064x}"
MOST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Chain:
    """A node of the chain, asked over JSON-RPC; its address may hold a key and is not shown."""

    url: str = field(repr=False)
    seconds: float = 10

    def used(self, payment: Payment) -> bool | None:
        """Tell whether a payment took its money; None while the chain cannot be sure of it.

        Only a final block counts that is later than the authorisation's end: what is unused there
        stays unused.
        """
        try:
            return self._used(payment)
        except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
            # Only its kind: the message may hold the address.
            log.warning("the chain was not asked about a payment: %s", type(error).__name__)
            return None

    def _used(self, payment: Payment) -> bool | None:
        chain = int(str(self._ask("eth_chainId")), 16)
        if f"eip155:{chain}" != payment.network:
            log.warning(
                "payment.rpcUrl is a node of eip155:%d, but a payment is on %s",
                *(chain, payment.network),
            )
            return None
        block: Any = self._ask("eth_getBlockByNumber", "finalized", False)
        if int(block["timestamp"], 16) * SECOND <= payment.expires_at:
            return None
        payer, nonce = _authorisation(payment.header)
        data = f"{AUTHORIZATION_STATE}{payer:064x}{nonce:064x}"
        said = self._ask("eth_call", {"to": payment.asset, "data": data}, block["number"])
        return {TRUE: True, FALSE: False}.get(str(said))

    def _ask(self, method: str, *params: Any) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        if not self.url.startswith(("https://", "http://")):
            raise ValueError("payment.rpcUrl is no web address")
        request = urllib.request.Request(
            self.url, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=self.seconds) as response:
            answer = cast("dict[str, Any]", json.loads(response.read(MOST_BYTES)))
        if answer.get("result") is None:
            raise ValueError(f"the node did not answer {method}")
        return answer["result"]


def _authorisation(header: str) -> tuple[int, int]:
    """Return the payer and the number of a signed authorisation."""
    signed = json.loads(base64.b64decode(header))["payload"]["authorization"]
    return int(signed["from"], 16), int(signed["nonce"], 16)
