"""Cut a document into passages that are short enough for a prompt and make sense alone.

A passage spans two headings only if both sections are tiny. It is cut between paragraphs, then
between sentences or lines, and inside a word only as a last resort.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from seasoned.documents.readers.document import Block, Document, Section

LONGEST_PASSAGE = 1200  # characters of a passage
ENOUGH = 800  # a passage this long takes no further paragraph
CRUMB = 200  # the last passage of a section should be longer
TINY = 100  # a section up to this size is merged with tiny neighbours
GATHERED = 400  # limit of merged tiny sections, so that each is still found by its words
LONGEST_FRAME = 300  # of the text repeated around each piece of a long block
BESIDE = 250  # characters of each neighbour that are indexed with a passage

# A character of these scripts counts as three letters.
WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
WIDTH = 3
SEPARATOR = "\n\n"

BLANK = re.compile(r"\n(?:[ \t]*\n)+")
ITEM = re.compile(r"\n(?=[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t])")
LINE = re.compile(r"\n")
# After the end of a sentence; a full stop is enough in scripts without spaces.
SENTENCE = re.compile(
    r"""(?<=[.!?…؟۔।॥])["'”’»)\]]*\s+(?![a-z])
    | (?<=[。！？；｡])[」』”’）】〉》]*(?![。！？；｡」』”’）】〉》])\s*""",
    re.VERBOSE,
)
SPACE = re.compile(r"\s+")
PROSE = (SENTENCE, LINE, SPACE)
LINES = (BLANK, ITEM, LINE, SENTENCE, SPACE)


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document, and the headings above it."""

    path: tuple[str, ...]
    text: str


def passages(document: Document) -> list[Passage]:
    """Cut a document into passages, in order, without losing a word."""
    return [
        Passage(path, text)
        for path, blocks in _gathered(document.sections)
        for text in _packed(blocks)
    ]


def beside(texts: Sequence[str], distance: int = 1) -> list[str]:
    """For each text, return the end of the previous and the beginning of the next one.

    >>> beside(["one two", "three", "four five"])
    ['three', 'one two\\nfour five', 'three']
    >>> beside(["one two", "three", "four five"], distance=2)
    ['four five', '', 'one two']
    """
    gap = [""] * distance
    before = [*gap, *map(_end, texts)]
    behind = [*map(_beginning, texts[distance:]), *gap]
    around = zip(before, behind, texts, strict=False)
    return [f"{above}\n{below}".strip() for above, below, _ in around]


def size(text: str) -> int:
    """Return the length of a text in letters.

    >>> size("tower"), size("東京")
    (5, 6)
    """
    return len(text) if text.isascii() else len(text) + (WIDTH - 1) * len(WIDE.findall(text))


def _gathered(sections: Sequence[Section]) -> Iterator[tuple[tuple[str, ...], Sequence[Block]]]:
    """Yield the blocks under each heading, merging tiny sections under one parent."""
    left = _opened(
        [
            section
            for section, after in pairwise([*sections, Section((), ())])
            if section.blocks or after.path[: len(section.path)] != section.path
        ]
    )
    while left:
        run = _run(left)
        del left[: len(run)]
        if len(run) == 1 and run[0].blocks:
            yield run[0].path, run[0].blocks
        else:
            base = _base(run)
            yield base, [Block(_headed(section, base)) for section in run]


def _opened(sections: list[Section]) -> list[Section]:
    """Move a few words above the first heading into its section."""
    if len(sections) < 2 or sections[0].path or size(_headed(sections[0], ())) > TINY:
        return sections
    above, first, *others = sections
    return [replace(first, blocks=above.blocks + first.blocks), *others]


def _run(sections: Sequence[Section]) -> Sequence[Section]:
    """Return the first section, with the tiny ones after it if it is tiny too."""
    run: list[Section] = []
    room = GATHERED
    for section in sections:
        cost = size(_headed(section, ()))
        kin = not run or section.path[:-1] == _base([*run, section])
        if not kin or cost > min(room, TINY):
            break
        run.append(section)
        room -= cost
    return run or sections[:1]


def _base(run: Sequence[Section]) -> tuple[str, ...]:
    """Return the common heading of these sections, which may be the first one's own."""
    first = run[0].path
    return first if len(run) > 1 and run[1].path[:-1] == first else first[:-1]


def _headed(section: Section, base: tuple[str, ...]) -> str:
    """Return a section as text, with its heading unless that is the base."""
    heading = f"{'#' * min(6, len(section.path))} {section.path[-1]}" if section.path else ""
    parts = [heading if section.path != base else "", *map(str, section.blocks)]
    return SEPARATOR.join(part for part in parts if part)


def _packed(blocks: Iterable[Block]) -> Iterator[str]:
    """Join blocks into texts of about the right length."""
    pieces = (piece for block in blocks for piece in _pieces(block))
    for group in _evened(_grouped(_led(pieces))):
        yield SEPARATOR.join(group)


def _led(pieces: Iterable[Block]) -> Iterator[str]:
    """Join a piece that introduces the next one ("as follows:") with that one."""
    held = ""
    for piece in pieces:
        together = f"{held}{SEPARATOR}{piece}" if held else str(piece)
        if size(together) > LONGEST_PASSAGE:
            yield held
            together = str(piece)
        held = together if piece.leads or together.endswith((":", "：")) else ""
        if not held:
            yield together
    if held:
        yield held


def _grouped(units: Iterable[str]) -> list[list[str]]:
    groups: list[list[str]] = []
    filled = ENOUGH
    for unit in units:
        need = len(SEPARATOR) + size(unit)
        if filled < ENOUGH and filled + need <= LONGEST_PASSAGE:
            groups[-1].append(unit)
            filled += need
            continue
        if len(groups) > 1 and filled <= CRUMB and _fits(groups[-2] + groups[-1]):
            crumb = groups.pop()
            groups[-1] += crumb
        groups.append([unit])
        filled = size(unit)
    return groups


def _evened(groups: list[list[str]]) -> list[list[str]]:
    """Merge a crumb at the end with the group before it, or divide the two evenly."""
    if len(groups) < 2 or _length(groups[-1]) > CRUMB:
        return groups
    *others, last_but_one, last = groups
    units = [*last_but_one, *last]
    if _fits(units):
        return [*others, units]
    pairs = [(units[:place], units[place:]) for place in range(1, len(units))]
    fitting = (pair for pair in pairs if _fits(pair[0]) and _fits(pair[1]))
    return [*others, *min(fitting, key=lambda pair: abs(_length(pair[0]) - _length(pair[1])))]


def _length(units: Sequence[str]) -> int:
    return sum(map(size, units)) + len(SEPARATOR) * (len(units) - 1)


def _fits(units: Sequence[str]) -> bool:
    return _length(units) <= LONGEST_PASSAGE


def _pieces(block: Block) -> Iterator[Block]:
    """Yield a block, cut into pieces that fit if it is too long, each in the block's frame."""
    if size(str(block)) <= LONGEST_PASSAGE:
        yield block
        return
    if size(block.above) + size(block.below) > LONGEST_FRAME:
        block = Block(str(block), block.lines)
    room = LONGEST_PASSAGE - size(block.above) - size(block.below) - 2
    for text in _cut(block.text, room, LINES if block.lines else PROSE):
        if text.strip():
            yield replace(block, text=text.strip("\n").rstrip())


def _cut(text: str, room: int, breaks: Sequence[re.Pattern[str]]) -> Iterator[str]:
    """Cut a text into pieces of at most `room`, at the first kind of break if possible."""
    if not breaks:
        yield from _chopped(text, room)
        return
    filled, taken = "", 0
    for part in _parts(text, breaks[0]):
        need = size(part.rstrip())
        if filled and taken + need > room:
            yield filled
            filled, taken = "", 0
        *whole, rest = _cut(part, room, breaks[1:]) if need > room else (part,)
        yield from whole
        filled += rest
        taken += size(rest)
    yield filled


def _parts(text: str, at: re.Pattern[str]) -> Iterator[str]:
    """Cut a text after each break; the parts joined again are the text."""
    start = 0
    for found in at.finditer(text):
        if found.end() > start:
            yield text[start : found.end()]
            start = found.end()
    if start < len(text):
        yield text[start:]


def _chopped(text: str, room: int) -> Iterator[str]:
    start, taken = 0, 0
    for place, character in enumerate(text):
        taken += size(character)
        if taken > room:
            yield text[start:place]
            start, taken = place, size(character)
    yield text[start:]


def _end(text: str) -> str:
    """Return the last words of a text."""
    if len(text) <= BESIDE:
        return text
    return text[-BESIDE:].partition(" ")[2] or text[-BESIDE:]


def _beginning(text: str) -> str:
    """Return the first words of a text."""
    if len(text) <= BESIDE:
        return text
    return text[:BESIDE].rpartition(" ")[0] or text[:BESIDE]
