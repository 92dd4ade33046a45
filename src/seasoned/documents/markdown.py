"""Reads Markdown: headings, paragraphs, lists, tables and code."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile

from seasoned.documents.document import Block, Document
from seasoned.documents.markdown_inline import Inline
from seasoned.documents.outline import Outline

FORMAT = "markdown"

FRONT_MATTER = re.compile(r"(---|\+\+\+)[ \t]*\n(.*?)\n\1[ \t]*(?:\n|$)", re.DOTALL)
FIELD = re.compile(r"^(\w+)[ \t]*[:=][ \t]*(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
FOLDING = re.compile(r"[>|][+-]?[ \t]*\n")

QUOTE = re.compile(r"^(?: {0,3}>[ \t]?)+")
FENCE = re.compile(r"([ \t]*)(`{3,}(?=[^`]*$)|~{3,})(.*)")
HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)")
CLOSING = re.compile(r"(?:^|[ \t])#+$")
HTML_HEADING = re.compile(r"[ \t]*<h([1-6])\b[^>]*>(.*?)</h\1>", re.IGNORECASE)
UNDERLINE = re.compile(r" {0,3}(=+|-+)")
RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}")
ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
POINTER = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[.*\]\(#[^()]*\)")
TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
DEFINITION = re.compile(r" {0,3}\[([^\]^][^\]]*)\]:[ \t]+\S+.*")
INDENTED = re.compile(r" {4}|\t")


def read(text: str) -> Document:
    """The document; its title is that of the front matter, else its only outermost heading."""
    fields, body = _front_matter(text)
    reading = Reading(body.split("\n"))
    reading.outline.add(Block(fields.get("description") or fields.get("summary") or ""))
    reading.read()
    title = fields.get("title") or reading.outline.title or fields.get("name") or ""
    return Document(title, FORMAT, reading.outline.sections())


def _front_matter(text: str) -> tuple[dict[str, str], str]:
    """What the front matter says of the document, and the text behind it.

    >>> _front_matter("---\\ntitle: 'A guide'\\n---\\nText")
    ({'title': 'A guide'}, 'Text')
    """
    found = FRONT_MATTER.match(text)
    if found is None or not FIELD.search(found[2]):
        return {}, text
    fields = {
        name.lower(): " ".join(FOLDING.sub("", value).split()).strip("\"'")
        for name, value in FIELD.findall(found[2])
    }
    return fields, text[found.end() :]


class Reading:
    """Goes through the lines once; lines that are nothing else gather as a paragraph."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.place = 0
        self.outline = Outline()
        self.paragraph: list[str] = []
        self.in_list = False
        named = (DEFINITION.fullmatch(line) for line in lines)
        self.inline = Inline({found[1].lower() for found in named if found})

    def read(self) -> None:
        while self.place < len(self.lines):
            line = self.line(self.place)
            taken = next(filter(None, (step(self, line) for step in STEPS)), 0)
            if not taken:
                self.paragraph.append(line)
            self.place += taken or 1
        self.end_paragraph()

    def line(self, place: int) -> str:
        """A line as it reads; nothing behind the last one."""
        return QUOTE.sub("", self.lines[place], count=1).rstrip() if place < len(self.lines) else ""

    def ahead(self, by: int) -> Iterator[str]:
        """The lines from here on, as they read."""
        return map(self.line, range(self.place + by, len(self.lines)))

    def end_paragraph(self) -> None:
        lines, self.paragraph = self.paragraph, []
        if lines and not all(map(POINTER.fullmatch, lines)):  # a table of contents says nothing
            listed = any(ITEM.match(line) for line in lines)
            self.in_list = listed or (self.in_list and lines[0].startswith((" ", "\t")))
            self.outline.add(Block(self.inline.text("\n".join(lines)), lines=listed))

    def head(self, level: int, text: str) -> None:
        self.end_paragraph()
        self.in_list = False
        self.outline.head(level, self.inline.heading(text))


# Each step says how many lines it took; none when it is something else that begins here.


def _fence(reading: Reading, line: str) -> int:
    opened = FENCE.fullmatch(line)
    if opened is None:
        return 0
    reading.end_paragraph()
    indent, mark, about = opened.groups()
    quoted = QUOTE.match(reading.lines[reading.place]) is not None
    end = re.compile(rf"[ \t]*{mark[0]}{{{len(mark)},}}[ \t]*")
    rest = reading.ahead(1) if quoted else islice(reading.lines, reading.place + 1, None)
    inside = list(takewhile(lambda inner: not end.fullmatch(inner), rest))
    code = "\n".join(inner.removeprefix(indent) for inner in inside)
    reading.outline.add(Block(code, lines=True, above=mark + about, below=mark))
    return len(inside) + 2


def _comment(reading: Reading, line: str) -> int:
    if not line.lstrip().startswith("<!--"):
        return 0
    reading.end_paragraph()
    inside = sum(1 for _ in takewhile(lambda inner: "-->" not in inner, reading.ahead(0)))
    behind = reading.line(reading.place + inside).partition("-->")[2].strip()
    if behind:
        reading.paragraph.append(behind)
    return inside + 1


def _blank(reading: Reading, line: str) -> int:
    if line:
        return 0
    reading.end_paragraph()
    return 1


def _heading(reading: Reading, line: str) -> int:
    if found := HEADING.match(line):
        reading.head(len(found[1]), CLOSING.sub("", line[found.end() :]))
    elif found := HTML_HEADING.fullmatch(line):
        reading.head(int(found[1]), found[2])
    else:
        return 0
    return 1


def _underline(reading: Reading, line: str) -> int:
    found = UNDERLINE.fullmatch(line)
    if not found or not reading.paragraph or ITEM.match(reading.paragraph[-1]):
        return 0
    *before, title = reading.paragraph
    reading.paragraph = before
    reading.head(1 if found[1].startswith("=") else 2, title)
    return 1


def _rule(reading: Reading, line: str) -> int:
    if not RULE.fullmatch(line):
        return 0
    reading.end_paragraph()
    return 1


def _table(reading: Reading, line: str) -> int:
    rule = reading.line(reading.place + 1)
    if "|" not in line or "-" not in rule or not TABLE_RULE.fullmatch(rule):
        return 0
    reading.end_paragraph()
    rows = list(takewhile(lambda row: "|" in row, reading.ahead(2)))
    text = "\n".join(reading.inline.text(row).strip() for row in rows)
    head = f"{reading.inline.text(line).strip()}\n{rule.strip()}"
    reading.outline.add(Block(text, lines=True, above=head))
    return len(rows) + 2


def _indented_code(reading: Reading, line: str) -> int:
    if reading.paragraph or reading.in_list or not INDENTED.match(line):
        return 0
    inside = list(takewhile(lambda inner: not inner or INDENTED.match(inner), reading.ahead(0)))
    code = "\n".join(INDENTED.sub("", inner, count=1) for inner in inside)
    reading.outline.add(Block(code.rstrip(), lines=True, above="```", below="```"))
    return len(inside)


def _definition(reading: Reading, line: str) -> int:
    return 1 if not reading.paragraph and DEFINITION.fullmatch(line) else 0


STEPS: tuple[Callable[[Reading, str], int], ...] = (
    _blank,
    _fence,
    _comment,
    _heading,
    _underline,
    _rule,
    _table,
    _indented_code,
    _definition,
)
