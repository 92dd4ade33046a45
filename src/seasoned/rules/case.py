"""A case: a correction with its circumstances, and the draft of a rule that is made from it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.lessons.lesson import RuleType
from seasoned.security.redact import cut

LONGEST_EXCHANGED = 1000  # characters of each text of the exchange that a rule keeps
Reach = Literal["session", "user", "project", "tenant"]  # for whom a rule is
REACHES: tuple[Reach, ...] = get_args(Reach)
Duration = Literal["session", "lasting"]  # this session only, or until it is revoked
DURATIONS: tuple[Duration, ...] = get_args(Duration)


@dataclass(frozen=True, slots=True)
class Case:
    """A request, the reply to it, and how the user corrected that.

    `kind`, `score`, `language`, `wanted` and `unwanted` come from detection. `rules` are the ids of
    the rules that were active at the time. All texts are redacted.
    """

    id: str
    at: int
    scope: Scope
    message: str
    kind: str
    score: float
    language: str | None = None
    wanted: str | None = None
    unwanted: str | None = None
    request: str = ""
    reply: str = ""
    tool_calls: Sequence[Mapping[str, Any]] = ()
    rules: Sequence[str] = ()
    reach: str = ""  # one of REACHES; empty: this user in this project

    @property
    def told_outright(self) -> bool:
        """Whether somebody reported it as a correction; detection is never that certain."""
        return self.score >= 1.0

    @property
    def rule_scope(self) -> Scope:
        """The scope of a rule that is learned from the case."""
        return reach_of(self.reach, self.scope) if self.reach else self.scope.within("")

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    def exchange(self) -> str:
        """Return the exchange that a rule comes from, as JSON, each text cut."""
        texts = {"request": self.request, "reply": self.reply, "correction": self.message}
        told = {name: cut(text, LONGEST_EXCHANGED) for name, text in texts.items()}
        return json.dumps(told | {"session": self.scope.session, "at": self.at}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Case":
        try:
            fields = json.loads(text)
            fields["scope"] = Scope(**fields["scope"])
            return cls(**fields)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BadInput(f"not a queued correction ({error}): {text[:80]!r}") from error


@dataclass(frozen=True, slots=True)
class RuleDraft:
    """A rule before it is saved: it may become a rule, or evidence for a known one.

    `trigger` describes the situation, in words that a later request may share; empty means every
    turn, as for the language of answers. `poison` is what not to do again; the few-shot pair is a
    request with the right reply. `quotes` are the user's words that support it.
    """

    type: RuleType
    description: str
    trigger: str = ""
    poison: str | None = None
    fewshot_user: str | None = None
    fewshot_assistant: str | None = None
    confidence: float = 0.9
    duration: Duration = "lasting"
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoRule:
    """The reason why a correction teaches no rule."""

    reason: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a message amounts to: the rule in it, or why there is none, and whether it blames.

    A draft that lasts is standing; one for the session corrects the work at hand.
    """

    draft: RuleDraft | NoRule
    corrects: bool = True
    praise: bool = False
    confidence: float = 1.0


def reach_of(name: str, caller: Scope) -> Scope:
    """Return the scope of a rule with this reach.

    >>> reach_of("project", Scope("acme", "web", "ana", "s1"))
    Scope(tenant='acme', project='web', user='', session='')
    """
    reaches = {
        "session": caller,
        "user": Scope(caller.tenant, user=caller.user),
        "project": Scope(caller.tenant, caller.project),
        "tenant": Scope(caller.tenant),
    }
    if name not in reaches:
        raise BadInput(f"a rule is for {', '.join(REACHES)}, not for {name!r}")
    if name != "tenant" and not getattr(caller, name):  # it would be for everybody
        raise BadInput(f"a rule for one {name} needs the {name}'s name; none was given")
    return reaches[name]
