"""Puts blocks under their headings while a document is read from top to bottom."""

import re

from seasoned.documents.document import Block, Section

LONGEST_HEADING = 200  # what is longer is no heading, whatever its mark-up says
WORD = re.compile(r"[^\W_]")
# A heading that only says where the other headings are.
CONTENTS = re.compile(
    r"(?:table of )?contents?|toc|on this page|in this (?:article|page|section)"
    r"|inhalt(?:sverzeichnis)?|sommaire|table des matières|índice|目次|目录|目錄",
    re.IGNORECASE,
)


class Outline:
    """The sections so far; a heading of level 2 ends those of level 2 and below.

    >>> outline = Outline()
    >>> outline.head(1, "Guide")
    >>> outline.head(3, "Install")
    >>> outline.add(Block("Run make."))
    >>> outline.head(2, "Use")
    >>> [(section.path, len(section.blocks)) for section in outline.sections()]
    [(('Guide',), 0), (('Guide', 'Install'), 1), (('Guide', 'Use'), 0)]
    """

    def __init__(self) -> None:
        self._tops: list[str] = []  # the outermost headings, in their order
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
        """The heading that all others stand under, if there is one."""
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
    """Whether there is a word in it: a drawn line or an empty cell has none."""
    text = str(block)
    return WORD.search(text) is not None and not CONTENTS.fullmatch(text)
