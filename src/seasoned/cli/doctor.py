"""`seasoned doctor` and `seasoned audit verify`: check the installation and the records."""

import typer

from seasoned.cli.checks.result import SIGNS, CheckResult
from seasoned.cli.command import CHECK_FAILED, Options, command
from seasoned.cli.show.render import emit, many, note, say, words
from seasoned.core.errors import SeasonedError, VaultError

app = typer.Typer()
audit_app = typer.Typer(no_args_is_help=True, help="Verify the audit log.")


@command(app, "doctor")
def doctor(options: Options) -> None:
    """Check the installation, the settings, the models and the database.

    Says how to mend what it finds, and exits with 1 if a check fails; a warning is no failure.
    Asks the servers of models for their list, which costs nothing, and sends no prompt.
    """
    from seasoned.cli.checks.parts import check_parts, part_rows

    rows = part_rows()
    results = [*check_all(options), *check_parts(rows)]
    wrong = sum(result.state == "wrong" for result in results)
    warnings = sum(result.state == "warning" for result in results)
    if options.json:
        shapes = [result.shape() for result in results]
        parts = [{"name": name, **one.shape()} for name, one in rows.items()]
        emit({"ok": wrong == 0, "warnings": warnings, "checks": shapes, "parts": parts})
    else:
        for result in results:
            _show(result)
        say("", _summary(wrong, warnings))
    if wrong:
        raise typer.Exit(CHECK_FAILED)


def _summary(wrong: int, warnings: int) -> str:
    if not wrong and not warnings:
        return "Everything is in order."
    found = [many(wrong, "problem")] if wrong else []
    found += [many(warnings, "warning")] if warnings else []
    return f"{', '.join(found)}: see above what to do."


def _show(result: CheckResult) -> None:
    sign, style = SIGNS[result.state]
    line = words(sign, style)
    line.append_text(words(f" {result.name}: ", "not dim"))
    line.append_text(words(result.detail))
    say(line)
    if result.advice:
        say(words(f"  → {result.advice}", "bold"))


def check_all(options: Options) -> list[CheckResult]:
    """Run every check, prerequisites first; a check reports an error and never raises it."""
    from seasoned.cli.checks.assistants import check_assistants
    from seasoned.cli.checks.installation import check_installation, check_settings
    from seasoned.cli.checks.models import check_models
    from seasoned.cli.checks.store import check_store
    from seasoned.cli.checks.vault import check_vault, hidden_texts
    from seasoned.config import load

    results = check_installation()
    try:
        config = load()
    except VaultError as error:
        advice = "no database can be opened until then"
        return [*results, CheckResult("vault", "wrong", str(error), advice)]
    except SeasonedError as error:
        advice = "fix the setting; no database can be opened until then"
        return [*results, CheckResult("settings", "wrong", str(error), advice)]
    hidden = hidden_texts(config)
    return [
        one.without(hidden)
        for one in (
            *results,
            *check_settings(config, options.db),
            *check_vault(config),
            *check_models(config),
            *check_assistants(config),
            *check_store(options),
        )
    ]


@command(audit_app, "verify")
def verify(options: Options) -> None:
    """Check that no event was changed, removed or inserted; exit with 1 otherwise."""
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
            f"{many(report.events, 'event')} before that are intact"
        )
        raise typer.Exit(CHECK_FAILED)
