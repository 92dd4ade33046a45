"""Back up everything of an installation into one file, while it runs."""

from __future__ import annotations

import re
import time
import tomllib
from dataclasses import dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from seasoned.app.archive import DATABASE, Manifest, digest_of, is_packed, write_archive
from seasoned.app.work_folder import work_folder
from seasoned.config.settings import Settings
from seasoned.core.clock import SECOND, iso
from seasoned.core.errors import BadInput
from seasoned.core.home import VAULT_FILE, has_vault
from seasoned.core.threads import run_in_thread, wait_for
from seasoned.db.copying import content_of, snapshot_sqlite
from seasoned.security.redact import redact

if TYPE_CHECKING:
    from seasoned.app.services import AppServices
    from seasoned.config import Configuration

ENDING = ".seasoned-backup.tar.gz"
OWN_NAME = re.compile(r"seasoned-\d{8}T\d{6}(\.\d+)?" + re.escape(ENDING))
PROFILE = "seasoned.toml"
KEPT = (VAULT_FILE, PROFILE)  # of the home folder, and nothing else: a passphrase may lie there
LIMIT_SECONDS = 6 * 3600.0


@dataclass(frozen=True, slots=True)
class BackupReport:
    """Where a backup is, and what it holds; `removed` are older ones that it replaces."""

    path: Path
    bytes: int
    schema: int
    counts: dict[str, int]
    files: tuple[str, ...]
    seconds: float
    removed: tuple[Path, ...] = ()
    note: str = ""


async def backup(app: AppServices, target: Path | None = None) -> BackupReport:
    """Write a backup; everything that was acknowledged before is in it, and writers go on.

    Without a `target`, or with a folder, its name has the time in it, and only the latest
    `backup.keep` of that folder stay.
    """
    return await wait_for(run_in_thread(_backup, app, target), LIMIT_SECONDS)


def _backup(app: AppServices, target: Path | None) -> BackupReport:
    began, config = time.monotonic(), app.config
    chosen = target if target is not None else config.home / "backups"
    own = target is None or target.is_dir()
    path = _dated(chosen, app.clock.now()) if own else chosen
    _make(path.parent, own=target is None)
    _check_target(path)
    with work_folder("backup", path.parent) as folder:
        (folder / "database").mkdir()
        (folder / "home").mkdir()
        files, note = _home_files(config, folder)
        if app.db.dialect == "sqlite":
            if app.db.where == ":memory:":
                raise BadInput("a database in memory cannot be backed up; give --db a file")
            snapshot_sqlite(Path(app.db.where), folder / DATABASE)
            schema, counts = content_of(folder / DATABASE)
            columns, sequences = dict[str, list[str]](), dict[str, int]()
            files.insert(0, DATABASE)
        else:
            from seasoned.db.postgres_copy import dump

            dumped = dump(app.db_url, folder / "database")
            schema, counts = dumped.schema, dumped.counts
            columns, sequences = dumped.columns, dumped.sequences
            files = [*(f"database/{table}.copy" for table in columns), *files]
            if dumped.others:
                others = f"left out, not Seasoned's tables: {', '.join(dumped.others)}"
                note = f"{note}\n{others}" if note else others
        digests = {name: digest_of(folder / name) for name in files}
        made_at = iso(app.clock.now())
        manifest = Manifest(
            *(
                version("seasoned"),
                app.db.dialect,
                schema,
                made_at,
                counts,
                digests,
                columns,
                sequences,
            )
        )
        size = write_archive(manifest, folder, path)
    removed = _thinned(path.parent, config.settings.backup.keep) if own else ()
    seconds = time.monotonic() - began
    return BackupReport(path, size, schema, counts, tuple(files), seconds, removed, note)


def _dated(folder: Path, now: int) -> Path:
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now / SECOND))
    path, number = folder / f"seasoned-{stamp}{ENDING}", 1
    while path.exists():
        path, number = folder / f"seasoned-{stamp}.{number}{ENDING}", number + 1
    return path


def _make(folder: Path, *, own: bool) -> None:
    try:
        if own:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        elif not folder.is_dir():
            raise BadInput(f"no folder {folder} for the backup; make it with `mkdir -p`")
    except OSError as error:
        raise BadInput(f"cannot make {folder}: {error.strerror or error}") from error


def _check_target(path: Path) -> None:
    """Refuse to overwrite anything but an earlier backup: the database, say."""
    try:
        if path.exists() and not is_packed(path):
            raise BadInput(f"{path} is there and is no backup; it is unchanged; name another file")
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror or error}") from error


def _thinned(folder: Path, keep: int) -> tuple[Path, ...]:
    """Remove all but the latest of our own backups; 0 keeps all."""
    found = (one for one in folder.iterdir() if OWN_NAME.fullmatch(one.name))
    ours = sorted(found, key=lambda one: one.stat().st_mtime_ns)
    spare = ours[:-keep] if keep else []
    for one in spare:
        one.unlink(missing_ok=True)
    return tuple(spare)


def _home_files(config: Configuration, folder: Path) -> tuple[list[str], str]:
    """Copy the vault as it is, and the profile without its secrets."""
    found: list[str] = []
    if has_vault(config.home):
        vault = config.home / VAULT_FILE
        try:
            (folder / "home" / VAULT_FILE).write_bytes(vault.read_bytes())
        except OSError as error:
            raise BadInput(
                f"cannot read the vault {vault}: {error.strerror or error}; no backup was written, "
                "as it would lack the secrets; bring that file back, or remove the link"
            ) from error
        found.append(f"home/{VAULT_FILE}")
    if not config.profile.is_file():
        return found, ""
    text, note = without_secrets(config.profile.read_text("utf-8"))
    if text:
        (folder / "home" / PROFILE).write_text(text, "utf-8")
        found.append(f"home/{PROFILE}")
    return found, note


def without_secrets(profile: str) -> tuple[str, str]:
    """Return a profile without the values that nobody may read, and what was left out."""
    secret = {
        (section.name, one.name.replace("_", ""))
        for section in fields(Settings)
        for one in fields(getattr(Settings(), section.name))
        if one.metadata.get("secret") or one.name == "url"
    }
    section, lines, left = "", list[str](), list[str]()
    for line in profile.splitlines():
        if head := re.fullmatch(r"\s*\[\s*(\w+)\s*\]\s*(#.*)?", line):
            section = head[1].lower()
        key = re.match(r"\s*[\"']?(\w+)[\"']?\s*=", line)
        name = key[1].replace("_", "").lower() if key else ""
        if (section, name) in secret and not (name == "url" and "@" not in line):
            left.append(f"{section}.{name}")
            lines.append(f"# {name} is not in the backup")
        else:
            lines.append(redact(line))
    text = "\n".join(lines) + "\n"
    try:
        told: dict[str, Any] = tomllib.loads(profile)
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return "", "the profile is not in the backup: it cannot be told from its secrets"
    for table, entries in told.items():
        held = cast("dict[str, Any]", entries) if isinstance(entries, dict) else {}
        for name, value in held.items():
            is_secret = (table.lower(), name.replace("_", "").lower()) in secret
            if is_secret and value and str(value) in text and not _is_plain(str(value)):
                return "", "the profile is not in the backup: it cannot be told from its secrets"
    note = f"left out of the profile: {', '.join(left)}" if left else ""
    return text, note


def _is_plain(value: str) -> bool:
    """Tell an address without a password from a secret."""
    return "://" in value and "@" not in value
