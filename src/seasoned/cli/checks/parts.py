"""Check which of the twenty parts an installation has, and why others are off or failed."""

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING

from seasoned.cli.checks.result import CheckResult
from seasoned.core.errors import SeasonedError

if TYPE_CHECKING:
    from seasoned.app.startup import PartState


def part_rows() -> "dict[str, PartState]":
    """Build the parts as a server would, on a database that is never opened."""
    import logging

    from seasoned.app import App
    from seasoned.config import load

    log = logging.getLogger("seasoned.app")
    level = log.level
    log.setLevel(logging.ERROR)  # the checks say it themselves
    try:
        app = App(load(), ":memory:")
        return app.startup.rows()
    except SeasonedError:  # the checks of the settings say which one is wrong
        return {}
    finally:
        log.setLevel(level)


def check_parts(rows: "Mapping[str, PartState]") -> Generator[CheckResult]:
    """Name the parts that are present in one line, and others with reason and remedy."""
    there = [name for name, one in rows.items() if one.state == "present"]
    if there:
        yield CheckResult("parts", "fine", f"present: {', '.join(there)}")
    for name, one in rows.items():
        if one.state == "off":
            remedy = f" ({one.remedy})" if one.remedy else ""
            yield CheckResult(f"part {name}", "info", f"off, {one.reason}{remedy}")
        elif one.state == "failed":
            yield CheckResult(f"part {name}", "wrong", one.reason, one.remedy)
