"""What `--json` shows of corrections: those that wait, and those that were learned from."""

from typing import TYPE_CHECKING, Any

from seasoned.core.clock import iso
from seasoned.core.errors import BadInput

if TYPE_CHECKING:
    from seasoned.db.queue import Waiting
    from seasoned.learning.case_store import Analysed
    from seasoned.learning.learner import Learned
    from seasoned.rules.case import Case


def waiting_shape(item: "Waiting") -> dict[str, Any]:
    case, problem = read_case(item)
    return {
        "id": item.id,
        "state": "archived" if item.archived else "pending",
        "added": iso(item.added_at),
        "attempts": item.attempts,
        "error": item.error or problem or None,
        "due": iso(item.due_at),
        "correction": case_shape(case) if case else None,
    }


def read_case(item: "Waiting") -> "tuple[Case | None, str]":
    """The correction in an item; or none, and why: another program may have pushed anything."""
    from seasoned.learning.pending import case_from

    try:
        return case_from(item), ""
    except BadInput as error:
        return None, str(error)


def case_shape(case: "Case") -> dict[str, Any]:
    tenant, project, user, session = case.scope.fields()
    return {
        "at": iso(case.at),
        "message": case.message,
        "kind": case.kind,
        "score": case.score,
        "language": case.language,
        "wanted": case.wanted,
        "unwanted": case.unwanted,
        "request": case.request,
        "reply": case.reply,
        "tool_calls": list(case.tool_calls),
        "rules": list(case.rules),
        "scope": {"tenant": tenant, "project": project, "user": user, "session": session},
    }


def analysed_shape(one: "Analysed") -> dict[str, Any]:
    return {
        "id": one.id,
        "state": "analysed",
        "outcome": one.outcome,
        "rule": one.lesson,
        "reason": one.reason or None,
        "by": one.by,
        "analysed": iso(one.analysed_at),
        "correction": case_shape(one.case) if one.case else None,
    }


def learned_shape(one: "Learned") -> dict[str, Any]:
    return {
        "id": one.case.id,
        "outcome": one.outcome,
        "rule": one.rule.id if one.rule else None,
        "description": one.rule.content if one.rule else None,
        "reason": one.reason or None,
        "by": one.by,
    }
