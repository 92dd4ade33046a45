"""Read PDF: the text of each page, under the headings of the outline.

Needs the extra `documents`; pypdf is imported when the first PDF is read.
"""

import io
import logging
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from seasoned.core.errors import BadInput, SeasonedError
from seasoned.core.extras import missing_extra
from seasoned.documents.readers.document import Block, Document, Outline, says_something
from seasoned.documents.readers.pdf_lines import Paragraphs, cleaned

if TYPE_CHECKING:
    from pypdf import PdfReader

FORMAT = "pdf"
PAGE_LEVEL = 99  # a page is the innermost heading
# Titles that programs write when the author gave none.
NO_TITLE = re.compile(r"untitled.*|.*\.(?:docx?|tex|dvi|indd|pptx?|xlsx?|pdf)|\W*", re.IGNORECASE)
PROGRAM = re.compile(r"^Microsoft \w+ - ")


class Bookmark(NamedTuple):
    """An entry of the outline: a heading and its page."""

    level: int
    title: str
    page: int


def read(data: bytes) -> Document:
    with _explained():
        reader = _opened(data)
        pages = cleaned([page.extract_text() for page in reader.pages])
        bookmarks = list(_bookmarks(reader, reader.outline, 1))
        title = _title(reader)
    if not any(pages):
        raise BadInput(
            "the PDF has pictures of its pages and no text; recognise the text first, "
            "for instance with `ocrmypdf in.pdf out.pdf`"
        )
    return Document(title, FORMAT, _outlined(pages, bookmarks).sections())


def _opened(data: bytes) -> "PdfReader":
    try:
        from pypdf import PdfReader
    except ImportError as missing:
        raise missing_extra("documents", "PDF needs a reader") from missing
    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise BadInput("the PDF is encrypted; save it without its password, and add that")
    return reader


@contextmanager
def _explained() -> Generator[None]:
    """Turn any failure of the library into BadInput; a damaged file can raise anything."""
    log = logging.getLogger("pypdf")
    level = log.level
    log.setLevel(logging.CRITICAL)  # it warns of every little flaw
    try:
        yield
    except SeasonedError:
        raise
    except Exception as error:
        told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise BadInput(f"the PDF cannot be read ({told}); open it and save it anew") from error
    finally:
        log.setLevel(level)


def _title(reader: "PdfReader") -> str:
    given = (reader.metadata.title or "") if reader.metadata else ""
    title = PROGRAM.sub("", " ".join(given.split()))
    return "" if NO_TITLE.fullmatch(title) else title


def _bookmarks(reader: "PdfReader", entries: Iterable[Any], level: int) -> Iterator[Bookmark]:
    for entry in entries:
        if isinstance(entry, list):
            yield from _bookmarks(reader, cast("list[Any]", entry), level + 1)
            continue
        page = reader.get_destination_page_number(entry)
        if entry.title and page is not None:
            yield Bookmark(level, " ".join(entry.title.split()), page)


def _outlined(pages: Sequence[Sequence[str]], bookmarks: Sequence[Bookmark]) -> Outline:
    outline, paragraphs = Outline(), Paragraphs(pages)
    for number, lines in enumerate(pages):
        rest = lines
        for bookmark in (one for one in bookmarks if one.page == number):
            above, rest = _parted(rest, bookmark.title)
            _add(outline, number, paragraphs.blocks(above))
            outline.head(bookmark.level, bookmark.title)
        _add(outline, number, paragraphs.blocks(rest))
    return outline


def _add(outline: Outline, number: int, blocks: Iterable[Block]) -> None:
    for place, block in enumerate(filter(says_something, blocks)):
        if place == 0:
            outline.head(PAGE_LEVEL, f"page {number + 1}")
        outline.add(block)


def _parted(lines: Sequence[str], title: str) -> tuple[Sequence[str], Sequence[str]]:
    """Split lines at a heading into those above and below; all are below if it is not found.

    >>> _parted(["end.", "2.1 The glob", "files", "The list"], "The glob files")
    (['end.'], ['The list'])
    """
    wanted = _letters(title)
    for place in range(len(lines)):
        for height in (1, 2, 3):
            if _letters(" ".join(lines[place : place + height])) == wanted:
                return lines[:place], lines[place + height :]
    return [], lines


def _letters(text: str) -> str:
    """Return the letters of a heading, without numbers and spaces."""
    return "".join(re.findall(r"[^\W\d_]", text)).casefold()
