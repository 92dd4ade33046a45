"""Read what a seller asks for in a 402 answer, and refuse all that is not plainly in order."""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlsplit

from seasoned.core.errors import BadInput
from seasoned.payment.networks import Network

DIGITS = re.compile(r"[0-9]{1,15}")  # at most a billion dollars, which fits every column
ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
NOBODY = "0x" + "0" * 40
LONGEST_SECONDS = 3600  # an authorisation that is good for longer is a risk
LONGEST_HEADER = 65_536


@dataclass(frozen=True, slots=True)
class Demand:
    """A price that can be paid; `requirement` and `resource` are the seller's own words."""

    version: int
    network: Network
    amount: int  # atomic units
    pay_to: str
    seconds: int
    host: str
    description: str
    requirement: Mapping[str, Any] = field(repr=False)
    resource: Mapping[str, Any] | None = field(default=None, repr=False)


def demand_of(address: str, header: str, body: bytes, network: Network) -> Demand:
    """Return the first acceptable price; `BadInput` says why there is none."""
    answer = _answer(header, body)
    version = answer.get("x402Version")
    if version not in (1, 2):
        raise BadInput(f"the seller speaks version {version!r} of x402; 1 and 2 are known")
    offers = answer.get("accepts")
    if not isinstance(offers, list) or not offers:
        raise BadInput("the seller asks for payment but names no way to pay")
    faults: list[str] = []
    for offer in cast("list[Any]", offers)[:20]:
        try:
            return _demand(version, offer, answer, address, network)
        except BadInput as error:
            faults.append(str(error))
    raise BadInput(f"the seller's price cannot be paid: {'; '.join(dict.fromkeys(faults))}")


def _answer(header: str, body: bytes) -> dict[str, Any]:
    try:
        if len(header) > LONGEST_HEADER:
            raise ValueError("it is too long")
        text = base64.b64decode(header, validate=True) if header else body
        answer = json.loads(text)
    except (ValueError, binascii.Error, RecursionError) as error:
        raise BadInput("the server asks for payment (402), but not in the way of x402") from error
    if not isinstance(answer, dict):
        raise BadInput("the server asks for payment (402), but not in the way of x402")
    return cast("dict[str, Any]", answer)


def _demand(
    version: int, offer: Any, answer: Mapping[str, Any], address: str, network: Network
) -> Demand:
    if not isinstance(offer, dict):
        raise BadInput("an offer is not an object")
    given = cast("dict[str, Any]", offer)
    _check_kind(given, network)
    amount = given.get("amount" if version == 2 else "maxAmountRequired")
    if not isinstance(amount, str) or not DIGITS.fullmatch(amount) or int(amount) == 0:
        raise BadInput(f"the amount {str(amount)[:40]!r} is not a positive whole number of units")
    pay_to = given.get("payTo")
    if not isinstance(pay_to, str) or not ADDRESS.fullmatch(pay_to) or pay_to == NOBODY:
        raise BadInput(f"the payee {str(pay_to)[:60]!r} is not an address")
    seconds = given.get("maxTimeoutSeconds")
    if type(seconds) is not int or not 0 < seconds <= LONGEST_SECONDS:
        raise BadInput(f"maxTimeoutSeconds must be 1 to {LONGEST_SECONDS}")
    resource = answer.get("resource") if version == 2 else {"url": given.get("resource")}
    told = cast("dict[str, Any]", resource) if isinstance(resource, dict) else None
    _check_host(told, address)
    text = (told or {}).get("description") or given.get("description") or ""
    host = urlsplit(address).netloc
    return Demand(version, network, int(amount), pay_to, seconds, host, str(text), given, told)


def _check_kind(given: Mapping[str, Any], network: Network) -> None:
    if given.get("scheme") != "exact":
        raise BadInput(f"scheme {str(given.get('scheme'))[:40]!r} is not supported, only exact")
    if not network.is_called(str(given.get("network"))):
        raise BadInput(
            f"it wants network {str(given.get('network'))[:40]!r}; payment.network is {network.id}"
        )
    if str(given.get("asset")).lower() != network.asset.lower():
        raise BadInput(
            f"asset {str(given.get('asset'))[:60]!r} is not a known dollar coin of {network.id}"
        )
    extra = given.get("extra")
    known = cast("dict[str, Any]", extra) if isinstance(extra, dict) else {}
    if known.get("assetTransferMethod", "eip3009") != "eip3009":
        raise BadInput("it wants another transfer method than eip3009")
    if (known.get("name"), known.get("version")) != network.domain:
        raise BadInput(f"its name and version of the coin are not those of {network.id}")


def _check_host(resource: Mapping[str, Any] | None, address: str) -> None:
    url = None if resource is None else resource.get("url")
    if url is None:
        return
    try:
        named, asked = urlsplit(str(url)), urlsplit(address)
        same = named.hostname == asked.hostname
    except ValueError:
        same = False
    if not same:
        raise BadInput("the price is for another host than the one that was asked")
