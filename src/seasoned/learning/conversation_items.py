"""What a conversation may teach: typed items, the words that bear them out, and their trust."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

from seasoned.core.triple import Predicate, Triple
from seasoned.graph.nodes import checked, plain
from seasoned.learning.confidence import PRIORS, Belief
from seasoned.learning.lesson import Source
from seasoned.memory.session import Role

T = TypeVar("T")

ItemKind = Literal["fact", "pattern", "correction", "preference"]
Certainty = Literal["high", "medium", "low"]
ITEM_KINDS: tuple[ItemKind, ...] = get_args(ItemKind)
CERTAINTIES: tuple[Certainty, ...] = get_args(Certainty)

# What an assistant or a tool said is nobody's word: however sure, it is no more than this.
HEARSAY: dict[Certainty, Certainty] = {"high": "medium", "medium": "medium", "low": "low"}
FIRST, EVERY, LAST = 3, 5, 5
LONGEST_ENTITY = 120


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a message, and whose they are."""

    seq: int
    role: Role
    text: str
    at: int = 0


@dataclass(frozen=True, slots=True)
class Said:
    """Subject, predicate and object, where an item says how two things are related."""

    subject: str
    predicate: Predicate
    object: str


@dataclass(frozen=True, slots=True)
class Item:
    """`told` is what a user said outright; `known` numbers a known statement that says the same."""

    kind: ItemKind
    content: str
    certainty: Certainty
    quotes: tuple[Quote, ...]
    when: str = ""  # the situation that a preference matters in; empty: always
    said: Said | None = None
    told: bool = False
    known: int | None = None

    @property
    def by_user(self) -> bool:
        return any(quote.role == "user" for quote in self.quotes)

    @property
    def sure(self) -> bool:
        """Whether a user said so, beyond doubt: it may take back what users said before."""
        return self.by_user and self.certainty == "high"

    @property
    def said_at(self) -> int:
        return max(quote.at for quote in self.quotes)

    @property
    def source(self) -> Source:
        return "user" if self.told and self.by_user else "model"

    @property
    def prior(self) -> Belief:
        """How far it is believed at first.

        >>> heard = (Quote(1, "tool", "port 8080"),)
        >>> Item("fact", "It listens on port 8080.", "high", heard).prior
        Belief(worked=1, failed=1)
        """
        if self.source == "user":
            return PRIORS["user"]
        return PRIORS[f"model_{self.certainty if self.by_user else HEARSAY[self.certainty]}"]

    @property
    def quoted(self) -> str:
        return " … ".join(quote.text for quote in self.quotes)


def sampled(messages: Sequence[T], above: int) -> list[T]:
    """Of a long conversation: how it began, every fifth message, and how it ended.

    >>> sampled(range(1, 5), 20), sampled(range(1, 25), 20)
    ([1, 2, 3, 4], [1, 2, 3, 5, 10, 15, 20, 21, 22, 23, 24])
    """
    if len(messages) <= above:
        return list(messages)
    end = len(messages)
    return [
        message
        for place, message in enumerate(messages, 1)
        if place <= FIRST or place > end - LAST or place % EVERY == 0
    ]


def raised(belief: Belief, prior: Belief) -> float:
    """What must be added for a belief to reach a prior's confidence; at least 1.

    >>> raised(Belief(9, 1), Belief(7, 3))
    1.0
    >>> round(Belief(1, 1).plus(raised(Belief(1, 1), Belief(7, 3))).confidence, 6)
    0.7
    """
    wanted = prior.confidence
    together = belief.worked + belief.failed
    lacking = (wanted * together - belief.worked) / (1 - wanted)
    return max(1.0, lacking + 1e-9 if lacking > 0 else 0.0)


def triple_of(said: Said, source: str, weight: float) -> tuple[Triple, dict[str, str]]:
    """A relation as the graph holds it, and what its nodes are called for people."""
    names = [plain(text, LONGEST_ENTITY) for text in (said.subject, said.object)]
    one, other = (checked(f"entity:{name.casefold()}") for name in names)
    return Triple(one, said.predicate, other, weight, source), {one: names[0], other: names[1]}
