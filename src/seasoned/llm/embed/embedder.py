"""Embedders turn texts into vectors, so that texts of the same meaning lie close together.

All are used alike, whether they compute in this process or ask a server, and several threads may
call one at once. `Cached` and `Isolating` wrap any of them.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from seasoned.core.errors import EmbedderError, EmbedderUnavailable
from seasoned.core.text import storable

# numpy is imported late in this room: it takes longer to load than a command without vectors runs.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]
    Rows: TypeAlias = dict[bytes, NDArray[np.float32]]

log = logging.getLogger("seasoned.embedding")

TRIED = 3  # refusals in a row that put the blame on the embedder instead of the texts
USUAL_BACKGROUND = 0.05  # or less, with the embedders that run in this process
UNRELATED = (
    "The invoice is due on the last day of the month.",
    "Whales sing to each other across the ocean.",
    "Restart the database after you change its port.",
    "She painted the kitchen walls pale yellow.",
    "A prime number has no divisors but one and itself.",
    "Our train to Lisbon leaves from platform nine.",
    "Fold the egg whites into the batter slowly.",
    "The goalkeeper saved two penalties in the final.",
    "Unit tests run before every merge.",
    "Roses need more sun than ferns do.",
    "The court adjourned until Thursday morning.",
    "Glaciers carved this valley long ago.",
)


class Embedder(Protocol):
    @property
    def model(self) -> str:
        """Its whole identity: vectors of two different models are never compared."""
        ...

    @property
    def dimensions(self) -> int | None:
        """The length of its vectors; None until the first answer tells."""
        ...

    @property
    def local(self) -> bool:
        """Whether it answers in well under a millisecond, without a network."""
        ...

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Return a row of length 1 for each text, in order; all zeros for a blank text.

        Raises `EmbedderError`, or its kind `EmbedderUnavailable` if a later try may work.
        """
        ...


def embeddable(text: str, longest: int) -> str:
    """Cut a text and replace lone surrogates, so that every embedder takes it; blank is empty.

    >>> embeddable("  \\n", 9), embeddable("  a fairly long text", 8)
    ('', 'a fairly')
    """
    return storable(text.lstrip()[:longest])


def unit_rows(rows: "NDArray[np.floating[Any]]") -> "Vectors":
    """Scale rows to length 1; a row of zeros stays as it is.

    >>> import numpy as np
    >>> unit_rows(np.array([[0.0, 7.0], [0.0, 0.0]])).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    import numpy as np

    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    lengths[lengths == 0] = 1
    return (rows / lengths[:, None]).astype(np.float32, copy=False)


def background_of(embedder: Embedder) -> float:
    """Return the mean cosine of unrelated texts.

    Some models give any two texts a cosine of 0.7; `scaled_cosine` corrects for it.
    """
    import numpy as np

    rows = embedder.embed(UNRELATED)
    cosines = rows @ rows.T
    return float(cosines[~np.eye(len(rows), dtype=bool)].mean())


def scaled_cosine(cosine: float, background: float) -> float:
    """Convert a cosine to the default embedder's scale, so that one floor fits all models.

    >>> scaled_cosine(0.9, 0.05), round(scaled_cosine(0.6, 0.6), 2), scaled_cosine(1.0, 0.7)
    (0.9, 0.05, 1.0)
    """
    if background <= USUAL_BACKGROUND:
        return cosine
    return 1 - (1 - cosine) * (1 - USUAL_BACKGROUND) / (1 - background)


class Wrapper:
    """An embedder around another, with the same identity."""

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


class Cached(Wrapper):
    """An LRU cache of `entries` vectors; a text repeated in a batch is embedded once."""

    def __init__(self, inner: Embedder, entries: int = 4096) -> None:
        super().__init__(inner)
        self.entries = entries
        self.hits = 0
        self.misses = 0
        self._rows: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()
        self._changing = threading.Lock()

    def embed(self, texts: Sequence[str]) -> "Vectors":
        import numpy as np

        keys = [self._key(text) for text in texts]
        if not keys:
            return self.inner.embed([])
        known = self._known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            rows = self.inner.embed(list(missing.values()))
            known.update(zip(missing, rows, strict=True))
        self._keep({key: known[key].copy() for key in missing}, hits=len(keys) - len(missing))
        return np.stack([known[key] for key in keys])

    def _key(self, text: str) -> bytes:
        content = f"{self.model}\0{text}".encode("utf-8", "surrogatepass")
        return blake2b(content, digest_size=16).digest()

    def _known(self, keys: list[bytes]) -> "Rows":
        with self._changing:
            known = {key: self._rows[key] for key in keys if key in self._rows}
            for key in known:
                self._rows.move_to_end(key)
        return known

    def _keep(self, rows: "Rows", *, hits: int) -> None:
        with self._changing:
            self.hits += hits
            self.misses += len(rows)
            self._rows.update(rows)
            while len(self._rows) > self.entries:
                self._rows.popitem(last=False)


class Isolating(Wrapper):
    """Isolation of refused texts, so that one does not block the others.

    A service whose filter refuses a text refuses the whole request, today and tomorrow. Then the
    texts are sent one by one; a refused one gets a vector of zeros, and is found by its words.
    """

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
    """Order the places of a batch, those far apart first: neighbours are often refused together.

    >>> spread(5), spread(2)
    ([0, 4, 2, 1, 3], [0, 1])
    """
    return list(dict.fromkeys((0, many - 1, many // 2, *range(many))))
