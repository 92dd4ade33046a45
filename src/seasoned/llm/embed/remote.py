"""Embed by asking a service: OpenAI and what speaks its format, Gemini, Ollama.

A `Wire` describes the request and the answer of one of them. The rest is common: batches, blank
texts, texts that are too long, and answers that make no sense.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from seasoned.core.errors import EmbedderError, EmbedderUnavailable
from seasoned.llm.embed.embedder import embeddable, unit_rows
from seasoned.llm.embed.http_address import ServiceTerms, address_below, header_safe, parse_address
from seasoned.llm.embed.http_json import Service

if TYPE_CHECKING:
    from seasoned.llm.embed.embedder import Vectors

LONGEST_BYTES = 8000  # no text has more tokens than bytes, and every service takes 8,000 or cuts
LARGEST_NUMBER = 1e30
SHORTEST_BYTES = 250  # a service that takes less is useless


class TooLong(EmbedderError):
    """The service takes no text of this length, or not so many at once."""


TERMS = ServiceTerms(
    url="embedding.url",
    key="embedding.key",
    checked="embedding.key, embedding.model and embedding.url",
    refused=EmbedderError,
    unavailable=EmbedderUnavailable,
    too_long=TooLong,
)


@dataclass(frozen=True, slots=True)
class Wire:
    """The request and the answer of one kind of service."""

    name: str
    url: str  # the address if the settings name none
    version: str  # the path of an address that has none
    path: str  # of the call, below the address; may hold {model}
    default_model: str
    most: int  # texts in one request
    headers: Callable[[str], dict[str, str]]  # from the key
    question: Callable[[str, list[str], int], dict[str, Any]]  # model, texts, dimensions or 0
    rows: Callable[[Any], list[Any]]  # from the answer, in the order of the texts
    key_variable: str = ""  # the variable that usually holds the key, if one is needed
    named_by_address: bool = False  # at another address, the model's name may mean another model


class RemoteEmbedder:
    """An embedder behind HTTP; its dimensions come from the settings or the first answer."""

    local = False

    def __init__(
        self,
        wire: Wire,
        *,
        model: str = "",
        url: str = "",
        key: str = "",
        dimensions: int = 0,
        timeout_seconds: float = 10,
        batch: int = 32,
    ) -> None:
        self._wire = wire
        self._asked = (model or wire.default_model).removeprefix("models/")  # Gemini's own way
        self._wanted = dimensions
        self._batch = min(batch, wire.most)
        path = wire.path.format(model=quote(self._asked, safe=""))
        address = address_below(parse_address(url or wire.url, TERMS), wire.version, path)
        key = header_safe(key, TERMS)
        headers = wire.headers(key) if key else {}
        self._service = Service(wire.name, address, headers, timeout_seconds, key, terms=TERMS)
        self.dimensions: int | None = dimensions or None
        place = f"@{address.partition('?')[0]}" if url and wire.named_by_address else ""
        self.model = f"{wire.name}/{self._asked}/{dimensions or 'own'}{place}"

    def embed(self, texts: Sequence[str]) -> "Vectors":
        import numpy as np

        cut = [cut_to_bytes(text, LONGEST_BYTES) for text in texts]
        filled = [text for text in cut if text]
        if texts and not filled and self.dimensions is None:
            self._ask(["blank"])  # only to learn the length of the vectors
        rows = [row for batch in batches_of(filled, self._batch) for row in self._ask(batch)]
        vectors = np.zeros((len(cut), self.dimensions or 0), np.float32)
        if rows:
            vectors[[place for place, text in enumerate(cut) if text]] = rows
        return vectors

    def _ask(self, texts: list[str]) -> "Vectors":
        """Return the texts' vectors; a request that is too large is halved."""
        import numpy as np

        try:
            answer = self._service.ask(self._wire.question(self._asked, texts, self._wanted))
        except TooLong:
            if len(texts) > 1:
                middle = len(texts) // 2
                return np.concatenate([self._ask(texts[:middle]), self._ask(texts[middle:])])
            half = len(texts[0].encode()) // 2
            if half < SHORTEST_BYTES:
                raise
            return self._ask([cut_to_bytes(texts[0], half)])
        return self._rows_in(answer, len(texts))

    def _rows_in(self, answer: Any, count: int) -> "Vectors":
        import numpy as np

        try:
            rows = np.array(self._wire.rows(answer), np.float64)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError):
            raise self._nonsense("an answer that holds no vectors") from None
        if rows.ndim != 2 or rows.shape[1] == 0 or len(rows) != count:
            raise self._nonsense(f"vectors of shape {rows.shape} for {count} texts")
        if not (np.abs(rows) < LARGEST_NUMBER).all():
            raise self._nonsense("vectors that hold NaN, infinity or absurdly large numbers")
        found = rows.shape[1]
        if self.dimensions not in (None, found):
            raise self._nonsense(f"vectors of {found} numbers instead of {self.dimensions}")
        self.dimensions = found
        return unit_rows(rows)

    def _nonsense(self, what: str) -> EmbedderError:
        return EmbedderError(
            f"{self._wire.name} gave {what}, from the model {self._asked!r}; "
            "check embedding.url, embedding.model and embedding.dimensions"
        )


