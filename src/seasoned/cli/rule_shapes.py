"""What `--json` shows of rules, of conflicts between them, and of examples."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seasoned.cli.shapes import evidence_shape, lesson_shape
from seasoned.core.clock import iso

if TYPE_CHECKING:
    from seasoned.faces.rule_story import RuleStory
    from seasoned.learning.conflicts import Conflict
    from seasoned.learning.lesson import Lesson
    from seasoned.learning.rulebook import Violation


def rule_shape(rule: "Lesson") -> dict[str, Any]:
    detail = rule.rule
    guard = detail.guard if detail else None
    pair = (detail.fewshot_user, detail.fewshot_assistant) if detail else (None, None)
    return {
        **lesson_shape(rule),
        "type": type_name(rule),
        "poison": detail.poison if detail else None,
        "fewshot": {"user": pair[0], "assistant": pair[1]} if all(pair) else None,
        "guard": {"kind": guard.kind, "value": guard.value} if guard else None,
        "provisional_of": detail.provisional_of if detail else None,
    }


def type_name(rule: "Lesson") -> str:
    """A rule that was taught without a type says what somebody wants."""
    return rule.rule.type if rule.rule else "preference"


def story_shape(story: "RuleStory") -> dict[str, Any]:
    return {
        **rule_shape(story.rule),
        "supersedes": [other.id for other in story.supersedes],
        "evidence": [evidence_shape(one) for one in story.evidence],
        "corrections": [
            {
                "id": one.id,
                "at": iso(one.at),
                "session": one.scope.session,
                "message": one.message,
                "outcome": one.outcome,
                "by": one.by,
            }
            for one in story.corrections
        ],
        "conflicts": [
            {**conflict_shape(one), "other": rule_shape(other)} for one, other in story.conflicts
        ],
        "examples": [example_shape(one) for one in story.examples],
    }


def conflict_shape(conflict: "Conflict") -> dict[str, Any]:
    return {
        "id": conflict.id,
        "reason": conflict.reason,
        "found": iso(conflict.found_at),
        "followed": conflict.winner,
        "resolved": iso(conflict.resolved_at) if conflict.resolved_at is not None else None,
        "kept": conflict.resolution or None,
    }


def dispute_shape(conflict: "Conflict", earlier: "Lesson", later: "Lesson") -> dict[str, Any]:
    both = {"earlier": rule_shape(earlier), "later": rule_shape(later)}
    return conflict_shape(conflict) | both


def violations_shape(found: "Sequence[Violation]") -> list[dict[str, Any]]:
    return [{"found": one.found, "rule": rule_shape(one.rule)} for one in found]


def example_shape(example: "Lesson") -> dict[str, Any]:
    shown = example.example
    return {
        **lesson_shape(example),
        "polarity": shown.polarity if shown else None,
        "request": shown.request if shown else example.trigger,
        "reply": shown.reply if shown else example.content,
        "note": shown.note if shown else "",
        "rule": shown.rule if shown else None,
    }
