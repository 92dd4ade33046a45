"""`seasoned audit verify`: was the record of what happened changed?"""

import typer

from seasoned.cli.commands import command
from seasoned.cli.exits import FOUND_WRONG
from seasoned.cli.options import Options
from seasoned.cli.render import emit, many, note, say

app = typer.Typer(no_args_is_help=True, help="Check the record of all that happened.")


@command(app, "verify")
def verify(options: Options) -> None:
    """Check that no event was changed, removed or inserted; exit 1 if one was."""
    with options.open() as s:
        report = s.verify_audit()
    if options.json:
        emit(
            {
                "events": report.events,
                "intact": report.intact,
                "broken_at": report.broken_at,
                "reason": report.reason or None,
            }
        )
    elif report.intact:
        say(f"{many(report.events, 'event')}, chain intact")
    if not report.intact:
        note(
            f"error: the audit chain is broken: {report.reason}; "
            f"{many(report.events, 'event')} before it are as they were written"
        )
        raise typer.Exit(FOUND_WRONG)
