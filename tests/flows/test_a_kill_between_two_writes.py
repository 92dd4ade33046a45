"""A process killed between any two writes: an acknowledged call is kept, others can be repeated."""

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.flows.killed_writes import DEEDS

from seasoned import Seasoned
from seasoned.core.clock import FixedClock

MOST_WRITES = 100
Runner = Callable[[str, str, str, int], str]


@pytest.fixture(scope="module")
def killed() -> Generator[Runner]:
    """Run a deed in a process that is killed at a write; return whether it was acknowledged."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.flows.killed_writes"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None
        assert stdout is not None

        def run(*order: object) -> str:
            stdin.write(json.dumps(order) + "\n")
            stdin.flush()
            return stdout.readline().strip()

        yield run
        stdin.close()


class Bed:
    """A database and, with an address, a Redis, both as new for each run."""

    def __init__(self, template: Path, path: Path, queue: str) -> None:
        self.template = template
        self.path = path
        self.queue = queue
        self.redis: Any = None
        if queue:
            import redis

            self.redis = redis.Redis.from_url(queue)  # pyright: ignore

    def renew(self) -> str:
        for left in self.path.parent.glob(f"{self.path.name}*"):
            left.unlink()
        shutil.copyfile(self.template, self.path)
        if self.redis:
            self.redis.flushdb()
        return str(self.path)

    def contents(self) -> list[Any]:
        """Return all rows that a migrated database does not have, and the keys of Redis."""
        with closing(sqlite3.connect(self.path)) as raw:
            named = raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            tables = {name for (name,) in named if "_text" not in name}
            rows = [
                (name, row)
                for name in sorted(tables - {"schema_migrations"})
                for row in raw.execute(f"SELECT * FROM {name}")
            ]
        return rows + (self.redis.keys() if self.redis else [])

    def state(self, *deeds: Callable[[Seasoned], None]) -> dict[str, Any]:
        """Do these, learn what is pending, and return what was learned then."""
        place = {"SEASONED_QUEUE__URL": self.queue}
        with Seasoned(str(self.path), clock=FixedClock(), environment=place) as s:
            for deed in deeds:
                deed(s)
            s.corrections.learn()
            assert s.verify_audit().intact
            return {
                "lessons": sorted(
                    (one.content, one.kind, one.status, one.belief, len(s.why(one.id).evidence))
                    for one in s.lessons()
                ),
                "provisional": [one.content for one in s.rules.list(provisional=True)],
                "feedback": [one.feedback for one in s.feedback.list()],
                "totals": s.feedback.stats(by="skill"),
                "analysed": [(one.id, one.outcome, one.reason) for one in s.corrections.history()],
                "pending": s.corrections.status()["pending"],
                "in the session": s.recall("List the containers", session="chat").text,
                "elsewhere": s.recall("List the containers", session="other").text,
            }


@pytest.mark.parametrize("deed", DEEDS)
def test_a_killed_call_happened_or_did_not_and_can_be_repeated(
    deed: str, home: Path, tmp_path: Path, sqlite_template: Path, killed: Runner
) -> None:
    check_every_kill(Bed(sqlite_template, tmp_path / "x.db", ""), deed, killed)


@pytest.mark.parametrize("deed", ["feedback", "correct"])
def test_that_holds_with_a_queue_in_redis(
    deed: str, home: Path, tmp_path: Path, sqlite_template: Path, killed: Runner, redis_url: str
) -> None:
    check_every_kill(Bed(sqlite_template, tmp_path / "x.db", redis_url), deed, killed)


def check_every_kill(bed: Bed, deed: str, killed: Runner) -> None:
    do = DEEDS[deed]
    bed.renew()
    whole = bed.state(do)
    bed.renew()
    repeated = bed.state(do, do)
    outcomes: list[str] = []
    kept: list[bool] = []
    while "done" not in outcomes:
        order = (deed, bed.renew(), bed.queue, len(outcomes) + 1)
        before = bed.contents()
        outcomes.append(killed(*order))
        kept.append(bed.contents() != before)
        if kept[-1]:
            assert bed.state() == whole
            bed.renew()
            killed(*order)
            assert bed.state(do) == repeated
        assert len(outcomes) < MOST_WRITES
    assert set(outcomes[:-1]) == {"killed"}
    assert kept[-1]
    assert kept.count(False) > 5  # it was killed inside of the transaction, too
