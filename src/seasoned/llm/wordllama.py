"""Embeds offline, with the word vectors that the `wordllama` package carries.

A text's vector is the mean of its words' vectors: no network, no model to run, some tens of
microseconds. The package's own way is the mean of the tokens of the text as it stands. Case and
signs count there, and a rare name counts as often as it has pieces; on both recall sets words in
lower case, none heavier than the heaviest of its pieces, find clearly more (docs/embedding.md).
"""

import re
import threading
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from seasoned.core.errors import BadInput
from seasoned.llm.embedder import legible, unit
from seasoned.llm.vocabulary import Vocabulary
from seasoned.llm.wordllama_files import WIDTH, fingerprint, load, package

if TYPE_CHECKING:
    from seasoned.llm.embedder import Vectors

DIMENSIONS = (256, 128, 64)  # trained so that the first 128 or 64 numbers stand for the whole
LONGEST = 8_192  # characters that count: the mean of a thousand words hardly moves any more
LONGEST_WORD = 64

HAN_AND_KANA = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"  # written without spaces: each a word
SIGNS = r"\s!-/:-@\[-`{-~¡¿«»\u2000-\u206f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20"
WORD = re.compile(rf"[{HAN_AND_KANA}]|[^{SIGNS}{HAN_AND_KANA}]{{1,{LONGEST_WORD}}}")


class WordLlama:
    """The default embedder. Its files are read at the first text."""

    local = True

    def __init__(self, dimensions: int = WIDTH) -> None:
        if dimensions not in DIMENSIONS:
            sizes = ", ".join(map(str, DIMENSIONS))
            raise BadInput(f"wordllama has no vectors of {dimensions} numbers; it has {sizes}")
        self.dimensions = dimensions
        self._folder = package()
        self._loading = threading.Lock()
        self._vocabulary: Vocabulary | None = None

    @property
    def model(self) -> str:
        """Named by what the files hold, not by the release that carries them."""
        return f"wordllama/l2_supercat/words/{self.dimensions}/{fingerprint(self._folder)}"

    def embed(self, texts: Sequence[str]) -> "Vectors":
        import numpy as np

        vocabulary = self._vocabulary or self._load()
        bags = [Counter(words(legible(text, LONGEST))) for text in texts]
        known = vocabulary.knowing(set[str]().union(*bags))
        sums = np.zeros((len(texts), WIDTH), np.float32)
        for total, bag in zip(sums, bags, strict=True):
            rows = known.vectors.take([known.places[word] for word in bag], axis=0)
            np.dot(np.array(list(bag.values()), np.float32), rows, out=total)
        return unit(sums[:, : self.dimensions])

    def _load(self) -> Vocabulary:
        with self._loading:
            self._vocabulary = self._vocabulary or vocabulary_in(self._folder)
        return self._vocabulary


@lru_cache(maxsize=2)
def vocabulary_in(folder: Path) -> Vocabulary:
    """Read once in a process, however many open a database."""
    return Vocabulary(*load(folder))


def words(text: str) -> list[str]:
    """What a text is made of; one that is nothing but signs is a word itself.

    >>> words("Can't open /etc/App_Config.toml"), words("&&"), words("東京へ go")
    (['can', 't', 'open', 'etc', 'app', 'config', 'toml'], ['&&'], ['東', '京', 'へ', 'go'])
    """
    return WORD.findall(text.lower()) or ([text[:LONGEST_WORD]] if text else [])
