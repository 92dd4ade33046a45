"""Remember when each assistant's hooks last arrived, so that `seasoned doctor` can tell."""

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from seasoned.core.ids import new_id

NAME = "activity.json"
EVERY_SECONDS = 5.0  # a write


@dataclass(frozen=True, slots=True)
class HostActivity:
    """The last event of a host, and how many there were."""

    at: float  # seconds since 1970
    event: str
    events: int


class Activity:
    """Counts events in a file of the home folder; it may miss the last seconds of a crash."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._new: dict[str, tuple[float, str, int]] = {}
        self._written = 0.0

    def note(self, host: str, event: str) -> None:
        _, _, count = self._new.get(host, (0.0, "", 0))
        self._new[host] = (time.time(), event[:40], count + 1)
        if time.monotonic() - self._written >= EVERY_SECONDS:
            self.write()

    def write(self) -> None:
        """Add what is new to the file."""
        if not self._new:
            return
        known = read_activity(self._path.parent)
        rows: dict[str, Any] = {
            host: {"at": one.at, "event": one.event, "events": one.events}
            for host, one in known.items()
        }
        for host, (at, event, count) in self._new.items():
            before = known[host].events if host in known else 0
            rows[host] = {"at": at, "event": event, "events": before + count}
        self._written = time.monotonic()
        fresh = self._path.with_name(f"{NAME}.{new_id()}")
        try:
            fresh.write_text(json.dumps(rows), "utf-8")
            os.replace(fresh, self._path)
        except OSError:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)
            return  # a full disk must not stop the hooks; the next write tries again
        self._new.clear()


def read_activity(folder: Path) -> dict[str, HostActivity]:
    """Return the last event of each host; empty if none arrived yet."""
    try:
        rows: Any = json.loads((folder / NAME).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    found: dict[str, HostActivity] = {}
    for host, row in cast("Mapping[str, Any]", rows if isinstance(rows, dict) else {}).items():
        with suppress(KeyError, TypeError, ValueError):
            found[host] = HostActivity(float(row["at"]), str(row["event"]), int(row["events"]))
    return found
