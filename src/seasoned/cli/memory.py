"""`seasoned memory …`: what is remembered of conversations."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from seasoned.cli.asking import agreed
from seasoned.cli.commands import command
from seasoned.cli.memory_shapes import remembered_shape, report_shape, story_shape
from seasoned.cli.options import Options
from seasoned.cli.render import emit, heading, indented, many, note, pairs, say, table, words
from seasoned.core.clock import SystemClock, ago, iso
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.faces.memory import MemoryReport, MemoryStory

app = typer.Typer(no_args_is_help=True, help="See what is remembered of conversations.")

NAME = "The session's name, or the beginning of it"
One = Annotated[str, typer.Argument(help=f"{NAME}.", metavar="SESSION")]
Some = Annotated[str | None, typer.Argument(help=f"{NAME}; all of them.", metavar="SESSION")]


@command(app, "list")
def list_sessions(
    options: Options,
    limit: Annotated[int, typer.Option(help="At most so many.", min=1, metavar="N")] = 50,
) -> None:
    """Show the sessions there are, the latest first, and how much is remembered of each."""
    with options.open() as s:
        found = s.memory.list(limit=limit)
    if options.json:
        emit([remembered_shape(one) for one in found])
        return
    now = SystemClock().now()
    rows = [
        (
            f"{one.session.last_seq:,}",
            f"{one.observations:,}",
            f"{one.reflections:,}",
            f"{one.session.compacted_to:,}",
            ago(one.session.active_at, now),
            f"{one.session.name}  {one_line(one.session.title, 60)}".rstrip(),
        )
        for one in found
    ]
    if rows:
        columns = (">messages", ">observations", ">reflections", ">summarised", "active", "session")
        say(table(columns, rows))
    else:
        note("no sessions yet; `seasoned chat` begins one")


@command(app, "show")
def show(options: Options, session: One) -> None:
    """Show what is remembered of a session: its summary, its reflections, its observations."""
    with options.open() as s:
        story = s.memory.show(session)
    if options.json:
        emit(story_shape(story))
    else:
        _show(story)


def _show(story: "MemoryStory") -> None:
    session = story.session
    say(words(session.name, "bold"))
    rows = [
        ("messages", f"{session.last_seq:,}, observed up to {session.observed_to:,}"),
        ("summarised", f"up to {session.compacted_to:,}" if session.compacted_to else "none"),
        ("active", iso(session.active_at)),
    ]
    say(pairs(rows))
    if session.summary:
        say(heading("Summary"), indented(session.summary))
    for one in story.reflections:
        into = f", in {one.consolidated_in}" if one.consolidated_in else ""
        say(heading(f"Reflection {one.id}  ({one.made_by}, generation {one.generation}{into})"))
        say(indented(one.text))
    if story.observations:
        say(heading("Observations"))
        columns = ("id", ">message", "kind", "by", "what")
        shown = [
            (
                one.id,
                f"{one.to_seq:,}",
                one.kind,
                _by(one.made_by),
                _told(one.text, one.settled_seq),
            )
            for one in story.observations
        ]
        say(table(columns, shown))
    elif not session.summary:
        note("nothing yet; `seasoned memory observe` looks at what was said")


def _by(name: str) -> str:
    """A model's name, without the folders that its file stands in."""
    return one_line(name.rpartition("/")[2], 20)


def _told(text: str, settled: int) -> str:
    return f"{text}  (settled by message {settled:,})" if settled else text


@command(app, "observe")
def observe(options: Options, session: Some = None) -> None:
    """Observe what finished turns said, now, however little that is.

    An agent's process does so by itself, once there are enough new messages (memory.observeTokens).
    """
    with options.open() as s:
        report = s.memory.observe(session)
    _made(options, report, "nothing new was said that is worth keeping")


@command(app, "reflect")
def reflect(options: Options, session: Some = None) -> None:
    """Reflect on what was observed, now, however little that is."""
    with options.open() as s:
        report = s.memory.reflect(session)
    _made(options, report, "there is nothing new to reflect on")


def _made(options: Options, report: "MemoryReport", nothing: str) -> None:
    if options.json:
        emit(report_shape(report))
    elif report.observations or report.reflections:
        made = f"{many(report.observations, 'observation')}, "
        say(f"{made}{many(report.reflections, 'reflection')} more ({report.by}).")
    else:
        note(nothing)


@command(app, "clear")
def clear(
    options: Options,
    session: Some = None,
    anew: Annotated[
        bool, typer.Option("--anew", help="Observe its messages again, from the first one.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Take away what is remembered of a session, or of all; messages and lessons are kept.

    What a summary stood for is forgotten then: the agent is not shown those messages again,
    unless --anew is given.
    """
    with options.open() as s:
        which = f"session {s.memory.show(session).session.name}" if session else "all sessions"
        asked = not yes and sys.stdin.isatty()
        if asked and not agreed(f"Take away what is remembered of {which}?"):
            note("nothing was changed")
            return
        report = s.memory.clear(session, anew=anew)
    if options.json:
        emit(report_shape(report))
        return
    gone = f"{many(report.observations, 'observation')}, {many(report.reflections, 'reflection')}"
    say(f"Took away {gone} of {which}.")
