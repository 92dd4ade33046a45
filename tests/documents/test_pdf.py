"""PDF: read page by page; lines become paragraphs under the outline's headings."""

import sys
from collections.abc import Callable

import pytest

from seasoned.core.errors import BadInput, Unsupported
from seasoned.documents.chunks import Passage, passages
from seasoned.documents.readers.pdf import read

Pdf = Callable[..., bytes]

LONG = "This line of the page is as wide as a line of a page usually is, and so it goes on"


def test_each_page_is_a_place_and_lines_become_paragraphs(pdf: Pdf) -> None:
    first = [
        f"{LONG}",
        "into the next one, where the paragraph ends.",
        LONG,
        "and this is another.",
    ]
    document = read(pdf(first, ["Short words on page two."], title="The manual"))
    assert (document.title, document.format) == ("The manual", "pdf")
    assert [(s.path, [b.text for b in s.blocks]) for s in document.sections] == [
        (
            ("page 1",),
            [
                f"{LONG} into the next one, where the paragraph ends.",
                f"{LONG} and this is another.",
            ],
        ),
        (("page 2",), ["Short words on page two."]),
    ]


def test_the_outline_gives_the_headings(pdf: Pdf) -> None:
    pages = (["1 Setting up", LONG, "2 Running", "Run it."], [LONG, "and more of running it."])
    document = read(pdf(*pages, headings=[("Setting up", 0), ("Running", 0), ("Nowhere", 1)]))
    assert [section.path for section in document.sections if section.blocks] == [
        ("Setting up", "page 1"),
        ("Running", "page 1"),
        ("Nowhere", "page 2"),
    ]


def test_a_word_broken_at_the_end_of_a_line_is_whole_again(pdf: Pdf) -> None:
    lines = [
        f"{LONG} with a confi-",
        "guration of well-known values, as in the well-",
        "known guide.",
    ]
    (passage,) = passages(read(pdf([*lines, ""])))
    assert "with a configuration of well-known values" in passage.text


def test_what_stands_on_every_page_is_left_out(pdf: Pdf) -> None:
    pages = [
        ["The manual", f"Words of page {name}.", f"Page {n} of 4"] for n, name in enumerate("abcd")
    ]
    (passage,) = passages(read(pdf(*pages)))
    assert passage.text == "\n\n".join(
        f"# page {n + 1}\n\nWords of page {name}." for n, name in enumerate("abcd")
    )


def test_a_table_of_contents_is_left_out(pdf: Pdf) -> None:
    (passage,) = passages(read(pdf(["Table of Contents", "One . . . . . . . . 1"], ["Text."])))
    assert passage == Passage(("page 2",), "Text.")


def test_other_scripts_are_read(pdf: Pdf) -> None:
    wide = "東京タワーは日本の東京都港区にある電波塔である高さは三百三十三メートル"
    (passage,) = passages(read(pdf([wide, "である。", "Größe: ﬁne"])))
    assert f"{wide}である。" in passage.text
    assert "Größe: fine" in passage.text


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"%PDF-1.7\nnothing", "cannot be read"),
        (b"", "cannot be read"),
    ],
)
def test_a_damaged_file_is_an_error_that_says_so(data: bytes, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        read(data)


def test_a_file_cut_short_is_read_or_refused_but_never_fails_otherwise(pdf: Pdf) -> None:
    whole = pdf([LONG], headings=[("One", 0)])
    for end in range(0, len(whole), 97):
        try:
            read(whole[:end])
        except BadInput:
            continue


def test_an_encrypted_file_is_refused_unless_it_opens_without_a_password(pdf: Pdf) -> None:
    with pytest.raises(BadInput, match="encrypted; save it without its password"):
        read(pdf([LONG], password="secret"))


def test_pictures_of_pages_are_refused(pdf: Pdf) -> None:
    with pytest.raises(BadInput, match="no text; recognise the text first"):
        read(pdf([], []))


def test_without_the_library_it_says_what_to_install(
    pdf: Pdf, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = pdf([LONG])
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(Unsupported, match=r"pip install .*\[documents\]"):
        read(data)


def test_a_title_that_no_person_gave_is_none(pdf: Pdf) -> None:
    assert read(pdf([LONG], title="Microsoft Word - Plan for May")).title == "Plan for May"
    assert read(pdf([LONG], title="untitled")).title == ""
    assert read(pdf([LONG], title="thesis.tex")).title == ""
