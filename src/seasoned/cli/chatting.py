"""A conversation in a terminal: reads lines, shows what happens, asks before tools run."""

import json
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from seasoned.cli.chat_commands import COMMANDS
from seasoned.cli.line_reading import read_line, remembered_lines
from seasoned.cli.render import note, visible
from seasoned.core.errors import NotFound, SeasonedError
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.agent.event import AgentEvent
    from seasoned.facade import Seasoned
    from seasoned.faces.agent import Agent
    from seasoned.tools.run import ApprovalRequest, Decision, ToolEvent

PROMPT = "> "
LONGEST_SHOWN = 100
MARKS = {"started": "·", "finished": "✓", "failed": "✗", "allowed": "✓", "denied": "✗"}


class Chat:
    def __init__(
        self, seasoned: "Seasoned", agent: "Agent", session: str, *, as_json: bool = False
    ) -> None:
        self.seasoned = seasoned
        self.agent = agent
        self.session = session
        self.as_json = as_json
        self._in_line = False  # whether the last thing shown did not end its line
        self._faint = sys.stdout.isatty()

    def talk(self) -> None:
        """Line after line, until there is none."""
        asked = sys.stdin.isatty()
        if asked:
            self._welcome()
        with remembered_lines(self.seasoned.inner.app.config.home):
            self.do_due()
            while (line := read_line(PROMPT if asked else "")) is not None:
                if line.strip():
                    self.hear(line.strip())
                self.do_due()
        if asked:
            note(f"session {self.session}; go on with: seasoned chat --session {self.session}")

    def leave(self) -> None:
        """Whoever leaves has ended the session, for now: what it taught can be learned."""
        with suppress(NotFound):  # nothing was said
            self.agent.end(session=self.session, reason="left")

    def hear(self, line: str) -> None:
        """A message, or a command that begins with a slash."""
        name, _, rest = line.partition(" ")
        if not name.startswith("/"):
            self.say(line)
            return
        command = COMMANDS.get(name)
        if command is None:
            note(f"there is no {name}; /help lists what there is")
            return
        try:
            command.run(self, rest.strip())
        except SeasonedError as error:
            note(str(error))

    def do_due(self) -> None:
        """Does what was scheduled for now."""
        told = ""
        for schedule, event in self.agent.due(ask=self._ask):
            if schedule.id != told:
                told = schedule.id
                self._aside(f"⏰ {one_line(schedule.prompt, 200)}")
            self._show(event)

    def say(self, message: str) -> bool:
        """Has the agent answer; whether it did."""
        return self._shown(self.agent.events(message, session=self.session, ask=self._ask))

    def resume(self) -> bool:
        return self._shown(self.agent.resumed(session=self.session, ask=self._ask))

    def _shown(self, events: "Iterable[AgentEvent]") -> bool:
        last = "error"
        try:
            for event in events:
                self._show(event)
                last = event.kind
        except KeyboardInterrupt:
            self._end_line()
            note("stopped")
        return last == "done"

    def _show(self, event: "AgentEvent") -> None:
        if self.as_json:
            shown = {name: value for name, value in asdict(event).items() if value is not None}
            typer.echo(json.dumps(shown, ensure_ascii=False, default=str))
            return
        show: Callable[[AgentEvent], None] = getattr(self, f"_show_{event.kind}")
        show(event)

    def _show_chunk(self, event: "AgentEvent") -> None:
        typer.echo(visible(event.text), nl=False)
        self._in_line = not event.text.endswith("\n")

    def _show_thinking(self, event: "AgentEvent") -> None:
        self._aside(event.text, nl=False)
        self._in_line = True

    def _show_tool(self, event: "AgentEvent") -> None:
        assert event.tool is not None
        self._end_line()
        self._aside(_tool_line(event.tool))

    def _show_approval(self, event: "AgentEvent") -> None:
        self._end_line()  # the question itself is put by `_ask`

    def _show_noticed(self, event: "AgentEvent") -> None:
        self._aside(f"✎ noted: {one_line(event.text, 200)}")

    def _show_done(self, event: "AgentEvent") -> None:
        self._end_line()

    def _show_error(self, event: "AgentEvent") -> None:
        self._end_line()
        note(f"no answer: {event.text}")

    async def _ask(self, request: "ApprovalRequest") -> "Decision":
        from seasoned.cli.approving import ask_person

        return await ask_person(request)

    def _aside(self, text: str, *, nl: bool = True) -> None:
        """What is not the answer: in a terminal in a faint colour, else on the side."""
        if self._faint:
            typer.secho(visible(text), dim=True, nl=nl)
        else:
            typer.echo(visible(text), nl=nl, err=True)

    def _end_line(self) -> None:
        if self._in_line:
            typer.echo()
            self._in_line = False

    def _welcome(self) -> None:
        note(f"{self.agent.inner.inner.model.model_name}, session {self.session}. /help, Ctrl-D.")


def _tool_line(event: "ToolEvent") -> str:
    mark = MARKS.get(event.kind, "·")
    took = f" ({event.duration_ms:,.0f} ms)" if event.duration_ms is not None else ""
    if event.kind == "started":
        params: dict[str, Any] = dict(event.params)
        shown = ", ".join(f"{name}={value!r}" for name, value in params.items())
        return f"{mark} {event.tool}({one_line(shown, LONGEST_SHOWN)})"
    return f"{mark} {event.tool}{took} {one_line(event.text, LONGEST_SHOWN)}".rstrip()