def batches_of(texts: list[str], size: int) -> list[list[str]]:
    return [texts[start : start + size] for start in range(0, len(texts), size)]


def cut_to_bytes(text: str, most_bytes: int) -> str:
    """Cut a text to so many bytes of UTF-8.

    >>> cut_to_bytes("東京", 5), cut_to_bytes("  ", 5)
    ('東', '')
    """
    return embeddable(text, most_bytes).encode()[:most_bytes].decode("utf-8", "ignore")


def _openai_rows(answer: Any) -> list[Any]:
    items = answer["data"]
    placed = {item.get("index", place): item["embedding"] for place, item in enumerate(items)}
    return [placed[place] for place in range(len(items))]


def _with(question: dict[str, Any], name: str, dimensions: int) -> dict[str, Any]:
    return {**question, name: dimensions} if dimensions else question


OPENAI = Wire(
    name="openai",
    url="https://api.openai.com",
    version="/v1",
    path="/embeddings",
    default_model="text-embedding-3-small",
    most=2048,
    headers=lambda key: {"Authorization": f"Bearer {key}"},
    question=lambda model, texts, dimensions: _with(
        {"model": model, "input": texts}, "dimensions", dimensions
    ),
    rows=_openai_rows,
    key_variable="OPENAI_API_KEY",
    named_by_address=True,
)

GEMINI = Wire(
    name="gemini",
    url="https://generativelanguage.googleapis.com",
    version="/v1beta",
    path="/models/{model}:batchEmbedContents",
    default_model="gemini-embedding-001",
    most=100,
    headers=lambda key: {"x-goog-api-key": key},
    question=lambda model, texts, dimensions: {
        "requests": [
            _with(
                {"model": f"models/{model}", "content": {"parts": [{"text": text}]}},
                "outputDimensionality",
                dimensions,
            )
            for text in texts
        ]
    },
    rows=lambda answer: [item["values"] for item in answer["embeddings"]],
    key_variable="GEMINI_API_KEY",
)

OLLAMA = Wire(
    name="ollama",
    url="http://127.0.0.1:11434",
    version="",
    path="/api/embed",
    default_model="embeddinggemma",
    most=512,
    headers=lambda key: {"Authorization": f"Bearer {key}"},
    question=lambda model, texts, dimensions: _with(
        {"model": model, "input": texts}, "dimensions", dimensions
    ),
    rows=lambda answer: answer["embeddings"],
)

WIRES = {wire.name: wire for wire in (OPENAI, GEMINI, OLLAMA)}
