"""A statement of the graph: subject, predicate, object, and how strongly it holds."""

from dataclasses import dataclass
from typing import Literal, get_args

Predicate = Literal[
    "causedBy",
    "inSession",
    "similarTo",
    "resolvedBy",
    "relatedTo",
    "follows",
    "contains",
    "reflectsOn",
    "learnedFrom",
    "supersedes",
    "contradicts",
]
PREDICATES: tuple[Predicate, ...] = get_args(Predicate)


@dataclass(frozen=True, slots=True)
class Triple:
    subject: str
    predicate: Predicate
    object: str
    weight: float = 1.0
    source: str = ""
    at: int = 0
