"""A graph as one value, to be written to a file or read from one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from seasoned.core.errors import BadInput
from seasoned.core.triple import Triple
from seasoned.graph.valid import valid


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Triples, and what their nodes are called for people."""

    triples: Sequence[Triple] = ()
    labels: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def nodes(self) -> list[str]:
        """Every node that a triple or a label names, each once."""
        ends = (end for one in self.triples for end in (one.subject, one.object))
        return list(dict.fromkeys((*ends, *self.labels)))


class Unreadable(Exception):
    """A line cannot be used; `line` is 0 where there is none to name."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True, slots=True)
class Format:
    """How a graph is written, and read back."""

    name: str
    suffix: str
    write: Callable[[Snapshot], Iterator[str]]
    read: Callable[[str], Snapshot]


def usable(triple: Triple, line: int = 0) -> Triple:
    """The triple, if it can be stored; else the line at fault is named."""
    try:
        return valid(triple)
    except BadInput as error:
        raise Unreadable(str(error), line) from error
