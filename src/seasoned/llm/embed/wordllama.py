"""The default embedder: offline, with the word vectors that the `wordllama` package carries.

A text's vector is the mean of its words' vectors: no network, no model to run, some tens of
microseconds. The package's own code takes the mean of the tokens of the text as it stands, where
case and signs count and a rare name counts once per piece. Words in lower case, none heavier than
its heaviest piece, find clearly more on both recall sets (docs/embedding.md).

The package's two data files are read without importing its code, which takes half a second.
"""

import importlib.util
import json
import mmap
import re
import struct
import threading
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seasoned.core.errors import BadInput, EmbedderError, Unsupported
from seasoned.llm.embed.embedder import embeddable, unit_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from seasoned.llm.embed.embedder import Vectors

WIDTH = 256
DIMENSIONS = (256, 128, 64)  # trained so that the first 128 or 64 numbers stand for the whole
LONGEST_TEXT = 8_192  # characters that count: the mean of a thousand words hardly moves any more
LONGEST_WORD = 64

HAN_AND_KANA = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"  # written without spaces: each a word
SIGNS = r"\s!-/:-@\[-`{-~¡¿«»\u2000-\u206f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20"
WORD = re.compile(rf"[{HAN_AND_KANA}]|[^{SIGNS}{HAN_AND_KANA}]{{1,{LONGEST_WORD}}}")

MOST_WORDS = 8192  # words whose vectors are kept; then the vocabulary starts afresh
WORDS_AT_ONCE = 1024
UNKNOWN_TOKEN = 0

WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
TENSOR = "embedding.weight"


class WordLlama:
    """Embeds with the mean of word vectors; reads the package's files at the first text."""

    local = True

    def __init__(self, dimensions: int = WIDTH) -> None:
        if dimensions not in DIMENSIONS:
            sizes = ", ".join(map(str, DIMENSIONS))
            raise BadInput(f"wordllama has no vectors of {dimensions} numbers; it has {sizes}")
        self.dimensions = dimensions
        self._folder = package_folder()
        self._loading = threading.Lock()
        self._vocabulary: Vocabulary | None = None

    @property
    def model(self) -> str:
        """Named by the files' content, not by the release that carries them."""
        return f"wordllama/l2_supercat/words/{self.dimensions}/{files_fingerprint(self._folder)}"

    def embed(self, texts: Sequence[str]) -> "Vectors":
        import numpy as np

        vocabulary = self._vocabulary or self._load()
        bags = [Counter(split_words(embeddable(text, LONGEST_TEXT))) for text in texts]
        known = vocabulary.vectors_of(set[str]().union(*bags))
        sums = np.zeros((len(texts), WIDTH), np.float32)
        for total, bag in zip(sums, bags, strict=True):
            rows = known.vectors.take([known.places[word] for word in bag], axis=0)
            np.dot(np.array(list(bag.values()), np.float32), rows, out=total)
        return unit_rows(sums[:, : self.dimensions])

    def _load(self) -> "Vocabulary":
        with self._loading:
            self._vocabulary = self._vocabulary or vocabulary_in(self._folder)
        return self._vocabulary


def split_words(text: str) -> list[str]:
    """Split a text into words; a text of nothing but signs is one word.

    >>> split_words("Can't open /etc/App_Config.toml"), split_words("&&"), split_words("東京へ go")
    (['can', 't', 'open', 'etc', 'app', 'config', 'toml'], ['&&'], ['東', '京', 'へ', 'go'])
    """
    return WORD.findall(text.lower()) or ([text[:LONGEST_WORD]] if text else [])


@dataclass(frozen=True)
class WordVectors:
    """Vectors, and each word's row. Only ever added to, so it is read without a lock."""

    vectors: "NDArray[np.float32]"
    places: dict[str, int] = field(default_factory=dict[str, int])


