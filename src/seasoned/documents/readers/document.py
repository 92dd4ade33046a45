"""The structure that readers give a document: a title, and blocks of text under headings."""

import re
from dataclasses import dataclass

LONGEST_HEADING = 200  # longer text is no heading, whatever its mark-up says
WORD = re.compile(r"[^\W_]")
# The heading of a table of contents.
CONTENTS = re.compile(
    r"(?:table of )?contents?|toc|on this page|in this (?:article|page|section)"
    r"|inhalt(?:sverzeichnis)?|sommaire|table des matières|índice|目次|目录|目錄",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list, a table or a piece of code.

    A long block is cut into pieces; each piece is framed by `above` and `below`: the head of a
    table, the fences around code.
    """

    text: str
    lines: bool = False  # cut it between lines, not inside one
    above: str = ""
    below: str = ""
    leads: bool = False  # keep it together with the next block

    def __str__(self) -> str:
        return "\n".join(part for part in (self.above, self.text, self.below) if part)


@dataclass(frozen=True, slots=True)
class Section:
    """The blocks under one heading; `path` lists the headings from the outermost one."""

    path: tuple[str, ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    format: str
    sections: tuple[Section, ...]


class Outline:
    """Collects blocks under headings; a heading of level 2 closes those of level 2 and deeper.

    >>> outline = Outline()
    >>> outline.head(1, "Guide")
    >>> outline.head(3, "Install")
    >>> outline.add(Block("Run make."))
    >>> outline.head(2, "Use")
    >>> [(section.path, len(section.blocks)) for section in outline.sections()]
    [(('Guide',), 0), (('Guide', 'Install'), 1), (('Guide', 'Use'), 0)]
    """

    def __init__(self) -> None:
        self._tops: list[str] = []  # the outermost headings, in order
        self._open: list[tuple[int, str]] = []
        self._done: list[Section] = []
        self._blocks: list[Block] = []

    def head(self, level: int, text: str) -> None:
        if len(text) > LONGEST_HEADING:
            self.add(Block(text))
        elif text and not CONTENTS.fullmatch(text):
            self._enter(level, text)

    def _enter(self, level: int, text: str) -> None:
        self._end()
        self._open = [(above, name) for above, name in self._open if above < level]
        if not self._open:
            self._tops.append(text)
        self._open.append((level, text))

    def add(self, block: Block) -> None:
        if says_something(block):
            self._blocks.append(block)

    @property
    def title(self) -> str:
        """The only outermost heading, if there is just one."""
        return self._tops[0] if len(self._tops) == 1 else ""

    def sections(self) -> tuple[Section, ...]:
        self._end()
        self._open = []
        return tuple(self._done)

    def _end(self) -> None:
        if self._open or self._blocks:
            path = tuple(name for _, name in self._open)
            self._done.append(Section(path, tuple(self._blocks)))
        self._blocks = []


def says_something(block: Block) -> bool:
    """Whether a block holds a word, unlike a drawn line or an empty cell."""
    text = str(block)
    return WORD.search(text) is not None and not CONTENTS.fullmatch(text)
