"""Measure how soon Seasoned is there: seconds of wall time, the median of several processes.

Sets: `import` (`import seasoned`), `open` (a process that opens a store, empty or with lessons),
`command` (`seasoned lessons list`) and `serve` (until /health answers 200). Beside them, in the
same run: a bare interpreter, and an empty FastAPI application under uvicorn.

    python benchmarks/startup.py [--quick] [--json]
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

from seasoned import Seasoned

EMPTY_APP = """
import sys, uvicorn
from fastapi import FastAPI
app = FastAPI()
app.add_api_route("/health", lambda: {"status": "ok"})
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
"""
OPEN = "import sys; from seasoned import Seasoned\nwith Seasoned(sys.argv[1]): pass"
PATIENCE = 60.0
Row = dict[str, str | float]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="3 processes each, 1,000 lessons")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    options = parser.parse_args()
    times, lessons = (3, 1000) if options.quick else (9, 10_000)
    with tempfile.TemporaryDirectory() as folder:
        rows = measured(Path(folder), times, lessons)
    if options.json:
        print(json.dumps(rows))
    else:
        for one in rows:
            print(f"{one['set']:<10}{one['system']:<28}{one['metric']:<10}{one['value']:>8.3f}")


def measured(folder: Path, times: int, lessons: int) -> list[Row]:
    home, filled = folder / "home", folder / "filled.db"
    home.mkdir()
    environment = {
        **os.environ,
        "SEASONED_HOME": str(home),
        "SEASONED_EMBEDDING__PROVIDER": "none",
        # As installed: modules are compiled once, whatever this shell asks for.
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with Seasoned(filled, environment=environment) as s:
        for number in range(lessons):
            s.teach(fact=f"The shelf {number} holds the parts of machine {number % 97}.")

    def runs(*args: str) -> Callable[[], float]:
        return lambda: _run([sys.executable, *args], environment)

    def serves(*args: str) -> Callable[[], float]:
        return lambda: _serve([sys.executable, *args], environment)

    sets: list[tuple[str, str, Callable[[], float]]] = [
        ("import", "bare python", runs("-c", "pass")),
        ("import", "seasoned", runs("-c", "import seasoned")),
        ("open", "seasoned, empty", runs("-c", OPEN, str(folder / "empty.db"))),
        ("open", f"seasoned, {lessons:,} lessons", runs("-c", OPEN, str(filled))),
        ("command", "seasoned lessons list", runs("-m", "seasoned", "lessons", "list")),
        ("serve", "empty FastAPI, uvicorn", serves("-c", EMPTY_APP, "PORT")),
        ("serve", "seasoned", serves("-m", "seasoned", "serve", "--http", "127.0.0.1:PORT")),
    ]
    found: dict[tuple[str, str], list[float]] = {(name, system): [] for name, system, _ in sets}
    for one in range(times + 1):  # by turns, so that a busy moment hits them all
        for name, system, run in sets:
            seconds = run()
            if one:  # the first one fills the caches
                found[name, system].append(seconds)
    return [
        {"set": name, "system": system, "metric": "seconds", "value": round(value, 3)}
        for (name, system), all_of_them in found.items()
        for value in [statistics.median(all_of_them)]
    ]


def _run(command: Sequence[str], environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(
        command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return time.perf_counter() - start


def _serve(command: Sequence[str], environment: dict[str, str]) -> float:
    """Return the seconds until /health answers 200."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    with subprocess.Popen(
        [part.replace("PORT", port) for part in command],
        env=environment,
        stderr=subprocess.DEVNULL,
    ) as process:
        start = time.perf_counter()
        try:
            while not _is_up(port):
                if process.poll() is not None or time.perf_counter() - start > PATIENCE:
                    raise SystemExit(f"did not start: {' '.join(command)}")
                time.sleep(0.005)
            return time.perf_counter() - start
        finally:
            process.terminate()


def _is_up(port: str) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


if __name__ == "__main__":
    main()
