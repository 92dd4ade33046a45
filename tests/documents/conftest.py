"""PDF files written by the tests, and a web server on the loopback."""

import io
import threading
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

Pdf = Callable[..., bytes]

# All of Unicode, each character as its own code: enough for text to be drawn and found again.
TO_UNICODE = (
    b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
    b"1 begincodespacerange <0000> <ffff> endcodespacerange\n"
    b"1 beginbfrange <0000> <ffff> <0000> endbfrange\nendcmap end end"
)


def written(pages: Sequence[Sequence[str]]) -> bytes:
    """Return a PDF with these lines on its pages."""
    numbers = [6 + 2 * place for place in range(len(pages))]
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        3: b"<< /Type /Font /Subtype /Type0 /BaseFont /F /Encoding /Identity-H"
        b" /DescendantFonts [4 0 R] /ToUnicode 5 0 R >>",
        4: b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /F /DW 500"
        b" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
        5: stream(TO_UNICODE),
    }
    for number, lines in zip(numbers, pages, strict=True):
        shown = "".join(f"<{line.encode('utf-16-be').hex()}> Tj T*\n" for line in lines)
        objects[number] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800]"
            b" /Resources << /Font << /F 3 0 R >> >> /Contents %d 0 R >>" % (number + 1)
        )
        objects[number + 1] = stream(f"BT /F 10 Tf 14 TL 50 750 Td\n{shown}ET".encode())
    out = io.BytesIO(b"%PDF-1.7\n")
    out.seek(0, io.SEEK_END)
    places = {0: 0}
    for number, content in objects.items():
        places[number] = out.tell()
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, content))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % len(places))
    out.writelines(b"%010d 00000 n \n" % places[number] for number in sorted(places) if number)
    out.write(b"trailer << /Root 1 0 R /Size %d >>\nstartxref\n%d\n%%%%EOF" % (len(places), start))
    return out.getvalue()


def stream(content: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)


@pytest.fixture
def pdf() -> Pdf:
    """Write a PDF: lines for each page, headings as (title, page), a title, a password."""
    from pypdf import PdfReader, PdfWriter

    def write(
        *pages: Sequence[str],
        headings: Sequence[tuple[str, int]] = (),
        title: str = "",
        password: str = "",
    ) -> bytes:
        writer = PdfWriter(clone_from=PdfReader(io.BytesIO(written(pages))))
        for heading, page in headings:
            writer.add_outline_item(heading, page)
        if title:
            writer.add_metadata({"/Title": title})
        if password:
            writer.encrypt(password, algorithm="RC4-128")
        out = io.BytesIO()
        writer.write(out)
        return out.getvalue()

    return write


@dataclass(slots=True)
class Answer:
    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    pause_seconds: float = 0  # before each piece of the body
    pieces: int = 1


@dataclass(slots=True)
class Web:
    """A web server on the loopback, with its answers by path and the requests it got."""

    url: str
    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])
    asked: list[tuple[str, dict[str, str]]] = field(
        default_factory=list[tuple[str, dict[str, str]]]
    )

    def serve(
        self,
        path: str,
        body: str | bytes = b"",
        status: int = 200,
        headers: dict[str, str] | None = None,
    ) -> str:
        """Set the answer for a path, and return its address."""
        data = body.encode() if isinstance(body, str) else body
        self.answers[path] = Answer(data, status, headers or {})
        return self.url + path


@pytest.fixture
def web() -> Generator[Web]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append((self.path, dict(self.headers.items())))
            answer = served.answers.get(self.path, Answer(b"nothing here", 404))
            tag = answer.headers.get("ETag") or answer.headers.get("Last-Modified")
            known = (self.headers["If-None-Match"], self.headers["If-Modified-Since"])
            if tag and tag in known:
                answer = Answer(status=304)
            self.send_response(answer.status)
            for name, value in ({"Content-Length": str(len(answer.body))} | answer.headers).items():
                self.send_header(name, value)
            self.end_headers()
            size = -(-len(answer.body) // answer.pieces) or 1
            for start in range(0, len(answer.body), size):
                time.sleep(answer.pause_seconds)
                try:
                    self.wfile.write(answer.body[start : start + size])
                except OSError:  # the client hung up, as expected
                    return

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Web(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield served
    server.shutdown()
    thread.join()
    server.server_close()
