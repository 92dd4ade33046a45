"""Tells addresses of the open internet from those that only we could reach for somebody else."""

import ipaddress
import socket
from collections.abc import Callable, Sequence

from seasoned.core.errors import BadInput, Unreachable

Resolve = Callable[[str, int], Sequence[str]]

PORTS = frozenset({80, 443})  # and all above 1023: below are other services
# Networks in which an IPv4 address hides behind an IPv6 one, or that lead through a tunnel.
TUNNELS = tuple(
    ipaddress.IPv6Network(network)
    for network in ("::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16")
)


def resolved(host: str, port: int) -> Sequence[str]:
    """What the system says, each address once."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


def public_addresses(host: str, port: int, resolve: Resolve = resolved) -> Sequence[str]:
    """The addresses of a host; refused when any of them is not public, for it may be the one taken.

    >>> public_addresses("example.com", 443, lambda *_: ["93.184.216.34"])
    ['93.184.216.34']
    """
    if port < 1024 and port not in PORTS:
        raise BadInput(f"port {port} of {host} is no web server's; only 80, 443 and high ones are")
    try:
        found = resolve(host, port)
    except (OSError, UnicodeError) as error:
        raise Unreachable(f"there is no host {host} ({error}); check the address") from error
    if not found:
        raise Unreachable(f"there is no host {host}; check the address")
    for address in found:
        if not is_public(address):
            raise BadInput(
                f"{host} is {address}, which is not on the open internet; it is not fetched"
            )
    return found


def is_public(address: str) -> bool:
    """Whether it belongs to the open internet: not to us, our network, or the machine's cloud.

    >>> [is_public(one) for one in ("93.184.216.34", "127.0.0.1", "169.254.169.254", "::1")]
    [True, False, False, False]
    >>> is_public("::ffff:10.0.0.1"), is_public("64:ff9b::7f00:1"), is_public("2606:4700::1111")
    (False, False, True)
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return is_public(str(found.ipv4_mapped))
        if found.is_site_local or any(found in network for network in TUNNELS):
            return False
    return found.is_global and not found.is_multicast and not found.is_reserved
