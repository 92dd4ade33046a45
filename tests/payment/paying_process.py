"""A process that pays as often as it may, when told to; it prints how much that was. For tests."""

import asyncio
import sys

from seasoned import Seasoned
from seasoned.core.errors import NotAllowed
from seasoned.payment.demand import Demand
from seasoned.payment.networks import NETWORKS
from seasoned.payment.payments import PaymentLimits, Payments
from seasoned.payment.signing import Wallet

NETWORK = NETWORKS["eip155:84532"]


def demand(amount: int, pay_to: str = "0x" + "ab" * 20) -> Demand:
    """What the reader of a 402 answer makes of it."""
    offer = {
        "scheme": "exact",
        "network": NETWORK.id,
        "asset": NETWORK.asset,
        "amount": str(amount),
        "payTo": pay_to,
        "maxTimeoutSeconds": 300,
        "extra": {"name": "USDC", "version": "2"},
    }
    return Demand(2, NETWORK, amount, pay_to, 300, "shop.example", "", offer)


async def nobody(wanted: Demand, warning: str) -> None:
    raise AssertionError("nobody is asked")


def main(url: str, name: str, daily: int, amount: int) -> None:
    with Seasoned(url) as s:
        limits = PaymentLimits(10**6, daily, 10**6)
        paying = Payments(s.inner.app.unit, NETWORK, limits, lambda: Wallet("0x" + "11" * 32))
        assert paying.wallet.address
        print("ready", flush=True)  # noqa: T201
        for go in sys.stdin:
            print(asyncio.run(spend(paying, f"{name}/{go.strip()}", amount)), flush=True)  # noqa: T201


async def spend(paying: Payments, folder: str, amount: int) -> int:
    paid = 0
    for number in range(100):
        page = f"http://shop.example/{folder}/{number}"
        try:
            made = await paying.pay(demand(amount), page, page, "t:1", nobody)
        except NotAllowed:
            break
        paid += made.amount
    return paid


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
