"""`seasoned teach`: teach a lesson outright."""

from enum import StrEnum
from typing import Annotated

import typer

from seasoned.cli.command import Options
from seasoned.cli.show.render import emit, say


class Speaker(StrEnum):
    OPERATOR = "operator"
    USER = "user"


def teach(
    options: Options,
    trigger: Annotated[
        str,
        typer.Argument(help="When it applies; for a fix, the error message.", metavar="TRIGGER"),
    ] = "",
    fix: Annotated[str | None, typer.Option(help="Teach a fix.", metavar="TEXT")] = None,
    rule: Annotated[
        str | None, typer.Option(help="Teach a rule: how to behave.", metavar="TEXT")
    ] = None,
    fact: Annotated[str | None, typer.Option(help="Teach a fact.", metavar="TEXT")] = None,
    preference: Annotated[
        str | None, typer.Option(help="Teach a preference.", metavar="TEXT")
    ] = None,
    tool: Annotated[
        str | None, typer.Option(help="With --fix: only for this tool.", metavar="TOOL")
    ] = None,
    speaker: Annotated[Speaker, typer.Option("--as", help="Who teaches it.")] = Speaker.OPERATOR,
) -> None:
    """Teach a lesson outright.

    It applies at once and takes precedence over anything inferred. Give exactly one of --fix,
    --rule, --fact and --preference. A new fix for the same error supersedes the old one.
    """
    from seasoned.cli.show.shapes import lesson_shape

    with options.open(create=True, everyone=True) as s:
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
        tool = lesson.fix.tool or "any tool"
        say(f"It is suggested when {tool} fails with: {lesson.trigger}")
