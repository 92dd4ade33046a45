"""Find the ten nearest vectors by comparing with all of them, as the reference."""

from collections.abc import Sequence
from typing import Any

from corpus import Corpus
from seasoned.llm.embed.wordllama import WordLlama

CHUNK = 20_000


class Exact:
    """Grows with the corpus; compares each vector once."""

    def __init__(self, corpus: Corpus, queries: Sequence[str], most: int) -> None:
        import numpy as np

        self._corpus = corpus
        self._embedder = WordLlama()
        self._queries: Any = self._embedder.embed(queries)
        self._most = most
        self._compared = 0
        self._known: dict[int, list[list[str]]] = {}
        self._scores: Any = np.full((len(queries), most), -2.0, np.float32)
        self._numbers: Any = np.full((len(queries), most), -1, np.int64)

    def nearest(self, size: int) -> list[list[str]]:
        """For each query, return the nearest of the first lessons, best first.

        A size that was not asked for on the way up cannot be asked for later.
        """
        if size not in self._known:
            assert size > self._compared, "sizes are asked for in their order"
            for start in range(self._compared, size, CHUNK):
                self._compare(start, min(start + CHUNK, size))
            self._compared = size
            self._known[size] = [
                [self._corpus.lesson(int(number)).whole for number in row] for row in self._numbers
            ]
        return self._known[size]

    def _compare(self, start: int, stop: int) -> None:
        import numpy as np

        vectors = self._embedder.embed([one.whole for one in self._corpus.lessons(start, stop)])
        scores = np.concatenate([self._scores, self._queries @ vectors.T], axis=1)
        among = np.broadcast_to(np.arange(start, stop), (len(scores), stop - start))
        numbers = np.concatenate([self._numbers, among], axis=1)
        best = np.argsort(-scores, axis=1, kind="stable")[:, : self._most]
        self._scores = np.take_along_axis(scores, best, axis=1)
        self._numbers = np.take_along_axis(numbers, best, axis=1)
