from hypothesis import given
from hypothesis import strategies as st

from seasoned.core.ids import ALPHABET, canonical, digest, new_id, number
from seasoned.core.similarity import dice, words
from seasoned.core.text import storable
from seasoned.core.tokens import estimate


@given(st.text())
def test_every_word_is_folded_and_found_again_among_others(text: str) -> None:
    for word in words(text):
        assert word == word.casefold()
        assert any(character.isalnum() for character in word)
    assert words(f"{text} zebra")[-1] == "zebra"


@given(st.sets(st.text(max_size=3)), st.sets(st.text(max_size=3)))
def test_likeness_is_symmetric_and_between_zero_and_one(a: set[str], b: set[str]) -> None:
    assert dice(a, b) == dice(b, a)
    assert 0 <= dice(a, b) <= 1
    assert dice(a, a) == (1 if a else 0)


@given(st.text())
def test_what_is_storable_can_be_encoded_and_holds_no_nul(text: str) -> None:
    assert b"\0" not in storable(text).encode()


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_different_parts_have_different_digests(a: list[str], b: list[str]) -> None:
    assert (digest(*a) == digest(*b)) == (a == b)


def test_ids_are_unique_readable_and_fit_an_index() -> None:
    ids = {new_id() for _ in range(2000)}
    assert len(ids) == 2000
    assert all(set(one) <= set(ALPHABET) and number(one) < 2**63 for one in ids)


def test_anything_has_a_canonical_form() -> None:
    loop: list[object] = []
    loop.append(loop)
    for value in (loop, {1: "a", "b": 2}, object(), {"x": float("nan")}, {"s": "\ud800"}):
        assert isinstance(canonical(value), str)


@given(st.text())
def test_an_estimate_grows_with_the_text(text: str) -> None:
    assert estimate(text) <= estimate(text + "more")