class Vocabulary:
    """The vectors of the words met so far: each is made of its tokens' vectors once."""

    def __init__(self, tokenizer: "Tokenizer", vectors: "NDArray[np.float16]") -> None:
        self._tokenizer = tokenizer
        self._vectors = vectors
        self._known = self._empty(MOST_WORDS)
        self._adding = threading.Lock()

    def vectors_of(self, words: AbstractSet[str]) -> WordVectors:
        """Return the vectors of these words, among others."""
        known = self._known
        if words <= known.places.keys():
            return known
        with self._adding:
            known = self._known
            missing = [word for word in words if word not in known.places]
            if len(known.places) + len(missing) > len(known.vectors):
                known, missing = self._empty(max(MOST_WORDS, len(words))), list(words)
            for start in range(0, len(missing), WORDS_AT_ONCE):
                self._add(known, missing[start : start + WORDS_AT_ONCE])
            self._known = known
        return known

    def _empty(self, size: int) -> WordVectors:
        import numpy as np

        return WordVectors(np.empty((size, self._vectors.shape[1]), np.float32))

    def _add(self, known: WordVectors, words: list[str]) -> None:
        first = len(known.places)
        known.vectors[first : first + len(words)] = self._make(words)
        known.places.update(zip(words, range(first, first + len(words)), strict=True))

    def _make(self, words: list[str]) -> "NDArray[np.float32]":
        """Sum each word's token vectors, made no longer than the longest of them."""
        import numpy as np

        encode = self._tokenizer.encode
        pieces = [encode(word, add_special_tokens=False).ids or [UNKNOWN_TOKEN] for word in words]
        starts = [0, *accumulate(map(len, pieces))][:-1]
        tokens = self._vectors.take([one for ids in pieces for one in ids], axis=0)
        tokens = tokens.astype(np.float32)
        longest = np.maximum.reduceat(np.einsum("ij,ij->i", tokens, tokens), starts)
        sums = np.add.reduceat(tokens, starts, axis=0)
        lengths = np.maximum(np.einsum("ij,ij->i", sums, sums), 1e-12)
        return sums * np.sqrt(np.minimum(1, longest / lengths))[:, None]


@lru_cache(maxsize=2)
def vocabulary_in(folder: Path) -> Vocabulary:
    """Read the files once in a process, however many databases it opens."""
    return Vocabulary(*load_files(folder))


def package_folder() -> Path:
    """Return the folder of the installed package."""
    found = importlib.util.find_spec("wordllama")
    for folder in (found and found.submodule_search_locations) or ():
        return Path(folder)
    raise Unsupported(
        "the package wordllama is not installed; install it with `pip install wordllama`, or set "
        'embedding.provider = "none" to search by words alone'
    )


def load_files(folder: Path) -> "tuple[Tokenizer, NDArray[np.float16]]":
    """Return the tokenizer and a row for each of its tokens; unused rows stay on disk."""
    import numpy as np
    from tokenizers import Tokenizer  # late: slow to load

    path = folder / WEIGHTS
    start, rows = tensor_layout(path)
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        vectors = np.frombuffer(mapped, "<f2", rows * WIDTH, start).reshape(rows, WIDTH)
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    except Exception as error:  # the tokenizer raises bare Exceptions
        raise _damaged(folder, error) from error
    if tokenizer.get_vocab_size() > rows:
        raise _damaged(folder, f"{tokenizer.get_vocab_size()} tokens, but {rows} vectors")
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, vectors


def tensor_layout(path: Path) -> tuple[int, int]:
    """Return where the numbers begin in a safetensors file, and how many rows there are."""
    try:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            tensor: dict[str, Any] = json.loads(file.read(min(length, 2**20)))[TENSOR]
        rows, width = tensor["shape"]
        if (tensor["dtype"], width) != ("F16", WIDTH):
            raise ValueError(f"{TENSOR} is {tensor['dtype']} of width {width}")
        return 8 + length + int(tensor["data_offsets"][0]), int(rows)
    except (OSError, ValueError, KeyError, TypeError, struct.error) as error:
        raise _damaged(path, error) from error


@cache
def files_fingerprint(folder: Path) -> str:
    """Digest the vocabulary and a sample of the vectors; every start reads it."""
    start, rows = tensor_layout(folder / WEIGHTS)
    digest = blake2b(digest_size=4)
    try:
        digest.update((folder / TOKENIZER).read_bytes())
        with (folder / WEIGHTS).open("rb") as file:
            for row in range(0, rows, max(1, rows // 64)):
                file.seek(start + row * WIDTH * 2)
                digest.update(file.read(WIDTH * 2))
    except OSError as error:
        raise _damaged(folder, error) from error
    return digest.hexdigest()


def _damaged(where: Path, why: object) -> EmbedderError:
    return EmbedderError(
        f"wordllama: cannot read {where} ({why}); "
        "`pip install --force-reinstall wordllama` restores its files"
    )
