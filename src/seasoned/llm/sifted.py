"""Keeps one text that an embedder refuses from holding up all the others: wraps any embedder.

A service that refuses a text (by its filter, by its rules) refuses the whole request it stands in,
today and tomorrow. The others are then asked for one by one; what is refused gets no direction,
and is found by its words.
"""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from seasoned.core.errors import EmbedderError, EmbedderUnavailable
from seasoned.llm.embedder import Embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seasoned.llm.embedder import Vectors

log = logging.getLogger("seasoned.embedding")

TRIED = 3  # texts that are refused one by one before it is the embedder that is wrong, not they


class Sifted:
    def __init__(self, inner: Embedder) -> None:
        self.inner = inner

    @property
    def model(self) -> str:
        return self.inner.model

    @property
    def dimensions(self) -> int | None:
        return self.inner.dimensions

    @property
    def local(self) -> bool:
        return self.inner.local

    def embed(self, texts: Sequence[str]) -> "Vectors":
        try:
            return self.inner.embed(texts)
        except EmbedderUnavailable:
            raise
        except EmbedderError as error:
            if len(texts) < 2:
                raise
            return self._one_by_one(texts, error)

    def _one_by_one(self, texts: Sequence[str], refusal: EmbedderError) -> "Vectors":
        import numpy as np

        rows: dict[int, NDArray[np.float32]] = {}
        for tried, place in enumerate(spread(len(texts)), 1):
            try:
                rows[place] = self.inner.embed([texts[place]])[0]
            except EmbedderUnavailable:
                raise
            except EmbedderError as error:
                refusal = error
            if not rows and tried >= min(TRIED, len(texts)):
                raise refusal
        if len(rows) < len(texts):
            log.warning(
                "%s of %s texts were refused (%s)", len(texts) - len(rows), len(texts), refusal
            )
        vectors = np.zeros((len(texts), len(next(iter(rows.values())))), np.float32)
        vectors[list(rows)] = list(rows.values())
        return vectors


def spread(many: int) -> list[int]:
    """The places of a batch, those far apart first: what was told together may be refused together.

    >>> spread(5), spread(2)
    ([0, 4, 2, 1, 3], [0, 1])
    """
    return list(dict.fromkeys((0, many - 1, many // 2, *range(many))))
