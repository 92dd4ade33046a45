"""Fetches a page for a model, which may have been talked into asking for it: only public ones.

The host is looked up once, what was found is checked, and the connection goes to that very
address: a name that means something else a moment later changes nothing. Each redirect is a new
address, and is checked like the first.
"""

import http.client
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

from seasoned.core.errors import BadInput, NotFound, SeasonedError, Unreachable
from seasoned.documents.fetch import FetchConfig, Page, address_of, too_large
from seasoned.tools.public_address import Resolve, public_addresses, resolved

MOST_REDIRECTS = 5
PIECE = 65_536
PORTS = {"http": 80, "https": 443}
HEADERS = {
    "User-Agent": "seasoned",
    "Accept": "text/html, text/*, application/json, application/pdf, */*;q=0.1",
    "Accept-Encoding": "gzip, deflate",
    "Connection": "close",
}
GZIP_OR_ZLIB = zlib.MAX_WBITS + 32

Connect = Callable[[str, int, float], socket.socket]


def connected(address: str, port: int, seconds: float) -> socket.socket:
    return socket.create_connection((address, port), seconds)


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page, and the address that it was found at in the end."""

    address: str
    page: Page


@dataclass(frozen=True, slots=True)
class Browser:
    """`resolve` and `connect` are the network's; a test brings its own."""

    config: FetchConfig = field(default_factory=lambda: FetchConfig(5_000_000, 10, 30))
    resolve: Resolve = resolved
    connect: Connect = connected
    tls: ssl.SSLContext = field(default_factory=ssl.create_default_context)

    def fetch(self, source: str) -> Fetched:
        """`BadInput`: it must not, or cannot, be fetched. `Unreachable`: it may be tried again."""
        until = time.monotonic() + self.config.whole_seconds
        address = address_of(source)
        for _ in range(MOST_REDIRECTS + 1):
            found = self._answered(address, until)
            if isinstance(found, Page):
                return Fetched(address, found)
            address = address_of(urljoin(address, found))
        raise BadInput(f"it leads on and on, more than {MOST_REDIRECTS} times; check the address")

    def _answered(self, address: str, until: float) -> Page | str:
        """The page, or where it has moved to."""
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
        places = public_addresses(host, port, self.resolve)
        path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
        with _explained(), self._line(places, port, until) as line:
            if parts.scheme == "https":
                line.secured(self.tls, host)
            connection = http.client.HTTPConnection(host, port)
            connection.sock = line.socket
            connection.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
            connection.putheader("Host", parts.netloc)
            for name, value in HEADERS.items():
                connection.putheader(name, value)
            connection.endheaders()
            with connection.getresponse() as response:
                return self._read(response)

    def _read(self, response: http.client.HTTPResponse) -> Page | str:
        if moved := _moved(response):
            return moved
        _check_status(response.status, response.reason)
        headers = response.headers
        return Page(
            _body(response, self.config.largest),
            headers.get_content_type() if "Content-Type" in headers else "",
            headers.get_content_charset(""),
            "",
        )

    @contextmanager
    def _line(self, places: Sequence[str], port: int, until: float) -> Generator["Line"]:
        """A connection that is cut when its time is up, however slowly a server goes on."""
        line = Line(self._opened(places, port, until))
        clock = threading.Timer(max(until - time.monotonic(), 0), line.cut)
        clock.daemon = True
        clock.start()
        try:
            yield line
        except (OSError, http.client.HTTPException, Unreachable):
            line.check()
            raise
        else:
            line.check()  # to a reader, a line that was cut looks like one that has ended
        finally:
            clock.cancel()
            line.socket.close()

    def _opened(self, places: Sequence[str], port: int, until: float) -> socket.socket:
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


class Line:
    """A socket, plain and then perhaps secured, that another thread may cut."""

    def __init__(self, plain: socket.socket) -> None:
        self.socket = plain
        self.was_cut = False

    def secured(self, tls: ssl.SSLContext, host: str) -> None:
        self.socket = tls.wrap_socket(
            self.socket, server_hostname=host, do_handshake_on_connect=False
        )
        self.socket.do_handshake()

    def check(self) -> None:
        if self.was_cut:
            raise Unreachable("the server is too slow: it was cut off; try again later")

    def cut(self) -> None:
        self.was_cut = True
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # it is closed already


def _moved(response: http.client.HTTPResponse) -> str:
    where = response.headers.get("Location", "")
    return where if response.status in (301, 302, 303, 307, 308) else ""


def _check_status(code: int, reason: str) -> None:
    said = f"{code} {reason}".strip()
    if code in (404, 410):
        raise NotFound(f"there is no such page ({said}); check the address")
    if code >= 500 or code in (408, 425, 429):
        raise Unreachable(f"the server has a problem ({said}); try again later")
    if code >= 300:
        raise BadInput(f"the server does not show it to us ({said})")


def _body(response: http.client.HTTPResponse, largest: int) -> bytes:
    packed = response.headers.get("Content-Encoding", "").lower() in ("gzip", "x-gzip", "deflate")
    unpack = zlib.decompressobj(GZIP_OR_ZLIB) if packed else None
    data = bytearray()
    while piece := response.read(PIECE):
        # A little that unpacks to a lot is stopped before it is there.
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
