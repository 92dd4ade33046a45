"""`seasoned chat`: talk to an agent that learns."""

import json
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seasoned.cli.command import Options, command
from seasoned.cli.show.render import note, say, table, visible
from seasoned.cli.terminal import ask_person, line_history, read_line
from seasoned.core.errors import BadInput, NotFound, SeasonedError
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.agent.turn import AgentEvent
    from seasoned.api import Seasoned
    from seasoned.api.agent import AgentFace
    from seasoned.tools.run import ToolEvent


app = typer.Typer()


@command(app, "chat")
def chat(
    options: Options,
    message: Annotated[
        str | None,
        typer.Argument(
            help="Send this and exit; default: start a conversation.", metavar="MESSAGE"
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="e.g. openai:gpt-5.4-mini, ollama:qwen3, local:PATH.gguf; default: agent.model.",
            metavar="PROVIDER:MODEL",
        ),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(help="Continue this session, or name a new one.", metavar="NAME"),
    ] = None,
    tools: Annotated[
        str | None,
        typer.Option(
            help="Of files, shell, web, knowledge, schedule; default: agent.tools.",
            metavar="NAMES",
        ),
    ] = None,
    root: Annotated[
        str | None,
        typer.Option(help="Folder that files and shell may not leave.", metavar="DIR"),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="First finish the turn that was cut off.")
    ] = False,
) -> None:
    """Talk to an agent that learns from what it does and from what you say.

    Answers are streamed. You are asked before a dangerous tool runs. Ctrl-C stops an answer and
    counts as disapproval of it; Ctrl-D exits. /help lists further commands: /teach, /why,
    /forget, /lessons … With --json, prints one event per line.
    """
    from seasoned.core.ids import new_id

    if message is not None and not message.strip():
        raise BadInput("the message is empty; give one, or none to start a conversation")
    if resume and session is None:
        raise BadInput("--resume needs --session: `seasoned sessions list` shows them")
    name = session or f"chat-{new_id()[:6]}"
    built_in = None if tools is None else [one.strip() for one in tools.split(",") if one.strip()]
    with options.open() as s, s.agent(model, built_in=built_in, root=root, session=name) as agent:
        talk = ChatSession(s, agent, name, as_json=options.json)
        answered = talk.resume() if resume else True
        if message is not None:
            answered = talk.say(message)
        elif sys.stdin.isatty() or not resume:
            talk.talk()
        talk.leave()
    if not answered:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class ChatCommand:
    """A line that starts with a slash."""

    usage: str
    help: str
    run: "Callable[[ChatSession, str], None]"


def _help(chat: "ChatSession", rest: str) -> None:
    say(table(("command", "effect"), [(one.usage, one.help) for one in COMMANDS.values()]))


def _teach(chat: "ChatSession", rest: str) -> None:
    if not rest:
        raise BadInput("give the rule: /teach Always answer in metric units.")
    lesson = chat.seasoned.teach(rule=rest, source="user")
    say(f"taught {lesson.id}: {lesson.content}")


def _why(chat: "ChatSession", rest: str) -> None:
    """Explain a lesson, or show the lessons that went into the last answer."""
    if rest:
        say(chat.seasoned.why(rest).text)
        return
    told = chat.seasoned.sessions.told(chat.session)
    block = told[max(told)] if told else ""
    say(block) if block else note("no lessons went into the last answer")


def _forget(chat: "ChatSession", rest: str) -> None:
    if not rest:
        raise BadInput("give the id: /forget ID; /lessons shows the ids")
    lesson = chat.seasoned.forget(rest)
    say(f"forgot {lesson.id}: {lesson.content}")


def _lessons(chat: "ChatSession", rest: str) -> None:
    """List lessons, or search them."""
    lessons = (
        [hit.lesson for hit in chat.seasoned.search(rest, session=chat.session)]
        if rest
        else chat.seasoned.lessons(limit=20)
    )
    if not lessons:
        note("no lessons yet" if not rest else "no lesson matches")
        return
    rows = [
        (one.id, one.kind, f"{one.confidence:.2f}", one_line(one.content, 100)) for one in lessons
    ]
    say(table(("id", "kind", ">conf.", "lesson"), rows))


