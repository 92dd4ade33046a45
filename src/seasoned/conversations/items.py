"""Items that a conversation may teach, with the quotes that support them and their prior belief."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

from seasoned.graph.triple import Predicate, Triple, check_node, plain_label
from seasoned.lessons.lesson import PRIORS, Belief, Source
from seasoned.sessions.session import Role

T = TypeVar("T")

ItemKind = Literal["fact", "pattern", "correction", "preference"]
Certainty = Literal["high", "medium", "low"]
ITEM_KINDS: tuple[ItemKind, ...] = get_args(ItemKind)
CERTAINTIES: tuple[Certainty, ...] = get_args(Certainty)

# Highest certainty of what only an assistant or a tool said.
HEARSAY: dict[Certainty, Certainty] = {"high": "medium", "medium": "medium", "low": "low"}
FIRST, EVERY, LAST = 3, 5, 5  # messages of a sample
LONGEST_ENTITY = 120


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a message, and the role of their speaker."""

    seq: int
    role: Role
    text: str
    at: int = 0


@dataclass(frozen=True, slots=True)
class ItemRelation:
    """Subject, predicate and object of an item that relates two things."""

    subject: str
    predicate: Predicate
    object: str


@dataclass(frozen=True, slots=True)
class ConversationItem:
    """A statement to learn; `told` means that a user said it outright, `known` is the index of a
    known statement that says the same."""

    kind: ItemKind
    content: str
    certainty: Certainty
    quotes: tuple[Quote, ...]
    when: str = ""  # the situation of a preference; empty: always
    relation: ItemRelation | None = None
    told: bool = False
    known: int | None = None

    @property
    def by_user(self) -> bool:
        return any(quote.role == "user" for quote in self.quotes)

    @property
    def sure(self) -> bool:
        """Whether a user said so beyond doubt: it may overrule what users said before."""
        return self.by_user and self.certainty == "high"

    @property
    def said_at(self) -> int:
        return max(quote.at for quote in self.quotes)

    @property
    def source(self) -> Source:
        return "user" if self.told and self.by_user else "model"

    @property
    def prior(self) -> Belief:
        """Return the belief that it starts with.

        >>> heard = (Quote(1, "tool", "port 8080"),)
        >>> ConversationItem("fact", "It listens on port 8080.", "high", heard).prior
        Belief(worked=1, failed=1)
        """
        if self.source == "user":
            return PRIORS["user"]
        return PRIORS[f"model_{self.certainty if self.by_user else HEARSAY[self.certainty]}"]

    @property
    def quoted(self) -> str:
        return " … ".join(quote.text for quote in self.quotes)


def sample(messages: Sequence[T], above: int) -> list[T]:
    """Sample a long conversation: its beginning, every fifth message, and its end.

    >>> sample(range(1, 5), 20), sample(range(1, 25), 20)
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


def weight_to_reach(belief: Belief, prior: Belief) -> float:
    """Return the weight that lifts a belief to the confidence of a prior; at least 1.

    >>> weight_to_reach(Belief(9, 1), Belief(7, 3))
    1.0
    >>> round(Belief(1, 1).plus(weight_to_reach(Belief(1, 1), Belief(7, 3))).confidence, 6)
    0.7
    """
    wanted = prior.confidence
    together = belief.worked + belief.failed
    lacking = (wanted * together - belief.worked) / (1 - wanted)
    return max(1.0, lacking + 1e-9 if lacking > 0 else 0.0)


def triple_of(relation: ItemRelation, source: str, weight: float) -> tuple[Triple, dict[str, str]]:
    """Return a relation as a triple of the graph, and the display names of its nodes."""
    names = [plain_label(text, LONGEST_ENTITY) for text in (relation.subject, relation.object)]
    one, other = (check_node(f"entity:{name.casefold()}") for name in names)
    return Triple(one, relation.predicate, other, weight, source), {one: names[0], other: names[1]}
