"""Words, stems, ids and texts: properties for any text in any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.core.ids import ALPHABET, canonical, digest, new_id, number
from seasoned.core.text import estimate_tokens, storable
from seasoned.core.words import LONGEST_WORD, dice, stem, stems, words


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
    assert estimate_tokens(text) <= estimate_tokens(text + "more")


plain_words = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=50)
endings = st.lists(
    st.sampled_from("s es ed ing er ation ness ly ment ful ive ize able ies y e ll".split()),
    max_size=4,
)


@pytest.mark.parametrize(
    "forms",
    [
        "deploy deploys deployed deploying deployment",
        "retry retries retried retrying",
        "connect connects connected connecting connection connections",
        "invoice invoices invoiced invoicing",
        "migrate migrates migrated migrating migration migrations",
        "configure configures configured configuring",
        "agree agreed agrees",
        "fail fails failed failing",
        "stop stops stopped stopping",
        "play plays played playing",
        "relational relate",
        "index indexes",
    ],
)
def test_the_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize("others", ["test text", "port post", "staging production", "cat car cart"])
def test_other_words_stay_apart(others: str) -> None:
    assert len({stem(word) for word in others.split()}) == len(others.split())


@pytest.mark.parametrize("word", ["größe", "東京", "ปิด", "مرحبا", "деплой", "b2", "3", "x", "is"])
def test_a_word_that_is_not_plainly_latin_stays_as_it_is(word: str) -> None:
    assert stem(word) == word


@given(st.text(max_size=300))
def test_any_text_has_stems_and_none_is_empty_or_too_long(text: str) -> None:
    found = stems(text)
    assert len(found) == len(words(text))
    assert all(0 < len(word) <= LONGEST_WORD for word in found)
    assert all(" " not in word for word in found)


@given(plain_words, endings)
def test_a_stem_begins_as_its_word_and_is_never_longer(start: str, ends: list[str]) -> None:
    word = start + "".join(ends)
    found = stem(word)
    assert found
    assert len(found) <= min(len(word), LONGEST_WORD)
    assert found[:1] == word[:1]


@given(st.text(max_size=200))
def test_what_is_indexed_and_what_is_asked_for_agree(text: str) -> None:
    """The index holds stems with spaces between; each is found again as one word."""
    assert " ".join(stems(text)).split(" ") == (stems(text) or [""])


@given(plain_words)
def test_a_stem_of_a_stem_soon_stays_the_same(word: str) -> None:
    once = stem(word)
    for _ in range(6):
        once, before = stem(once), once
        if once == before:
            return
    raise AssertionError(f"{word!r} never settles")
