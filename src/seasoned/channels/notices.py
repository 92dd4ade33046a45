"""Says in words, for people, what was learned."""

from seasoned.channels.notifier import Notice
from seasoned.core.events import RuleConflicted, RuleLearned


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
