"""Check the coding assistants: which are connected, whether their hooks arrive, what went wrong."""

import time
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

from seasoned.cli.checks.result import CheckResult

if TYPE_CHECKING:
    from seasoned.config import Configuration

RECENT_SECONDS = 86_400.0
LOG_BYTES = 4_000


def check_assistants(config: "Configuration") -> Generator[CheckResult]:
    """Check the assistants that are connected; nothing is said without one."""
    from seasoned.assistants.activity import read_activity
    from seasoned.assistants.client import FAILED, FOLDER, LOG
    from seasoned.assistants.setup.catalog import ASSISTANTS, Place
    from seasoned.assistants.setup.connection import Connections
    from seasoned.config import environment

    folder = config.home / FOLDER
    connections, activity = Connections(config.home.absolute()), read_activity(folder)
    found = False
    for one in ASSISTANTS.values():
        places = [
            Place(Path.home(), Path.cwd(), environment(), scope) for scope in ("user", "project")
        ]
        last = activity.get(one.name)
        if not any(connections.is_connected(one, place) for place in places):
            continue
        found = True
        if last is None:
            advice = one.advice or "start a session in it; its first event starts the service"
            yield CheckResult(one.title, "warning", "connected, but no hook arrived yet", advice)
        else:
            hours = (time.time() - last.at) / 3600
            when = "in the last hour" if hours < 1 else f"{hours:,.0f} hours ago"
            yield CheckResult(one.title, "fine", f"connected; last hook {when} ({last.event})")
    if not found and not activity:
        return
    failed = folder / FAILED
    if failed.exists():
        reason = failed.read_text("utf-8", "replace").strip()[:300]
        yield CheckResult("hook service", "wrong", f"could not start: {reason}", "mend that first")
    yield from _recent_trouble(folder / LOG)


def _recent_trouble(path: Path) -> Generator[CheckResult]:
    """Show the last line of the log, if it is from today."""
    try:
        if time.time() - path.stat().st_mtime > RECENT_SECONDS:
            return
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - LOG_BYTES))
            lines = file.read().decode("utf-8", "replace").split("\n")
    except OSError:
        return  # no log, no trouble
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    if last:
        yield CheckResult("hooks", "warning", f"last problem: {last[:300]}", f"see {path}")
