"""`seasoned backup` and `seasoned restore`: everything in one file, while it runs."""

from pathlib import Path
from typing import Annotated

import typer

from seasoned.cli.command import CHECK_FAILED, Options, command
from seasoned.cli.show.render import emit, many, note, say
from seasoned.core.errors import NotFound

app = typer.Typer()

Target = Annotated[
    Path | None,
    typer.Argument(
        help="File or folder to write; default: `backups` in the home folder.", show_default=False
    ),
]
Source = Annotated[Path, typer.Argument(help="A file that `seasoned backup` wrote.")]
Replace = Annotated[
    bool, typer.Option("--replace", help="Replace what is there; its content is kept aside.")
]


@command(app, "backup")
def backup(options: Options, file: Target = None) -> None:
    """Write database, vault and profile into one file, while others go on using them.

    Secrets stay encrypted; those in a plain profile are left out. In a folder the latest
    `backup.keep` files stay.
    """
    from seasoned.app.backup import backup as write_backup
    from seasoned.cli.place import place_of

    missing = place_of(options.database, create=False).missing
    if missing:
        raise NotFound(
            f"no database at {missing} yet, so there is nothing to back up; `seasoned learn PATH` "
            "or `seasoned teach` makes one, --db names another"
        )
    with options.open() as s:
        report = s.inner.app.db.run(write_backup(s.inner.app, file))
    if options.json:
        emit(
            {
                "path": str(report.path),
                "bytes": report.bytes,
                "schema": report.schema,
                "counts": report.counts,
                "files": list(report.files),
                "seconds": round(report.seconds, 3),
                "removed": [str(one) for one in report.removed],
                "note": report.note or None,
            }
        )
        return
    lessons, events = report.counts.get("lessons", 0), report.counts.get("audit", 0)
    say(
        f"{report.path}: {report.bytes / 1e6:,.1f} MB in {report.seconds:.1f} s, "
        f"{many(lessons, 'lesson')}, {many(events, 'audit event')}"
    )
    for one in report.removed:
        say(f"removed {one}, by backup.keep")
    if report.note:
        note(report.note)


@command(app, "restore")
def restore(options: Options, file: Source, replace: Replace = False) -> None:
    """Bring back what a backup holds, and verify its audit.

    Nothing is touched before the whole file was checked. Restart `serve` and `worker` afterwards.
    """
    from seasoned.app.restore import restore as bring_back
    from seasoned.config import load

    config = load()
    url = options.database or config.database_url
    report = bring_back(config, url, file, replace=replace)
    audit = report.audit
    if options.json:
        emit(
            {
                "made_at": report.manifest.made_at,
                "schema": report.manifest.schema,
                "counts": report.manifest.counts,
                "files": list(report.files),
                "aside": report.aside or None,
                "old_files": list(report.old_files),
                "audit": {"events": audit.events, "intact": audit.intact, "reason": audit.reason},
            }
        )
    else:
        lessons = report.manifest.counts.get("lessons", 0)
        say(f"restored the backup of {report.manifest.made_at}: {many(lessons, 'lesson')}")
        for one in report.files:
            say(f"restored {one}")
        for one in (report.aside, *report.old_files):
            if one:
                say(f"what was there before is in {one}")
        if audit.intact:
            say(f"audit: {many(audit.events, 'event')}, chain intact")
    if not audit.intact:
        note(
            f"error: the restored audit chain is broken: {audit.reason}; it was so in the backup, "
            "so trust that only if you know why, or restore another one with --replace"
        )
        raise typer.Exit(CHECK_FAILED)
