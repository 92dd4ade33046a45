"""`seasoned teach` and `seasoned correct`: tell the agent a lesson, or what it did wrong."""

from enum import StrEnum
from typing import Annotated

import typer

from seasoned.cli.command import Options, command
from seasoned.cli.observe import shell_session
from seasoned.cli.show.render import emit, indented, say

app = typer.Typer()


class Speaker(StrEnum):
    OPERATOR = "operator"
    USER = "user"


@command(app, "teach")
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

    with options.open(everyone=True) as s:
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


@command(app, "correct")
def correct(
    options: Options,
    text: Annotated[
        list[str], typer.Argument(help="The correction, in the user's words.", metavar="TEXT")
    ],
    request: Annotated[
        str | None,
        typer.Option(help="Request it is about; default: the session's last.", metavar="TEXT"),
    ] = None,
    reply: Annotated[
        str | None,
        typer.Option(help="Reply it corrects; default: the session's last.", metavar="TEXT"),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(help="Session it belongs to; default: this shell's.", metavar="NAME"),
    ] = None,
) -> None:
    """Correct the agent.

    A provisional rule applies to the session at once; the correction is then analysed in the
    background (`seasoned corrections`).
    """
    from seasoned.cli.show.rules import rule_shape

    name = session or shell_session()
    with options.open() as s:
        notice = s.correct(" ".join(text), request=request, reply=reply, session=name)
    rule = notice.rule
    if options.json:
        emit(
            {
                "correction": notice.case,
                "session": name,
                "rule": rule_shape(rule) if rule else None,
            }
        )
    elif rule is not None:
        say(f"Provisional rule {rule.id} applies to session {name}:")
        say(indented(rule.content))
        say(f"`seasoned corrections show {notice.case}` shows its analysis.")
