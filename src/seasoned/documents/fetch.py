"""Fetch a page from the web if it has changed."""

import time
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage, HTTPResponse
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from seasoned.core.errors import BadInput, NotFound, Unreachable
from seasoned.security.redact import redact

SCHEMES = ("http", "https")
UNQUOTED = "!#$%&'()*+,/:;=?@[]~"  # characters that stay as they are in an address
PIECE = 65_536
GONE = (404, 410)
CLOSED = (401, 402, 403, 407, 451)
LATER = (408, 425, 429)
GZIP_OR_ZLIB = zlib.MAX_WBITS + 32


@dataclass(frozen=True, slots=True)
class FetchConfig:
    largest: int = 20_000_000  # bytes of a page
    silence_seconds: float = 20  # without a byte from the server
    whole_seconds: float = 60  # for the whole page


@dataclass(frozen=True, slots=True)
class WebPage:
    """A response; its `validator` makes the next request conditional."""

    data: bytes
    content_type: str
    charset: str
    validator: str


def is_address(source: str) -> bool:
    """Whether a source is a web address and not a path.

    >>> is_address("https://example.com"), is_address("docs/a.md"), is_address("C://x")
    (True, False, False)
    """
    scheme, separator, _ = source.partition("://")
    return bool(separator) and len(scheme) > 1 and scheme.isalnum()


def address_of(source: str) -> str:
    """Normalise an address: no fragment, and quoted where needed.

    >>> address_of("HTTPS://Example.com/größe?q=a b#top")
    'https://example.com/gr%C3%B6%C3%9Fe?q=a%20b'
    """
    try:
        parts = urlsplit(source.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise BadInput(f"the address cannot be understood ({error}); check it") from error
    if parts.scheme not in SCHEMES:
        raise BadInput(f"only http and https can be fetched, not {parts.scheme}; save it as a file")
    if not host:
        raise BadInput("the address has no host; write https://host/path")
    if "@" in parts.netloc or redact(source) != source:
        raise BadInput(
            "the address holds a password or a key, which would be stored with it; "
            "save the page as a file, and add that"
        )
    if not host.isascii():
        host = _ascii(host)
    place = f"[{host}]" if ":" in host else host
    where = f"{place}:{port}" if port else place
    path, query = (quote(part, safe=UNQUOTED) for part in (parts.path or "/", parts.query))
    return urlunsplit((parts.scheme, where, path, query, ""))


def fetch(address: str, validator: str = "", config: FetchConfig | None = None) -> WebPage | None:
    """Fetch a page; None if it has not changed since the validator was issued.

    Raises `NotFound` if the server has no such page, `Unreachable` if a retry may help.
    """
    limits = config or FetchConfig()
    until = time.monotonic() + limits.whole_seconds
    request = Request(address, headers=_headers(validator))
    opener = build_opener(Redirects)
    with _explained():
        with opener.open(request, timeout=limits.silence_seconds) as response:
            data = _body(response, limits.largest, until)
        headers: HTTPMessage = response.headers
        return WebPage(
            data,
            headers.get_content_type() if "Content-Type" in headers else "",
            headers.get_content_charset(""),
            headers.get("ETag") or headers.get("Last-Modified") or "",
        )
    return None


class Redirects(HTTPRedirectHandler):
    """Follows redirects to http and https only."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        if urlsplit(newurl).scheme not in SCHEMES:
            raise BadInput(f"the page leads to {newurl}, and only http and https can be fetched")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _headers(validator: str) -> dict[str, str]:
    headers = {"User-Agent": "seasoned", "Accept": "text/html, text/*, application/pdf, */*;q=0.1"}
    if validator:
        is_tag = validator.startswith(('"', "W/"))
        headers["If-None-Match" if is_tag else "If-Modified-Since"] = validator
    return headers


def _body(response: HTTPResponse, largest: int, until: float) -> bytes:
    pieces: list[bytes] = []
    taken = 0
    while piece := response.read1(PIECE):
        pieces.append(piece)
        taken += len(piece)
        if taken > largest:
            raise BadInput(too_large(largest))
        if time.monotonic() > until:
            raise Unreachable("the server is too slow; try again later")
    told = response.headers.get("Content-Length", "")
    if told.isdigit() and taken < int(told):
        raise Unreachable("the server broke off in the middle; try again later")
    data = b"".join(pieces)
    if response.headers.get("Content-Encoding", "").lower() in ("gzip", "deflate"):
        return _unpacked(data, largest)
    return data


def _unpacked(data: bytes, largest: int) -> bytes:
    unpacked = zlib.decompressobj(GZIP_OR_ZLIB).decompress(data, largest + 1)
    if len(unpacked) > largest:
        raise BadInput(too_large(largest))
    return unpacked


def too_large(largest: int) -> str:
    return f"it has more than {largest / 1e6:g} MB; add the parts of it that matter"


@contextmanager
def _explained() -> Generator[None]:
    """Turn HTTP and network errors into ours; 304 Not Modified is none."""
    try:
        yield
    except HTTPError as error:
        with error:
            _explain(error.code, error.reason)
    except (URLError, HTTPException, OSError, zlib.error) as error:
        reason = getattr(error, "reason", "") or error
        raise Unreachable(
            f"the server cannot be reached ({reason}); check the address and the connection"
        ) from error


def _explain(code: int, reason: str) -> None:
    said = f"{code} {reason}".strip()
    if code == 304:
        return
    if code < 400:
        raise BadInput(f"it leads elsewhere ({said}), and only http and https can be fetched")
    if code in GONE:
        raise NotFound(f"there is no such page ({said}); check the address")
    if code in CLOSED:
        raise BadInput(
            f"the server does not show it to us ({said}); save it as a file, and add that"
        )
    if code < 500 and code not in LATER:
        raise BadInput(f"the server refuses the request ({said}); check the address")
    raise Unreachable(f"the server has a problem ({said}); try again later")


def _ascii(host: str) -> str:
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError as error:
        raise BadInput(f"there can be no host {host!r}; check the address") from error
