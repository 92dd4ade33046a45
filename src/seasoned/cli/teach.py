"""`seasoned teach`: a person says a lesson outright."""

from enum import StrEnum
from typing import Annotated

import typer

from seasoned.cli.commands import command
from seasoned.cli.options import Options
from seasoned.cli.render import emit, say

app = typer.Typer()


class Speaker(StrEnum):
    OPERATOR = "operator"
    USER = "user"


@command(app, "teach")
def teach(
    options: Options,
    trigger: Annotated[
        str,
        typer.Argument(help="When it matters: for a fix, the error it is for.", metavar="TRIGGER"),
    ] = "",
    fix: Annotated[
        str | None, typer.Option(help="What to do about the error.", metavar="TEXT")
    ] = None,
    rule: Annotated[str | None, typer.Option(help="How to behave.", metavar="TEXT")] = None,
    fact: Annotated[str | None, typer.Option(help="What is so.", metavar="TEXT")] = None,
    preference: Annotated[
        str | None, typer.Option(help="What somebody likes.", metavar="TEXT")
    ] = None,
    tool: Annotated[
        str | None, typer.Option(help="For a fix: this tool only.", metavar="TOOL")
    ] = None,
    speaker: Annotated[Speaker, typer.Option("--as", help="Who says so.")] = Speaker.OPERATOR,
) -> None:
    """Teach a lesson outright.

    It applies at once and beats whatever was inferred. Give exactly one of --fix, --rule,
    --fact and --preference. A later fix for the same error takes the place of an earlier one,
    which is kept as superseded.
    """
    from seasoned.cli.shapes import lesson_shape

    with options.open() as s:
        lesson = s.teach(
            trigger,
            fix=fix,
            rule=rule,
            fact=fact,
            preference=preference,
            tool=tool,
            source=speaker.value,
        )
    if options.json:
        emit(lesson_shape(lesson))
        return
    say(f"Learned {lesson.kind} {lesson.id} (confidence {lesson.confidence:.2f}).")
    if lesson.fix is not None:
        whose = f"of {lesson.fix.tool}" if lesson.fix.tool else "of any tool"
        say(f"It is given for this error {whose}: {lesson.trigger}")
