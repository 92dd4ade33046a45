"""`seasoned recall`: show what an agent would be told for a request."""

from typing import Annotated

import typer

from seasoned.cli.command import Options, command
from seasoned.cli.show.render import emit, heading, note, say, table, visible

app = typer.Typer()


@command(app, "recall")
def recall(
    options: Options,
    query: Annotated[list[str], typer.Argument(help="The request.", metavar="QUERY")],
    tool: Annotated[
        str | None,
        typer.Option(help="Tool about to be used.", metavar="TOOL", show_default=False),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(help="At most N lessons per layer.", metavar="N", show_default=False),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Explain the choice of each lesson.")
    ] = False,
) -> None:
    """Show the lessons that are relevant to a request.

    Prints the text for the prompt, and nothing on stdout when no lesson is relevant, so the
    output can go straight into a prompt.
    """
    from seasoned.cli.show.shapes import entry_shape, recalled_shape

    with options.open() as s:
        # An operator is looking: do not count the lessons as given to an agent.
        context = s.recall(" ".join(query), tool=tool, limit=limit, given=False)
    for missed in context.notes:
        note(missed)
    if options.json:
        emit(
            {
                "text": context.text,
                "stable": context.stable,
                "turn": context.turn,
                "entries": [entry_shape(one) for one in context.entries],
                "lessons": [recalled_shape(one) for one in context.lessons],
                "notes": list(context.notes),
            }
        )
        return
    if not context:
        note("no relevant lessons")
        return
    # Never wrapped: it is meant for a prompt.
    typer.echo(visible(context.text))
    if explain:
        rows = [
            (
                *(one.layer, f"{one.score:.2f}"),
                f"{one.lesson.confidence:.2f}" if one.lesson else "",
                *(one.source, one.lesson.id if one.lesson else "", one.why),
            )
            for one in context.entries
        ]
        columns = ("layer", ">score", ">conf.", "source", "id", "reason")
        say(heading("Why these"), table(columns, rows))
