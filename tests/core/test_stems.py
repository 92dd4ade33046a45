"""Stems: other forms of a word become one, whatever the script, and nothing breaks them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.core.similarity import words
from seasoned.core.stems import LONGEST, stem, stems

plain = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=50)
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
    assert all(0 < len(word) <= LONGEST for word in found)
    assert all(" " not in word for word in found)


@given(plain, endings)
def test_a_stem_begins_as_its_word_and_is_never_longer(start: str, ends: list[str]) -> None:
    word = start + "".join(ends)
    found = stem(word)
    assert found
    assert len(found) <= min(len(word), LONGEST)
    assert found[:1] == word[:1]


@given(st.text(max_size=200))
def test_what_is_indexed_and_what_is_asked_for_agree(text: str) -> None:
    """The index holds stems with spaces between; each is found again as one word."""
    assert " ".join(stems(text)).split(" ") == (stems(text) or [""])


@given(plain)
def test_a_stem_of_a_stem_soon_stays_the_same(word: str) -> None:
    once = stem(word)
    for _ in range(6):
        once, before = stem(once), once
        if once == before:
            return
    raise AssertionError(f"{word!r} never settles")
