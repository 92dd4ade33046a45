"""`seasoned observe`: record one tool call; made for hooks in shells and agents."""

import json
import os
import platform
import sys
import time
from typing import Annotated, Any, cast

import typer

from seasoned.cli.command import Options, command
from seasoned.cli.show.render import emit, note, visible
from seasoned.core.errors import BadInput

app = typer.Typer()

STDIN = "-"


@command(app, "observe")
def observe(
    options: Options,
    tool: Annotated[str, typer.Argument(help="Tool that was called.", metavar="TOOL")],
    params: Annotated[
        str, typer.Option(help="Its parameters as a JSON object; - reads stdin.", metavar="JSON")
    ] = "{}",
    result: Annotated[
        str | None,
        typer.Option(
            help="Its result, JSON or text; - reads stdin.",
            metavar="JSON",
            show_default=False,
        ),
    ] = None,
    error: Annotated[
        str | None,
        typer.Option(
            help="Its error, if it failed; - reads stdin.", metavar="TEXT", show_default=False
        ),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(help="Session it belongs to; default: this shell's.", metavar="NAME"),
    ] = None,
    duration_ms: Annotated[
        float | None,
        typer.Option(help="Duration in milliseconds.", min=0, metavar="N", show_default=False),
    ] = None,
) -> None:
    """Record a tool call; print the fix if one is known.

    A success after a failure in the same session teaches a fix. A result with a non-zero
    exit_code, or with is_error, counts as a failure even without --error.
    """
    from seasoned.cli.show.shapes import hint_shape

    if [params, result, error].count(STDIN) > 1:
        raise BadInput("only one of --params, --result and --error can be -")
    given = _object(_text(params))
    returned = None if result is None else _json_or_text(_text(result))
    failure = None if error is None else _text(error)
    name = session or shell_session()
    with options.open(create=True) as s:
        hint = s.observe(tool, given, returned, failure, session=name, duration_ms=duration_ms)
        learning: bool = s.status()["learning"] if hint is None else True
    if options.json:
        emit({"hint": hint_shape(hint) if hint else None, "session": name})
    elif hint is not None:
        typer.echo(visible(str(hint)))
    elif not learning:
        note("learning is off (knowledge.enabled); nothing recorded")
    elif sys.stderr.isatty():
        note("recorded; no fix known")


def shell_session() -> str:
    """Return a session name shared by all calls from one shell on one day."""
    group = os.getsid(0) if hasattr(os, "getsid") else os.getppid()
    return f"shell-{platform.node()}-{group}-{time.strftime('%Y%m%d')}"


def _text(value: str) -> str:
    if value != STDIN:
        return value
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def _object(text: str) -> dict[str, Any]:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f'--params is not valid JSON ({error}); e.g. \'{{"path": "a.txt"}}\''
        ) from error
    if not isinstance(value, dict):
        raise BadInput('--params must be a JSON object, e.g. \'{"path": "a.txt"}\'')
    return cast("dict[str, Any]", value)


def _json_or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
