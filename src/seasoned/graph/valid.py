"""What may stand in the graph; checked once, where it comes in."""

import sys
from dataclasses import replace

from seasoned.core.errors import BadInput
from seasoned.core.triple import PREDICATES, Predicate, Triple
from seasoned.graph.nodes import checked, plain

LARGEST_TIME = 2**63


def known(predicate: str) -> Predicate:
    """The predicate, if it is one of those there are."""
    if predicate not in PREDICATES:
        raise BadInput(f"there is no predicate {predicate!r}; there are {', '.join(PREDICATES)}")
    return predicate


def valid(triple: Triple, now: int = 0) -> Triple:
    """The triple as it can be stored, stamped with the time unless it has one.

    >>> stored = valid(Triple("tool:bash", "relatedTo", "tool:zsh", 1, source=" me "), now=7)
    >>> stored.weight, stored.source, stored.at
    (1.0, 'me', 7)
    """
    checked(triple.subject)
    known(triple.predicate)
    checked(triple.object)
    if not 0 <= triple.weight <= sys.float_info.max:
        raise BadInput(f"the weight of {_said(triple)} is {triple.weight}; it must be 0 or more")
    if not 0 <= triple.at < LARGEST_TIME:
        raise BadInput(
            f"the time of {_said(triple)} is {triple.at}; it must be microseconds since 1970"
        )
    return replace(
        triple, weight=float(triple.weight), source=plain(triple.source), at=triple.at or now
    )


def _said(triple: Triple) -> str:
    return f"{triple.subject} {triple.predicate} {triple.object}"
