"""The networks and dollar coins that payments may use; all of these coins have six decimals."""

from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal

from seasoned.core.errors import ConfigError

ATOMIC = 1_000_000  # atomic units in a dollar


@dataclass(frozen=True, slots=True)
class Network:
    """A chain: its CAIP-2 id, its name in version 1 of the protocol, and its USDC contract."""

    id: str
    name: str
    asset: str
    domain: tuple[str, str]  # name and version that signatures for the contract name
    test: bool = False

    def is_called(self, name: str) -> bool:
        return name in (self.id, self.name)


NETWORKS = {
    network.id: network
    for network in (
        Network(
            "eip155:84532",
            "base-sepolia",
            "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
            ("USDC", "2"),
            test=True,
        ),
        Network(
            "eip155:8453",
            "base",
            "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            ("USD Coin", "2"),
        ),
        Network(
            "eip155:137",
            "polygon",
            "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
            ("USD Coin", "2"),
        ),
        Network(
            "eip155:43114",
            "avalanche",
            "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E",
            ("USD Coin", "2"),
        ),
    )
}


def network_of(name: str) -> Network:
    found = NETWORKS.get(name)
    if found is None:
        raise ConfigError(
            f"payment.network is {name!r}; it must be one of {', '.join(NETWORKS)}, "
            "of which eip155:84532 is a test network"
        )
    return found


def atomic(usd: float) -> int:
    """Convert a limit from the settings to atomic units, exactly as it was written.

    >>> atomic(0.1), atomic(1.0)
    (100000, 1000000)
    """
    units = Decimal(repr(usd)) * ATOMIC
    return int(units.to_integral_value(rounding=ROUND_DOWN))


def dollars(amount: int) -> str:
    """Write atomic units as dollars.

    >>> dollars(1_250_000), dollars(1), dollars(10_000)
    ('1.25', '0.000001', '0.01')
    """
    whole, part = divmod(amount, ATOMIC)
    return f"{whole}.{f'{part:06}'.rstrip('0').ljust(2, '0')}"
