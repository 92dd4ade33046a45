"""`seasoned librarian …`: what it would be good to know."""

from typing import TYPE_CHECKING, Annotated

import typer

from seasoned.cli.commands import command
from seasoned.cli.memory_shapes import inquiry_shape
from seasoned.cli.options import Options
from seasoned.cli.render import emit, indented, note, say, words
from seasoned.core.clock import SystemClock, ago

if TYPE_CHECKING:
    from seasoned.memory.inquiry import Inquiry

app = typer.Typer(
    no_args_is_help=True, help="See and answer what the librarian would like to know."
)

Id = Annotated[str, typer.Argument(help="The inquiry's id, or the beginning of it.", metavar="ID")]


@command(app, "list")
def list_inquiries(
    options: Options,
    status: Annotated[
        str | None, typer.Option(help="pending, resolved or dismissed.", metavar="NAME")
    ] = None,
    limit: Annotated[int, typer.Option(help="At most so many.", min=1, metavar="N")] = 50,
) -> None:
    """Show the inquiries there are, the latest first, and what became of them."""
    with options.open() as s:
        found = s.librarian.list(status=status, limit=limit)
        model = s.inner.app.config.settings.llm.model
    if options.json:
        emit([inquiry_shape(one) for one in found])
        return
    now = SystemClock().now()
    for one in found:
        say(words(f"{one.id}  {one.status}  {ago(one.asked_at, now)}", "bold"))
        _show(one)
    if not found:
        why = "" if model else "; without a model (llm.model) nothing is asked"
        note(f"no such inquiries{why}")


def _show(one: "Inquiry") -> None:
    say(indented(one.question))
    if one.reason:
        say(indented(f"for: {one.reason}", "dim"))
    if one.answer:
        say(indented(f"→ {one.answer}  (lesson {one.lesson})"))


@command(app, "answer")
def answer(
    options: Options,
    name: Id,
    text: Annotated[list[str], typer.Argument(help="The answer.", metavar="TEXT")],
) -> None:
    """Answer an inquiry: it is known from now on, and nobody is asked for it any more."""
    with options.open() as s:
        one = s.librarian.answer(name, " ".join(text))
    if options.json:
        emit(inquiry_shape(one))
        return
    say(f"Answered {one.id}; it is lesson {one.lesson} now:")
    say(indented(one.answer))


@command(app, "dismiss")
def dismiss(options: Options, name: Id) -> None:
    """Say that an inquiry is not to be asked, nor anything like it."""
    with options.open() as s:
        one = s.librarian.dismiss(name)
    if options.json:
        emit(inquiry_shape(one))
    else:
        say(f"Dismissed {one.id}: {one.question}")


@command(app, "ask")
def ask(
    options: Options,
    session: Annotated[
        str | None,
        typer.Argument(
            help="The session's name, or the beginning of it; all of them.", metavar="SESSION"
        ),
    ] = None,
) -> None:
    """Let the librarian look now: what to ask, and what was answered meanwhile.

    An agent's process does so by itself, every few turns (librarian.cooldownTurns). It needs a
    model (llm.model).
    """
    with options.open() as s:
        looked = s.librarian.ask(session)
    if options.json:
        shapes = {"asked": looked.asked, "resolved": looked.resolved}
        emit({name: [inquiry_shape(one) for one in found] for name, found in shapes.items()})
        return
    for told, found in (("asks", looked.asked), ("was answered", looked.resolved)):
        for one in found:
            say(words(f"{told}  {one.id}", "bold"))
            _show(one)
    if not looked.asked and not looked.resolved:
        note("there is nothing to ask, and nothing was answered")
