"""Cheap search baselines: words alone, vectors alone, and plain fusions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from seasoned.core.words import telling_words
from seasoned.llm.embed.wordllama import WordLlama

DEPTH = 10
FUSED = 50
RANK_OFFSET = 60  # of reciprocal rank fusion

Ask = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class Collection:
    ids: Sequence[str]
    texts: Sequence[str]
    rows: Sequence[Mapping[str, Any]]
    embedder: WordLlama = field(default_factory=WordLlama)


def bm25(collection: Collection) -> Ask:
    """Search any of the telling words with SQLite FTS5 and its porter tokenizer."""
    search = _fts5(collection.texts)
    return lambda question: [collection.ids[place] for place in list(search(question))[:DEPTH]]


def bm25_previous(collection: Collection) -> Ask:
    """Search with BM25, and the previous turn as a second column of half the weight."""
    rows = collection.rows
    same = [
        place and rows[place]["speaker"] and rows[place]["session"] == rows[place - 1]["session"]
        for place in range(len(rows))
    ]
    previous = [collection.texts[place - 1] if same[place] else "" for place in range(len(rows))]
    search = _fts5(collection.texts, previous)
    return lambda question: [collection.ids[place] for place in list(search(question))[:DEPTH]]


def vectors(collection: Collection) -> Ask:
    """Rank by cosine of our default embedder."""
    search = _nearest(collection)
    return lambda question: [collection.ids[place] for place in list(search(question))[:DEPTH]]


def rank_fusion(collection: Collection) -> Ask:
    """Add the reciprocal ranks of both."""
    words, meaning = _fts5(collection.texts), _nearest(collection)

    def ask(question: str) -> Sequence[str]:
        scores: dict[int, float] = {}
        for search in (words, meaning):
            for rank, place in enumerate(list(search(question))[:FUSED], 1):
                scores[place] = scores.get(place, 0.0) + 1 / (RANK_OFFSET + rank)
        return _best(scores, collection)

    return ask


def convex_fusion(collection: Collection) -> Ask:
    """Add half of each score, scaled to its maximum."""
    words, meaning = _fts5(collection.texts), _nearest(collection)

    def ask(question: str) -> Sequence[str]:
        scores: dict[int, float] = {}
        for search in (words, meaning):
            found = search(question)
            most = max(found.values(), default=1.0) or 1.0
            for place, score in found.items():
                scores[place] = scores.get(place, 0.0) + 0.5 * score / most
        return _best(scores, collection)

    return ask


def _fts5(
    texts: Sequence[str], previous: Sequence[str] | None = None
) -> Callable[[str], dict[int, float]]:
    db: Any = apsw.Connection(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5 (text, previous, tokenize = 'porter unicode61')")
    before = previous or [""] * len(texts)
    rows = [(place, text, before[place]) for place, text in enumerate(texts)]
    db.executemany("INSERT INTO t (rowid, text, previous) VALUES (?, ?, ?)", rows)

    def search(question: str) -> dict[int, float]:
        words = " OR ".join(f'"{word}"' for word in telling_words(question))
        if not words:
            return {}
        found = db.execute(
            "SELECT rowid, -bm25(t, 1.0, 0.5) AS score FROM t(?) ORDER BY score DESC", (words,)
        )
        return dict(found.fetchall())

    return search


def _nearest(collection: Collection) -> Callable[[str], dict[int, float]]:
    matrix: NDArray[np.float32] = collection.embedder.embed(collection.texts)

    def search(question: str) -> dict[int, float]:
        likeness = matrix @ collection.embedder.embed([question])[0]
        order = np.argsort(-likeness, kind="stable")
        return {int(place): float(likeness[place]) for place in order}

    return search


def _best(scores: Mapping[int, float], collection: Collection) -> Sequence[str]:
    best = sorted(scores, key=lambda place: -scores[place])[:DEPTH]
    return [collection.ids[place] for place in best]


BASELINES: dict[str, Callable[[Collection], Ask]] = {
    "bm25": bm25,
    "bm25+previous": bm25_previous,
    "vectors": vectors,
    "rank fusion": rank_fusion,
    "convex fusion": convex_fusion,
}
