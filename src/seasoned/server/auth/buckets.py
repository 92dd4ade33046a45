"""Token buckets: how often somebody may do something, in bounded memory."""

import math
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from time import monotonic

MOST_BUCKETS = 10_000


class Buckets:
    """One bucket per name; each fills at `a_minute` and holds `burst`.

    A name that was not seen for the longest is forgotten first: its bucket would be full by then.

    >>> clock = [0.0]
    >>> buckets = Buckets(60, 2, lambda: clock[0])
    >>> buckets.take("ana"), buckets.take("ana"), buckets.take("ana"), buckets.take("bob")
    (0, 0, 1, 0)
    >>> clock[0] = 1.0
    >>> buckets.take("ana")
    0
    """

    def __init__(
        self,
        a_minute: float,
        burst: float,
        clock: Callable[[], float] = monotonic,
        most: int = MOST_BUCKETS,
    ) -> None:
        self._a_second = a_minute / 60
        self._burst = max(1.0, burst)
        self._clock = clock
        self._most = most
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()  # level, time

    def __len__(self) -> int:
        return len(self._levels)

    def take(self, name: str) -> int:
        """Take one; return 0, or the seconds to wait. A rate of 0 is no limit."""
        if not self._a_second:
            return 0
        level, now = self._level(name)
        enough = level >= 1
        self._levels[name] = (level - 1 if enough else level, now)
        self._levels.move_to_end(name)
        if len(self._levels) > self._most:
            self._levels.popitem(last=False)
        return 0 if enough else max(1, math.ceil((1 - level) / self._a_second))

    def wait(self, name: str) -> int:
        """Return the seconds until one can be taken; 0 if it can now."""
        level, _ = self._level(name)
        return 0 if level >= 1 or not self._a_second else math.ceil((1 - level) / self._a_second)

    def _level(self, name: str) -> tuple[float, float]:
        now = self._clock()
        level, at = self._levels.get(name, (self._burst, now))
        return min(self._burst, level + (now - at) * self._a_second), now


def address_group(address: str) -> str:
    """Return what counts as one address: one customer gets a whole IPv6 network of 2**64.

    >>> address_group("2001:db8:1:2:aaaa::1"), address_group("::ffff:10.0.0.1")
    ('2001:db8:1:2::', '10.0.0.1')
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(IPv6Address(int(parsed) >> 64 << 64))
    return str(parsed)
