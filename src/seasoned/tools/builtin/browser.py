"""Fetch a web page for a model, from public addresses only: the model may have been tricked.

The host is resolved once, its addresses are checked, and the connection goes to a checked address,
so a name that resolves differently a moment later changes nothing. Each redirect is checked like
the first address.
"""

import http.client
import ipaddress
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

from seasoned.core.errors import BadInput, NotFound, SeasonedError, Unreachable
from seasoned.documents.fetch import FetchConfig, WebPage, address_of, too_large

MOST_REDIRECTS = 5
PIECE = 65_536
DEFAULT_PORTS = {"http": 80, "https": 443}
HEADERS = {
    "User-Agent": "seasoned",
    "Accept": "text/html, text/*, application/json, application/pdf, */*;q=0.1",
    "Accept-Encoding": "gzip, deflate",
    "Connection": "close",
}
PROOF_HEADERS = ("PAYMENT-RESPONSE", "X-PAYMENT-RESPONSE")
GZIP_OR_ZLIB = zlib.MAX_WBITS + 32

WEB_PORTS = frozenset({80, 443})  # besides those above 1023; the rest are other services
# Networks that embed IPv4 addresses in IPv6 ones or lead through a tunnel.
TUNNELS = tuple(
    ipaddress.IPv6Network(network)
    for network in ("::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16")
)

Resolve = Callable[[str, int], Sequence[str]]
Connect = Callable[[str, int, float], socket.socket]


def resolve_host(host: str, port: int) -> Sequence[str]:
    """Resolve a host with the system's resolver; each address once."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


def open_connection(address: str, port: int, seconds: float) -> socket.socket:
    return socket.create_connection((address, port), seconds)


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page and its address after redirects."""

    address: str
    page: WebPage


class PaymentDue(BadInput):
    """The server wants money (402): the address that asks, and the price in its own words."""

    def __init__(self, address: str, header: str, body: bytes) -> None:
        super().__init__(
            "the server wants payment for the page (402), and payments are off; a user can switch "
            "them on with payment.enabled and payment.key (docs/payments.md)"
        )
        self.address = address
        self.header = header
        self.body = body


@dataclass(frozen=True, slots=True)
class PaidAnswer:
    """The answer to a paid request: the seller's proof, and the page or what went wrong."""

    proof: str
    result: WebPage | SeasonedError


@dataclass(frozen=True, slots=True)
class Browser:
    """Fetches pages; `resolve` and `connect` are the network, which tests replace."""

    config: FetchConfig = field(default_factory=lambda: FetchConfig(5_000_000, 10, 30))
    resolve: Resolve = resolve_host
    connect: Connect = open_connection
    tls: ssl.SSLContext = field(default_factory=ssl.create_default_context)

    def fetch(self, source: str) -> FetchedPage:
        """Fetch a page; `BadInput` if that is not allowed or possible, `Unreachable` to retry."""
        until = time.monotonic() + self.config.whole_seconds
        address = address_of(source)
        for _ in range(MOST_REDIRECTS + 1):
            found = self._get(address, until)
            if isinstance(found, WebPage):
                return FetchedPage(address, found)
            address = address_of(urljoin(address, found))
        raise BadInput(f"more than {MOST_REDIRECTS} redirects; check the address")

    def fetch_paid(self, address: str, payment: Mapping[str, str]) -> PaidAnswer:
        """Ask once more with a payment; a redirect is not followed, as it may lead to others."""
        until = time.monotonic() + self.config.whole_seconds
        proofs: list[str] = []
        try:
            found = self._get(address, until, payment, proofs)
        except PaymentDue:
            refused = BadInput("the seller did not accept the payment and asks for one again")
            return PaidAnswer("".join(proofs), refused)
        except SeasonedError as error:
            return PaidAnswer("".join(proofs), error)
        if isinstance(found, str):
            found = BadInput("the seller answered the payment with a redirect, not with the page")
        return PaidAnswer("".join(proofs), found)

    def _get(
        self,
        address: str,
        until: float,
        payment: Mapping[str, str] | None = None,
        proofs: list[str] | None = None,
    ) -> WebPage | str:
        """Return the page, or the address it redirects to; add the proof of payment to `proofs`."""
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]
        places = public_addresses(host, port, self.resolve)
        path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
        with _explained(), self._connection(places, port, until) as line:
            if parts.scheme == "https":
                line.start_tls(self.tls, host)
            connection = http.client.HTTPConnection(host, port)
            connection.sock = line.socket
            connection.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
            connection.putheader("Host", parts.netloc)
            for name, value in {**HEADERS, **(payment or {})}.items():
                connection.putheader(name, value)
            connection.endheaders()
            with connection.getresponse() as response:
                if proofs is not None:  # before the body, which may break off
                    proofs.append(_first_header(response, PROOF_HEADERS))
                return self._read(response, address)

    def _read(self, response: http.client.HTTPResponse, address: str) -> WebPage | str:
        if target := _redirect(response):
            return target
        if response.status == 402:
            price = response.headers.get("PAYMENT-REQUIRED", "")
            raise PaymentDue(address, price, _body(response, min(self.config.largest, PIECE)))
        _check_status(response.status, response.reason)
        headers = response.headers
        return WebPage(
            _body(response, self.config.largest),
            headers.get_content_type() if "Content-Type" in headers else "",
            headers.get_content_charset(""),
            "",
        )

    @contextmanager
    def _connection(
        self, places: Sequence[str], port: int, until: float
    ) -> Generator["CuttableSocket"]:
        """Connect, and cut the connection when its time is up, even if data still trickles in."""
        line = CuttableSocket(self._connect(places, port, until))
        clock = threading.Timer(max(until - time.monotonic(), 0), line.cut)
        clock.daemon = True
        clock.start()
        try:
            yield line
        except (OSError, http.client.HTTPException, Unreachable):
            line.check()
            raise
        else:
            line.check()  # to a reader, a cut connection looks like a finished one
        finally:
            clock.cancel()
            line.socket.close()

    def _connect(self, places: Sequence[str], port: int, until: float) -> socket.socket:
        failed: OSError | None = None
        for place in places:
            left = min(self.config.silence_seconds, until - time.monotonic())
            if left <= 0:
                break
            try:
                return self.connect(place, port, left)
            except OSError as error:
                failed = error
        raise failed or TimeoutError("it took too long")


