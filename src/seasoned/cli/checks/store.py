"""Check an open database: its schema, its soundness, its audit, and the work that waits in it."""

from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING

from seasoned.cli.checks.result import CheckResult, State
from seasoned.cli.command import Options
from seasoned.cli.show.render import many
from seasoned.core.errors import SeasonedError

if TYPE_CHECKING:
    from seasoned.api import Seasoned

MANY_OPEN = 1000


def check_store(options: Options) -> Generator[CheckResult]:
    from seasoned.cli.place import place_of

    try:
        missing = place_of(options.database, create=False).missing
        if missing:
            detail = f"{missing} does not exist yet; created on first use"
            yield CheckResult("database", "info", detail)
            return
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


def permissions(s: "Seasoned") -> CheckResult:
    from seasoned.core.private_files import is_private
    from seasoned.db.sqlite import MEMORY, files_of

    db = s.inner.app.db
    if db.dialect != "sqlite" or db.where == MEMORY:
        return CheckResult("permissions", "info", "there is no file")
    open_to_all = [str(file) for file in files_of(db.where) if not is_private(file)]
    if not open_to_all:
        return CheckResult("permissions", "fine", "nobody else may read the database")
    return CheckResult(
        "permissions",
        "warning",
        f"others may read {', '.join(open_to_all)}, which somebody else owns",
        f"let the owner run: chmod 600 {' '.join(open_to_all)}",
    )


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


def corrections(s: "Seasoned") -> CheckResult:
    """Check how full the queue of corrections is: yellow from 20 of 50, red from 40."""
    status = s.corrections.status()
    detail = f"{status['pending']:,} of {status['cap']:,} pending ({status['colour']})"
    if status["error"]:
        advice = "start the queue, or clear queue.url; the database keeps corrections meanwhile"
        return CheckResult("corrections", "wrong", f"queue unreachable: {status['error']}", advice)
    if status["failing"]:
        detail += f", {status['failing']:,} failing"
    if status["colour"] == "green":
        return CheckResult("corrections", "fine", detail)
    detail += f"; above {status['cap']:,} the oldest are archived unlearned"
    why = "`seasoned corrections pending` shows why they fail; " if status["failing"] else ""
    advice = f"{why}`seasoned corrections learn` learns from them now"
    return CheckResult(
        "corrections", "wrong" if status["colour"] == "red" else "warning", detail, advice
    )


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
    permissions,
    soundness,
    audit_chain,
    meaning,
    corrections,
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
