"""What is called done is on disk: with no space left, and while another process holds the lock."""

import os
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from seasoned import Seasoned
from seasoned.bandit.experience import Experience
from seasoned.core.errors import DatabaseBusy

NO_WAITING = {"SEASONED_DATABASE__BUSY_SECONDS": "0.05"}

# Write until the disk is full: the largest file is limited, and writing beyond fails with EFBIG.
FILLING = """
import resource, signal, sys
from seasoned import Seasoned
from seasoned.bandit.experience import Experience
from seasoned.core.errors import DatabaseError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
s = Seasoned(sys.argv[1])
limit = 1_200_000
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
text = "words " * 200
deeds = {
    "observe": lambda n: s.observe("t", {"n": n, "text": text}, error=f"broke {n} {text}"),
    "teach": lambda n: s.teach(f"case {n}", fact=f"{n} {text}"),
    "feedback": lambda n: s.feedback.add("positive", prompt=text, response=text, id=f"f{n}"),
    "experiences": lambda n: s.experiences.add([Experience(f"e{n}", {"text": text})]),
    "correct": lambda n: s.correct(f"No, use podman{n}, not docker.", request=text, reply=text),
}
do, done = deeds[sys.argv[2]], 0
try:
    while done < 5000:
        do(done)
        done += 1
        print(done, flush=True)
except DatabaseError as error:
    print("refused", error, flush=True)
for one in range(3):
    try:
        do(9000 + one)
        print("done after all", flush=True)
    except DatabaseError:
        pass
import os
os._exit(0)
"""


def counted(s: Seasoned, deed: str) -> int:
    counts: dict[str, Callable[[], int]] = {
        "observe": lambda: s.status()["calls"],
        "teach": lambda: len(s.lessons(kind="fact", limit=10_000)),
        "feedback": lambda: len(s.feedback.list(limit=10_000)),
        "experiences": s.experiences.count,
        "correct": lambda: len(s.rules.list(provisional=True, limit=10_000)),
    }
    return counts[deed]()


@pytest.mark.parametrize("deed", ["observe", "teach", "feedback", "experiences", "correct"])
def test_with_no_space_left_nothing_is_acknowledged_that_is_not_there(
    deed: str, home: Path, sqlite_url: str
) -> None:
    run = subprocess.run(
        [sys.executable, "-c", FILLING, sqlite_url, deed],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    *acknowledged, last = [line for line in run.stdout.splitlines() if "after all" not in line]
    extra = run.stdout.count("after all")
    assert last.startswith("refused"), run.stdout[-500:] + run.stderr[-2000:]
    assert "space" in last
    with Seasoned(sqlite_url) as s:
        assert counted(s, deed) == len(acknowledged) + extra
        assert s.verify_audit().intact
        assert s.inner.app.db.run(_soundness(s)) == "ok"
        s.teach("", fact="There is room again.")


async def _soundness(s: Seasoned) -> str:
    async with s.inner.app.db.read() as tx:
        row = await tx.fetch_one("PRAGMA integrity_check")
    return str(row[0]) if row else ""


@contextmanager
def locked(path: str) -> Generator[None]:
    other: Any = apsw.Connection(path)
    other.execute("BEGIN IMMEDIATE")
    yield
    other.close()


WRITES: dict[str, Callable[[Seasoned], object]] = {
    "observe": lambda s: s.observe("t", {"n": 1}, "ok"),
    "teach": lambda s: s.teach("when", fix="do", tool="t"),
    "correct": lambda s: s.correct("No, use podman, not docker.", request="a", reply="b"),
    "feedback": lambda s: s.feedback.add("corrective", correction="Use podman.", session="s1"),
    "experiences": lambda s: s.experiences.add([Experience("e1")]),
    "reward": lambda s: s.reward("search", "bm25", 1.0),
    "rules": lambda s: s.rules.add("Be brief."),
    "turn": lambda s: s.turn("no, use podman, not docker", "done"),
    "conversation": lambda s: s.conversation("c1").user("hello"),
    "forget": lambda s: s.forget(s.lessons()[0].id),
}


@pytest.mark.parametrize("deed", WRITES)
def test_a_locked_database_is_told_and_nothing_is_half_done(
    deed: str, home: Path, sqlite_url: str
) -> None:
    with Seasoned(sqlite_url, environment=NO_WAITING) as s:
        s.teach("x", fact="The sky is blue.")
        before = contents(sqlite_url)
        with locked(sqlite_url), pytest.raises(DatabaseBusy, match="nothing was changed"):
            WRITES[deed](s)
        assert contents(sqlite_url) == before
        WRITES[deed](s)
        assert contents(sqlite_url) != before


def contents(path: str) -> list[Any]:
    raw: Any = apsw.Connection(path)
    tables = raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    rows = [
        (name, row)
        for (name,) in tables
        if "_text" not in name and "vector" not in name and "embedding" not in name
        for row in raw.execute(f"SELECT * FROM {name}")
    ]
    raw.close()
    return rows


def test_the_command_line_says_so_and_exits_with_an_error(home: Path, sqlite_url: str) -> None:
    program = [sys.executable, "-m", "seasoned", "--db", sqlite_url]
    environment = {**os.environ, **NO_WAITING}
    with locked(sqlite_url):
        for command in (
            ["observe", "t", "--error", "it broke"],
            ["teach", "when", "--rule", "Be brief."],
        ):
            run = subprocess.run(
                [*program, *command], env=environment, capture_output=True, text=True, check=False
            )
            assert run.returncode == 4, run.stdout + run.stderr
            assert "locked by another process" in run.stderr
            assert "Traceback" not in run.stderr
