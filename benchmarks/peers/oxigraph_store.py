"""Query Oxigraph on disk as our graph is queried; JSON in, JSON out.

It has no weights and no walk of its own that could be bounded, so it walks as ours does, by the
same rules, through its own look-up by pattern.
"""

import importlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from graph_corpus import Made, some_errors, triples

NAMES = "urn:seasoned:"
FAN_OUT = 32
MOST = 50
PATH_FAN_OUT = 256
LONGEST = 6


class OxigraphStore:
    def __init__(self, path: str) -> None:
        # Imported by name: only this script's own environment has it.
        self.oxigraph: Any = importlib.import_module("pyoxigraph")
        self.store: Any = self.oxigraph.Store(path)

    def quad(self, one: Made) -> Any:
        subject, predicate, object_ = (self.node(name) for name in one[:3])
        return self.oxigraph.Quad(subject, predicate, object_)

    def node(self, name: str) -> Any:
        return self.oxigraph.NamedNode(NAMES + name)

    def ends(self, node: Any, most: int) -> Iterator[Any]:
        for quad in islice(self.store.quads_for_pattern(node, None, None), most):
            yield quad.object
        for quad in islice(self.store.quads_for_pattern(None, None, node), most):
            yield quad.subject

    def one_hop(self, start: str) -> list[Any]:
        return list(self.store.quads_for_pattern(self.node(start), None, None))

    def two_hops(self, start: str) -> int:
        reached = {self.node(start)}
        frontier = list(reached)
        for step in range(2):
            most = 512 if step == 0 else FAN_OUT
            found = {end for node in frontier for end in self.ends(node, most)} - reached
            frontier = list(islice(found, MOST + 1 - len(reached)))
            reached |= set(frontier)
        return len(reached)

    def path(self, start: str, end: str) -> int | None:
        sides = [({self.node(name)}, [self.node(name)]) for name in (start, end)]
        for length in range(1, LONGEST + 1):
            side = min((0, 1), key=lambda one: len(sides[one][1]))
            (seen, frontier), (others, _) = sides[side], sides[1 - side]
            following: list[Any] = []
            for node in frontier:
                for reached in self.ends(node, PATH_FAN_OUT):
                    if reached in others:
                        return length
                    if reached not in seen:
                        seen.add(reached)
                        following.append(reached)
            if len(seen) + len(others) > 10_000:
                return None
            sides[side] = (seen, following)
        return None


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    asked: dict[str, Any] = json.load(sys.stdin)
    number, rounds = int(asked["triples"]), int(asked["rounds"])
    store = OxigraphStore(asked["path"])
    made = triples(number)
    batches = 0.0
    while batch := list(islice(made, int(asked["batch"]))):
        batches += timed(lambda batch=batch: store.store.extend([store.quad(one) for one in batch]))
    single: list[Made] = [(f"new:{n}", "relatedTo", f"new:{n + 1}", 1.0) for n in range(rounds)]
    starts = some_errors(number, 2 * rounds)
    for start in starts[:50]:
        store.two_hops(start)
    begun = time.process_time()
    for start in starts[:rounds]:
        store.two_hops(start)
    answer = {
        "batch": batches,
        "two_hops_cpu": (time.process_time() - begun) / rounds,
        "single": [timed(lambda one=one: store.store.add(store.quad(one))) for one in single],
        "one_hop": [timed(lambda s=s: store.one_hop(s)) for s in starts[:rounds]],
        "two_hops": [timed(lambda s=s: store.two_hops(s)) for s in starts[:rounds]],
        "path": [
            timed(lambda s=s, e=e: store.path(s, e))
            for s, e in zip(starts[: rounds // 4], starts[rounds:], strict=False)
        ],
    }
    store.store.flush()
    disk = sum(file.stat().st_size for file in Path(asked["path"]).rglob("*") if file.is_file())
    json.dump(answer | {"disk_mb": disk / 2**20}, sys.stdout)


if __name__ == "__main__":
    main()
