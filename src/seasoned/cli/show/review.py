"""Print what waits for an operator, with its evidence; the same as JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from seasoned.api.review import Call, CorrectedExchange, RepairedCall, WaitingItem
from seasoned.cli.show.render import console, indented, many, say, words
from seasoned.cli.show.shapes import lesson_shape
from seasoned.core.clock import iso
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

LONGEST_TEXT = 280  # characters of an error, a reply or a call
CROWDED = 80  # characters of a call from which only what changed is shown
LABELS = 8  # columns of "failed", "worked", …


def show_item(item: WaitingItem, place: str, name: str) -> None:
    """Print one item: what it says, then its evidence."""
    kind = {"rule": "Rule", "fix": "Fix", "conflict": "Conflict"}[item.kind]
    of = f" · {name}" if name else ""
    user = f" · {item.lesson.scope.user}" if item.lesson.scope.user else ""
    seen = f" · {many(item.witnesses, 'witness', 'witnesses')}" if item.witnesses else ""
    say(words(f"\n{place}{kind}{of}{user}", "bold"))
    say(_line(f"{item.id}{seen} · {item.reason}", 0, "dim"))
    say("", *_said(item), "")
    for exchange in item.exchanges:
        say(*_exchange(exchange), "")
    for repair in item.repairs:
        say(*_repair(repair), "")
    if not item.exchanges and not item.repairs:
        say(*(_pair("because", f"“{one_line(quote, LONGEST_TEXT)}”") for quote in item.quotes), "")


def _said(item: WaitingItem) -> "list[RenderableType]":
    lesson = item.lesson
    if item.earlier is not None:
        return [_pair("newer", lesson.content), _pair("older", item.earlier.content)]
    if lesson.fix is not None:
        tool = lesson.fix.tool or "a call"
        when = f"When {tool} fails with: {one_line(lesson.trigger, LONGEST_TEXT)}"
        return [_line(when, 2), _line(f"→ {lesson.content}", 2, "bold")]
    return [_line(f"→ {lesson.content}", 2, "bold")]


def _exchange(exchange: CorrectedExchange) -> "list[RenderableType]":
    rows = (("asked", exchange.request), ("agent", exchange.reply), ("said", exchange.said))
    return [_pair(name, one_line(text, LONGEST_TEXT)) for name, text in rows if text.strip()]


def _repair(repair: RepairedCall) -> "list[RenderableType]":
    failed, worked = repair.failed, repair.worked
    if worked is not None:
        failed, worked = _without_common(failed, worked)
    rows = [("failed", _call(failed)), ("error", one_line(repair.error, LONGEST_TEXT))]
    if worked is None:
        rows += [("then", _call(step)) for step in repair.steps[-2:]]
        rows.append(("worked", "the same call"))
    else:
        rows.append(("worked", _call(worked)))
    return [_pair(name, text) for name, text in rows]


def _without_common(failed: Call, worked: Call) -> tuple[Call, Call]:
    """Leave out long parameters that did not change, unless nothing else is left of a call."""
    same = {name for name, value in failed[1].items() if worked[1].get(name) == value}
    short = [
        (tool, {name: value for name, value in params.items() if name not in same})
        for tool, params in (failed, worked)
    ]
    crowded = len(_call(failed)) > CROWDED and all(params for _, params in short)
    return (short[0], short[1]) if crowded else (failed, worked)


def _call(call: Call) -> str:
    """Return a call on one line; a single text stands alone, as a command does.

    >>> _call(("shell", {"command": "ls"})), _call(("deploy", {"app": "shop", "n": 2}))
    ('shell ls', 'deploy {"app": "shop", "n": 2}')
    """
    tool, params = call
    values = list(params.values())
    alone = len(values) == 1 and isinstance(values[0], str)
    told = values[0] if alone else json.dumps(dict(params), ensure_ascii=False, default=str)
    return f"{tool} {one_line(told, LONGEST_TEXT)}"


def _pair(name: str, text: str) -> "RenderableType":
    """Return a labelled text that wraps beside its label."""
    if not console().is_terminal:
        return words(f"  {name:<{LABELS}}{text}")
    from rich.table import Table

    grid = Table.grid()
    grid.add_column(width=LABELS + 2, no_wrap=True, style="dim")
    grid.add_column(overflow="fold")
    grid.add_row(words(f"  {name}"), words(text))
    return grid


def _line(text: str, by: int, style: str = "") -> "RenderableType":
    return indented(text, style, by) if console().is_terminal else words(" " * by + text)


def item_shape(item: WaitingItem) -> dict[str, Any]:
    return {
        "id": item.id,
        "kind": item.kind,
        "reason": item.reason,
        "witnesses": item.witnesses,
        "lesson": lesson_shape(item.lesson),
        "earlier": lesson_shape(item.earlier) if item.earlier else None,
        "exchanges": [
            {
                "session": one.session,
                "at": iso(one.at),
                "request": one.request,
                "reply": one.reply,
                "said": one.said,
            }
            for one in item.exchanges
        ],
        "repairs": [_repair_shape(one) for one in item.repairs],
        "quotes": list(item.quotes),
    }


def _repair_shape(repair: RepairedCall) -> dict[str, Any]:
    return {
        "session": repair.session,
        "at": iso(repair.at),
        "failed": _call_shape(*repair.failed),
        "error": repair.error,
        "worked": _call_shape(*repair.worked) if repair.worked else None,
        "steps": [_call_shape(*step) for step in repair.steps],
    }


def _call_shape(tool: str, params: Mapping[str, Any]) -> dict[str, Any]:
    return {"tool": tool, "params": dict(params)}


def items_shape(items: Sequence[WaitingItem]) -> list[dict[str, Any]]:
    return [item_shape(item) for item in items]
