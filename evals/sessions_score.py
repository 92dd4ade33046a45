"""Judge hints by what the session itself did next."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sessions_data import Event, difference, texts_of, tokens_of

# A literal that belongs to one person or one occasion.
LITERAL = re.compile(
    r"(?:/Users/|/home/|[A-Za-z]:\\+Users\\+)[^\s\"'`,;:)]+"  # a path under a home
    r"|[\w.+-]+@[\w-]+\.[\w.]+"  # a mail address
    r"|\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"
    r"|\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b"  # a long hex word
    r"|\b[A-Za-z]+_\d{3,}\b"
    r"|\b\d{4,}\b"
)


@dataclass(frozen=True)
class Advice:
    """A hint from any system: the call as it should be, tokens to change, or steps before it."""

    text: str
    params: Mapping[str, Any] | None = None
    removed: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()
    steps: Sequence[tuple[str, Mapping[str, Any]]] = ()
    foretold: bool = False  # it stood in the tool's notes when the session began


@dataclass
class Score:
    """Counts over the failures of one source."""

    failures: int = 0
    repaired: int = 0
    hints: int = 0
    judged: int = 0  # hints for repaired failures
    right: int = 0
    foretold: int = 0
    foreign: int = 0
    refusals: int = 0
    shown: list[str] = field(default_factory=list[str])

    def metrics(self) -> dict[str, float]:
        return {
            "hints": self.hints,
            "precision": self.right / self.judged if self.judged else 0.0,
            "right_share": self.right / self.repaired if self.repaired else 0.0,
            "coverage": self.hints / self.failures if self.failures else 0.0,
            "foreign": self.foreign / self.hints if self.hints else 0.0,
            "hinted_refusals": self.refusals,
            "foretold": self.foretold / self.right if self.right else 0.0,
        }

    def plus(self, other: "Score") -> "Score":
        return Score(
            self.failures + other.failures,
            self.repaired + other.repaired,
            self.hints + other.hints,
            self.judged + other.judged,
            self.right + other.right,
            self.foretold + other.foretold,
            self.foreign + other.foreign,
            self.refusals + other.refusals,
        )


def is_right(advice: Advice, events: Sequence[Event], at: int, repair: int) -> bool:
    """Whether two thirds of the advised changes, or all advised steps, were made."""
    removed, added = advised_change(advice, events[at])
    advised = removed.total() + added.total()
    if advised:
        did_remove, did_add = difference(
            tokens_of(events[at].params), tokens_of(events[repair].params)
        )
        made = (removed & did_remove).total() + (added & did_add).total()
        return made * 3 >= advised * 2
    return bool(advice.steps) and all(
        any(
            event.tool == tool and not event.failed and params.items() <= event.params.items()
            for event in events[at + 1 : repair]
        )
        for tool, params in advice.steps
    )


def advised_change(advice: Advice, failed: Event) -> tuple[Counter[str], Counter[str]]:
    if advice.params is not None:
        return difference(tokens_of(failed.params), tokens_of(advice.params))
    return Counter(advice.removed), Counter(advice.added)


def is_foreign(advice: Advice, seen: str) -> bool:
    """Whether the advice holds a literal that the session has not shown so far."""
    texts = [advice.text, *texts_of(advice.params or {})]
    texts += [text for _, params in advice.steps for text in texts_of(params)]
    texts += [*advice.removed, *advice.added]
    return any(literal not in seen for text in texts for literal in LITERAL.findall(text))
