"""Read a document; its content type, name and bytes decide the format."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import PurePath
from urllib.parse import unquote, urlsplit

from seasoned.core.errors import BadInput
from seasoned.documents.readers import html, markdown, pdf, plain
from seasoned.documents.readers.decoding import decoded, is_text
from seasoned.documents.readers.document import Document

REVISION = 1  # of reading and cutting; raise it to have every document read again

PDF_START = b"%PDF-"
HTML_START = re.compile(
    rb"\s*(?:<!--.*?-->\s*|<\?xml[^>]*>\s*)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
META_CHARSET = re.compile(rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
START = 4096  # bytes in which a page declares its type
# Names that mean nothing without the folder's.
UNTELLING = frozenset("readme index changes changelog news install todo faq history notes".split())
UNTOLD = (
    "",
    "application/octet-stream",
    "binary/octet-stream",
)  # types of servers that do not know


@dataclass(frozen=True, slots=True)
class DocumentFormat:
    """A document format: its suffixes and content types, and its reader of bytes in a charset."""

    name: str
    suffixes: tuple[str, ...]
    content_types: tuple[str, ...]
    read: Callable[[bytes, str], Document]


MARKDOWN = DocumentFormat(
    markdown.FORMAT,
    (".md", ".markdown", ".mdown", ".mkd", ".mdx"),
    ("text/markdown", "text/x-markdown"),
    lambda data, charset: markdown.read(decoded(data, charset)),
)
HTML = DocumentFormat(
    html.FORMAT,
    (".html", ".htm", ".xhtml"),
    ("text/html", "application/xhtml+xml"),
    lambda data, charset: html.read(decoded(data, charset or charset_of(data))),
)
PDF = DocumentFormat(pdf.FORMAT, (".pdf",), ("application/pdf",), lambda data, _: pdf.read(data))
PLAIN = DocumentFormat(
    plain.FORMAT,
    (".txt", ".text", ".rst", ".log", ".org", ".adoc", ".asciidoc"),
    (),
    lambda data, charset: plain.read(decoded(data, charset)),
)
FORMATS = (MARKDOWN, HTML, PDF, PLAIN)
SUFFIXES = frozenset(suffix for form in FORMATS for suffix in form.suffixes)


def read(data: bytes, name: str, content_type: str = "", charset: str = "") -> Document:
    """Read a document; `name`, a path or an address, replaces a missing title."""
    document = format_of(data, name, content_type).read(data, charset)
    if not document.sections:
        raise BadInput("there is no text in it")
    return replace(document, title=document.title or stem_of(name))


def format_of(data: bytes, name: str, content_type: str = "") -> DocumentFormat:
    """Return the format: by the bytes if they are unambiguous, else by type and name.

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
            f"it is in no format that can be read{said}; save it as Markdown, HTML, PDF or plain "
            "text, and add that"
        )
    if named := next((form for form in FORMATS if suffix in form.suffixes), None):
        return named
    return HTML if HTML_START.match(data[:START]) else PLAIN


def charset_of(page: bytes) -> str:
    """Return the charset that a page declares.

    >>> charset_of(b'<meta http-equiv="Content-Type" content="text/html; charset=euc-jp">')
    'euc-jp'
    """
    found = META_CHARSET.search(page[:START])
    return found[1].decode("ascii") if found else ""


def stem_of(name: str) -> str:
    """Return a title for a document that has none.

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
