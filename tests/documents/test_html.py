"""HTML: the main text as a reader sees it, without menus, scripts and hidden parts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seasoned.documents.readers.document import Block
from seasoned.documents.readers.html import read

PIECES = st.sampled_from(
    """<p> </p> <div> </div> <li> <ul> </ul> <ol> <table> </table> <tr> <td> <th> </td> <pre> </pre>
    <h1> </h1> <h3> <nav> </nav> <main> </main> <br> <hr/> <script> </script> <dl> <dt> <dd> <title>
    </title> <a href="#x"> </a> <p hidden> &amp; &#x6771; < word <!-- --> <b""".split()
)


def blocks(page: str) -> list[Block]:
    return [block for section in read(page).sections for block in section.blocks]


def texts(page: str) -> list[str]:
    return [str(block) for block in blocks(page)]


def test_a_page_has_a_title_headings_and_paragraphs() -> None:
    document = read(
        "<!DOCTYPE html><html><head><title>The\n page</title><style>p {}</style></head>"
        "<body><h1>One <a class=headerlink>¶</a></h1><p>First   <b>words</b>.<p>Second"
        "<h2>Two</h2>Loose text</body></html>"
    )
    assert document.title == "The page"
    assert [(s.path, [b.text for b in s.blocks]) for s in document.sections] == [
        (("One",), ["First words.", "Second"]),
        (("One", "Two"), ["Loose text"]),
    ]


@pytest.mark.parametrize(
    ("marked", "heading"),
    [
        ("Usage <a href='#u'>¶</a>", "Usage"),
        ("<a href='#u'>§</a>Panics", "Panics"),
        ("Usage <a href='#u'>#</a>", "Usage"),
        ("Usage<a class='hash-link' href='#u'>#</a>", "Usage"),
        ("From Java to C#", "From Java to C#"),
        ("#include", "#include"),
    ],
)
def test_the_anchor_of_a_heading_is_no_part_of_it(marked: str, heading: str) -> None:
    (section,) = read(f"<h2>{marked}</h2><p>text").sections
    assert section.path == (heading,)


@pytest.mark.parametrize(
    "unseen",
    [
        "<script>var x = '<p>no</p>'</script>",
        "<style>no {}</style>",
        "<nav><ul><li>no</ul></nav>",
        "<footer>no</footer>",
        "<p hidden>no</p>",
        "<div style='display: none'>no<p>no</p></div>",
        "<div aria-hidden=true>no</div>",
        "<div role=navigation>no</div>",
        "<template><p>no</p></template>",
        "<!-- no -->",
        "<p>Next: <a rel=next href=x>no</a></p>",
        "<div class='toc'>no</div>",
        "<ul><li><a href='#a'>no</a><li><a href='#b'>no</a></ul>",
        "<svg><text>no</text></svg>",
    ],
)
def test_what_a_reader_does_not_see_is_left_out(unseen: str) -> None:
    assert texts(f"<p>before</p>{unseen}<p>after</p>") == ["before", "after"]


@pytest.mark.parametrize(
    ("opened", "closed"),
    [("<main>", "</main>"), ("<article>", "</article>"), ("<div role=main>", "</div>")],
)
def test_where_there_is_a_main_part_the_rest_is_left_out(opened: str, closed: str) -> None:
    page = f"<header>Site</header>{opened}<h1>A</h1><p>text</p>{closed}<p>ad</p>"
    assert texts(page) == ["text"]


def test_lists_keep_their_items_numbers_and_depth() -> None:
    page = "<ul><li>a<li><p>b</p><ol><li>one<li>two</ol><li>c</ul>"
    assert texts(page) == ["- a\n- b\n  1. one\n  2. two\n- c"]


def test_a_table_is_rows_with_its_head() -> None:
    page = "<table><tr><th>a<th>b<tr><td>1<td><p>2<br>3</p><tr><td>4</td><td></td></table>"
    assert blocks(page) == [Block("| 1 | 2 3 |\n| 4 |  |", True, "| a | b |\n|---|---|")]


def test_a_table_that_only_places_things_is_no_table() -> None:
    page = "<table><tr><td>menu<td><h2>Heading</h2><p>text</p><table><tr><td>x<td>y</table></table>"
    assert texts(page) == ["menu", "text", "| x | y |"]


def test_code_is_kept_as_it_is() -> None:
    page = '<p>Run:</p><pre><code class="language-sh">ls &lt;a&gt;\n  -l\n</code></pre>'
    assert texts(page) == ["Run:", "```sh\nls <a>\n  -l\n```"]


def test_a_term_leads_on_to_its_definition() -> None:
    term, definition = blocks("<dl><dt>word<dd>what it means</dl>")
    assert term == Block("word", leads=True)
    assert definition == Block("what it means")


def test_entities_breaks_and_spaces_become_characters() -> None:
    assert texts("<p>a&nbsp;&amp; b<br>c &#26481;&#x4eac;</p>") == ["a & b\nc 東京"]


@given(st.lists(PIECES, max_size=40).map(" ".join))
@settings(max_examples=300)
def test_any_soup_is_read(page: str) -> None:
    read(page)


@given(st.lists(st.sampled_from(["<div>", "<p>", "<li>", "<b>", "<td>", "word"]), max_size=30))
def test_no_word_is_lost_in_tags_that_are_never_closed(pieces: list[str]) -> None:
    assert " ".join(texts("".join(pieces))).count("word") == pieces.count("word")


def test_deep_and_long_pages_are_read_in_time() -> None:
    read("<div>" * 20_000 + "x")
    read("<b>x" * 50_000)
    read("<table><tr><td>" * 5_000)
    read("<p>" * 100_000)
