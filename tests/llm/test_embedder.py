"""Wrappers of embedders: the cache, and isolation of refused texts."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seasoned.core.errors import EmbedderError, EmbedderUnavailable
from seasoned.llm.embed.embedder import Cached, Isolating
from seasoned.llm.embed.remote import RemoteEmbedder
from seasoned.llm.embed.wordllama import WordLlama

from .conftest import Loopback, Question, Reply, Script, openai

if TYPE_CHECKING:
    from seasoned.llm.embed.embedder import Vectors


plain = WordLlama()


class Counted(WordLlama):
    """An embedder that records its batches."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> "Vectors":
        self.batches.append(list(texts))
        return super().embed(texts)


def test_only_what_is_not_known_is_asked_in_order_and_once() -> None:
    inner = Counted()
    cached = Cached(inner)
    cached.embed(["a", "b"])
    cached.embed(["c", "b", "d", "c", "a"])
    assert inner.batches == [["a", "b"], ["c", "d"]]
    assert (cached.hits, cached.misses) == (3, 4)


def test_nothing_is_asked_when_all_is_known() -> None:
    inner = Counted()
    cached = Cached(inner)
    first = cached.embed(["a", "b"])
    assert np.array_equal(cached.embed(["b", "a"]), first[::-1])
    assert len(inner.batches) == 1


def test_what_was_used_longest_ago_is_forgotten_first() -> None:
    inner = Counted()
    cached = Cached(inner, entries=2)
    for texts in (["a"], ["b"], ["a"], ["c"], ["a"], ["b"]):
        cached.embed(texts)
    assert inner.batches == [["a"], ["b"], ["c"], ["b"]]


def test_a_batch_larger_than_the_cache_is_answered_whole() -> None:
    cached = Cached(Counted(), entries=3)
    texts = [f"text {number}" for number in range(10)]
    assert np.array_equal(cached.embed(texts), WordLlama().embed(texts))


def test_changing_an_answer_does_not_change_what_is_remembered() -> None:
    cached = Cached(Counted())
    cached.embed(["a"])[:] = 0
    assert cached.embed(["a"]).any()


@settings(deadline=None)  # the first example reads the files
@given(st.lists(st.lists(st.sampled_from("a b c d e f".split()), max_size=6), max_size=8))
def test_it_answers_as_the_inner_one_does(batches: list[list[str]]) -> None:
    cached = Cached(plain, entries=3)
    for batch in batches:
        assert np.array_equal(cached.embed(batch), plain.embed(batch))
    assert cached.hits + cached.misses == sum(map(len, batches))


REFUSED = "the response was filtered"


def filtering(question: Question) -> Reply:
    if any("forbidden" in text for text in question.body["input"]):
        return 400, {"error": {"message": REFUSED}}, {}
    return openai(question)


@pytest.fixture
def sifted(
    loopback: Callable[[Script], Loopback], remote: Callable[..., RemoteEmbedder]
) -> Callable[[Script], tuple[Isolating, Loopback]]:
    def make(script: Script) -> tuple[Isolating, Loopback]:
        server = loopback(script)
        return Isolating(remote("openai", server.url)), server

    return make


Make = Callable[[Script], tuple[Isolating, Loopback]]


def test_refused_texts_get_zeros_and_the_others_their_vectors(sifted: Make) -> None:
    embedder, server = sifted(filtering)
    texts = ["one", "forbidden fruit", "two", "three"]
    rows = embedder.embed(texts)
    assert not rows[1].any()
    alone = Isolating(embedder.inner).embed(["one", "two", "three"])
    assert np.allclose(rows[[0, 2, 3]], alone)
    assert len(server.asked) == 1 + len(texts) + 1


def test_accepted_texts_are_embedded_in_one_request(sifted: Make) -> None:
    embedder, server = sifted(filtering)
    assert embedder.embed(["one", "two", "three"]).shape[0] == 3
    assert len(server.asked) == 1
    assert (embedder.model, embedder.local) == (embedder.inner.model, False)
    assert embedder.dimensions == embedder.inner.dimensions


def test_a_single_text_that_is_refused_is_an_error(sifted: Make) -> None:
    embedder, _ = sifted(filtering)
    with pytest.raises(EmbedderError, match=REFUSED):
        embedder.embed(["forbidden"])


def test_a_refused_key_is_not_taken_for_refused_texts(sifted: Make) -> None:
    embedder, server = sifted(lambda _: (401, {"error": {"message": "bad key"}}, {}))
    with pytest.raises(EmbedderError, match="key was refused"):
        embedder.embed([f"text {number}" for number in range(32)])
    assert len(server.asked) == 1 + 3


def test_a_service_that_goes_away_meanwhile_is_asked_again_later(sifted: Make) -> None:
    answers: list[Script] = [filtering, openai]

    def going(question: Question) -> Reply:
        return answers.pop(0)(question) if answers else (503, {}, {"Retry-After": "60"})

    embedder, _ = sifted(going)
    with pytest.raises(EmbedderUnavailable):
        embedder.embed(["forbidden", "one", "two"])
