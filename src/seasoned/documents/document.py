"""What a reader makes of a document: its title, and what stands under each of its headings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list, a table, a piece of code.

    `above` and `below` frame every piece that a long block is cut into: the head of a table, the
    fences around code.
    """

    text: str
    lines: bool = False  # its lines mean something: it is cut between them, not inside
    above: str = ""
    below: str = ""
    leads: bool = False  # it belongs to the block behind it

    def __str__(self) -> str:
        return "\n".join(part for part in (self.above, self.text, self.below) if part)


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading; `path` names the headings from the outermost to it."""

    path: tuple[str, ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    format: str
    sections: tuple[Section, ...]
