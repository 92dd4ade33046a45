"""Check the installation and the settings: Python, SQLite, extras, folders, disk, the queue."""

import os
import shutil
import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

from seasoned.cli.checks.result import CheckResult
from seasoned.cli.show.render import many
from seasoned.config.validation import secret_settings
from seasoned.core.clock import SystemClock
from seasoned.core.errors import SeasonedError
from seasoned.core.extras import EXTRAS, install_command, installed
from seasoned.core.private_files import is_private

if TYPE_CHECKING:
    from seasoned.config import Configuration
    from seasoned.db.queue.queue import QueueDepth

OLDEST_PYTHON = (3, 11)
LOW_DISK, LITTLE_DISK = 50_000_000, 500_000_000


def check_installation() -> list[CheckResult]:
    return [python_version(), full_text_search(), extras()]


def check_settings(config: "Configuration", db: str | None) -> list[CheckResult]:
    """Check what the settings name; `db` is the database of the command line."""
    url = db or config.database_url
    return [
        settings(config),
        *plain_secrets(config),
        *missing_extras(config, url),
        home(config),
        *disk(config, url),
        *queue(config),
    ]


def python_version() -> CheckResult:
    version = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info[:2] >= OLDEST_PYTHON:
        return CheckResult("Python", "fine", version)
    return CheckResult("Python", "wrong", version, "Seasoned needs Python 3.11 or newer")


def full_text_search() -> CheckResult:
    import apsw

    version = f"SQLite {apsw.sqlite_lib_version()}"
    if "ENABLE_FTS5" in apsw.compile_options:
        return CheckResult("full text search", "fine", f"{version} with FTS5")
    advice = "reinstall apsw-sqlite3mc from its wheel: pip install --force-reinstall apsw-sqlite3mc"
    return CheckResult("full text search", "wrong", f"{version} has no FTS5", advice)


def extras() -> CheckResult:
    there = [extra for extra in EXTRAS if installed(extra)]
    return CheckResult("extras", "info", ", ".join(there) or "none installed (none is required)")


def missing_extras(config: "Configuration", url: str) -> Generator[CheckResult]:
    """Name the extras that the settings need and that are not installed."""
    for extra, why in needed_extras(config, url).items():
        if not installed(extra):
            advice = f"install it with: {install_command(extra)}"
            yield CheckResult(
                f"extra {extra}", "wrong", f"not installed, but needed: {why}", advice
            )


def needed_extras(config: "Configuration", url: str) -> dict[str, str]:
    """Return the extras that the settings need, and which setting does."""
    from seasoned.cli.checks.models import named_models
    from seasoned.db.address import is_postgres

    needed: dict[str, str] = {}
    if is_postgres(url):
        needed["postgres"] = "the database is on Postgres"
    if config.settings.queue.url:
        needed["redis"] = "queue.url"
    if config.settings.embedding.provider == "minilm":
        needed["minilm"] = "embedding.provider is minilm"
    for name, uses in named_models(config).items():
        needed.setdefault("llm", f"{', '.join(uses)} is {name}")
        if name.startswith("local:"):
            needed.setdefault("local", f"{', '.join(uses)} is {name}")
    return needed


def settings(config: "Configuration") -> CheckResult:
    changed = [key for key, _, origin in config.rows() if origin != "default"]
    count = f"{many(len(changed), 'setting')} not at the default" if changed else "all defaults"
    where = config.profile if config.profile.exists() else f"no {config.profile.name}"
    return CheckResult("settings", "fine", f"{where}; {count}")


def plain_secrets(config: "Configuration") -> Generator[CheckResult]:
    """Warn of secrets in a file that others may read."""
    there = str(config.profile)
    found = [key for key in secret_settings() if config.origins.get(key) == there]
    if found and not is_private(config.profile):
        detail = f"others may read {there}, which holds {', '.join(found)}"
        advice = f"run `chmod 600 {there}`, or move them into the vault: `seasoned secrets set`"
        yield CheckResult("settings", "warning", detail, advice)


def home(config: "Configuration") -> CheckResult:
    """Check that the home folder, or the nearest existing parent, is writable."""
    nearest = next((p for p in (config.home, *config.home.absolute().parents) if p.exists()), None)
    if nearest is None or not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        return CheckResult(
            "home",
            "wrong",
            f"{config.home} cannot be written"
            + (f": {nearest} is not a writable folder" if nearest else ""),
            "point SEASONED_HOME at a folder you can write to",
        )
    made = "" if nearest == config.home else " (created on first use)"
    return CheckResult("home", "fine", f"{config.home}{made}")


def disk(config: "Configuration", url: str) -> Generator[CheckResult]:
    """Check the space that is left where the database grows."""
    path = _file(url)
    folder = _nearest(path.parent if path else config.home)
    if folder is None:
        return  # the check of the home says so
    free = shutil.disk_usage(folder).free
    detail = f"{free / 1e9:,.1f} GB free in {folder}"
    if free >= LITTLE_DISK:
        yield CheckResult("disk", "fine", detail)
        return
    advice = "free some space: a full disk stops all learning"
    detail = f"{free / 1e6:,.0f} MB free in {folder}"
    yield CheckResult("disk", "wrong" if free < LOW_DISK else "warning", detail, advice)


def _file(url: str) -> Path | None:
    """Return the file of a SQLite database; None if the address names none."""
    from seasoned.db.address import is_postgres, sqlite_path

    try:
        named = None if is_postgres(url) else sqlite_path(url)
    except SeasonedError:
        return None  # the check of the database says so
    return Path(named) if named and named != ":memory:" else None


def _nearest(folder: Path) -> Path | None:
    return next((one for one in (folder, *folder.absolute().parents) if one.is_dir()), None)


def queue(config: "Configuration") -> Generator[CheckResult]:
    """Check that the Redis queue answers, if one is configured."""
    from seasoned.db.address import without_password

    url, cap = config.settings.queue.url, config.settings.behavioral.queue_cap
    if not url:
        return
    try:
        depth = redis_depth(url, cap)
    except SeasonedError as error:
        yield CheckResult("queue", "wrong", str(error))
        return
    counts = f"{many(depth.pending, 'correction')} pending, {depth.archived:,} archived"
    yield CheckResult("queue", "fine", f"{without_password(url)}: {counts}")


def redis_depth(url: str, cap: int) -> "QueueDepth":
    from seasoned.core.threads import drive_inline
    from seasoned.db.queue.opening import redis_queue

    held = redis_queue(url, cap)
    try:
        return drive_inline(held.depth(SystemClock().now()))
    finally:
        drive_inline(held.close())
