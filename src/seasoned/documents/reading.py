"""Reads a document in any format that we know; its content type, name and bytes tell which."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import PurePath
from urllib.parse import unquote, urlsplit

from seasoned.core.errors import BadInput
from seasoned.documents import html, markdown, pdf, plain
from seasoned.documents.decoding import decoded, is_text
from seasoned.documents.document import Document

REVISION = 1  # of how documents are read and cut; raised when all of them should be read again

PDF_START = b"%PDF-"
HTML_START = re.compile(
    rb"\s*(?:<!--.*?-->\s*|<\?xml[^>]*>\s*)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
META_CHARSET = re.compile(rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
START = 4096  # bytes in which a page says what it is
# Names that say nothing without their folder's.
UNTELLING = frozenset("readme index changes changelog news install todo faq history notes".split())
UNTOLD = ("", "application/octet-stream", "binary/octet-stream")  # servers that do not know


@dataclass(frozen=True, slots=True)
class Format:
    """How a kind of document is known, and how it is read from bytes in a charset."""

    name: str
    suffixes: tuple[str, ...]
    content_types: tuple[str, ...]
    read: Callable[[bytes, str], Document]


MARKDOWN = Format(
    markdown.FORMAT,
    (".md", ".markdown", ".mdown", ".mkd", ".mdx"),
    ("text/markdown", "text/x-markdown"),
    lambda data, charset: markdown.read(decoded(data, charset)),
)
HTML = Format(
    html.FORMAT,
    (".html", ".htm", ".xhtml"),
    ("text/html", "application/xhtml+xml"),
    lambda data, charset: html.read(decoded(data, charset or charset_of(data))),
)
PDF = Format(pdf.FORMAT, (".pdf",), ("application/pdf",), lambda data, _: pdf.read(data))
PLAIN = Format(
    plain.FORMAT,
    (".txt", ".text", ".rst", ".log", ".org", ".adoc", ".asciidoc"),
    (),
    lambda data, charset: plain.read(decoded(data, charset)),
)
FORMATS = (MARKDOWN, HTML, PDF, PLAIN)
SUFFIXES = frozenset(suffix for form in FORMATS for suffix in form.suffixes)


def read(data: bytes, name: str, content_type: str = "", charset: str = "") -> Document:
    """The document; `name` is a path or an address, and stands in for a title that is missing."""
    document = format_of(data, name, content_type).read(data, charset)
    if not document.sections:
        raise BadInput("there is no text in it")
    return replace(document, title=document.title or stem_of(name))


def format_of(data: bytes, name: str, content_type: str = "") -> Format:
    """What a document is: by its bytes where they leave no doubt, else by what it is said to be.

    >>> format_of(b"# Title", "notes.md").name, format_of(b"<!DOCTYPE html>", "page").name
    ('markdown', 'html')
    """
    if data.startswith(PDF_START):
        return PDF
    if told := next((form for form in FORMATS if content_type in form.content_types), None):
        return told
    suffix = PurePath(_path_of(name)).suffix.lower()
    if suffix in PDF.suffixes:
        return PDF
    if not is_text(data) or not (content_type in UNTOLD or content_type.startswith("text/")):
        said = f" ({content_type})" if content_type else ""
        raise BadInput(
            f"it is no document that can be read{said}; there are Markdown, HTML, PDF and plain "
            "text: save it as one of these, and add that"
        )
    if named := next((form for form in FORMATS if suffix in form.suffixes), None):
        return named
    return HTML if HTML_START.match(data[:START]) else PLAIN


def charset_of(page: bytes) -> str:
    """The charset that a page says it is in.

    >>> charset_of(b'<meta http-equiv="Content-Type" content="text/html; charset=euc-jp">')
    'euc-jp'
    """
    found = META_CHARSET.search(page[:START])
    return found[1].decode("ascii") if found else ""


def stem_of(name: str) -> str:
    """What a document is called when it does not say so itself.

    >>> stem_of("docs/set-up.md"), stem_of("https://example.com/a%20b.html"), stem_of("tmux/README")
    ('set-up', 'a b', 'tmux README')
    """
    path = PurePath(_path_of(name))
    folder = path.parent.name or urlsplit(name).hostname or ""
    if path.stem.lower() in UNTELLING:
        return f"{folder} {path.stem}".strip()
    return path.stem or folder or name


def _path_of(name: str) -> str:
    return unquote(urlsplit(name).path) if "://" in name else name
