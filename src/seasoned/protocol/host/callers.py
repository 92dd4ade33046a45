"""Who may call at all: requests for another host's name, and requests of web pages, are refused.

A page in a browser reaches services on its user's machine: directly, or by a name that its owner
points at 127.0.0.1 (DNS rebinding). The first shows in `Origin` and `Sec-Fetch-Site`, the second in
`Host`.
"""

import socket
from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

CROSS_SITE = (b"cross-site", b"same-site")  # same-site is another port or subdomain


class CallerCheck:
    """Knows the names of this host: addresses, localhost, the machine's name, and those given.

    An address as `Host` is no rebinding, which needs a name.
    """

    def __init__(self, names: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self.origins = frozenset(one.encode() for one in origins)  # whose pages may call
        own = ("localhost", socket.gethostname(), *names)
        self._names = {name.strip().lower().rstrip(".") for name in own} - {""}

    def complaint(self, headers: Iterable[tuple[bytes, bytes]], *, is_visit: bool = False) -> str:
        """Return why a request is refused; empty if it is not.

        A visit is a page that a person opens, whatever page had the link.

        >>> check = CallerCheck(["learn.example.com"])
        >>> check.complaint([(b"host", b"127.0.0.1:8420")])
        ''
        >>> check.complaint([(b"host", b"evil.example:8420")])[:38]
        "'evil.example' is not this host's name"
        """
        host = origin = site = b""
        for name, value in headers:
            if name == b"host":
                host = value
            elif name == b"origin":
                origin = value
            elif name == b"sec-fetch-site":
                site = value
        called = self._called(host)
        if not self._is_ours(called):
            return (
                f"{called[:200]!r} is not this host's name; use its address, or list the name in "
                "server.names (SEASONED_SERVER__NAMES)"
            )
        if is_visit or origin in self.origins:
            return ""
        if site in CROSS_SITE or (origin and not is_same_origin(origin, host)):
            return "web pages may not call this host"
        return ""

    def _is_ours(self, called: str) -> bool:
        return called in self._names or _is_address(called)

    def _called(self, host: bytes) -> str:
        name = host.decode("latin-1").strip().lower()
        if name.startswith("["):
            return name[1:].partition("]")[0]
        return name.partition(":")[0].rstrip(".")


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def is_same_origin(origin: bytes, host: bytes) -> bool:
    """Whether a page's origin is the host that it calls."""
    return urlsplit(origin.decode("latin-1")).netloc.lower() == host.decode("latin-1").lower()
