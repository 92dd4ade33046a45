"""Markdown: headings, code, tables, lists and plain words."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seasoned.documents.chunks import passages
from seasoned.documents.readers.document import Block, Document
from seasoned.documents.readers.markdown import read

LINES = st.sampled_from(
    [
        *("plain words", "# Heading", "## Sub", "> quoted", "- item", "  more", "    indented"),
        *("```", "~~~", "| a | b |", "|---|---|", "[x]: http://e.org", "[link](u.md)", "1. one"),
        *("![i](p.png)", "<b>bold</b>", "<!-- c", "-->", "===", "---", "***", "`code`", ""),
    ]
)


def blocks(text: str) -> list[Block]:
    return [block for section in read(text).sections for block in section.blocks]


def texts(text: str) -> list[str]:
    return [str(block) for block in blocks(text)]


def paths(document: Document) -> list[tuple[str, ...]]:
    return [section.path for section in document.sections]


def test_headings_make_the_path() -> None:
    document = read("# A\ntext\n## B ##\ntext\n#### C\ntext\n## D\ntext")
    assert paths(document) == [("A",), ("A", "B"), ("A", "B", "C"), ("A", "D")]
    assert document.title == "A"


def test_underlined_headings_are_headings() -> None:
    assert paths(read("Title\n=====\n\nSub\n---\ntext")) == [("Title",), ("Title", "Sub")]


def test_a_line_of_dashes_under_a_list_is_no_heading() -> None:
    assert paths(read("- one\n- two\n---\ntext")) == [()]


def test_a_heading_is_plain_words() -> None:
    (heading,) = paths(read("## The `run` *command*, see [here](x.md) {#run}\ntext"))
    assert heading == ("The run command, see here",)


@pytest.mark.parametrize(
    ("front", "title"),
    [
        ("---\ntitle: 'The guide'\ndate: 2024\n---\n", "The guide"),
        ('+++\ntitle = "The guide"\n+++\n', "The guide"),
        ("", "Heading"),
        ("---\nname: skill\n---\n", "Heading"),
    ],
)
def test_the_title_is_that_of_the_front_matter_or_the_only_top_heading(
    front: str, title: str
) -> None:
    document = read(f"{front}# Heading\n\ntext\n")
    assert document.title == title
    assert "date" not in str(document)


def test_without_one_top_heading_there_is_no_title() -> None:
    assert read("# One\nx\n# Two\ny").title == ""


def test_the_description_in_the_front_matter_is_text() -> None:
    text = "---\nname: pdf\ndescription: >\n  Reads PDF files,\n  page by page.\n---\n\nUse it."
    assert texts(text) == ["Reads PDF files, page by page.", "Use it."]


def test_fenced_code_is_kept_as_it_is() -> None:
    code = "```python\n# no heading\n\n> no quote\n[no](link)\n```"
    assert texts(f"Before:\n{code}\nafter") == ["Before:", code, "after"]
    assert blocks(code)[0].lines


def test_code_inside_a_list_or_a_quote_loses_only_its_indentation() -> None:
    assert texts("- do:\n\n  ```sh\n  ls\n    -l\n  ```")[1] == "```sh\nls\n  -l\n```"
    assert texts("> ```\n> ls\n> ```") == ["```\nls\n```"]


def test_code_that_is_never_closed_goes_to_the_end() -> None:
    assert texts("~~~\na\n\nb") == ["~~~\na\n\nb\n~~~"]


def test_indented_code_is_code_but_not_in_a_list() -> None:
    assert texts("Run:\n\n    make\n\n    make test\n\nDone") == [
        "Run:",
        "```\nmake\n\nmake test\n```",
        "Done",
    ]
    assert texts("- item\n\n    goes on") == ["- item", "    goes on"]


def test_a_table_is_one_block_with_its_head() -> None:
    (table,) = blocks("| a | b |\n|---|:-:|\n| 1 | [two](x) |\n| 3 | 4 |\n")
    assert table == Block("| 1 | two |\n| 3 | 4 |", True, "| a | b |\n|---|:-:|")


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("see [the guide](https://e.org/a_(b) 'x')", "see the guide"),
        ("see [the guide][g]\n\n[g]: https://e.org", "see the guide"),
        ("a[0][1] and [x] stay", "a[0][1] and [x] stay"),
        ("<https://e.org/x>", "https://e.org/x"),
        ("[![build](b.svg)](https://ci)", "build"),
        ("a<br>b &amp; c&nbsp;d \\*e\\*", "a\nb & c\xa0d *e*"),
        ("<div align='center'>x</div>, but <name> stays", "x, but <name> stays"),
        ("`[no](link) <b>` stays", "`[no](link) <b>` stays"),
        ("> [!NOTE]\n> mind it", "NOTE:\nmind it"),
        ("x > y and <a@b.c>", "x > y and <a@b.c>"),
        ("gone <!-- a\ncomment --> here", "gone  here"),
    ],
)
def test_marks_become_words(marked: str, plain: str) -> None:
    assert texts(marked) == [plain]


def test_comments_and_tables_of_contents_are_left_out() -> None:
    text = "<!--\nhidden\n-->\n## Contents\n- [A](#a)\n  - [B](#b)\n\n## A\ntext"
    assert texts(text) == ["text"]
    assert paths(read(text)) == [("A",)]


def test_an_html_heading_is_a_heading() -> None:
    assert paths(read('<h1 align="center">The <b>tool</b></h1>\n\ntext')) == [("The tool",)]


def test_other_scripts_are_read_too() -> None:
    document = read("# 設置\n\n東京タワーへ行く。\n\n## 使い方\n\n- 一つ\n- 二つ\n")
    assert paths(document) == [("設置",), ("設置", "使い方")]


@given(st.lists(LINES, max_size=30).map("\n".join))
@settings(max_examples=200)
def test_no_word_is_lost_outside_comments_and_definitions(text: str) -> None:
    document = read(text)
    found = " ".join(" ".join(p.path) + " " + p.text for p in passages(document))
    seen = re.sub(r"<!--.*?(-->|$)", "", text, flags=re.DOTALL)
    for word in ("plain", "quoted", "item", "bold", "Heading", "Sub"):
        assert word not in seen or word in found or document.title == word


def test_long_and_hostile_texts_are_read_in_time() -> None:
    for piece in ("![", "[a](", "<!--", "` `` ", "[a][", "> ", "# #", "|-", "<b ", "**", "* [x](#"):
        read(piece * 100_000)
        read((piece + "\n") * 20_000)


def test_an_underline_makes_a_heading_of_its_whole_paragraph() -> None:
    assert paths(read("A title\nin two lines\n===\ntext")) == [("A title in two lines",)]


def test_a_definition_may_go_on_in_the_next_line() -> None:
    assert texts("see [the guide]\n\n[the guide]:\n  https://e.org") == ["see the guide"]


def test_text_beside_raw_html_stays_together() -> None:
    assert texts("<details>\n<summary>More</summary>\nread **this**\n</details>\nand that") == [
        "\nMore\nread **this**\n\nand that"
    ]
