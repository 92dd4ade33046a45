"""Corrections as JSON and as tables: the queue, one in full, the history."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seasoned.cli.show.render import indented, many, pairs, say, table, words
from seasoned.cli.show.rules import age, below
from seasoned.core.clock import MINUTE, SECOND, SystemClock, ago, iso
from seasoned.core.errors import BadInput
from seasoned.core.text import one_line
from seasoned.db.queue.queue import QueueItem

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from seasoned.db.queue.queue import QueueItem
    from seasoned.rules.case import Case
    from seasoned.rules.case_store import AnalysedCase
    from seasoned.rules.learner import CaseResult


def waiting_shape(item: "QueueItem") -> dict[str, Any]:
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


def read_case(item: "QueueItem") -> "tuple[Case | None, str]":
    """Parse an item of the queue; return None and the reason if another program pushed garbage."""
    from seasoned.rules.pending import case_from

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


def analysed_shape(one: "AnalysedCase") -> dict[str, Any]:
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


def learned_shape(one: "CaseResult") -> dict[str, Any]:
    return {
        "id": one.case.id,
        "outcome": one.outcome,
        "rule": one.rule.id if one.rule else None,
        "description": one.rule.content if one.rule else None,
        "reason": one.reason or None,
        "by": one.by,
    }


MESSAGE_CHARS = 200


def depth(queue: dict[str, Any]) -> str:
    """Describe the queue: pending corrections, capacity, age of the oldest.

    >>> depth({"pending": 3, "cap": 50, "colour": "green", "oldest_age_seconds": 7300,
    ...        "failing": 1, "archived": 0, "aside": 0, "error": ""})
    '3 of 50 pending (green), the oldest 2 h ago; 1 failing'
    """
    if queue["error"]:
        text = f"unknown, the queue is unreachable ({queue['colour']})"
    else:
        text = f"{queue['pending']:,} of {queue['cap']:,} pending ({queue['colour']})"
    if queue["oldest_age_seconds"] is not None:
        text += f", the oldest {ago(0, queue['oldest_age_seconds'] * SECOND)}"
    rest = [f"{queue[name]:,} {name}" for name in ("failing", "archived") if queue[name]]
    aside = [f"{queue['aside']:,} held in the database"] if queue["aside"] else []
    return "; ".join([text, *rest, *aside])


def queue_light(queue: dict[str, Any]) -> "Text":
    text = words("● ", queue["colour"])
    return text.append_text(words(depth(queue), "default"))


def show_waiting(queue: dict[str, Any], waiting: Sequence[QueueItem]) -> None:
    say(queue_light(queue))
    if waiting:
        now = SystemClock().now()
        say("", table(("id", "age", "kind", "correction"), [_row(one, now) for one in waiting]))


def _row(item: QueueItem, now: int) -> tuple["str | Text", ...]:
    case, problem = read_case(item)
    text = words(
        f"“{one_line(case.message, MESSAGE_CHARS)}”" if case else one_line(item.body, MESSAGE_CHARS)
    )
    if item.error or problem:
        text.append_text(words(f"\n✗ {one_line(item.error or problem, MESSAGE_CHARS)}", "red"))
    if item.error and not item.archived:
        text.append_text(words(f"\n{_attempts(item, now)}", "dim"))
    elif item.claimed_until > now:
        text.append_text(words("\nin progress", "dim"))
    return item.id, age(item.added_at, now), case.kind if case else "unreadable", text


def _attempts(item: QueueItem, now: int) -> str:
    tried = many(item.attempts, "attempt")
    left = item.due_at - now
    if left <= 0:
        return f"{tried}; due now"
    wait = f"{left // SECOND} s" if left < 2 * MINUTE else f"{left // MINUTE} min"
    return f"{tried}; next attempt in {wait}"


def history_table(found: "Sequence[AnalysedCase]") -> "RenderableType":
    now = SystemClock().now()
    rows = [
        (
            one.id,
            age(one.at, now),
            below(one.outcome, one_line(one.by, 24)),
            below(
                f"“{one_line(one.message, MESSAGE_CHARS)}”" if one.case else "(erased)",
                _outcome(one),
            ),
        )
        for one in found
    ]
    return table(("id", "age", "outcome, by", "correction → outcome"), rows)


def _outcome(one: "AnalysedCase") -> str:
    if one.lesson:
        return f"→ rule {one.lesson}"
    return f"→ {one_line(one.reason, MESSAGE_CHARS)}" if one.reason else "→ its rule was deleted"


def show_correction(found: "QueueItem | AnalysedCase") -> None:
    """Print one correction in full, pending or analysed."""
    case, problem = read_case(found) if isinstance(found, QueueItem) else (found.case, "")
    rows = _waiting(found, problem) if isinstance(found, QueueItem) else _analysed(found)
    rows += _detected(case) if case else []
    say(words(found.id, "bold"), pairs([row for row in rows if row[1]]))
    if case is None:
        erased = "(erased with its rule)"
        say("", indented(found.body if isinstance(found, QueueItem) else erased))
        return
    for title in ("request", "reply", "message"):
        text: str = getattr(case, title)
        if text:
            name = "correction" if title == "message" else title
            say("", words(name, "bold"), indented(text))


def _waiting(item: QueueItem, problem: str) -> list[tuple[str, str]]:
    now = SystemClock().now()
    return [
        ("state", "archived (over the cap)" if item.archived else "pending"),
        ("error", item.error or problem),
        ("tried", _attempts(item, now) if item.error and not item.archived else ""),
    ]


def _analysed(one: "AnalysedCase") -> list[tuple[str, str]]:
    return [
        ("outcome", f"{one.outcome}, {ago(one.analysed_at, SystemClock().now())}, by {one.by}"),
        ("rule", one.lesson or ""),
        ("reason", one.reason),
    ]


def _detected(case: "Case") -> list[tuple[str, str]]:
    tenant, project, user, session = case.scope.fields()
    names = (("tenant", tenant), ("project", project), ("user", user), ("session", session))
    language = f", in {case.language}" if case.language else ""
    tools = [str(call.get("tool", "")) for call in case.tool_calls]
    return [
        ("said", iso(case.at)),
        ("where", ", ".join(f"{name} {value}" for name, value in names if value)),
        ("kind", f"{case.kind} (score {case.score:.2f}{language})"),
        ("wanted", case.wanted or ""),
        ("unwanted", case.unwanted or ""),
        ("tools called", ", ".join(tools)),
        ("rules given", ", ".join(case.rules)),
    ]
