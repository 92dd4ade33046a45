"""Passages: contain the whole document, fit into a prompt, make sense alone."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from seasoned.documents.chunks import GATHERED, LONGEST_PASSAGE, Passage, beside, passages, size
from seasoned.documents.readers.document import Block, Document, Section


def repeated(word: str, times: int) -> str:
    return word * times


def of(sections: list[Section]) -> Document:
    return Document("t", "text", tuple(sections))


WORDS = st.text(alphabet="abc DEF.!?:\n、。東京タワー한국🙂\t-", min_size=1, max_size=60)
TEXTS = st.builds(repeated, WORDS, st.integers(1, 90)).filter(str.strip)
BLOCKS = st.builds(Block, TEXTS, lines=st.booleans(), leads=st.booleans())
PATHS = st.lists(st.sampled_from(["One", "Two", "Three"]), max_size=3).map(tuple)
SECTIONS = st.builds(Section, PATHS, st.lists(BLOCKS, max_size=5).map(tuple))
DOCUMENTS = st.builds(of, st.lists(SECTIONS, max_size=6))


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


def document(*sections: tuple[str, str]) -> Document:
    """Build a document from headings such as "One/Two" and the paragraphs below each."""
    return Document(
        "Title",
        "text",
        tuple(
            Section(
                tuple(filter(None, path.split("/"))),
                tuple(Block(text) for text in body.split("\n\n") if text),
            )
            for path, body in sections
        ),
    )


def cut(text: str, *, lines: bool = False, above: str = "", below: str = "") -> list[str]:
    block = Block(text, lines, above, below)
    return [p.text for p in passages(of([Section(("H",), (block,))]))]


@given(DOCUMENTS)
@settings(max_examples=200)
def test_every_character_of_the_document_is_in_its_passages_in_order(given: Document) -> None:
    found = iter(squeezed("".join(passage.text for passage in passages(given))))
    said = squeezed("".join(str(b) for section in given.sections for b in section.blocks))
    assert all(character in found for character in said)  # as a subsequence: headings may be added


@given(DOCUMENTS)
@settings(max_examples=200)
def test_no_passage_is_too_long_or_empty(given: Document) -> None:
    for passage in passages(given):
        assert 0 < size(passage.text) <= LONGEST_PASSAGE
        assert passage.text.strip()


@given(DOCUMENTS)
def test_the_same_document_is_cut_in_the_same_way(given: Document) -> None:
    assert passages(given) == passages(given)


@given(st.lists(WORDS, max_size=6), st.integers(1, 3))
def test_every_text_has_something_or_nothing_beside_it(given: list[str], distance: int) -> None:
    assert len(beside(given, distance)) == len(given)


def test_a_passage_never_spans_two_headings() -> None:
    long = "A sentence that goes on for a while. " * 8
    found = passages(document(("One", long), ("Two", long)))
    assert found == [Passage(("One",), long), Passage(("Two",), long)]


def test_paragraphs_are_put_together_up_to_a_good_length() -> None:
    paragraph = "x" * 250
    sizes = [len(p.text) for p in passages(document(("One", "\n\n".join([paragraph] * 12))))]
    assert all(800 <= length <= LONGEST_PASSAGE for length in sizes)


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    sentences = [f"Sentence number {n} says one thing and then it ends here." for n in range(60)]
    found = cut(" ".join(sentences))
    assert len(found) > 2
    assert all(text.startswith("Sentence") and text.endswith("here.") for text in found)


def test_sentences_of_scripts_without_spaces_are_found() -> None:
    found = cut("これは長い文章の一部です。「本当ですか？」と彼は言った！" * 40)
    assert len(found) > 2
    assert all(text.endswith(("。", "！")) for text in found)
    assert all(size(text) <= LONGEST_PASSAGE for text in found)


def test_lines_stay_whole_in_what_is_made_of_lines() -> None:
    lines = [f"{n:03} some entry of a log. It has two sentences" for n in range(80)]
    found = cut("\n".join(lines), lines=True)
    assert "\n".join(found).split("\n") == lines


def test_an_item_of_a_list_stays_whole() -> None:
    item = "- an item that is folded\n  onto a second line"
    assert all(text.startswith("- ") for text in cut("\n".join([item] * 60), lines=True))


def test_code_that_fits_is_never_broken() -> None:
    code = Block("\n".join(f"call({n})" for n in range(80)), True, "```py", "```")
    prose = Block("word " * 120)
    found = passages(of([Section(("H",), (prose, code, prose))]))
    assert sum(str(code) in passage.text for passage in found) == 1


def test_each_piece_of_long_code_has_its_fences_and_each_of_a_table_its_head() -> None:
    code = cut("\n".join(f"call({n})" for n in range(400)), lines=True, above="```py", below="```")
    assert len(code) > 2
    assert all(text.startswith("```py\n") and text.endswith("\n```") for text in code)
    rows = "\n".join(f"| name {n} | value {n} |" for n in range(120))
    table = cut(rows, lines=True, above="| name | value |\n|---|---|")
    assert len(table) > 1
    assert all(text.startswith("| name | value |\n|---|---|\n| name ") for text in table)


def test_a_line_that_leads_on_stays_with_what_follows() -> None:
    body = "\n\n".join(["x" * 790, "Do it as follows:", "First this, then that. " * 20])
    first, second = passages(document(("One", body)))
    assert first.text == "x" * 790
    assert second.text.startswith("Do it as follows:\n\nFirst")


def test_tiny_sections_under_one_parent_are_put_together_with_their_headings() -> None:
    found = passages(document(("FAQ/Why", "Because."), ("FAQ/When", "Now."), ("Else/Who", "Me.")))
    assert found == [
        Passage(("FAQ",), "## Why\n\nBecause.\n\n## When\n\nNow."),
        Passage(("Else", "Who"), "Me."),
    ]


def test_tiny_sections_are_not_put_together_without_end() -> None:
    answers = [
        (f"FAQ/Question {n}", "An answer of some forty-five characters here.") for n in range(30)
    ]
    found = passages(document(*answers))
    assert len(found) > 4
    assert all(len(passage.text) <= GATHERED for passage in found)


def test_a_heading_alone_is_not_lost() -> None:
    assert passages(document(("One", ""), ("One/Two", "text"), ("Three", ""))) == [
        Passage(("One", "Two"), "text"),
        Passage((), "# Three"),
    ]


def test_a_few_words_above_the_first_heading_belong_to_it() -> None:
    assert passages(document(("", "Draft."), ("One", "x" * 300))) == [
        Passage(("One",), f"Draft.\n\n{'x' * 300}")
    ]


def test_the_context_is_the_end_of_the_previous_and_the_start_of_the_next_text() -> None:
    before, between, behind = "a " * 300 + "ends.", "between", "Begins " + "b " * 300
    near = beside([before, between, behind])[1]
    assert "ends.\nBegins b" in near
    assert len(near) <= 501
    assert beside(["alone"]) == [""]
