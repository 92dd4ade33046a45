"""Embeds by asking a service: OpenAI and whatever speaks its format, Gemini, Ollama.

A `Wire` says what one of them is asked and how its answer is read; the rest is common: batches,
blank texts, texts that are too long for it, and answers that cannot be believed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from seasoned.core.errors import EmbedderError, EmbedderUnavailable
from seasoned.llm.embedder import legible, unit
from seasoned.llm.http_address import Terms, below, header_safe, parsed
from seasoned.llm.http_json import Service

if TYPE_CHECKING:
    from seasoned.llm.embedder import Vectors

LONGEST_BYTES = 8000  # no text has more tokens than bytes, and every service takes 8,000 or cuts
LARGEST_NUMBER = 1e30
SHORTEST_BYTES = 250  # a service that takes less than this is not worth asking


class TooLong(EmbedderError):
    """The service takes no texts of this length, or not so many at once."""


TERMS = Terms(
    url="embedding.url",
    key="embedding.key",
    checked="embedding.key, embedding.model and embedding.url",
    refused=EmbedderError,
    unavailable=EmbedderUnavailable,
    too_long=TooLong,
)


@dataclass(frozen=True, slots=True)
class Wire:
    """How one kind of service is spoken to; `wires.py` has those there are."""

    name: str
    url: str  # where the service is when the settings name no address
    version: str  # what an address needs that has no path of its own
    path: str  # of the call, below the address; {model} stands for the model
    default_model: str
    most: int  # texts in one request
    headers: Callable[[str], dict[str, str]]  # from the key
    question: Callable[[str, list[str], int], dict[str, Any]]  # model, texts, dimensions or 0
    rows: Callable[[Any], list[Any]]  # from the answer, in the order of the texts
    key_variable: str = ""  # the variable that usually holds the key, where one is needed
    named_by_address: bool = False  # elsewhere, the same model name may mean something else


class Remote:
    """An embedder behind HTTP. Its dimensions are known from the settings or the first answer."""

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
        address = below(parsed(url or wire.url, TERMS), wire.version, path)
        key = header_safe(key, TERMS)
        headers = wire.headers(key) if key else {}
        self._service = Service(wire.name, address, headers, timeout_seconds, key, terms=TERMS)
        self.dimensions: int | None = dimensions or None
        place = f"@{address.partition('?')[0]}" if url and wire.named_by_address else ""
        self.model = f"{wire.name}/{self._asked}/{dimensions or 'own'}{place}"

    def embed(self, texts: Sequence[str]) -> "Vectors":
        import numpy as np

        seen = [shortened(text, LONGEST_BYTES) for text in texts]
        told = [text for text in seen if text]
        if texts and not told and self.dimensions is None:
            self._ask(["blank"])  # for the length of the vectors
        rows = [row for batch in parts(told, self._batch) for row in self._ask(batch)]
        vectors = np.zeros((len(seen), self.dimensions or 0), np.float32)
        if rows:
            vectors[[place for place, text in enumerate(seen) if text]] = rows
        return vectors

    def _ask(self, texts: list[str]) -> "Vectors":
        """The texts' vectors; when there is too much in one request, by halves."""
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
            return self._ask([shortened(texts[0], half)])
        return self._believed(answer, len(texts))

    def _believed(self, answer: Any, count: int) -> "Vectors":
        import numpy as np

        try:
            rows = np.array(self._wire.rows(answer), np.float64)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError):
            raise self._nonsense("an answer that holds no vectors") from None
        if rows.ndim != 2 or rows.shape[1] == 0 or len(rows) != count:
            raise self._nonsense(f"vectors of shape {rows.shape} for {count} texts")
        if not (np.abs(rows) < LARGEST_NUMBER).all():
            raise self._nonsense("vectors that hold NaN, infinity or numbers without measure")
        found = rows.shape[1]
        if self.dimensions not in (None, found):
            raise self._nonsense(f"vectors of {found} numbers where {self.dimensions} were due")
        self.dimensions = found
        return unit(rows)

    def _nonsense(self, what: str) -> EmbedderError:
        return EmbedderError(
            f"{self._wire.name} gave {what}, from the model {self._asked!r}; "
            "check embedding.url, embedding.model and embedding.dimensions"
        )


def parts(texts: list[str], size: int) -> list[list[str]]:
    return [texts[start : start + size] for start in range(0, len(texts), size)]


def shortened(text: str, most_bytes: int) -> str:
    """A text cut to so many bytes of UTF-8.

    >>> shortened("東京", 5), shortened("  ", 5)
    ('東', '')
    """
    return legible(text, most_bytes).encode()[:most_bytes].decode("utf-8", "ignore")
