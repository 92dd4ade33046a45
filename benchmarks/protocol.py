"""Measure how fast the learn host takes feedback and experience, and whether that stays flat.

Four sets: one agent after another message (`http_sequential`), eight agents at once
(`http_8_clients`), eight that send a hundred pieces in each message (`http_8_batched`), and an
agent in the host's own process (`in_process`). A reply means that what was sent survives a kill of
the process. The host is a process of its own, as is the naive one that runs beside it (`naive`:
a row and a commit for each piece, by Python's sqlite3, and nothing else; see naive_host.py).

    python benchmarks/protocol.py [--quick] [--sizes 0,10000] [--json]
"""

import argparse
import asyncio
import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seasoned import Seasoned
from seasoned.bandit.experience import Experience
from seasoned.feedback.feedback import Feedback, RatedTurn
from seasoned.protocol import AsyncLearnAPI, LearnAPI, connect, connect_async

HERE = Path(__file__).resolve().parent
CLIENTS = 8
BATCH = 100
SIZES = (0, 10_000, 100_000, 1_000_000)
Row = dict[str, str | float]


@dataclass(frozen=True, slots=True)
class Load:
    """The amount sent in a set: messages per agent, and items per message."""

    clients: int
    messages: int
    pieces: int


FULL = {
    "http_sequential": Load(1, 2000, 1),
    "http_8_clients": Load(CLIENTS, 400, 1),
    "http_8_batched": Load(CLIENTS, 40, BATCH),
    "in_process": Load(1, 4000, 1),
}
QUICK = {
    "http_sequential": Load(1, 500, 1),
    "http_8_clients": Load(CLIENTS, 100, 1),
    "http_8_batched": Load(CLIENTS, 10, BATCH),
    "in_process": Load(1, 1000, 1),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="0 and 10k stored, under a minute")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    parser.add_argument("--sizes", help="how many are stored, as 0,10000")
    options = parser.parse_args()
    sizes = SIZES[:2] if options.quick else SIZES
    if options.sizes:
        sizes = tuple(int(each) for each in options.sizes.split(","))
    loads = QUICK if options.quick else FULL
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SEASONED_HOME"] = folder  # of the host, and of the agents that read its token
        ours, naive = Path(folder) / "seasoned.db", Path(folder) / "naive.db"
        stored = 0
        for size in sizes:
            fill(ours, naive, stored, size)
            stored = max(stored, size)
            rows += measured(ours, naive, size, loads)
    if options.json:
        print(json.dumps(rows))
    else:
        show(rows)


def measured(ours: Path, naive: Path, size: int, loads: dict[str, Load]) -> list[Row]:
    rows: list[Row] = []
    commands = {
        "seasoned": ["-m", "seasoned", "host", "--http", "127.0.0.1:0", "--db", str(ours)],
        "naive": [str(HERE / "naive_host.py"), str(naive)],
    }
    for system, command in commands.items():
        with hosting(command) as url:
            for name, load in loads.items():
                if name != "in_process":
                    rows += asyncio.run(over_http(url, name, system, size, load))
    rows += in_process(ours, size, loads["in_process"])
    return rows


