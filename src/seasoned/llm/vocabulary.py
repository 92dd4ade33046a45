"""The vectors of the words met so far: each is made of its tokens' vectors once, then looked up."""

import threading
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

MOST = 8192  # words that are kept; then it starts anew
AT_ONCE = 1024
UNKNOWN = 0


@dataclass(frozen=True)
class Known:
    """Rows of vectors, and whose they are. Only ever added to, so it is read without a lock."""

    vectors: "NDArray[np.float32]"
    places: dict[str, int] = field(default_factory=dict[str, int])


class Vocabulary:
    def __init__(self, tokenizer: "Tokenizer", vectors: "NDArray[np.float16]") -> None:
        self._tokenizer = tokenizer
        self._vectors = vectors
        self._known = self._empty(MOST)
        self._adding = threading.Lock()

    def knowing(self, words: AbstractSet[str]) -> Known:
        """The vectors of these words, and of some others."""
        known = self._known
        if words <= known.places.keys():
            return known
        with self._adding:
            known = self._known
            missing = [word for word in words if word not in known.places]
            if len(known.places) + len(missing) > len(known.vectors):
                known, missing = self._empty(max(MOST, len(words))), list(words)
            for start in range(0, len(missing), AT_ONCE):
                self._add(known, missing[start : start + AT_ONCE])
            self._known = known
        return known

    def _empty(self, size: int) -> Known:
        import numpy as np

        return Known(np.empty((size, self._vectors.shape[1]), np.float32))

    def _add(self, known: Known, words: list[str]) -> None:
        first = len(known.places)
        known.vectors[first : first + len(words)] = self._made(words)
        known.places.update(zip(words, range(first, first + len(words)), strict=True))

    def _made(self, words: list[str]) -> "NDArray[np.float32]":
        """The sum of a word's tokens, made no longer than the longest of them."""
        import numpy as np

        encode = self._tokenizer.encode
        pieces = [encode(word, add_special_tokens=False).ids or [UNKNOWN] for word in words]
        starts = [0, *accumulate(map(len, pieces))][:-1]
        tokens = self._vectors.take([one for ids in pieces for one in ids], axis=0)
        tokens = tokens.astype(np.float32)
        longest = np.maximum.reduceat(np.einsum("ij,ij->i", tokens, tokens), starts)
        sums = np.add.reduceat(tokens, starts, axis=0)
        lengths = np.maximum(np.einsum("ij,ij->i", sums, sums), 1e-12)
        return sums * np.sqrt(np.minimum(1, longest / lengths))[:, None]
