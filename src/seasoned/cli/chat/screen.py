"""Print the events of a turn: the answer as it comes, and beside it, dimmed, what happens."""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from seasoned.cli.show.render import console, note, visible
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.agent.turn import AgentEvent
    from seasoned.tools.run import ToolEvent

SHOWN_CHARS = 100
LONGEST_RULE = 300
MARKS = {"started": "·", "finished": "✓", "failed": "✗", "denied": "✗"}
BUSY = "…"
ERASE_LINE = "\r\x1b[K"


class Screen:
    """Where a conversation is shown; in JSON, each event is a line."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json
        self.is_terminal = sys.stdout.isatty()
        self.can_erase = self.is_terminal and not as_json and not console().is_dumb_terminal
        self._in_line = False  # whether the cursor is in the middle of a line
        self._in_thought = False
        self._is_busy = False
        self._denied: set[str] = set()  # calls whose failure was told already

    def show(self, event: "AgentEvent") -> None:
        self.not_busy()
        if self.as_json:
            shown = {name: value for name, value in asdict(event).items() if value is not None}
            typer.echo(json.dumps(shown, ensure_ascii=False, default=str))
            return
        show: Callable[[AgentEvent], None] = getattr(self, f"_show_{event.kind}")
        show(event)

    def busy(self) -> None:
        """Show that something goes on, until there is something to show."""
        if self.can_erase and not self._in_line:
            typer.secho(BUSY, dim=True, nl=False)
            self._is_busy = True

    def not_busy(self) -> None:
        if self._is_busy:
            typer.echo(ERASE_LINE, nl=False)
            self._is_busy = False

    def aside(self, text: str, *, nl: bool = True) -> None:
        """Print what is not part of the answer: dimmed in a terminal, otherwise on stderr."""
        if self.is_terminal:
            typer.secho(visible(text), dim=True, nl=nl)
        else:
            typer.echo(visible(text), nl=nl, err=True)

    def end_line(self) -> None:
        self.not_busy()
        if self._in_line:
            typer.echo()
            self._in_line = self._in_thought = False

    def _show_recalled(self, event: "AgentEvent") -> None:
        """Show nothing: `/why` lists the lessons for those who ask."""
        self.busy()

    def _show_chunk(self, event: "AgentEvent") -> None:
        if self._in_thought:
            self.end_line()
        typer.echo(visible(event.text), nl=False)
        self._in_line = not event.text.endswith("\n")

    def _show_thinking(self, event: "AgentEvent") -> None:
        if self._in_line and not self._in_thought:
            self.end_line()
        self.aside(event.text, nl=False)
        self._in_line = self._in_thought = True

    def _show_tool(self, event: "AgentEvent") -> None:
        assert event.tool is not None
        self.end_line()
        tool = event.tool
        if tool.kind == "denied":
            self._denied.add(tool.id)
        told = tool.kind == "failed" and tool.id in self._denied
        if tool.kind != "allowed" and not told:
            self.aside(_tool_line(tool))
        self.busy()

    def _show_approval(self, event: "AgentEvent") -> None:
        self.end_line()  # `question.py` prints the question

    def _show_noticed(self, event: "AgentEvent") -> None:
        self.end_line()
        long = "from now on" if event.lasts else "for this session"
        self.aside(f"✎ noted {long}: {one_line(event.text, LONGEST_RULE)} [{event.lesson}]")
        for name, text in event.replaces or ():
            self.aside(f"  replaces: {one_line(text, LONGEST_RULE)} [{name}]")
        for name, text in event.against or ():
            self.aside(f"  contradicts: {one_line(text, LONGEST_RULE)} [{name}]")
            self.aside(f"  What you said last holds; /forget {name} removes the other.")
        self.busy()

    def _show_waiting(self, event: "AgentEvent") -> None:
        """Say why there is no answer yet, and when the model is asked again."""
        self.end_line()
        seconds = max(1, round(event.seconds or 0))
        told = f"… next try in {seconds} s: {one_line(event.text, SHOWN_CHARS)}"
        if self.can_erase:
            room = max(console().width - 1, len(BUSY))
            typer.secho(visible(one_line(told, room)), dim=True, nl=False)
            self._is_busy = True
        else:
            self.aside(told)

    def _show_done(self, event: "AgentEvent") -> None:
        self.end_line()

    def _show_error(self, event: "AgentEvent") -> None:
        self.end_line()
        note(f"no answer: {event.text}")


def _tool_line(event: "ToolEvent") -> str:
    mark = MARKS.get(event.kind, "·")
    if event.kind == "started":
        params: dict[str, Any] = dict(event.params)
        shown = ", ".join(f"{name}={value!r}" for name, value in params.items())
        return f"{mark} {event.tool}({one_line(shown, SHOWN_CHARS)})"
    if event.kind == "denied":
        reason = f": {one_line(event.text, SHOWN_CHARS)}" if event.text else ""
        return f"{mark} {event.tool} was not allowed{reason}"
    took = f" ({event.duration_ms:,.0f} ms)" if event.duration_ms is not None else ""
    return f"{mark} {event.tool}{took} {one_line(event.text, SHOWN_CHARS)}".rstrip()
