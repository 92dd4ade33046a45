"""Measure recall's cost as lessons accumulate, and whether it finds the right ones, beside peers.

Each system runs in a process of its own, with the same embedder and the same lessons, and is timed
around the call that its user would make.

    add_per_s           lessons added one by one, each safe before the next
    load_per_s          lessons added in the fastest way there is, until all can be found
    settle_s            how long after the last one was added that took
    cold_start_ms       from the start of a new process to its first answer
    first_query_ms      that first query alone
    early_query_ms      the median of the twenty after it, before anything has warmed up
    query_ms_p50, p95   a query from its text to its lessons, its embedding included: ours is
                        `recall`, as an agent asks before a turn; of peers, ten results
    query_cpu_ms        the processor's time for it, on average: steadier on a busy machine
    search_ms_p50, p95  of ours: the search beneath recall for ten lessons, as peers search
    vector_ms_p50, p95  of ours: the vector search beneath that, embedding included
    recall_at_10        how many of the ten nearest vectors, found by brute force, it finds
    hit_at_10           how often the lesson that the query paraphrases is among the ten
    hit_in_recall       how often it is among the few that recall gives
    quiet_without_answer  how often nothing is found for a query that no lesson answers
    writing_…           the same while another process adds lessons one by one
    rss_mb, disk_mb     the process after its queries (a server's own is not in it); the database
    not_run_load_s      it was stopped: loading would have taken so long

Peers are mem0 (nothing inferred; on Qdrant, which it takes by itself, and on FAISS) and chromadb.
What is loaded into mem0 in bulk goes into its vector store directly: its own way takes one at a
time. "lessons of tenants" asks one tenant's queries among a thousand lessons of its own.

    python benchmarks/recall.py [--quick] [--json] [--sizes N…] [--only SYSTEM…] [--png PATH]
"""

import argparse
import json
import shutil
import signal
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from corpus import Corpus
from driven import PEERS, SYSTEMS, PeerMissing, System, ask
from exact import Exact
from postgres_server import database_mb, new_database, postgres_server
from recall_measures import MOST, Measurement, Plan, Row, folder_mb, told

QUICK = Plan(
    sizes=(1000, 10_000),
    singles=100,
    queries=200,
    query_seconds=3,
    writing_seconds=1.5,
    peers_write=False,
    load_seconds=20,
    build=False,
)
FULL = Plan(
    sizes=(1000, 10_000, 100_000, 1_000_000),
    singles=500,
    queries=500,
    query_seconds=60,
    writing_seconds=10,
    peers_write=True,
    load_seconds=240,
    build=True,
)
SAMPLE = 100  # queries that are also answered by brute force
TENANTS_FROM = 100_000  # lessons
P95_GOALS = {100_000: 10.0, 1_000_000: 25.0}
MEM0_GOAL = (10_000, 10.0)
COLORS = {
    "seasoned": "#0b6e4f",
    "seasoned_postgres": "#59a96a",
    "mem0": "#c8553d",
    "mem0_faiss": "#e09f3e",
    "chromadb": "#3d5a80",
}


def main() -> None:
    options = parsed()
    plan = QUICK if options.quick else FULL
    plan = replace(plan, sizes=sorted(options.sizes)) if options.sizes else plan
    chosen = [SYSTEMS[name] for name in options.only or SYSTEMS]
    if options.quick and not options.only:
        chosen = [replace(system, most=system.quick_most) for system in chosen if system.quick_most]
    rows: list[Row] = []
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="seasoned-recall-") as folder:
        try:
            rows.extend(measured(plan, chosen, Path(folder)))
        except KeyboardInterrupt:
            told("stopped; this is what was measured until then")
    print(json.dumps(rows) if options.json else table(rows))
    if options.png:
        drawn(rows, options.png)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="1k and 10k, under a minute")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    parser.add_argument("--sizes", type=int, nargs="+", metavar="N", help="how many lessons")
    parser.add_argument("--only", nargs="+", metavar="SYSTEM", choices=SYSTEMS, help="not all")
    parser.add_argument("--png", type=Path, metavar="PATH", help="draws the cost curve there")
    return parser.parse_args()


