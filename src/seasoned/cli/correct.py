"""`seasoned correct`: somebody says outright what the agent did wrong, or should do."""

from typing import Annotated

import typer

from seasoned.cli.commands import command
from seasoned.cli.observe import shell_session
from seasoned.cli.options import Options
from seasoned.cli.render import emit, indented, say

app = typer.Typer()


@command(app, "correct")
def correct(
    options: Options,
    text: Annotated[
        list[str], typer.Argument(help="The correction, in the user's words.", metavar="TEXT")
    ],
    request: Annotated[
        str | None,
        typer.Option(help="What was asked; the session's last by default.", metavar="TEXT"),
    ] = None,
    reply: Annotated[
        str | None,
        typer.Option(help="What was answered; the session's last by default.", metavar="TEXT"),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(
            help="The conversation it belongs to; this shell's by default.", metavar="NAME"
        ),
    ] = None,
) -> None:
    """Correct the agent outright.

    A provisional rule holds in the session at once; what is to be learned from the correction
    for good is decided a little later (`seasoned corrections`).
    """
    from seasoned.cli.rule_shapes import rule_shape

    name = session or shell_session()
    with options.open() as s:
        noticed = s.correct(" ".join(text), request=request, reply=reply, session=name)
    rule = noticed.rule
    if options.json:
        emit(
            {
                "correction": noticed.case,
                "session": name,
                "rule": rule_shape(rule) if rule else None,
            }
        )
    elif rule is not None:
        say(f"Provisional rule {rule.id} holds at once, in session {name}:")
        say(indented(rule.content))
        say(f"`seasoned corrections show {noticed.case}` says what comes of it.")
