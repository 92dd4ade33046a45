from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from seasoned.llm.cached import Cached
from seasoned.llm.wordllama import WordLlama

if TYPE_CHECKING:
    from seasoned.llm.embedder import Vectors


plain = WordLlama()


class Counted(WordLlama):
    """Keeps what it was asked."""

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
