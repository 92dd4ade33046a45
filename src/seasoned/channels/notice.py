"""Notices tell people what was learned; a notifier delivers them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from seasoned.core.events import RuleConflicted, RuleLearned

NoticeKind = Literal["rule.learned", "rule.conflict"]


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that a person may want to know or to decide."""

    at: int
    kind: NoticeKind
    title: str
    text: str
    lesson: str  # id of the lesson or conflict
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])


class Notifier(Protocol):
    def notify(self, notice: Notice) -> None:
        """Deliver a notice; raise `NotifierError` if that is not possible."""
        ...


def rule_notice(event: RuleLearned) -> Notice:
    return Notice(
        at=event.at,
        kind="rule.learned",
        title="A new rule was learned",
        text=event.description,
        lesson=event.lesson,
        details={"type": event.type, "session": event.session},
    )


def conflict_notice(event: RuleConflicted) -> Notice:
    return Notice(
        at=event.at,
        kind="rule.conflict",
        title="Two rules contradict each other",
        text=f"“{event.later}” against “{event.earlier}”: {event.reason}. Decide with: "
        f"seasoned rules resolve {event.conflict} --keep earlier|later|both",
        lesson=event.conflict,
        details={"earlier": event.earlier, "later": event.later, "reason": event.reason},
    )
