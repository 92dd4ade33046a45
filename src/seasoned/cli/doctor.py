"""`seasoned doctor`: is everything in order, and if not, what to do."""

from typing import TYPE_CHECKING

import typer

from seasoned.cli.commands import command
from seasoned.cli.exits import FOUND_WRONG
from seasoned.cli.options import Options
from seasoned.cli.render import emit, many, say, words

if TYPE_CHECKING:
    from seasoned.cli.checks import Finding

app = typer.Typer()

SIGNS = {"fine": ("✓", "green"), "wrong": ("✗", "bold red"), "info": ("·", "dim")}


@command(app, "doctor")
def doctor(options: Options) -> None:
    """Check the installation and the database.

    Exits with 1 if something is wrong, and says what to do about it.
    """
    from seasoned.cli.checks import examined

    findings = examined(options)
    wrong = sum(finding.state == "wrong" for finding in findings)
    if options.json:
        emit(
            {
                "ok": wrong == 0,
                "checks": [
                    {
                        "name": f.name,
                        "state": f.state,
                        "detail": f.detail,
                        "advice": f.advice or None,
                    }
                    for f in findings
                ],
            }
        )
    else:
        for finding in findings:
            _show(finding)
        found = f"{many(wrong, 'thing')} to put right." if wrong else "Everything is in order."
        say("", found)
    if wrong:
        raise typer.Exit(FOUND_WRONG)


def _show(finding: "Finding") -> None:
    sign, style = SIGNS[finding.state]
    line = words(sign, style)
    line.append_text(words(f" {finding.name}: ", "not dim"))
    line.append_text(words(finding.detail))
    say(line)
    if finding.advice:
        say(words(f"  → {finding.advice}", "bold"))
