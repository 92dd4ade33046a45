"""BM25, the part that needs no database: what a word is worth, and what is known of a text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import NamedTuple

LENGTH_COUNTS = 0.4  # how much a long text must say a word more often (BM25's b)
SATURATION = 0.9  # how soon a word said again adds nothing (BM25's k1)
TRIGGER_WEIGHS, NEAR_WEIGHS, FAR_WEIGHS = 2.0, 0.4, 0.15  # against the content itself


class Indexed(NamedTuple):
    """A text as it is indexed: each field is stemmed words with spaces between."""

    trigger: str
    content: str
    near: str = ""
    far: str = ""

    @property
    def length(self) -> float:
        """In words; those beside it count as much as they weigh."""
        own = self.trigger.count(" ") + self.content.count(" ") + 2
        return own + NEAR_WEIGHS * self.near.count(" ") + FAR_WEIGHS * self.far.count(" ")


@dataclass(frozen=True, slots=True)
class Spoken:
    """The best candidates, and what the ranking must know of the collection."""

    keys: Sequence[int] = ()
    frequencies: Mapping[str, int] = field(default_factory=dict[str, int])
    total: int = 0
    mean_length: float = 1.0

    def weight(self, word: str) -> float:
        """How telling a word is: the rarer, the more (BM25's idf)."""
        often = min(self.frequencies.get(word, 0), self.total)
        return log(1 + (self.total - often + 0.5) / (often + 0.5))
