"""A conversation at a terminal or in a pipe: read lines, answer them, do what is scheduled."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import typer

from seasoned.agent.agent import CLOSED, STOPPED
from seasoned.cli.chat.history import LineHistory
from seasoned.cli.chat.interrupts import Interrupts, WindowClosed
from seasoned.cli.chat.keyboard import Keyboard, Woken, editing, piped_line
from seasoned.cli.chat.question import ask_person, nobody_to_ask
from seasoned.cli.chat.screen import Screen
from seasoned.cli.chat.slash_commands import is_command, run_command
from seasoned.cli.show.render import note
from seasoned.core.errors import NotFound, SeasonedError
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.agent.turn import AgentEvent
    from seasoned.api import Seasoned
    from seasoned.api.agent import AgentFace, TurnFace

ENDED = {STOPPED: "stopped", CLOSED: "stopped: the chat ends"}
NOTHING_SAID = (
    'nothing was said: the input is empty. Give a message (seasoned chat "…"), or start the chat '
    "in a terminal"
)


class Conversation:
    """A session of an agent, with one person; everything is printed and read in this thread."""

    def __init__(
        self,
        seasoned: "Seasoned",
        agent: "AgentFace",
        session: str,
        interrupts: Interrupts,
        *,
        as_json: bool = False,
    ) -> None:
        self.seasoned = seasoned
        self.agent = agent
        self.session = session
        self.interrupts = interrupts
        self.screen = Screen(as_json=as_json)
        self.history = LineHistory(seasoned.inner.app.config.home)
        self.keyboard = Keyboard(interrupts, self._is_due, self.history)
        self.is_attended = sys.stdin.isatty() and sys.stderr.isatty()
        self.is_over = False
        self._is_talking = False  # in a conversation, not with a single message
        self.lasting: set[str] = set()  # rules that were noted here and hold from now on
        self._ask = None if self.is_attended else nobody_to_ask

    def talk(self) -> None:
        """Read and answer messages until the input ends, or the person leaves."""
        if not self.is_attended:
            self.mention_cut_off("--resume")
            if not self._talk():
                note(NOTHING_SAID)
            return
        self._is_talking = True
        self._welcome()
        with editing(self.history), self.agent.attended(session=self.session):
            self._talk()
        note(f"To continue: seasoned chat --session {self.session}")

    def _talk(self) -> bool:
        """Return whether anything was said."""
        was_said = False
        while self.interrupts.pressed < 2 and not self.interrupts.closed_by and not self.is_over:
            try:
                self.do_due()
                read = self.keyboard.message() if self.is_attended else self._piped_line()
            except Woken:
                self._clear_prompt()
                continue
            if read is None:
                break
            was_said = was_said or bool(read.strip())
            self._take(read.strip())
        return was_said

    def _take(self, message: str) -> None:
        if is_command(message):
            run_command(self, message)
        elif message:
            self.say(message)

    def _piped_line(self) -> str | None:
        try:
            with self.interrupts.reading():
                return piped_line()
        except (KeyboardInterrupt, WindowClosed):
            return None

    def leave(self) -> None:
        """End the session for now, so that its lessons can be learned."""
        with suppress(NotFound):  # the conversation is empty
            self.agent.end(session=self.session, reason="left")

    def do_due(self) -> None:
        """Run the schedules that are due."""
        for schedule, turn in self.agent.due(ask=self._ask, answers=self.is_attended):
            other = schedule.scope.session not in ("", self.session)
            of = f" (planned in session {schedule.scope.session})" if other else ""
            self.screen.aside(f"⏰ {one_line(schedule.prompt, 200)}{of}")
            self._shown(turn)

    def say(self, message: str) -> bool:
        """Send a message and print the answer; return whether there was one."""
        return self._shown(self.agent.events(message, session=self.session, ask=self._ask))

    def resume(self) -> bool:
        """Finish the turn that was cut off; return whether there was an answer."""
        return self._shown(self.agent.resumed(session=self.session, ask=self._ask))

    def last_given(self) -> Sequence[str]:
        """Return the ids of the lessons that went into the last answer."""
        try:
            given = self.seasoned.sessions.lessons(self.session)
        except NotFound:  # nothing was said yet
            return ()
        return given[max(given)] if given else ()

    def mention_cut_off(self, how: str) -> None:
        """Tell a person whose last turn in this session was cut off how to finish it."""
        try:
            turns = self.seasoned.sessions.turns(self.session)
        except NotFound:  # a new session
            return
        if turns and turns[-1].status == "open":
            note(f"The last turn of {self.session} was cut off; {how} finishes it.")

    def _shown(self, turn: "TurnFace") -> bool:
        answered = False
        with self.interrupts.stopping(turn.interrupt):
            self.screen.busy()
            for event in turn:
                self._show(turn, event)
                answered = event.kind == "done"
        return answered

    def _show(self, turn: "TurnFace", event: "AgentEvent") -> None:
        if event.kind == "error" and event.text in ENDED and not self.screen.as_json:
            self.screen.end_line()
            again = " (Ctrl-C again leaves)" if self._is_talking and self.interrupts.pressed else ""
            kept = "" if self._is_talking else f"; what was said is kept in session {self.session}"
            note(f"{ENDED[event.text]}{again}{kept}")
            return
        if event.kind == "noticed" and event.lasts and event.lesson:
            self.lasting.add(event.lesson)
        self.screen.show(event)
        request = event.tool.request if event.tool else None
        if event.kind == "approval" and request is not None and self.is_attended:
            decision = ask_person(request, self.keyboard, lambda: turn.is_waiting(request.id))
            if decision is not None:
                with suppress(NotFound):  # its time was up just now
                    turn.decide(request.id, decision)

    def _is_due(self) -> bool:
        try:
            return self.agent.is_due()
        except SeasonedError:  # the database is busy; it is asked again in a moment
            return False

    def _clear_prompt(self) -> None:
        """Remove the prompt and the line under way; both are shown again below what comes now."""
        typer.echo("\r\x1b[K" if self.screen.can_erase else "\n", nl=False)

    def _welcome(self) -> None:
        model = self.agent.inner.inner.model.model_name
        note(f"{model}, session {self.session}")
        note("Type a message; /help lists commands. Ctrl-C stops an answer, Ctrl-D leaves.")
        self.mention_cut_off("/resume")