class CuttableSocket:
    """A socket, with or without TLS, that another thread may cut."""

    def __init__(self, plain: socket.socket) -> None:
        self.socket = plain
        self.was_cut = False

    def start_tls(self, tls: ssl.SSLContext, host: str) -> None:
        self.socket = tls.wrap_socket(
            self.socket, server_hostname=host, do_handshake_on_connect=False
        )
        self.socket.do_handshake()

    def check(self) -> None:
        if self.was_cut:
            raise Unreachable("the server is too slow; try again later")

    def cut(self) -> None:
        self.was_cut = True
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # already closed


def _first_header(response: http.client.HTTPResponse, names: Sequence[str]) -> str:
    return next((found for name in names if (found := response.headers.get(name))), "")


def _redirect(response: http.client.HTTPResponse) -> str:
    target = response.headers.get("Location", "")
    return target if response.status in (301, 302, 303, 307, 308) else ""


def _check_status(code: int, reason: str) -> None:
    said = f"{code} {reason}".strip()
    if code in (404, 410):
        raise NotFound(f"there is no such page ({said}); check the address")
    if code >= 500 or code in (408, 425, 429):
        raise Unreachable(f"the server has a problem ({said}); try again later")
    if code >= 300:
        raise BadInput(f"the server refused the page ({said})")


def _body(response: http.client.HTTPResponse, largest: int) -> bytes:
    packed = response.headers.get("Content-Encoding", "").lower() in ("gzip", "x-gzip", "deflate")
    unpack = zlib.decompressobj(GZIP_OR_ZLIB) if packed else None
    data = bytearray()
    while piece := response.read(PIECE):
        # The limit applies while unpacking, so a compression bomb never gets into memory.
        data += unpack.decompress(piece, largest + 1 - len(data)) if unpack else piece
        if len(data) > largest:
            raise BadInput(too_large(largest))
    if response.length or (unpack is not None and not unpack.eof):
        raise Unreachable("the server broke off in the middle; try again later")
    return bytes(data)


@contextmanager
def _explained() -> Generator[None]:
    try:
        yield
    except SeasonedError:
        raise
    except ssl.SSLError as error:
        raise BadInput(f"the server is not who it says it is ({error.reason or error})") from error
    except (OSError, http.client.HTTPException, zlib.error, ValueError) as error:
        said = str(error) or type(error).__name__
        raise Unreachable(f"the server cannot be reached ({said}); try again later") from error


def public_addresses(host: str, port: int, resolve: Resolve = resolve_host) -> Sequence[str]:
    """Resolve a host; refuse it if any of its addresses is not public.

    >>> public_addresses("example.com", 443, lambda *_: ["93.184.216.34"])
    ['93.184.216.34']
    """
    if port < 1024 and port not in WEB_PORTS:
        raise BadInput(f"port {port} of {host} is not allowed; use 80, 443 or one above 1023")
    try:
        found = resolve(host, port)
    except (OSError, UnicodeError) as error:
        raise Unreachable(f"there is no host {host} ({error}); check the address") from error
    if not found:
        raise Unreachable(f"there is no host {host}; check the address")
    for address in found:
        if not is_public(address):
            raise BadInput(f"{host} is {address}, which is not a public address; it is not fetched")
    return found


def is_public(address: str) -> bool:
    """Tell whether an address is public: not this host, its network or its cloud's metadata.

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
