"""Measure the graph at a million triples, beside a graph database in the same run.

    batch_per_s              triples added, a thousand to a transaction
    single_us_p50, p95       one triple added and committed
    one_hop_us_p50, p95      all triples of a subject
    two_hops_ms_p50, p95     the neighbourhood of an error, two steps both ways, the 50 strongest
    two_hops_cpu_ms          the processor's time for it, on average: steadier on a busy machine
    hub_ms_p50, p95          the same from a tool, of which one in fifty errors comes
    path_ms_p50, p95         a shortest way between two errors, at most six edges
    credit_us_p50 …          crediting a fix, with the graph off, and on with so many neighbours
    disk_mb                  the database afterwards

The peer is Oxigraph (RocksDB), in a process of its own. It keeps no weights; its walks follow the
same bounds as ours, in Python, through its look-up by pattern.

    python benchmarks/graph.py [--quick] [--json] [--triples N] [--only SYSTEM…]
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from driven import PEERS, PeerMissing, ask
from peers.graph_corpus import some_errors, triples
from seasoned import Seasoned
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.opening import open_database
from seasoned.db.unit import Change
from seasoned.graph.graph_store import GraphStore
from seasoned.graph.traverse import neighbourhood, shortest_path
from seasoned.graph.triple import Triple, check_predicate
from seasoned.lessons.lesson import Evidence

T = TypeVar("T")
Row = dict[str, str | float]

SCOPE = Scope()
BATCH = 1000
NEIGHBOURS = (0, 8, 32)
WORDS = ("ink", "paper", "toner", "cable", "power", "drum", "glass", "tray")


def main() -> None:
    parser = argparse.ArgumentParser(description="What the graph costs, beside a graph database.")
    parser.add_argument("--quick", action="store_true", help="20k triples, under a minute")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    parser.add_argument("--triples", type=int, default=0, metavar="N")
    parser.add_argument("--only", nargs="+", metavar="SYSTEM", help="seasoned, postgres, oxigraph")
    options = parser.parse_args()
    number = options.triples or (20_000 if options.quick else 1_000_000)
    rounds = 200 if options.quick else 1000
    wanted = options.only or ["seasoned", "oxigraph", *([] if options.quick else ["postgres"])]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        if "seasoned" in wanted:
            rows += measured_here("seasoned", str(Path(folder) / "graph.db"), number, rounds)
            rows += crediting(rounds // 2)
        if "oxigraph" in wanted:
            rows += measured_peer(Path(folder) / "oxigraph", number, rounds)
        if "postgres" in wanted:
            rows += measured_on_postgres(min(number, 100_000), rounds // 2)
    if options.json:
        print(json.dumps(rows))
    else:
        show(rows)


def measured_here(system: str, url: str, number: int, rounds: int) -> list[Row]:
    db = open_database(url)
    db.run(db.open())
    store = GraphStore(db)
    made, batches = triples(number), 0.0
    while batch := [Triple(s, check_predicate(p), o, w) for s, p, o, w in islice(made, BATCH)]:
        batches += timed(lambda batch=batch: written(db, lambda tx: store.add(tx, SCOPE, batch, 1)))
    single = [Triple(f"new:{n}", "relatedTo", f"new:{n + 1}") for n in range(rounds)]
    starts = some_errors(number, 2 * rounds)
    hubs = [f"tool:tool{n % 50}" for n in range(rounds // 4)]

    def near(node: str) -> object:
        return read(db, lambda tx: neighbourhood(tx, store, SCOPE, [node], depth=2, most=50))

    for start in starts[:50]:
        near(start)
    answer = {
        "batch": batches,
        "two_hops_cpu": cpu(lambda: [near(start) for start in starts[:rounds]]) / rounds,
        "single": [
            timed(lambda one=one: written(db, lambda tx: store.add(tx, SCOPE, [one], 1)))
            for one in single
        ],
        "one_hop": [
            timed(lambda s=s: read(db, lambda tx: store.query(tx, SCOPE, subject=s)))
            for s in starts[:rounds]
        ],
        "two_hops": [timed(lambda s=s: near(s)) for s in starts[:rounds]],
        "hub": [timed(lambda hub=hub: near(hub)) for hub in hubs],
        "path": [
            timed(lambda s=s, e=e: read(db, lambda tx: shortest_path(tx, store, SCOPE, s, e)))
            for s, e in zip(starts[: rounds // 4], starts[rounds:], strict=False)
        ],
    }
    if db.dialect == "sqlite":
        files = Path(url).parent.glob(f"{Path(url).name}*")
        answer["disk_mb"] = sum(file.stat().st_size for file in files) / 2**20
    db.run(db.close())
    db.shutdown()
    return told(f"{number} triples", system, number, answer)


def written(db: Database, work: Callable[[Connection], Coroutine[Any, Any, T]]) -> T:
    async def done() -> T:
        async with db.write() as tx:
            return await work(tx)

    return db.run(done())


def read(db: Database, work: Callable[[Connection], Coroutine[Any, Any, T]]) -> T:
    async def done() -> T:
        async with db.read() as tx:
            return await work(tx)

    return db.run(done())


def measured_peer(folder: Path, number: int, rounds: int) -> list[Row]:
    question = {"path": str(folder), "triples": number, "rounds": rounds, "batch": BATCH}
    try:
        answer = ask("oxigraph", "oxigraph_store.py", question, PEERS)
    except PeerMissing as missing:
        print(f"oxigraph was left out: {missing}", file=sys.stderr)
        return []
    return told(f"{number} triples", "oxigraph", number, answer)


def measured_on_postgres(number: int, rounds: int) -> list[Row]:
    try:
        from postgres_server import new_database, postgres_server
    except ImportError as missing:
        print(f"postgres was left out: {missing}", file=sys.stderr)
        return []
    with postgres_server() as server:
        return measured_here("postgres", new_database(server), number, rounds)


def crediting(rounds: int) -> list[Row]:
    """Credit a fix, and with it the fixes of similar errors."""
    rows: list[Row] = []
    cases = [("off", 0), *(("on", many) for many in NEIGHBOURS)]
    for graph, many in cases:
        name = f"graph {graph}" + (f", {many} neighbours" if graph == "on" else "")
        with tempfile.TemporaryDirectory() as folder:
            settings = {"SEASONED_GRAPH__ENABLED": "true" if graph == "on" else "false"}
            settings |= {"SEASONED_EMBEDDING__PROVIDER": "none"}
            with Seasoned(Path(folder) / "x.db", environment=settings) as s:
                times = credited(s, many, rounds)
        rows += quantiles(name, "seasoned", "credit_us", times, 1e6)
    return rows


def credited(s: Seasoned, neighbours: int, rounds: int) -> list[float]:
    app = s.inner.app
    for number in range(neighbours + 1):
        error = f"{WORDS[number % len(WORDS)]} {WORDS[number // len(WORDS)]} is missing"
        s.observe(f"fetch{number}", {"n": number}, error=error, session=f"s{number}")
        s.observe(f"fetch{number}", {"n": number, "slow": True}, "ok", session=f"s{number}")
    giver, *others = reversed(s.lessons(kind="fix", limit=200))
    assert giver.fix is not None
    links = [(one.fix.error_id, giver.fix.error_id, 0.8) for one in others if one.fix]
    assert len(links) == neighbours, "each error has a fix of its own"
    taken = s.lesson(giver.id)

    async def reset(tx: Connection) -> None:
        """Undo the change, so that each one is as large as the first."""
        await tx.execute("DELETE FROM similar_errors")
        await tx.execute_many("INSERT INTO similar_errors VALUES (?, ?, ?)", links)
        await tx.execute("DELETE FROM evidence WHERE reason LIKE 'borrowed%'")
        await tx.execute("UPDATE lessons SET worked = 2, failed = 1, status = 'candidate'")

    async def credit(tx: Connection) -> None:
        change = Change(tx, 1)
        await app.engine.fixes.credit(change, taken, Evidence(1, "worked", 1, 0))
        await app.audit.add(tx, 1, change.entries)

    times: list[float] = []
    for _ in range(rounds):
        written(app.db, reset)
        times.append(timed(lambda: written(app.db, credit)))
    return times


UNITS = {"single": ("us", 1e6), "one_hop": ("us", 1e6)}


def told(name: str, system: str, number: int, answer: dict[str, Any]) -> list[Row]:
    rows = [row(name, system, "batch_per_s", number / answer["batch"])]
    for metric in ("single", "one_hop", "two_hops", "hub", "path"):
        unit, factor = UNITS.get(metric, ("ms", 1e3))
        if metric in answer:
            rows += quantiles(name, system, f"{metric}_{unit}", answer[metric], factor)
    rows.append(row(name, system, "two_hops_cpu_ms", answer["two_hops_cpu"] * 1e3))
    if "disk_mb" in answer:
        rows.append(row(name, system, "disk_mb", answer["disk_mb"]))
    return rows


def quantiles(
    name: str, system: str, metric: str, times: Sequence[float], factor: float
) -> list[Row]:
    return [
        row(name, system, f"{metric}_p50", statistics.median(times) * factor),
        row(name, system, f"{metric}_p95", statistics.quantiles(times, n=20)[-1] * factor),
    ]


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def row(name: str, system: str, metric: str, value: float) -> Row:
    return {"set": name, "system": system, "metric": metric, "value": round(value, 3)}


def show(rows: Iterable[Row]) -> None:
    print(f"{'set':<26}{'system':<12}{'metric':<20}{'value':>12}")
    for one in rows:
        print(f"{one['set']:<26}{one['system']:<12}{one['metric']:<20}{one['value']:>12,}")


if __name__ == "__main__":
    main()
