"""Detection of corrections never fails and stays fast, whatever the message."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from seasoned.corrections import find_correction

PIECES = (
    "no", "not", "that's wrong", "you", "use", "never", "“", "```", ",", ".", "?", "\n", " ",
    "nicht", "das ist falsch", "non", "pas", "c'est faux", "está mal", "errado", "sbagliato",
    "不对", "不是", "違う", "じゃなくて", "🙂", "\u0301", "\u200b", "ﬁ", "İ", "ß", "שלום", "مرحبا",
    "\x00", "\ud800", "nooo",
)  # fmt: skip
MEGABYTE = 1_000_000
BAD = (
    "",
    " ",
    "🙂🙂🙂",
    "?!",
    "\x00\x07\x1b[31m",
    "\ud800\udfff",
    "ا لا هذا خطأ",
    "Это неверно",
    "İİİİ",
    "'",
    "¤",
)

messages = st.one_of(
    st.text(),
    st.text(st.characters(exclude_categories=())),  # lone surrogates too
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join),
)


@given(messages, st.none() | messages, st.none() | messages)
@example("no", None, "")
@example("", "", "")
def test_whatever_is_found_lies_in_the_message(
    message: str, request: str | None, reply: str | None
) -> None:
    found = find_correction(message, previous_request=request, previous_reply=reply, floor=0)
    again = find_correction(message, previous_request=request, previous_reply=reply, floor=0)
    assert found == again
    if found is not None:
        assert 0 <= found.span[0] <= found.span[1] <= len(message)
        assert 0 <= found.score <= 1
        assert all(piece in message for piece in (found.wanted, found.unwanted) if piece)


@pytest.mark.parametrize("message", BAD, ids=ascii)
def test_messages_without_words_that_we_know_correct_nothing(message: str) -> None:
    assert find_correction(message) is None


@given(messages, st.integers(1, 4000))
def test_a_correction_is_found_at_the_end_of_anything_long_that_was_pasted(
    pasted: str, size: int
) -> None:
    quoted = pasted.replace("`", "")[:200]
    message = f"```\n{quoted}{'x ' * size}\n```\nNo, use tabs, not spaces."
    found = find_correction(message)
    assert found is not None
    assert message[slice(*found.span)].endswith("use tabs, not spaces")


@pytest.mark.parametrize(
    "piece",
    [
        "no no no ",
        "a",
        "这份报告写得很清楚",
        "no, use x not y. ",
        "nooo",
        "`",
        '"',
        "> ",
        "\n",
        "é",
        "e\u0301",
        "🙂",
        "，",
    ],
    ids=ascii,
)
def test_a_megabyte_is_looked_at_in_no_time(piece: str) -> None:
    message = piece * (MEGABYTE // len(piece))
    find_correction(message)
    start = time.perf_counter()
    find_correction(message, previous_reply=message, previous_request=message)
    assert time.perf_counter() - start < 0.5


@pytest.mark.parametrize(
    "piece",
    [
        "no, use x not y. ",
        "no, it is ",
        "jai dit non ",
        "不要用",
        "没在读你",
        "と言ったのに",
        "ではなく",
    ],
    ids=ascii,
)
def test_repeated_phrases_stay_fast(piece: str) -> None:
    """About 15 ms on a quiet machine; checking every position took 130 ms."""
    message = (piece * 2_200)[:2_200]
    find_correction(message)
    best = min(_seconds(message) for _ in range(3))
    assert best < 0.1


def _seconds(message: str) -> float:
    start = time.perf_counter()
    find_correction(message, previous_reply=message)
    return time.perf_counter() - start
