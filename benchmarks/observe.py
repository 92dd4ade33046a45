"""Measure what `observe` costs its caller, and whether that stays flat as observations accumulate.

Each call is one durable transaction (it survives a kill of the process) that audits the call,
keeps the tool's record and, on a failure, finds the error's pattern, opens an episode and looks
for a fix. Beside it, in the same run: `row`, one row committed by Python's own sqlite3 with the
same durability, the least that any recorder must pay.

    python benchmarks/observe.py [--quick] [--json]
"""

import argparse
import gc
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from seasoned import Seasoned, ToolResult

PARAMS = {
    "command": "pytest -q tests/unit/test_api.py --maxfail=1",
    "cwd": "/srv/app",
    "timeout": 30,
}
Row = dict[str, str | float]


def main() -> None:
    parser = argparse.ArgumentParser(description="What observe costs, and whether that stays flat.")
    parser.add_argument("--quick", action="store_true", help="0 and 10k stored, under a minute")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    options = parser.parse_args()
    sizes = [0, 10_000] if options.quick else [0, 10_000, 1_000_000]
    rounds = 500 if options.quick else 2000
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        rows += observing(Path(folder), sizes, rounds)
    rows += starting(3 if options.quick else 7)
    if options.json:
        print(json.dumps(rows))
    else:
        show(rows)


def observing(folder: Path, sizes: list[int], rounds: int) -> list[Row]:
    rows: list[Row] = []
    path = folder / "seasoned.db"
    s = Seasoned(path)
    s.teach("psql: host db.example.com:5432 refused the connection", fix="Start the tunnel.")
    recorder = plain_recorder(folder / "row.db")
    stored = 0
    for size in sizes:
        fill(s, stored, size)
        stored = max(stored, size)
        name = f"{size:,} stored".replace(",", "_")
        cases: dict[str, Callable[[int], object]] = {
            "success": lambda n: s.observe("shell", PARAMS, "ok", session=f"a{n % 50}"),
            "failure": lambda n: s.observe("shell", PARAMS, error=failing(n), session=f"b{n}"),
            "hint": lambda n: s.observe("psql", PARAMS, error=refused(n), session=f"c{n}"),
        }
        for case, call in cases.items():
            rows += measured(name, "seasoned", case, call, rounds, stored)
            stored += rounds
        rows += measured(name, "row", "success", recorder, rounds, stored)
        rows.append(row(name, "seasoned", "rss_mb", psutil.Process().memory_info().rss / 2**20))
        rows.append(row(name, "seasoned", "disk_mb", path.stat().st_size / 2**20))
    assert s.verify_audit().intact
    s.close()
    return rows


def failing(number: int) -> str:
    return f"FileNotFoundError: [Errno 2] No such file or directory: '/tmp/a{number}/x.txt'"


def refused(number: int) -> str:
    return f"psql: host db{number % 9}.example.com:{number} refused the connection"


def fill(s: Seasoned, start: int, stop: int) -> None:
    """Store observations of every sort, many per transaction, like those of a busy year."""
    app, scope = s.inner.app, s.inner.scope
    for first in range(start, stop, 1000):
        calls = [
            ToolResult(
                f"tool{n % 20}",
                PARAMS | {"n": n},
                error=failing(n) if n % 10 == 0 else None,
                session=f"s{n // 30}",
            )
            for n in range(first, min(first + 1000, stop))
        ]
        app.db.run(app.engine.observe_all(calls, scope))


def plain_recorder(path: Path) -> Callable[[int], object]:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("CREATE TABLE calls (tool TEXT, params TEXT, at REAL)")
    text = json.dumps(PARAMS)
    return lambda _: db.execute("INSERT INTO calls VALUES (?, ?, ?)", ("shell", text, time.time()))


def measured(
    name: str, system: str, case: str, call: Callable[[int], object], rounds: int, offset: int
) -> list[Row]:
    for number in range(50):
        call(offset + number)
    gc.collect()
    times: list[float] = []
    for number in range(50, rounds):
        start = time.perf_counter()
        call(offset + number)
        times.append((time.perf_counter() - start) * 1e6)
    return [
        row(name, system, f"{case}_us_p50", statistics.median(times)),
        row(name, system, f"{case}_us_p95", statistics.quantiles(times, n=20)[-1]),
    ]


IMPORT = """
import sys, time
start = time.perf_counter()
exec(sys.argv[1])
took = (time.perf_counter() - start) * 1000
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(took, int(peak.split()[1]) / 1024)
"""


def starting(rounds: int) -> list[Row]:
    """Measure time and memory of the import and of `--help`, with compiled byte code."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    rows: list[Row] = []
    for name, statement in (
        ("import seasoned", "import seasoned"),
        ("from seasoned import Seasoned", "from seasoned import Seasoned"),
        ("open :memory:", "from seasoned import Seasoned; Seasoned(':memory:')"),
    ):
        told: list[tuple[float, float]] = []
        for _ in range(rounds + 1):
            command = [sys.executable, "-c", IMPORT, statement]
            answer = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=True
            )
            ms, mb = answer.stdout.split()
            told.append((float(ms), float(mb)))
        rows.append(row(name, "seasoned", "ms_p50", statistics.median(t[0] for t in told[1:])))
        rows.append(row(name, "seasoned", "rss_mb", max(t[1] for t in told[1:])))
    for name, command in (
        ("seasoned --help", [sys.executable, "-m", "seasoned", "--help"]),
        ("python -c pass", [sys.executable, "-c", "pass"]),
    ):
        took: list[float] = []
        for _ in range(rounds + 1):
            start = time.perf_counter()
            subprocess.run(command, env=environment, capture_output=True, check=True)
            took.append((time.perf_counter() - start) * 1000)
        system = "seasoned" if "seasoned" in name else "python"
        rows.append(row(name, system, "ms_p50", statistics.median(took[1:])))
    return rows


def row(name: str, system: str, metric: str, value: float) -> Row:
    return {"set": name, "system": system, "metric": metric, "value": round(value, 2)}


def show(rows: list[Row]) -> None:
    print(f"{'set':<32}{'system':<12}{'metric':<18}{'value':>10}")
    for one in rows:
        print(f"{one['set']:<32}{one['system']:<12}{one['metric']:<18}{one['value']:>10,.1f}")


if __name__ == "__main__":
    main()
