"""How corrections look to people: the queue with its light, one in full, what came of each."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seasoned.cli.correction_shapes import read_case
from seasoned.cli.render import indented, many, pairs, say, table, words
from seasoned.cli.rule_tables import age, below
from seasoned.core.clock import MINUTE, SECOND, SystemClock, ago, iso
from seasoned.core.text import one_line
from seasoned.db.queue import Waiting

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from seasoned.learning.case_store import Analysed
    from seasoned.rules.case import Case

LONGEST = 200


def depth(queue: dict[str, Any]) -> str:
    """How many wait, how full that is, and since when.

    >>> depth({"pending": 3, "cap": 50, "colour": "green", "oldest_age_seconds": 7300,
    ...        "failing": 1, "archived": 0, "aside": 0, "error": ""})
    '3 of 50 pending (green), the oldest 2 h ago; 1 failing'
    """
    if queue["error"]:
        told = f"nobody knows how many, the queue is out of reach ({queue['colour']})"
    else:
        told = f"{queue['pending']:,} of {queue['cap']:,} pending ({queue['colour']})"
    if queue["oldest_age_seconds"] is not None:
        told += f", the oldest {ago(0, queue['oldest_age_seconds'] * SECOND)}"
    rest = [f"{queue[name]:,} {name}" for name in ("failing", "archived") if queue[name]]
    aside = [f"{queue['aside']:,} in the database meanwhile"] if queue["aside"] else []
    return "; ".join([told, *rest, *aside])


def light(queue: dict[str, Any]) -> "Text":
    told = words("● ", queue["colour"])
    return told.append_text(words(depth(queue), "default"))


def show_waiting(queue: dict[str, Any], waiting: Sequence[Waiting]) -> None:
    say(light(queue))
    if waiting:
        now = SystemClock().now()
        say("", table(("id", "age", "kind", "correction"), [_row(one, now) for one in waiting]))


def _row(item: Waiting, now: int) -> tuple["str | Text", ...]:
    case, problem = read_case(item)
    told = words(f"“{one_line(case.message, LONGEST)}”" if case else one_line(item.body, LONGEST))
    if item.error or problem:
        told.append_text(words(f"\n✗ {one_line(item.error or problem, LONGEST)}", "red"))
    if item.error and not item.archived:
        told.append_text(words(f"\n{_again(item, now)}", "dim"))
    elif item.claimed_until > now:
        told.append_text(words("\nbeing learned from", "dim"))
    return item.id, age(item.added_at, now), case.kind if case else "unreadable", told


def _again(item: Waiting, now: int) -> str:
    tried = many(item.attempts, "attempt")
    left = item.due_at - now
    if left <= 0:
        return f"{tried}; due now"
    wait = f"{left // SECOND} s" if left < 2 * MINUTE else f"{left // MINUTE} min"
    return f"{tried}; tried again in {wait}"


def history_table(found: "Sequence[Analysed]") -> "Table":
    now = SystemClock().now()
    rows = [
        (
            one.id,
            age(one.at, now),
            below(one.outcome, one_line(one.by, 24)),
            below(f"“{one_line(one.message, LONGEST)}”" if one.case else "(erased)", _became(one)),
        )
        for one in found
    ]
    return table(("id", "age", "outcome, by", "correction → what came of it"), rows)


def _became(one: "Analysed") -> str:
    if one.lesson:
        return f"→ rule {one.lesson}"
    return f"→ {one_line(one.reason, LONGEST)}" if one.reason else "→ its rule was deleted"


def show_correction(found: "Waiting | Analysed") -> None:
    """All there is of one correction, wherever it is."""
    case, problem = read_case(found) if isinstance(found, Waiting) else (found.case, "")
    rows = _waiting(found, problem) if isinstance(found, Waiting) else _analysed(found)
    rows += _detected(case) if case else []
    say(words(found.id, "bold"), pairs([row for row in rows if row[1]]))
    if case is None:
        erased = "(erased with its rule)"
        say("", indented(found.body if isinstance(found, Waiting) else erased))
        return
    for title in ("request", "reply", "message"):
        said: str = getattr(case, title)
        if said:
            name = "correction" if title == "message" else title
            say("", words(name, "bold"), indented(said))


def _waiting(item: Waiting, problem: str) -> list[tuple[str, str]]:
    now = SystemClock().now()
    return [
        ("state", "archived: the cap put it aside" if item.archived else "pending"),
        ("error", item.error or problem),
        ("tried", _again(item, now) if item.error and not item.archived else ""),
    ]


def _analysed(one: "Analysed") -> list[tuple[str, str]]:
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
