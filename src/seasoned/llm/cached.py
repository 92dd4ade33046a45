"""Remembers the vectors of texts that were embedded before: wraps any embedder."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from seasoned.llm.embedder import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from seasoned.llm.embedder import Vectors


class Cached:
    """The vectors used last, up to `entries`; the inner embedder sees each text once a batch."""

    def __init__(self, inner: Embedder, entries: int = 4096) -> None:
        self.inner = inner
        self.entries = entries
        self.hits = 0
        self.misses = 0
        self._rows: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()
        self._changing = threading.Lock()

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

    def _known(self, keys: list[bytes]) -> "dict[bytes, NDArray[np.float32]]":
        with self._changing:
            known = {key: self._rows[key] for key in keys if key in self._rows}
            for key in known:
                self._rows.move_to_end(key)
        return known

    def _keep(self, rows: "dict[bytes, NDArray[np.float32]]", *, hits: int) -> None:
        with self._changing:
            self.hits += hits
            self.misses += len(rows)
            self._rows.update(rows)
            while len(self._rows) > self.entries:
                self._rows.popitem(last=False)
