"""The web tool: pages as text, and no way into our own network."""

import gzip
import socket
import threading
import time
from collections.abc import Callable, Generator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from tests.tools.turns import call

from seasoned.core.errors import BadInput, NotFound, Unreachable
from seasoned.documents.fetch import FetchConfig
from seasoned.tools.builtin.browser import Browser, is_public
from seasoned.tools.builtin.web import Web, WebConfig, web_tools

PUBLIC = "93.184.216.34"
PAGE = b"<html><head><title>Guide</title></head><body><h1>Guide</h1><p>Use tabs.</p></body></html>"

Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Answers by path, from the test's table."""

    answers: dict[str, Answer]
    seen: list[tuple[str, str]]

    def do_GET(self) -> None:
        self.seen.append((self.headers["Host"], self.path))
        answer = self.answers.get(self.path.partition("?")[0])
        if answer is None:
            self.send_error(404)
        else:
            answer(self)

    def reply(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content_Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Log nothing."""


class Net:
    """An internet of one server: the test sets the DNS, and all connections reach that server."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.names: dict[str, Sequence[Sequence[str]]] = {}
        self.asked: list[str] = []
        self.reached: list[tuple[str, int]] = []
        self.answers: dict[str, Answer] = {}
        self.seen: list[tuple[str, str]] = []

    def resolve(self, host: str, port: int) -> Sequence[str]:
        """Resolve a name; several answers are given one after the other."""
        answers = self.names.get(host, [[PUBLIC]])
        self.asked.append(host)
        return answers[min(self.asked.count(host), len(answers)) - 1]

    def connect(self, address: str, port: int, seconds: float) -> socket.socket:
        self.reached.append((address, port))
        return socket.create_connection(("127.0.0.1", self.port), seconds)

    def browser(self, **limits: Any) -> Browser:
        config = FetchConfig(**{"largest": 100_000, "silence_seconds": 2, **limits})
        return Browser(config, self.resolve, self.connect)


@pytest.fixture
def net() -> Generator[Net]:
    handler = type("Bound", (Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    net = Net(server.server_port)
    handler.answers, handler.seen = net.answers, net.seen
    serving = threading.Thread(target=server.serve_forever, args=(0.01,))
    serving.start()
    yield net
    server.shutdown()
    serving.join()
    server.server_close()


def test_a_page_is_read_as_text(net: Net) -> None:
    net.answers["/guide"] = lambda to: to.reply(PAGE, Content_Type="text/html; charset=utf-8")
    text = call(web_tools(net.browser())[0], url="http://example.com/guide?q=1#top")
    assert text == (
        "[http://example.com/guide?q=1: characters 0 to 18 of 18]\n# Guide\n\nUse tabs."
    )
    assert net.seen == [("example.com", "/guide?q=1")]
    assert net.reached == [(PUBLIC, 80)]


def test_a_long_page_is_read_in_parts(net: Net) -> None:
    net.answers["/log.txt"] = lambda to: to.reply(b"word " * 100, Content_Type="text/plain")
    web = Web(net.browser(), WebConfig(longest=300))
    first = web.fetch_page("http://example.com/log.txt")
    assert "go on with start=300]" in first
    assert web.fetch_page("http://example.com/log.txt", start=300).endswith("word word")
    with pytest.raises(BadInput, match="has only"):
        web.fetch_page("http://example.com/log.txt", start=100_000)


@pytest.mark.parametrize("kind", ["application/json", "application/ld+json", "text/csv"])
def test_data_is_read_as_it_is(net: Net, kind: str) -> None:
    net.answers["/x"] = lambda to: to.reply(b'{"a": [1, 2]}', Content_Type=kind)
    assert '{"a": [1, 2]}' in Web(net.browser(), WebConfig()).fetch_page("http://example.com/x")


PRIVATE = [
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.169.254",
    "192.0.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd00:ec2::254",
    "fec0::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:db8::1",
    "not an address",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_a_name_that_means_a_private_address_is_refused(net: Net, address: str) -> None:
    assert not is_public(address)
    net.names["evil.example"] = [[PUBLIC, address]]  # one private address is enough
    with pytest.raises(BadInput, match="not a public address"):
        net.browser().fetch("http://evil.example/")
    assert net.reached == []


@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:4700::1111"])
def test_public_addresses_are_not_refused(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://localhost/",
        "http://127。0。0。1/",
        "http://169.254.169.254/latest/meta-data/",
    ],
)
def test_our_own_machine_is_refused_however_it_is_spelled(url: str) -> None:
    reached: list[str] = []

    def connect(address: str, port: int, seconds: float) -> socket.socket:
        reached.append(address)
        raise OSError

    with pytest.raises((BadInput, Unreachable)):
        Browser(connect=connect).fetch(url)  # with the system's own resolver
    assert reached == []


def test_a_name_is_resolved_only_once(net: Net) -> None:
    """DNS rebinding: public at the check, private at the connection."""
    net.names["evil.example"] = [[PUBLIC], ["127.0.0.1"]]
    net.answers["/"] = lambda to: to.reply(b"fine", Content_Type="text/plain")
    net.browser().fetch("http://evil.example/")
    assert net.asked == ["evil.example"]
    assert net.reached == [(PUBLIC, 80)]


@pytest.mark.parametrize(
    "target",
    [
        "http://metadata.example/latest",
        "//metadata.example/",
        "http://169.254.169.254/",
        "http://example.com:22/",
        "file:///etc/passwd",
        "gopher://example.com/",
        "http://user:password@example.com/",
    ],
)
def test_each_redirect_is_checked(net: Net, target: str) -> None:
    net.names |= {
        "metadata.example": [["169.254.169.254"]],
        "169.254.169.254": [["169.254.169.254"]],
    }
    net.answers["/start"] = lambda to: to.reply(b"", 302, Location=target)
    with pytest.raises(BadInput):
        net.browser().fetch("http://example.com/start")
    assert len(net.reached) == 1


def test_redirects_to_public_pages_are_followed_but_not_for_ever(net: Net) -> None:
    net.answers["/a"] = lambda to: to.reply(b"", 301, Location="/b")
    net.answers["/b"] = lambda to: to.reply(b"", 307, Location="http://other.example/c")
    net.answers["/c"] = lambda to: to.reply(b"here", Content_Type="text/plain")
    net.answers["/loop"] = lambda to: to.reply(b"", 302, Location="/loop")
    assert net.browser().fetch("http://example.com/a").address == "http://other.example/c"
    with pytest.raises(BadInput, match="more than 5 redirects"):
        net.browser().fetch("http://example.com/loop")


def test_what_is_too_large_is_cut_off_packed_or_not(net: Net) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    net.answers["/bomb"] = lambda to: to.reply(bomb, Content_Encoding="gzip")
    net.answers["/long"] = lambda to: to.reply(b"x" * 200_000)
    net.answers["/gzip"] = lambda to: to.reply(
        gzip.compress(b"small"), Content_Encoding="gzip", Content_Type="text/plain"
    )
    for path in ("/bomb", "/long"):
        with pytest.raises(BadInput, match=r"more than 0\.1 MB"):
            net.browser().fetch(f"http://example.com{path}")
    assert net.browser().fetch("http://example.com/gzip").page.data == b"small"


def drip(to: Handler) -> None:
    to.send_response(200)
    to.flush_headers()
    try:
        for _ in range(100):
            to.wfile.write(b"X-Drip: 1\r\n")
            to.wfile.flush()
            time.sleep(0.1)
    except OSError:
        return


def test_a_server_that_never_finishes_is_cut_off(net: Net) -> None:
    net.answers["/slow"] = drip
    start = time.monotonic()
    with pytest.raises(Unreachable, match="too slow"):
        net.browser(whole_seconds=0.6).fetch("http://example.com/slow")
    assert time.monotonic() - start < 3


def test_a_server_that_says_nothing_or_breaks_off_is_unreachable(net: Net) -> None:
    net.answers["/silent"] = lambda to: time.sleep(1)
    net.answers["/broken"] = lambda to: to.reply(b"half", Content_Length="1000")
    with pytest.raises(Unreachable):
        net.browser(silence_seconds=0.3).fetch("http://example.com/silent")
    with pytest.raises(Unreachable, match="broke off"):
        net.browser(silence_seconds=0.5).fetch("http://example.com/broken")


@pytest.mark.parametrize(
    ("status", "error"), [(404, NotFound), (403, BadInput), (500, Unreachable), (429, Unreachable)]
)
def test_an_error_of_the_server_is_told_as_such(net: Net, status: int, error: type) -> None:
    net.answers["/x"] = lambda to: to.reply(b"no", status)
    with pytest.raises(error):
        net.browser().fetch("http://example.com/x")


@pytest.mark.parametrize(
    "url",
    ["ftp://example.com/", "example.com", "http://", "http://a:b@example.com/", "http://x:1/"],
)
def test_what_is_no_address_of_a_page_is_refused(net: Net, url: str) -> None:
    with pytest.raises(BadInput):
        net.browser().fetch(url)
    assert net.reached == []


def test_a_secure_page_must_prove_who_it_is(net: Net) -> None:
    net.answers["/"] = lambda to: to.reply(b"plain")
    with pytest.raises((BadInput, Unreachable)):
        net.browser().fetch("https://example.com/")  # the server here speaks no TLS
    assert net.reached == [(PUBLIC, 443)]


def test_a_picture_is_no_text(net: Net) -> None:
    net.answers["/x.png"] = lambda to: to.reply(b"\x89PNG\r\n\0\0", Content_Type="image/png")
    with pytest.raises(BadInput, match="in no format"):
        Web(net.browser(), WebConfig()).fetch_page("http://example.com/x.png")
