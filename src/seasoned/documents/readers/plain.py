"""Read plain text: paragraphs, and headings underlined with a row of one character."""

import re
from collections.abc import Sequence

from seasoned.documents.readers.document import LONGEST_HEADING, Block, Document, Outline

FORMAT = "text"
RULE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}")  # any punctuation, as in reStructuredText
LISTED = re.compile(r"\s|(?:[-*+•]|\d{1,3}[.)])\s")  # an indented line, an item of a list
COLUMNS = re.compile(r"\S(?: {3,}|\t)\S")
UNSEEN = re.compile(r"\.\. (?:_|contents::|\|)")  # reStructuredText that is not shown
MOST_LINES = 40  # more lines are a log or a listing, not a paragraph


def read(text: str) -> Document:
    """Read a document; the first kind of underline is level 1, the next kind level 2, and so on."""
    outline = Outline()
    levels: dict[tuple[str, bool], int] = {}
    paragraph: list[str] = []
    lines = [line.rstrip() for line in text.expandtabs(8).split("\n")]
    place = 0
    while place < len(lines):
        heading = None if paragraph else _heading(lines, place)
        if heading:
            title, kind, height = heading
            outline.head(levels.setdefault(kind, len(levels) + 1), title)
            place += height
            continue
        if lines[place]:
            paragraph.append(lines[place])
        else:
            outline.add(_block(paragraph))
            paragraph = []
        place += 1
    outline.add(_block(paragraph))
    return Document(outline.title, FORMAT, outline.sections())


def _heading(lines: Sequence[str], place: int) -> tuple[str, tuple[str, bool], int] | None:
    """Return the heading at this line: title, kind and number of lines; None if there is none.

    >>> _heading(["Usage", "====="], 0), _heading(["a   b", "====="], 0)
    (('Usage', ('=', False), 2), None)
    """
    first, second, third = (*lines[place : place + 3], "", "")[:3]
    if _is_rule(first) and first == third and _is_title(second, first):
        return second.strip(), (first[0], True), 3
    if _is_rule(second) and not first.startswith(" ") and _is_title(first, second):
        return first.strip(), (second[0], False), 2
    return None


def _is_rule(line: str) -> bool:
    return RULE.fullmatch(line) is not None


def _is_title(line: str, rule: str) -> bool:
    text = line.strip()
    return (
        0 < len(text) <= min(len(rule) + 2, LONGEST_HEADING)
        and not _is_rule(text)
        and COLUMNS.search(text) is None
    )


def _block(lines: Sequence[str]) -> Block:
    shown = [line for line in lines if not UNSEEN.match(line)]
    listed = len(shown) > MOST_LINES or any(
        LISTED.match(line) or COLUMNS.search(line) for line in shown
    )
    leads = len(shown) == 1 and shown[0].startswith(".. ")
    return Block("\n".join(shown), lines=listed, leads=leads)
