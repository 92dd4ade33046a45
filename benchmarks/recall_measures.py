"""Measure one system as its lessons grow."""

import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus import Corpus, Query
from driven import Driven, Failed, System, driven
from exact import Exact

Row = dict[str, str | float]
MOST = 10  # results of a query
TOGETHER = 1000  # lessons in one request to load
WARMING = 20  # queries before the first one counts
LESSONS_OF_A_TENANT = 1000


@dataclass(frozen=True, slots=True)
class Plan:
    """The numbers of lessons, queries and repetitions."""

    sizes: Sequence[int]
    singles: int  # lessons added one by one, at each size
    queries: int
    query_seconds: float  # after which no more queries are asked
    writing_seconds: float
    peers_write: bool  # whether peers, too, are asked while they are written to
    load_seconds: float  # what a peer may take to grow to a size
    build: bool  # whether a peer that is missing is installed


class TooSlow(Exception):
    def __init__(self, seconds: float) -> None:
        super().__init__(f"loading would take {seconds:,.0f} s")
        self.seconds = seconds


class Measurement:
    """Measures one system on one database that grows from size to size."""

    def __init__(
        self,
        system: System,
        place: Callable[[str], str],
        disk_mb: Callable[[str], float],
        corpus: Corpus,
        exact: Exact,
        sample: Sequence[Query],
        plan: Plan,
    ) -> None:
        self.system = system
        self.plan = plan
        self._place = place
        self._disk_mb = disk_mb
        self._corpus = corpus
        self._exact = exact
        self._sample = sample
        self._command = system.command(build=plan.build)
        self._stored = 0

    def rows(self) -> Iterator[Row]:
        """Yield all measures, size by size, until the system cannot take the next size."""
        path = self._place("one")
        for size in self.plan.sizes:
            if size > self.system.most:
                return
            name = f"{size:,} lessons".replace(",", "_")
            writes = self.plan.peers_write or not self.system.peer
            try:
                measured = {
                    **self._grown(path, size),
                    **self._queried(path, size),
                    **(self._queried_while_writing(path, size) if writes else {}),
                }
            except TooSlow as slow:
                told(f"{self.system.name}: {name}: {slow}")
                yield self._row(name, "not_run_load_s", slow.seconds)
                return
            middle, high = measured["query_ms_p50"], measured["query_ms_p95"]
            told(f"{self.system.name}: {name}: {middle:.2f} ms a query, p95 {high:.2f}")
            for metric, value in measured.items():
                yield self._row(name, metric, value)

    def tenant_rows(self, size: int) -> Iterator[Row]:
        """Measure one tenant's queries, with a thousand own lessons among all those of others."""
        path = self._place("tenants")
        tenants = max(2, size // LESSONS_OF_A_TENANT)
        name = f"{size:,} lessons of {tenants:,} tenants".replace(",", "_")
        told(f"{self.system.name}: {name}")
        self._stored = 0
        try:
            with driven(self._command, path) as process:
                self._load(process, size, tenants)
                process.ask("settle")
        except TooSlow as slow:
            yield self._row(name, "not_run_load_s", slow.seconds)
            return
        own = range(1, size, tenants)
        with driven(self._command, path, tenant="t1") as process:
            for metric, value in self._timed(process, self._queries(own), "query").items():
                yield self._row(name, metric, value)

    def _grown(self, path: str, size: int) -> dict[str, float]:
        """Add the missing lessons: some one by one, the rest at once."""
        with driven(self._command, path) as process:
            missing = size - self._stored
            singles = self._texts(min(self.plan.singles, missing))
            took = process.ask("add", texts=singles)["seconds"]
            before = self._stored
            seconds = self._load(process, size)
            settled = process.ask("settle")["seconds"]
        measured = {"add_per_s": len(took) / sum(took)} if took else {}
        if self.system.in_bulk and size > before:
            measured["load_per_s"] = (size - before) / (seconds + settled)
        if settled > 0.01:
            measured["settle_s"] = settled
        return measured | {"disk_mb": self._disk_mb(path)}

    def _load(self, process: Driven, size: int, tenants: int = 0) -> float:
        took = 0.0
        while self._stored < size:
            texts = self._texts(min(TOGETHER, size - self._stored), tenants)
            latest = process.ask("load", texts=texts)["seconds"]
            took += latest
            left = latest * (size - self._stored) / len(texts)
            if self.system.peer and took + left > self.plan.load_seconds and took > 5:
                raise TooSlow(took + left)
        return took

    def _texts(self, many: int, tenants: int = 0) -> list[dict[str, Any]]:
        """Return the next lessons of the corpus."""
        start, self._stored = self._stored, self._stored + many
        return [
            {
                "number": text.number,
                "tenant": f"t{text.number % tenants}" if tenants else "",
                "kind": text.kind,
                "trigger": text.trigger,
                "content": text.content,
            }
            for text in self._corpus.lessons(start, self._stored)
        ]

    def _queries(self, among: Sequence[int], seed: int = 1) -> list[Query]:
        return self._corpus.queries(self.plan.queries + WARMING + 1, among, seed)

    def _queried(self, path: str, size: int) -> dict[str, float]:
        """Measure queries in a new process, including its first."""
        queries = self._queries(range(size))
        start = time.perf_counter()
        with driven(self._command, path) as process:
            first = process.ask("query", **_asked(queries[:1], "query", 60))
            cold = time.perf_counter() - start
            measured = self._timed(process, queries[1:], "query")
            return {
                "cold_start_ms": cold * 1000,
                "first_query_ms": first["seconds"][0] * 1000,
                **measured,
                **self._searched(process, size),
                "rss_mb": process.rss_mb,
                **self._nearest(process, size),
            }

    def _timed(self, process: Driven, queries: Sequence[Query], way: str) -> dict[str, float]:
        warming = _asked(queries[:WARMING], way, self.plan.query_seconds / 4)
        early = process.ask("query", **warming)["seconds"]
        asked = queries[WARMING:]
        answer = process.ask("query", **_asked(asked, way, self.plan.query_seconds))
        found = self._found(asked, answer["found"])
        return {
            "early_query_ms": statistics.median(early) * 1000,
            **_percentiles("query", answer["seconds"]),
            "query_cpu_ms": answer["cpu_seconds"] / len(answer["seconds"]) * 1000,
            "hit_at_10" if self.system.peer else "hit_in_recall": found["hit"],
            "quiet_without_answer": found["quiet_without_answer"],
        }

    def _searched(self, process: Driven, size: int) -> dict[str, float]:
        """Measure our search beneath recall: ten lessons without a floor, as peers give."""
        if self.system.peer:
            return {}
        queries = self._queries(range(size), seed=4)
        answer = process.ask("query", **_asked(queries, "search", self.plan.query_seconds))
        return _percentiles("search", answer["seconds"]) | {
            "hit_at_10": self._found(queries, answer["found"])["hit"]
        }

    def _found(
        self, queries: Sequence[Query], answers: Sequence[Sequence[str]]
    ) -> dict[str, float]:
        """Measure how often the right lesson is found, and nothing if there is none."""
        hits: list[bool] = []
        quiet: list[bool] = []
        for query, answer in zip(queries, answers, strict=False):  # the time may have been up
            if query.target is None:
                quiet.append(not answer)
            else:
                hits.append(self._corpus.lesson(query.target).whole in answer)
        shares = {"hit": hits, "quiet_without_answer": quiet}
        return {name: statistics.mean(known) for name, known in shares.items() if known}

    def _nearest(self, process: Driven, size: int) -> dict[str, float]:
        """Measure vector search alone: its speed, and its share of the true nearest."""
        answer = process.ask("query", **_asked(self._sample, "near", self.plan.query_seconds))
        truth = self._exact.nearest(size)
        shares = [
            len(set(right) & set(found)) / len(right)
            for right, found in zip(truth, answer["found"], strict=False)
        ]
        own = {} if self.system.peer else _percentiles("vector", answer["seconds"])
        return {"recall_at_10": statistics.mean(shares), **own}

    def _queried_while_writing(self, path: str, size: int) -> dict[str, float]:
        """Measure queries of one process while another adds lessons as fast as it can."""
        queries = self._queries(range(size), seed=2)
        done = threading.Event()
        added: list[float] = []
        try:
            with driven(self._command, path) as reader, driven(self._command, path) as writer:

                def write() -> None:
                    while not done.is_set():
                        added.extend(writer.ask("add", texts=self._texts(10))["seconds"])

                reader.ask("query", **_asked(queries[:WARMING], "query", 10))
                writing = threading.Thread(target=write)
                writing.start()
                try:
                    seconds = self.plan.writing_seconds
                    answer = reader.ask("query", **_asked(queries, "query", seconds))
                finally:
                    done.set()
                    writing.join()
        except Failed as failed:
            told(f"{self.system.name}: no second process can write: {failed}")
            return {}
        return {
            **_percentiles("writing_query", answer["seconds"]),
            "writing_add_per_s": len(added) / sum(added) if added else 0.0,
        }

    def _row(self, name: str, metric: str, value: float) -> Row:
        digits = 4 if metric.startswith(("hit_", "recall_at", "quiet_")) else 2
        return {
            "set": name,
            "system": self.system.name,
            "metric": metric,
            "value": round(value, digits),
        }


def _asked(queries: Sequence[Query], way: str, seconds: float) -> dict[str, Any]:
    texts = [query.text for query in queries]
    return {"texts": texts, "most": MOST, "way": way, "at_most": seconds}


def _percentiles(name: str, seconds: Sequence[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    return {
        f"{name}_ms_p50": statistics.median(ordered) * 1000,
        f"{name}_ms_p95": ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))] * 1000,
    }


def told(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def folder_mb(path: str) -> float:
    """Return the size on disk of a folder, or of a file and those beside it."""
    place = Path(path)
    files = place.rglob("*") if place.is_dir() else place.parent.glob(f"{place.name}*")
    return sum(file.stat().st_size for file in files if file.is_file()) / 2**20
