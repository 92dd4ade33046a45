"""A rule: how to behave, as a user's correction or an operator put it."""

from dataclasses import dataclass, field
from typing import Literal, get_args

RuleType = Literal["refusal", "hallucination", "wrong_skill", "missing_context", "preference"]
RULE_TYPES: tuple[RuleType, ...] = get_args(RuleType)

# For how long it holds: this session alone, or until it is taken back.
Reach = Literal["session", "lasting"]


@dataclass(frozen=True, slots=True)
class RuleDraft:
    """What an analysis makes of a correction; the store decides what becomes of it.

    `trigger` is the situation it matters in, in words that a later request may share; empty means
    that it holds in every turn, as how to answer does. `poison` is what not to do again, and the
    few-shot pair a request with the reply that would have been right.
    """

    type: RuleType
    description: str
    trigger: str = ""
    poison: str | None = None
    fewshot_user: str | None = None
    fewshot_assistant: str | None = None
    confidence: float = 0.9
    reach: Reach = "lasting"
    quotes: tuple[str, ...] = field(default=())  # the user's own words that say so


@dataclass(frozen=True, slots=True)
class NoRule:
    """There is nothing to be learned from a correction, and why."""

    reason: str
