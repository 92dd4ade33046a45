"""Join the lines of a PDF's pages into paragraphs; a PDF stores single lines only."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from seasoned.documents.readers.document import Block

# On how many pages a first or last line repeats if it is a running title; fewer with a page number.
REPEATED, REPEATED_WITH_NUMBER = 3, 2
NUMBER = re.compile(r"\d+")
NUMBERED = re.compile(r"0\b|.*\b0")
PAGE_NUMBER = re.compile(
    r"\W*(?:page|seite|s\.|p\.)?\s*(?:\d+(?:\s*(?:/|of|von|de)\s*\d+)?|[ivxlc]{1,7})\W*", re.I
)
POINTER = re.compile(r"(?:\. ?){5}\s*\w{1,5}$")  # a line of a table of contents
ITEM = re.compile(r"(?:[-–—*•◦▪‣·]|\d{1,3}[.)]|[a-z][.)])\s")
WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
BROKEN = re.compile(r"([^\W\d_]+)[-\xad]$")
WIDE = re.compile("[\u2e80-\ua4cf\uf900-\ufaff\uff00-\uffef]")
LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "ft", "ﬆ": "st", "\xa0": " "}
)
FULL = 0.7  # a line of this share of the usual width continues in the next


def cleaned(pages: Sequence[str]) -> list[list[str]]:
    """Return the lines of each page, without page numbers and running titles."""
    lines = [_lines(page) for page in pages]
    ends = Counter(
        NUMBER.sub("0", line) for page in lines for line in {*page[:1], *page[-1:]} if page
    )
    running = {
        line
        for line, times in ends.items()
        if times >= (REPEATED_WITH_NUMBER if NUMBERED.fullmatch(line) else REPEATED)
    }
    return [_body(page, running) for page in lines]


def _lines(page: str) -> list[str]:
    lines = (" ".join(line.split()) for line in page.translate(LIGATURES).split("\n"))
    return [line for line in lines if line and not POINTER.search(line)]


def _body(page: list[str], running: set[str]) -> list[str]:
    while page and _is_furniture(page[0], running):
        page = page[1:]
    while page and _is_furniture(page[-1], running):
        page = page[:-1]
    return page


def _is_furniture(line: str, running: set[str]) -> bool:
    return NUMBER.sub("0", line) in running or PAGE_NUMBER.fullmatch(line) is not None


class Paragraphs:
    """Joins lines; the words of the whole document tell where a word was hyphenated."""

    def __init__(self, pages: Iterable[Sequence[str]]) -> None:
        lines = [line for page in pages for line in page]
        self._words = {word.lower() for line in lines for word in WORD.findall(line)}
        lengths = sorted(map(len, lines))
        self._full = FULL * lengths[len(lengths) * 9 // 10] if lengths else 0

    def blocks(self, lines: Iterable[str]) -> Iterator[Block]:
        """Yield paragraphs; adjacent short lines (a list, code) stay lines."""
        short: list[str] = []
        for paragraph in self._unfolded(lines):
            if len(paragraph) < self._full:
                short.append(paragraph)
                continue
            if short:
                yield Block("\n".join(short), lines=True)
                short = []
            yield Block(paragraph)
        if short:
            yield Block("\n".join(short), lines=True)

    def _unfolded(self, lines: Iterable[str]) -> Iterator[str]:
        paragraph, last = "", ""
        for line in lines:
            if paragraph and len(last) >= self._full and not ITEM.match(line):
                paragraph = self._joined(paragraph, line)
            else:
                if paragraph:
                    yield paragraph
                paragraph = line
            last = line
        if paragraph:
            yield paragraph

    def _joined(self, paragraph: str, line: str) -> str:
        if WIDE.match(paragraph[-1]) and WIDE.match(line):
            return paragraph + line
        broken = BROKEN.search(paragraph)
        if not broken or not line[0].islower():
            return f"{paragraph} {line}"
        rest = WORD.match(line)
        compound = f"{broken[1]}-{rest[0] if rest else ''}".lower()
        hyphen = (
            "-" if compound in self._words and compound.replace("-", "") not in self._words else ""
        )
        return paragraph[:-1] + hyphen + line