@contextmanager
def hosting(command: Sequence[str]) -> Generator[str]:
    with subprocess.Popen([sys.executable, *command], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http://\S+", line)
        if found is None:
            raise SystemExit(f"the host did not start: {line}{process.stderr.read()}")
        try:
            yield found[0]
        finally:
            process.terminate()
            process.wait()


async def over_http(url: str, name: str, system: str, size: int, load: Load) -> list[Row]:
    clients = [connect_async(url) for _ in range(load.clients)]
    apis = [AsyncLearnAPI(client) for client in clients]
    rows: list[Row] = []
    for kind, send in KINDS.items():
        for api in apis:
            await send(api, load.pieces)  # opens the session
        times: list[float] = []
        start = time.perf_counter()
        await asyncio.gather(*(talk(api, send, load, times) for api in apis))
        rows += figures(name, system, size, kind, load, times, time.perf_counter() - start)
    for client in clients:
        await client.close()
    return rows


async def talk(
    api: AsyncLearnAPI,
    send: Callable[[AsyncLearnAPI, int], Awaitable[int]],
    load: Load,
    times: list[float],
) -> None:
    for _ in range(load.messages):
        start = time.perf_counter()
        assert await send(api, load.pieces) == load.pieces
        times.append(time.perf_counter() - start)


def in_process(path: Path, size: int, load: Load) -> list[Row]:
    rows: list[Row] = []
    with Seasoned(path) as s, connect(s) as client:
        learn = LearnAPI(client)
        calls: dict[str, Callable[[], int]] = {
            "feedback": lambda: learn.feedback(feedbacks(load.pieces)).recorded,
            "experience": lambda: learn.experience(experiences(load.pieces)),
        }
        for kind, call in calls.items():
            call()
            times: list[float] = []
            begun = time.perf_counter()
            for _ in range(load.messages):
                start = time.perf_counter()
                assert call() == load.pieces
                times.append(time.perf_counter() - start)
            took = time.perf_counter() - begun
            rows += figures("in_process", "seasoned", size, kind, load, times, took)
    return rows


async def send_feedback(api: AsyncLearnAPI, pieces: int) -> int:
    return (await api.feedback(feedbacks(pieces))).recorded


async def send_experience(api: AsyncLearnAPI, pieces: int) -> int:
    return await api.experience(experiences(pieces))


KINDS: dict[str, Callable[[AsyncLearnAPI, int], Awaitable[int]]] = {
    "feedback": send_feedback,
    "experience": send_experience,
}


def feedbacks(pieces: int) -> list[dict[str, Any]]:
    """Make feedback as agents send it: a rated turn, a skill, a comment."""
    return [
        {
            "polarity": "positive",
            "score": 0.9,
            "dimension": "correctness",
            "confidence": 0.95,
            "prompt": "Which regions does the deployment of the shop cover, and since when?",
            "response": "It covers eu-west and eu-north, both since the release of last week.",
            "model": "agent-v1",
            "comment": "Correct answer",
            "skill_name": f"skill{number % 20}",
        }
        for number in range(pieces)
    ]


def experiences(pieces: int) -> list[dict[str, Any]]:
    return [
        {
            "state": {"count": number, "region": "eu-west"},
            "action": {"skill": f"skill{number % 20}", "duration_ms": 12.5, "success": True},
            "reward": 1.0,
            "next_state": {"count": number + 1},
            "done": False,
        }
        for number in range(pieces)
    ]


def fill(ours: Path, naive: Path, start: int, stop: int) -> None:
    """Store so many of both, many per transaction."""
    if stop <= start:
        return
    (given,), (step,) = feedbacks(1), experiences(1)
    turn = RatedTurn(given["prompt"], given["response"], given["model"], None, "skill1")
    with Seasoned(ours) as s:
        app, scope = s.inner.app, s.inner.scope
        for first in range(start, stop, 1000):
            names = range(first, min(first + 1000, stop))
            said = [
                Feedback(f"f{n}", "positive", 0.9, "correctness", turn=turn, at=n + 1)
                for n in names
            ]
            done = [
                Experience(
                    f"e{n}", step["state"], step["action"], 1.0, step["next_state"], at=n + 1
                )
                for n in names
            ]
            app.db.run(app.feedbacks.record(said, scope))
            app.db.run(app.experiences.add(done, scope))
    sys.path.append(str(HERE.parent))
    from benchmarks.naive_host import opened

    db: sqlite3.Connection = opened(str(naive))
    body = json.dumps(given)
    db.execute("BEGIN")
    rows = ((f"{kind}{n}", kind, body) for n in range(start, stop) for kind in "fe")
    db.executemany("INSERT OR IGNORE INTO pieces VALUES (?, ?, ?)", rows)
    db.execute("COMMIT")
    db.close()


def figures(
    name: str, system: str, size: int, kind: str, load: Load, times: Sequence[float], took: float
) -> list[Row]:
    pieces = load.clients * load.messages * load.pieces
    p95 = statistics.quantiles(times, n=20)[-1] * 1000
    values = {f"{kind}_per_s": pieces / took, f"{kind}_p95_ms": p95}
    return [
        {"set": name, "system": system, "stored": size, "metric": metric, "value": round(value, 2)}
        for metric, value in values.items()
        if metric != "experience_p95_ms"
    ]


def show(rows: Sequence[Row]) -> None:
    print(f"{'set':<18}{'system':<10}{'stored':>10}  {'metric':<20}{'value':>12}")
    for one in rows:
        print(
            f"{one['set']:<18}{one['system']:<10}{one['stored']:>10,}  "
            f"{one['metric']:<20}{one['value']:>12,.2f}"
        )


if __name__ == "__main__":
    main()
