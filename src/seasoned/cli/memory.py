"""`seasoned memory …` and `seasoned librarian …`: observations, and open questions."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from seasoned.cli.command import Limit, Options, Yes, command
from seasoned.cli.show.memory import (
    inquiry_shape,
    memory_report_shape,
    session_memory_shape,
    story_shape,
)
from seasoned.cli.show.render import emit, heading, indented, many, note, pairs, say, table, words
from seasoned.cli.terminal import confirmed
from seasoned.core.clock import SystemClock, ago, iso
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.api.memory import MemoryReport, MemoryStory
    from seasoned.memory.inquiries import Inquiry


app = typer.Typer(no_args_is_help=True, help="Show observations and reflections of sessions.")

librarian_app = typer.Typer(no_args_is_help=True, help="List and answer open questions.")

NAME = "Name of the session, or a prefix of it"
One = Annotated[str, typer.Argument(help=f"{NAME}.", metavar="SESSION")]
Some = Annotated[str | None, typer.Argument(help=f"{NAME}; default: all.", metavar="SESSION")]


@command(app, "list")
def list_sessions(
    options: Options,
    limit: Limit = 50,
) -> None:
    """List sessions with their memory, latest first."""
    with options.open() as s:
        found = s.memory.list(limit=limit)
    if options.json:
        emit([session_memory_shape(one) for one in found])
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
        note("no sessions yet; `seasoned chat` starts one")


@command(app, "show")
def show(options: Options, session: One) -> None:
    """Show summary, reflections and observations of a session."""
    with options.open() as s:
        story = s.memory.show(session)
    if options.json:
        emit(story_shape(story))
    else:
        _print_story(story)


def _print_story(story: "MemoryStory") -> None:
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
        columns = ("id", ">message", "kind", "by", "observation")
        shown = [
            (
                one.id,
                f"{one.to_seq:,}",
                one.kind,
                _by(one.made_by),
                _observation(one.text, one.settled_seq),
            )
            for one in story.observations
        ]
        say(table(columns, shown))
    elif not session.summary:
        note("nothing yet; `seasoned memory observe` makes observations")


def _by(name: str) -> str:
    """Return a model's name without the folders of its file."""
    return one_line(name.rpartition("/")[2], 20)


def _observation(text: str, settled: int) -> str:
    return f"{text}  (settled by message {settled:,})" if settled else text


@command(app, "observe")
def observe(options: Options, session: Some = None) -> None:
    """Observe finished turns now, however few.

    An agent's process does so once there are enough new messages (memory.observeTokens).
    """
    with options.open() as s:
        report = s.memory.observe(session)
    _print_report(options, report, "no new observations")


@command(app, "reflect")
def reflect(options: Options, session: Some = None) -> None:
    """Reflect on observations now, however few."""
    with options.open() as s:
        report = s.memory.reflect(session)
    _print_report(options, report, "no new reflections")


def _print_report(options: Options, report: "MemoryReport", nothing: str) -> None:
    if options.json:
        emit(memory_report_shape(report))
    elif report.observations or report.reflections:
        new = f"{many(report.observations, 'new observation')}, "
        say(f"{new}{many(report.reflections, 'new reflection')} ({report.by}).")
    else:
        note(nothing)


@command(app, "clear")
def clear(
    options: Options,
    session: Some = None,
    anew: Annotated[
        bool, typer.Option("--anew", help="Observe the messages again, from the first.")
    ] = False,
    yes: Yes = False,
) -> None:
    """Clear the memory of one or all sessions; messages and lessons are kept.

    The agent does not see messages again that a summary replaced, unless --anew is given.
    """
    with options.open() as s:
        which = f"session {s.memory.show(session).session.name}" if session else "all sessions"
        asked = not yes and sys.stdin.isatty()
        if asked and not confirmed(f"Clear the memory of {which}?"):
            note("nothing changed")
            return
        report = s.memory.clear(session, anew=anew)
    if options.json:
        emit(memory_report_shape(report))
        return
    gone = f"{many(report.observations, 'observation')}, {many(report.reflections, 'reflection')}"
    say(f"Removed {gone} of {which}.")


Id = Annotated[str, typer.Argument(help="Id of the inquiry, or a prefix of it.", metavar="ID")]


@command(librarian_app, "list")
def list_inquiries(
    options: Options,
    status: Annotated[
        str | None, typer.Option(help="Only pending, resolved or dismissed.", metavar="NAME")
    ] = None,
    limit: Limit = 50,
) -> None:
    """List inquiries and their answers, latest first."""
    with options.open() as s:
        found = s.librarian.list(status=status, limit=limit)
        model = s.inner.app.config.settings.llm.model
    if options.json:
        emit([inquiry_shape(one) for one in found])
        return
    now = SystemClock().now()
    for one in found:
        say(words(f"{one.id}  {one.status}  {ago(one.asked_at, now)}", "bold"))
        _print_inquiry(one)
    if not found:
        why = "" if model else "; the librarian needs a model (llm.model)"
        note(f"no such inquiries{why}")


def _print_inquiry(one: "Inquiry") -> None:
    say(indented(one.question))
    if one.reason:
        say(indented(f"for: {one.reason}", "dim"))
    if one.answer:
        say(indented(f"→ {one.answer}  (lesson {one.lesson})"))


@command(librarian_app, "answer")
def answer(
    options: Options,
    name: Id,
    text: Annotated[list[str], typer.Argument(help="The answer.", metavar="TEXT")],
) -> None:
    """Answer an inquiry; the answer becomes a lesson."""
    with options.open() as s:
        one = s.librarian.answer(name, " ".join(text))
    if options.json:
        emit(inquiry_shape(one))
        return
    say(f"Answered {one.id}; learned as lesson {one.lesson}:")
    say(indented(one.answer))


@command(librarian_app, "dismiss")
def dismiss(options: Options, name: Id) -> None:
    """Drop an inquiry, and do not ask similar ones."""
    with options.open() as s:
        one = s.librarian.dismiss(name)
    if options.json:
        emit(inquiry_shape(one))
    else:
        say(f"Dismissed {one.id}: {one.question}")


@command(librarian_app, "ask")
def ask(
    options: Options,
    session: Annotated[
        str | None,
        typer.Argument(
            help="Name of the session, or a prefix of it; default: all.", metavar="SESSION"
        ),
    ] = None,
) -> None:
    """Find new questions, and answers given in the meantime.

    An agent's process does so every few turns (librarian.cooldownTurns). Needs a model (llm.model).
    """
    with options.open() as s:
        looked = s.librarian.ask(session)
    if options.json:
        shapes = {"asked": looked.asked, "resolved": looked.resolved}
        emit({name: [inquiry_shape(one) for one in found] for name, found in shapes.items()})
        return
    for outcome, found in (("asked", looked.asked), ("answered", looked.resolved)):
        for one in found:
            say(words(f"{outcome}  {one.id}", "bold"))
            _print_inquiry(one)
    if not looked.asked and not looked.resolved:
        note("no new questions or answers")
