"""Bring back what a backup holds: checked first, then all of it or nothing."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from seasoned.app.archive import DATABASE, Manifest, damaged, read_archive
from seasoned.app.backup import KEPT
from seasoned.app.work_folder import work_folder
from seasoned.core.errors import BadInput, Unsupported
from seasoned.core.replaced_file import replace_file
from seasoned.db.address import is_postgres, sqlite_path
from seasoned.db.copying import content_of, replace_content, snapshot_sqlite
from seasoned.db.migrations import LATEST
from seasoned.db.opening import open_database
from seasoned.security.audit import AuditReport, AuditStore
from seasoned.security.stored import stored_params

if TYPE_CHECKING:
    from seasoned.config import Configuration

TELLING = (  # a store without any row in these is empty
    *("lessons", "errors", "episodes", "sessions", "audit", "tools", "feedback", "experiences"),
    *("documents", "skills", "triples", "schedules", "api_keys"),
)


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """What was brought back; `aside` is where the old content is, `files` those of the home.

    `old_files` are the home's files as they were, where they differed.
    """

    manifest: Manifest
    audit: AuditReport
    aside: str = ""
    files: tuple[str, ...] = ()
    old_files: tuple[str, ...] = ()


def restore(
    config: Configuration, database_url: str, source: Path, *, replace: bool = False
) -> RestoreReport:
    """Restore a backup into a database and the home folder.

    A store that is not empty is refused, unless it is to be replaced: then its content is kept
    aside. Programs that are running see the restored lessons, but should be started again.
    """
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    where = Path(sqlite_path(database_url)) if not is_postgres(database_url) else None
    place = where.parent if where else config.home
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    with work_folder("restore", place) as folder:
        manifest = read_archive(source, folder)
        if manifest.schema > LATEST:
            raise Unsupported(
                f"{source} was written by a newer Seasoned (schema {manifest.schema}, this one "
                f"knows {LATEST}); nothing was changed; upgrade Seasoned, then restore it"
            )
        wanted = "sqlite" if where else "postgres"
        if manifest.dialect != wanted:
            raise Unsupported(
                f"{source} is a backup of {manifest.dialect}, and the database is {wanted}; "
                "nothing was changed; restore it into a database of its own kind"
            )
        if where:
            aside = _into_sqlite(source, folder / DATABASE, where, stamp, replace=replace)
        else:
            from seasoned.db.postgres_copy import Dump, load

            dumped = Dump(manifest.schema, manifest.counts, manifest.columns, manifest.sequences)
            kept = f"seasoned_before_{stamp.lower()}" if replace else ""
            aside = load(database_url, folder / "database", dumped, kept, TELLING)
        files, old_files = _home_files(config, folder, manifest, stamp)
    return RestoreReport(manifest, _verified(database_url), aside, files, old_files)


def _into_sqlite(source: Path, copy: Path, where: Path, stamp: str, *, replace: bool) -> str:
    schema, _ = content_of(copy)
    if not schema:
        raise damaged(source, "its database has no schema")
    aside = ""
    if where.exists() and where.stat().st_size:
        old = where.with_name(f"{where.name}.before-{stamp}")
        snapshot_sqlite(where, old)
        found, counts = content_of(old)
        strange = bool(counts) and not found  # the tables of another program
        if strange or any(counts.get(table) for table in TELLING):
            if not replace:
                old.unlink()
                raise refused(str(where))
            aside = str(old)
        else:
            old.unlink()
    replace_content(copy, where)
    return aside


def refused(where: str) -> BadInput:
    return BadInput(
        f"{where} is not empty; nothing was changed; add --replace to replace it (its content is "
        "kept aside), or restore into another place with --db or SEASONED_HOME"
    )


def _home_files(
    config: Configuration, folder: Path, manifest: Manifest, stamp: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Write the vault and the profile; those that differ are kept aside.

    Return what was written, and the old ones.
    """
    written, old = list[str](), list[str]()
    config.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name in KEPT:
        if f"home/{name}" not in manifest.files:
            continue
        content = (folder / "home" / name).read_bytes()
        path = config.home / name
        if path.is_file():
            path = path.resolve()  # a link stays a link
            if (there := path.read_bytes()) != content:
                aside = config.home / f"{name}.before-{stamp}"
                replace_file(aside, there, 0o600)
                old.append(str(aside))
        replace_file(path, content, 0o600)
        written.append(str(config.home / name))
    return tuple(written), tuple(old)


def _verified(database_url: str) -> AuditReport:
    """Open the restored database, which migrates an older one, and verify its audit."""
    db = open_database(database_url, clean=stored_params)
    try:
        db.run(db.open())
        return db.run(AuditStore(db).verify())
    finally:
        db.run(db.close())
        db.shutdown()
