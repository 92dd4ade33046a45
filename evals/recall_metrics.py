"""Score a ranking against the expected results."""

from collections.abc import Callable, Sequence
from math import log2
from typing import NamedTuple


class Ranking(NamedTuple):
    found: Sequence[str]
    evidence: frozenset[str]


def recall_at(depth: int) -> Callable[[Ranking], float]:
    return lambda one: len(set(one.found[:depth]) & one.evidence) / len(one.evidence)


def hit_at(depth: int) -> Callable[[Ranking], float]:
    return lambda one: float(bool(set(one.found[:depth]) & one.evidence))


def ndcg_at(depth: int) -> Callable[[Ranking], float]:
    def value(one: Ranking) -> float:
        places = [place for place, name in enumerate(one.found[:depth]) if name in one.evidence]
        best = range(min(depth, len(one.evidence)))
        return _gain(places) / _gain(best)

    return value


def _gain(places: Sequence[int]) -> float:
    return sum(1 / log2(place + 2) for place in places)


METRICS: dict[str, Callable[[Ranking], float]] = {
    "recall@5": recall_at(5),
    "recall@10": recall_at(10),
    "ndcg@10": ndcg_at(10),
    "hit@1": hit_at(1),
}
