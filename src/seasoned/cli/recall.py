"""`seasoned recall`: what an agent would be given for a request."""

from typing import Annotated

import typer

from seasoned.cli.commands import command
from seasoned.cli.options import Options
from seasoned.cli.render import emit, heading, note, say, table

app = typer.Typer()


@command(app, "recall")
def recall(
    options: Options,
    query: Annotated[
        list[str], typer.Argument(help="The request, in its own words.", metavar="QUERY")
    ],
    tool: Annotated[
        str | None,
        typer.Option(help="The tool that is about to be used.", metavar="TOOL", show_default=False),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="At most so many lessons.", metavar="N", show_default=False)
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why each lesson was chosen.")
    ] = False,
) -> None:
    """Show the lessons that matter for a request.

    They are printed as they would stand in the prompt. When nothing relevant was learned,
    stdout stays empty, so it can feed a prompt directly.
    """
    from seasoned.cli.shapes import entry_shape, recalled_shape

    with options.open() as s:
        # An operator looks: nothing is counted as handed to an agent.
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
        note("nothing relevant was learned")
        return
    # As it is, never wrapped: it is meant for a prompt.
    typer.echo(context.text)
    if explain:
        rows = [
            (
                *(one.layer, f"{one.score:.2f}"),
                f"{one.lesson.confidence:.2f}" if one.lesson else "",
                *(one.source, one.lesson.id if one.lesson else "", one.why),
            )
            for one in context.entries
        ]
        columns = ("layer", ">score", ">conf.", "source", "id", "because it")
        say(heading("Why these"), table(columns, rows))
