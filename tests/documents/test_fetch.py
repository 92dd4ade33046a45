"""Pages are fetched politely, within limits, and only when they have changed."""

import gzip
import socket
import time
from typing import TYPE_CHECKING

import pytest

from seasoned.core.errors import BadInput, NotFound, SeasonedError, Unreachable
from seasoned.documents.fetch import FetchConfig, address_of, fetch, is_address

if TYPE_CHECKING:
    from tests.documents.conftest import Web


def test_a_page_comes_with_what_the_server_says_of_it(web: "Web") -> None:
    url = web.serve(
        "/a", "größe", headers={"Content-Type": "text/markdown; charset=UTF-8", "ETag": '"1"'}
    )
    page = fetch(url)
    assert page is not None
    assert page.data.decode() == "größe"
    assert (page.content_type, page.charset, page.validator) == ("text/markdown", "utf-8", '"1"')


@pytest.mark.parametrize(
    ("header", "value", "asked"),
    [
        ("ETag", 'W/"1"', "If-None-Match"),
        ("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT", "If-Modified-Since"),
    ],
)
def test_an_unchanged_page_costs_one_request_and_no_body(
    web: "Web", header: str, value: str, asked: str
) -> None:
    url = web.serve("/a", "text", headers={header: value})
    page = fetch(url)
    assert page is not None
    assert fetch(url, page.validator) is None
    assert len(web.asked) == 2
    assert web.asked[1][1][asked] == value
    web.serve("/a", "other", headers={header: value[:-1] + "x"})
    assert fetch(url, page.validator) is not None


def test_redirects_are_followed(web: "Web") -> None:
    web.serve("/new", "moved")
    url = web.serve("/old", status=301, headers={"Location": "/new"})
    page = fetch(url)
    assert page is not None
    assert page.data == b"moved"


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x"])
def test_a_redirect_leads_nowhere_but_to_the_web(web: "Web", target: str) -> None:
    url = web.serve("/old", status=302, headers={"Location": target})
    with pytest.raises(BadInput, match="only http and https"):
        fetch(url)


def test_a_redirect_in_a_circle_ends(web: "Web") -> None:
    url = web.serve("/round", status=302, headers={"Location": "/round"})
    with pytest.raises(SeasonedError):
        fetch(url)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *((404, NotFound), (410, NotFound), (401, BadInput), (403, BadInput), (400, BadInput)),
        *((429, Unreachable), (500, Unreachable), (503, Unreachable)),
    ],
)
def test_an_error_says_whether_the_page_is_gone(
    web: "Web", status: int, kind: type[SeasonedError]
) -> None:
    with pytest.raises(kind, match=str(status)):
        fetch(web.serve("/a", status=status))


def test_a_page_that_is_too_large_is_cut_off(web: "Web") -> None:
    url = web.serve("/a", b"x" * 300_000)
    with pytest.raises(BadInput, match=r"more than 0\.2 MB"):
        fetch(url, config=FetchConfig(largest=200_000))
    packed = web.serve(
        "/packed", gzip.compress(b"x" * 300_000), headers={"Content-Encoding": "gzip"}
    )
    with pytest.raises(BadInput, match=r"more than 0\.2 MB"):
        fetch(packed, config=FetchConfig(largest=200_000))


def test_a_page_that_comes_packed_is_unpacked(web: "Web") -> None:
    page = fetch(web.serve("/a", gzip.compress(b"words"), headers={"Content-Encoding": "gzip"}))
    assert page is not None
    assert page.data == b"words"


def test_a_silent_server_and_a_slow_one_are_not_waited_for(web: "Web") -> None:
    begun = time.monotonic()
    url = web.serve("/silent", b"x")
    web.answers["/silent"].pause_seconds = 1.5
    with pytest.raises(Unreachable, match="timed out"):
        fetch(url, config=FetchConfig(silence_seconds=0.2))
    url = web.serve("/slow", b"x" * 100)
    web.answers["/slow"].pause_seconds, web.answers["/slow"].pieces = 0.05, 100
    with pytest.raises(Unreachable, match="too slow"):
        fetch(url, config=FetchConfig(whole_seconds=0.3))
    assert time.monotonic() - begun < 5


def test_a_page_that_breaks_off_is_not_taken(web: "Web") -> None:
    with pytest.raises(Unreachable):
        fetch(
            web.serve("/a", b"half", headers={"Content-Length": "1000"}),
            config=FetchConfig(silence_seconds=1),
        )


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(Unreachable, match="check the address"):
        fetch(f"http://127.0.0.1:{port}/")


@pytest.mark.parametrize(
    ("source", "address"),
    [
        ("HTTP://Example.com", "http://example.com/"),
        ("https://example.com:8443/a b?q=ü#part", "https://example.com:8443/a%20b?q=%C3%BC"),
        ("https://bücher.example/%C3%BC", "https://xn--bcher-kva.example/%C3%BC"),
        ("http://[::1]:80/x", "http://[::1]:80/x"),
    ],
)
def test_an_address_has_one_spelling(source: str, address: str) -> None:
    assert is_address(source)
    assert address_of(source) == address
    assert address_of(address) == address


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("ftp://example.com/x", "only http and https"),
        ("https:///x", "no host"),
        ("https://ana:pw@example.com/", "password"),
        ("https://example.com/?access_token=abcdef123456", "password or a key"),
        ("http://example.com:99999/", "cannot be understood"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(source: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        address_of(source)
