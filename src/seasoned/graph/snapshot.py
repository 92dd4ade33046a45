"""A graph as one value, for writing to a file or reading from one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from seasoned.core.errors import BadInput
from seasoned.graph.triple import Triple, valid_triple


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Triples, and labels of nodes."""

    triples: Sequence[Triple] = ()
    labels: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def nodes(self) -> list[str]:
        """Return every node of a triple or a label, once."""
        ends = (end for one in self.triples for end in (one.subject, one.object))
        return list(dict.fromkeys((*ends, *self.labels)))


class Unreadable(Exception):
    """A line cannot be used; `line` is 0 if none is known."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True, slots=True)
class GraphFormat:
    """A file format: how to write a graph, and how to read it back."""

    name: str
    suffix: str
    write: Callable[[Snapshot], Iterator[str]]
    read: Callable[[str], Snapshot]


def check_triple(triple: Triple, line: int = 0) -> Triple:
    """Check a triple; an error names the line."""
    try:
        return valid_triple(triple)
    except BadInput as error:
        raise Unreadable(str(error), line) from error