def _resume(chat: "ChatSession", rest: str) -> None:
    chat.resume()


def _end(chat: "ChatSession", rest: str) -> None:
    chat.agent.end(session=chat.session)
    note(f"session {chat.session} is closed; its lessons will be learned")


COMMANDS = {
    "/help": ChatCommand("/help", "list these commands", _help),
    "/teach": ChatCommand("/teach TEXT", "add a rule for every session", _teach),
    "/why": ChatCommand("/why [ID]", "show lessons used for the last answer, or explain one", _why),
    "/lessons": ChatCommand("/lessons [WORDS]", "list or search lessons", _lessons),
    "/forget": ChatCommand("/forget ID", "retire a lesson", _forget),
    "/resume": ChatCommand("/resume", "finish a turn that was cut off", _resume),
    "/end": ChatCommand("/end", "close the session and learn from it", _end),
}


PROMPT = "> "
SHOWN_CHARS = 100
MARKS = {"started": "·", "finished": "✓", "failed": "✗", "allowed": "✓", "denied": "✗"}


class ChatSession:
    """A conversation in a terminal: read lines, print events, ask before tools run."""

    def __init__(
        self, seasoned: "Seasoned", agent: "AgentFace", session: str, *, as_json: bool = False
    ) -> None:
        self.seasoned = seasoned
        self.agent = agent
        self.session = session
        self.as_json = as_json
        self._in_line = False  # whether the cursor is in the middle of a line
        self._faint = sys.stdout.isatty()

    def talk(self) -> None:
        """Read and answer lines until the input ends."""
        asked = sys.stdin.isatty()
        if asked:
            self._welcome()
        with line_history(self.seasoned.inner.app.config.home):
            self.do_due()
            while (line := read_line(PROMPT if asked else "")) is not None:
                if line.strip():
                    self.hear(line.strip())
                self.do_due()
        if asked:
            note(f"session {self.session}; continue with: seasoned chat --session {self.session}")

    def leave(self) -> None:
        """End the session for now, so that its lessons can be learned."""
        with suppress(NotFound):  # the conversation is empty
            self.agent.end(session=self.session, reason="left")

    def hear(self, line: str) -> None:
        """Handle a line: a message, or a command that starts with a slash."""
        name, _, rest = line.partition(" ")
        if not name.startswith("/"):
            self.say(line)
            return
        command = COMMANDS.get(name)
        if command is None:
            note(f"unknown command {name}; /help lists commands")
            return
        try:
            command.run(self, rest.strip())
        except SeasonedError as error:
            note(str(error))

    def do_due(self) -> None:
        """Run the schedules that are due."""
        announced = ""
        for schedule, event in self.agent.due(ask=ask_person):
            if schedule.id != announced:
                announced = schedule.id
                self._aside(f"⏰ {one_line(schedule.prompt, 200)}")
            self._show(event)

    def say(self, message: str) -> bool:
        """Send a message and print the answer; return whether there was one."""
        return self._shown(self.agent.events(message, session=self.session, ask=ask_person))

    def resume(self) -> bool:
        return self._shown(self.agent.resumed(session=self.session, ask=ask_person))

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
        self._end_line()  # `ask_person` prints the question

    def _show_noticed(self, event: "AgentEvent") -> None:
        self._aside(f"✎ noted: {one_line(event.text, 200)}")

    def _show_done(self, event: "AgentEvent") -> None:
        self._end_line()

    def _show_error(self, event: "AgentEvent") -> None:
        self._end_line()
        note(f"no answer: {event.text}")

    def _aside(self, text: str, *, nl: bool = True) -> None:
        """Print what is not part of the answer: dimmed in a terminal, otherwise on stderr."""
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
        return f"{mark} {event.tool}({one_line(shown, SHOWN_CHARS)})"
    return f"{mark} {event.tool}{took} {one_line(event.text, SHOWN_CHARS)}".rstrip()
