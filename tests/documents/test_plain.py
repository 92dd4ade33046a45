"""Plain text: any encoding; underlined lines are headings."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.documents.readers.decoding import decoded, is_text
from seasoned.documents.readers.plain import read


def test_underlined_lines_are_headings_by_their_order() -> None:
    document = read("=====\nTitle\n=====\n\nOne\n---\na\n\nDeeper\n~~~~~~\nb\n\nTwo\n---\nc\n")
    assert [section.path for section in document.sections] == [
        ("Title",),
        ("Title", "One"),
        ("Title", "One", "Deeper"),
        ("Title", "Two"),
    ]
    assert document.title == "Title"


@pytest.mark.parametrize(
    "text",
    [
        "name    value\n-------------\na       1",
        "-----\n-----",
        "a paragraph\nwith a line\n====",
        "--",
    ],
)
def test_other_lines_of_signs_are_no_headings(text: str) -> None:
    assert all(section.path == () for section in read(text).sections)


def test_paragraphs_lists_and_listings_are_told_apart() -> None:
    (section,) = read(
        "One line\nand more.\n\n- a\n- b\n\n  code()\n\n" + "log line\n" * 50
    ).sections
    assert [block.lines for block in section.blocks] == [False, True, True, True]


def test_what_restructuredtext_keeps_to_itself_is_left_out() -> None:
    (section,) = read(".. _label:\n\nText.\n\n.. code-block:: sh\n\n   ls\n").sections
    assert [block.text for block in section.blocks] == ["Text.", ".. code-block:: sh", "   ls"]
    assert section.blocks[1].leads


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
)
def test_a_text_is_decoded_whatever_it_is_in(encoding: str) -> None:
    text = "Größe: 5 € – “ja”\nsecond line"
    assert is_text(text.encode(encoding))
    assert decoded(text.encode(encoding)) == text


def test_a_charset_that_is_told_counts_unless_it_is_wrong() -> None:
    assert decoded("東京".encode("euc-jp"), "euc-jp") == "東京"
    assert decoded("東京".encode(), "no-such-charset") == "東京"
    assert decoded(codecs.BOM_UTF8 + "東京".encode(), "latin-1") == "東京"


def test_line_ends_are_one_and_unseen_characters_go() -> None:
    assert decoded(b"a\r\nb\rc\fd") == "a\nb\nc\nd"
    assert decoded("co\xadop\u200berate\x00".encode()) == "cooperate\ufffd"


@pytest.mark.parametrize(
    "data", [b"\x7fELF\x02\x01\x00\x00" * 9, b"PK\x03\x04\x14\x00\x06\x00" * 9]
)
def test_binary_data_is_no_text(data: bytes) -> None:
    assert not is_text(data)


@given(st.binary(max_size=200))
def test_any_bytes_can_be_decoded(data: bytes) -> None:
    read(decoded(data))
