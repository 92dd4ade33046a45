"""A lesson: anything learned that may enter a prompt."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from seasoned.core.ids import digest
from seasoned.core.scope import Scope
from seasoned.learning.confidence import Belief
from seasoned.rules.rule import RuleType

Kind = Literal["fix", "rule", "fact", "pattern", "correction", "preference", "example"]
Status = Literal["candidate", "active", "suspended", "superseded", "retired"]
Source = Literal["operator", "user", "episode", "model", "document"]
Trust = Literal["operator", "user", "environment", "self"]
Verdict = Literal["helps", "harms", "inert", "undecided"]

KINDS: tuple[Kind, ...] = get_args(Kind)
STATUSES: tuple[Status, ...] = get_args(Status)

Polarity = Literal["positive", "negative"]
GuardKind = Literal["text", "pattern"]
POLARITIES: tuple[Polarity, ...] = get_args(Polarity)

USABLE: frozenset[Status] = frozenset({"candidate", "active"})
EXPLICIT: frozenset[Source] = frozenset({"operator", "user"})
TRUST: dict[Source, Trust] = {
    "operator": "operator",
    "user": "user",
    "episode": "environment",
    "model": "self",
    "document": "environment",
}
# What may become of a lesson, and what may not.
TRANSITIONS: dict[Status, frozenset[Status]] = {
    "candidate": frozenset({"active", "suspended", "superseded", "retired"}),
    "active": frozenset({"candidate", "suspended", "superseded", "retired"}),
    "suspended": frozenset({"candidate", "active", "retired"}),
    "superseded": frozenset({"active", "retired"}),
    "retired": frozenset({"active"}),
}


@dataclass(frozen=True, slots=True)
class FixDetail:
    """What a fix adds to a lesson: where it applies, and the change that worked, as JSON."""

    tool: str
    error_id: str
    change: str | None = None


@dataclass(frozen=True, slots=True)
class Guard:
    """What a reply must not hold: plain words, or a pattern that an operator had checked."""

    kind: GuardKind
    value: str


@dataclass(frozen=True, slots=True)
class RuleDetail:
    """What a rule adds to a lesson: its type, what not to do, a pair that shows how to.

    `provisional_of` names the correction that it stands for until that is analysed.
    """

    type: RuleType
    poison: str | None = None
    fewshot_user: str | None = None
    fewshot_assistant: str | None = None
    guard: Guard | None = None
    provisional_of: str | None = None


@dataclass(frozen=True, slots=True)
class ExampleDetail:
    """What an example adds to a lesson: the exchange, whether it was good, and why."""

    polarity: Polarity
    request: str
    reply: str
    note: str = ""
    rule: str | None = None  # the id of the rule that says so: they stand and fall together


@dataclass(frozen=True, slots=True)
class Lesson:
    id: str
    kind: Kind
    status: Status
    scope: Scope
    trigger: str
    content: str
    belief: Belief
    source: Source
    trust: Trust
    created_at: int
    updated_at: int
    times_given: int = 0
    last_given_at: int | None = None
    superseded_by: str | None = None
    fix: FixDetail | None = None
    verdict: Verdict = "undecided"
    rule: RuleDetail | None = None
    example: ExampleDetail | None = None

    @property
    def confidence(self) -> float:
        return self.belief.confidence

    @property
    def words(self) -> str:
        """A name for what it says now, by which the audit refers to it."""
        return digest(self.trigger, self.content, (self.fix.change or "") if self.fix else "")

    @property
    def explicit(self) -> bool:
        """Said outright by a person, who beats whatever was inferred."""
        return self.source in EXPLICIT

    def status_with(self, belief: Belief, threshold: float) -> Status:
        """What it becomes when it is believed so far; what an operator took away stays so."""
        if self.status not in USABLE:
            return self.status
        return "active" if self.explicit or belief.confidence >= threshold else "candidate"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason to believe a lesson more, or less."""

    at: int
    reason: str
    worked: float
    failed: float
    session: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A lesson that is not stored yet."""

    kind: Kind
    status: Status
    scope: Scope
    trigger: str
    content: str
    belief: Belief
    source: Source
    identity: str = ""  # what makes it the same lesson again, when its words may differ
    fix: FixDetail | None = None
    rule: RuleDetail | None = None
    example: ExampleDetail | None = None
    evidence: tuple[Evidence, ...] = field(default=())
    near: str = ""  # what stands beside a passage: helps to find it, is not shown
    far: str = ""  # what stands one further
