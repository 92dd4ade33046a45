"""Sign a payment with the x402 package, which is loaded when the first payment is due."""

import time
from collections.abc import Mapping
from typing import Any

from seasoned.core.errors import ConfigError
from seasoned.core.extras import missing_extra
from seasoned.payment.demand import Demand
from seasoned.payment.quiet_import import quiet_import

SLACK_SECONDS = 60
HEADERS = {1: "X-PAYMENT", 2: "PAYMENT-SIGNATURE"}


class Wallet:
    """The paying account; its key stays in here and is never shown."""

    def __init__(self, key: str) -> None:
        if not key:
            raise ConfigError(
                "payment.key is not set; it is the private key of the account that pays: "
                "`seasoned secrets set payment.key`"
            )
        try:
            with quiet_import():
                from eth_account import Account
                from x402.mechanisms.evm.signers import EthAccountSigner
        except ImportError as missing:
            raise missing_extra("payments", "payments need the x402 package") from missing
        try:
            account: Any = Account.from_key(key)
        except Exception:  # noqa: BLE001 - its message may hold the key
            account = None
        if account is None:  # outside of the handler, so that no traceback leads to the key
            raise ConfigError("payment.key is not a private key: 0x and 64 hexadecimal digits")
        self._signer: Any = EthAccountSigner(account)
        self.address: str = account.address

    def __repr__(self) -> str:
        return f"Wallet({self.address})"

    def sign(self, demand: Demand) -> tuple[str, int]:
        """Return the payment header's value, and until which second it can be used."""
        from x402.http.utils import encode_payment_signature_header
        from x402.schemas import PaymentPayload, PaymentRequirements, ResourceInfo
        from x402.schemas.v1 import PaymentPayloadV1, PaymentRequirementsV1

        payload: Any
        if demand.version == 1:
            from x402.mechanisms.evm.exact.v1.client import ExactEvmSchemeV1

            wanted = PaymentRequirementsV1.model_validate(demand.requirement)
            inner: Mapping[str, Any] = ExactEvmSchemeV1(self._signer).create_payment_payload(wanted)
            payload = PaymentPayloadV1(
                scheme=wanted.scheme, network=wanted.network, payload=dict(inner)
            )
        else:
            from x402.mechanisms.evm.exact.client import ExactEvmScheme

            accepted = PaymentRequirements.model_validate(demand.requirement)
            inner = ExactEvmScheme(self._signer).create_payment_payload(accepted)
            told = demand.resource
            about = ResourceInfo.model_validate(told) if told else None
            payload = PaymentPayload(payload=dict(inner), accepted=accepted, resource=about)
        return encode_payment_signature_header(payload), _end_of(inner, demand)


def _end_of(inner: Mapping[str, Any], demand: Demand) -> int:
    """Return when the authorisation ends; the package read the offer by itself, so compare."""
    signed = inner["authorization"]
    until = int(signed["validBefore"])
    payee = str(signed["to"]).lower()
    if int(signed["value"]) != demand.amount or payee != demand.pay_to.lower():
        raise ValueError("something else was signed than what was asked for")
    if until > time.time() + demand.seconds + SLACK_SECONDS:
        raise ValueError("it was signed for longer than was asked for")
    return until
