"""The embedder of every system: our own reader of wordllama's vectors."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parents[2] / "src"


def embedder() -> Any:
    if str(SOURCE) not in sys.path:
        sys.path.append(str(SOURCE))
    from seasoned.llm.embed.wordllama import WordLlama

    return WordLlama()


class Embedding:
    """Loads the vectors at the first text."""

    dimensions = 256

    def __init__(self) -> None:
        self._embedder: Any = None

    def many(self, texts: Sequence[str]) -> Any:
        self._embedder = self._embedder or embedder()
        return self._embedder.embed(texts)

    def one(self, text: str) -> list[float]:
        return self.many([text])[0].tolist()
