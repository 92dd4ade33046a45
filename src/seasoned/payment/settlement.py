"""Check a seller's proof of settlement, the header that comes with the paid answer."""

import base64
import binascii
import json
import re
from typing import Any, cast

from seasoned.payment.networks import NETWORKS

TRANSACTION = re.compile(r"0x[0-9a-fA-F]{64}")


def settled(header: str, network: str, amount: int, payer: str) -> tuple[str, str]:
    """Return the transaction hash, or why the header proves nothing."""
    if not header:
        return "", "the seller sent no proof of settlement"
    try:
        told: Any = json.loads(base64.b64decode(header, validate=True))
    except (ValueError, binascii.Error, RecursionError):
        told = None
    if not isinstance(told, dict):
        return "", "the seller's proof of settlement cannot be read"
    proof = cast("dict[str, Any]", told)
    transaction = str(proof.get("transaction"))
    checks = (
        (proof.get("success") is True, f"it failed: {str(proof.get('errorReason'))[:200]}"),
        (NETWORKS[network].is_called(str(proof.get("network"))), "it was on another network"),
        (str(proof.get("payer") or payer).lower() == payer.lower(), "somebody else paid"),
        (str(proof.get("amount") or amount) == str(amount), "another amount was paid"),
        (TRANSACTION.fullmatch(transaction) is not None, "no transaction"),
    )
    doubt = next((f"the seller's proof says: {text}" for holds, text in checks if not holds), "")
    return ("" if doubt else transaction), doubt
