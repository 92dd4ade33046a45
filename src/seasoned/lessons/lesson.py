"""A lesson: anything learned that may enter a prompt, and how far it is believed."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from seasoned.core.authority import Trust
from seasoned.core.ids import digest
from seasoned.core.scope import Scope

Kind = Literal["fix", "rule", "fact", "pattern", "correction", "preference", "example"]
Status = Literal["candidate", "active", "suspended", "superseded", "retired"]
Source = Literal["operator", "user", "episode", "model", "document"]
Verdict = Literal["helps", "harms", "inert", "undecided"]

KINDS: tuple[Kind, ...] = get_args(Kind)
STATUSES: tuple[Status, ...] = get_args(Status)

Polarity = Literal["positive", "negative"]
GuardKind = Literal["text", "pattern"]
RuleType = Literal["refusal", "hallucination", "wrong_skill", "missing_context", "preference"]
RULE_TYPES: tuple[RuleType, ...] = get_args(RuleType)
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
# The statuses that may follow each status.
TRANSITIONS: dict[Status, frozenset[Status]] = {
    "candidate": frozenset({"active", "suspended", "superseded", "retired"}),
    "active": frozenset({"candidate", "suspended", "superseded", "retired"}),
    "suspended": frozenset({"candidate", "active", "retired"}),
    "superseded": frozenset({"active", "retired"}),
    "retired": frozenset({"active"}),
}


@dataclass(frozen=True, slots=True)
class Belief:
    """Two pseudo-counts; the confidence is the share that worked.

    >>> Belief(9, 1).confidence, Belief(1, 1).plus(worked=2).confidence
    (0.9, 0.75)
    """

    worked: float
    failed: float

    @property
    def confidence(self) -> float:
        together = self.worked + self.failed
        return self.worked / together if together else 0.0

    def plus(self, worked: float = 0, failed: float = 0) -> "Belief":
        return Belief(self.worked + worked, self.failed + failed)


ACTIVE_FROM = 0.7  # the default confidence from which a lesson is active, and given to agents

PRIOR = "prior of what is derived from an episode"  # the reason that its evidence states

# The belief a lesson starts with, by its source.
PRIORS = {
    "operator": Belief(9, 1),
    "user": Belief(9, 1),
    "episode": Belief(1, 1),
    "model_high": Belief(7, 3),
    "model_medium": Belief(1, 1),
    "model_low": Belief(3, 7),
    "document": Belief(7, 3),
}


@dataclass(frozen=True, slots=True)
class FixDetail:
    """The details of a fix: its tool and error, and the repair as JSON (`change`).

    `waits` says why it is given to nobody before an operator accepts it: the power that it adds.
    """

    tool: str
    error_id: str
    change: str | None = None
    waits: str = ""


@dataclass(frozen=True, slots=True)
class Guard:
    """Plain words, or a pattern checked by an operator, that a reply must not contain."""

    kind: GuardKind
    value: str


@dataclass(frozen=True, slots=True)
class RuleDetail:
    """The details of a rule: its type, its anti-example and a few-shot pair.

    `provisional_of` names the correction that it stands in for until that is analysed;
    `source_exchange` is the request, the reply and the correction that it comes from, as JSON.
    """

    type: RuleType
    poison: str | None = None
    fewshot_user: str | None = None
    fewshot_assistant: str | None = None
    guard: Guard | None = None
    provisional_of: str | None = None
    source_exchange: str | None = None


@dataclass(frozen=True, slots=True)
class ExampleDetail:
    """The details of an example: the exchange, whether it was good, and why."""

    polarity: Polarity
    request: str
    reply: str
    note: str = ""
    rule: str | None = None  # the id of its rule, whose status it shares


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
        """Return a digest of its present words, which the audit refers to."""
        return digest(self.trigger, self.content, (self.fix.change or "") if self.fix else "")

    @property
    def place(self) -> tuple[int, str]:
        """Where it stands in a list, newest first: `after` of the next page."""
        return (self.created_at, self.id)

    @property
    def version(self) -> str:
        """Return a digest of what people change by hand; evidence and use leave it as it is."""
        detail = repr((self.fix, self.rule, self.example))
        state = (self.kind, self.status, self.source, self.superseded_by or "", detail)
        return digest(self.id, *self.scope.fields(), self.trigger, self.content, *state)

    @property
    def explicit(self) -> bool:
        """Tell whether a person taught it; then it beats anything inferred."""
        return self.source in EXPLICIT

    def status_with(self, belief: Belief, threshold: float) -> Status:
        """Return the status for this belief; suspended and retired lessons keep theirs."""
        if self.status not in USABLE:
            return self.status
        if self.fix is not None and self.fix.waits:
            return "candidate"
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
    identity: str = ""  # identifies the same lesson if its words may differ
    fix: FixDetail | None = None
    rule: RuleDetail | None = None
    example: ExampleDetail | None = None
    evidence: tuple[Evidence, ...] = field(default=())
    id: str = ""  # empty: a new one
    near: str = ""  # the text beside a passage: helps to find it, is not shown
    far: str = ""  # the text one passage further away