def measured(plan: Plan, systems: Sequence[System], folder: Path) -> Iterator[Row]:
    corpus = Corpus()
    sample = corpus.queries(SAMPLE, range(min(plan.sizes)), seed=3)
    exact = Exact(corpus, [query.text for query in sample], MOST)
    with ExitStack() as running:
        server = ""
        if any(system.on_server for system in systems):
            server = running.enter_context(postgres_server())
        for system in systems:

            def place(name: str, system: System = system) -> str:
                if system.on_server:
                    return new_database(server)
                (folder / system.name).mkdir(exist_ok=True)
                return str(folder / system.name / name)

            disk_mb = database_mb if system.on_server else folder_mb
            try:
                one = Measurement(system, place, disk_mb, corpus, exact, sample, plan)
                yield from one.rows()
                largest = min(plan.sizes[-1], system.most)
                if largest >= TENANTS_FROM and not system.peer:
                    yield from one.tenant_rows(largest)
            except PeerMissing as missing:
                told(f"{missing}; its rows are left out")
            shutil.rmtree(folder / system.name, ignore_errors=True)


def table(rows: Sequence[Row]) -> str:
    """Format a table per set, with the systems side by side."""
    lines: list[str] = []
    for name in dict.fromkeys(str(row["set"]) for row in rows):
        here = [row for row in rows if row["set"] == name]
        systems = list(dict.fromkeys(str(row["system"]) for row in here))
        values = {(row["metric"], row["system"]): float(row["value"]) for row in here}
        lines.append(f"\n{name:<24}" + "".join(f"{system:>19}" for system in systems))
        for metric in dict.fromkeys(row["metric"] for row in here):
            cells = (values.get((metric, system)) for system in systems)
            shown = ("" if cell is None else f"{cell:,.4g}" for cell in cells)
            lines.append(f"{metric:<24}" + "".join(f"{cell:>19}" for cell in shown))
    return "\n".join([*lines, "", *goals(rows)])


def goals(rows: Sequence[Row]) -> list[str]:
    """List the goals, and whether this run reached them."""
    p95 = costs(rows, "query_ms_p95")
    lines = [
        f"goal: p95 below {most:g} ms at {size:,}: {p95['seasoned', size]:.2f} ms"
        for size, most in P95_GOALS.items()
        if ("seasoned", size) in p95
    ]
    size, times = MEM0_GOAL
    middle = costs(rows, "query_ms_p50")
    lines += [
        f"goal: {times:g} times as fast as mem0 at {size:,}: "
        f"{middle[other, size] / middle['seasoned', size]:.1f} times ({other}, medians)"
        for other in ("mem0", "mem0_faiss")
        if {(other, size), ("seasoned", size)} <= middle.keys()
    ]
    return lines


def costs(rows: Sequence[Row], metric: str) -> dict[tuple[str, int], float]:
    """Return a metric by system and size, without the tenant rows."""
    return {
        (str(row["system"]), size_of(str(row["set"]))): float(row["value"])
        for row in rows
        if row["metric"] == metric and "tenants" not in str(row["set"])
    }


def size_of(name: str) -> int:
    return int(name.split(" ", maxsplit=1)[0])


def drawn(rows: Sequence[Row], path: Path) -> None:
    middle, high = costs(rows, "query_ms_p50"), costs(rows, "query_ms_p95")
    curves = [
        {
            "name": name,
            "color": color,
            "points": [
                [size, middle[name, size], high[name, size]]
                for size in sorted(size for system, size in middle if system == name)
            ],
        }
        for name, color in COLORS.items()
        if any(system == name for system, _ in middle)
    ]
    question = {
        "path": str(path.resolve()),
        "title": "What a query costs as lessons pile up",
        "curves": curves,
        "goals": [goal for goal in P95_GOALS.items() if ("seasoned", goal[0]) in middle],
    }
    try:
        ask("matplotlib", "cost_curve.py", question, PEERS)
        told(f"the cost curve is in {path}")
    except PeerMissing as missing:
        told(f"no cost curve: {missing}")


if __name__ == "__main__":
    main()
