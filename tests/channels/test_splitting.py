"""Long texts become messages that a platform takes: nothing lost, code blocks whole."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.channels.slack.mrkdwn import mrkdwn
from seasoned.channels.splitting import FENCE, GrowingSplit, is_blank, open_fence, split
from seasoned.channels.telegram.html import telegram_html, visible_length

pytestmark = pytest.mark.sqlite_only

LINES = st.one_of(
    st.text("ab. !\N{GRINNING FACE}*_", max_size=90),
    st.sampled_from(["```", "```python", "~~~", "", "- point", "x = 1  # code"]),
)
TEXTS = st.lists(LINES, max_size=25).map("\n".join)


def without_fences(text: str) -> str:
    kept = [line for line in text.split("\n") if not FENCE.fullmatch(line)]
    return "".join("".join(kept).split())


@given(TEXTS, st.integers(40, 200))
def test_no_piece_is_too_long_all_text_is_kept_and_fences_are_balanced(
    text: str, limit: int
) -> None:
    pieces = split(text, limit)
    assert all(len(piece) <= limit for piece in pieces)
    assert all(not open_fence(piece) for piece in pieces)
    assert without_fences("\n".join(pieces)) == without_fences(text)


@given(TEXTS, st.integers(40, 200))
def test_telegrams_measure_holds_for_every_piece(text: str, limit: int) -> None:
    pieces = split(text, limit, visible_length)
    assert all(visible_length(piece) <= limit for piece in pieces)


@given(TEXTS, st.integers(40, 200), st.integers(1, 60))
def test_a_text_that_grows_is_split_as_one_that_is_there_at_once(
    text: str, limit: int, step: int
) -> None:
    growing = GrowingSplit(limit)
    for end in range(step, len(text), step):
        growing.split(text[:end])
    pieces = growing.split(text)
    assert all(len(piece) <= limit for piece in pieces)
    assert all(not open_fence(piece) for piece in pieces)
    assert without_fences("\n".join(pieces)) == without_fences(text)


def length_in_slack(text: str) -> int:
    return len(mrkdwn(text))


LINKS = "This **sentence** has `code` and [a link](https://example.com/some/page).\n\n" * 1400


@pytest.mark.parametrize(("measure", "limit"), [(visible_length, 4096), (length_in_slack, 3900)])
def test_the_work_grows_with_the_text_and_not_with_its_square(
    measure: Callable[[str], int], limit: int
) -> None:
    read = 0

    def counted(text: str) -> int:
        nonlocal read
        read += len(text)
        return measure(text)

    assert len(split(LINKS, limit, counted)) > 10
    assert read < 12 * len(LINKS)
    growing, read = GrowingSplit(limit, counted), 0
    for end in range(0, len(LINKS), 2000):
        growing.split(LINKS[:end])
    assert read < 40 * len(LINKS)


@pytest.mark.parametrize(
    "text", ["", " \n", "\u200b", "\ufeff\u2060", "```\n```", "[](https://a.b)"]
)
def test_what_nobody_can_see_makes_no_message(text: str) -> None:
    assert split(text, 100, visible_length) == []
    assert not is_blank("🫨")


def test_a_cut_code_block_is_opened_again_with_its_language() -> None:
    code = "\n".join(f"line_{number} = {number}" for number in range(20))
    pieces = split(f"Look:\n\n```python\n{code}\n```\nDone.", 120)
    assert len(pieces) > 2
    assert all(piece.startswith("```python\n") for piece in pieces[1:-1])
    assert pieces[-1].endswith("Done.")


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("# Title\n\ntext", "<b>Title</b>\n\ntext"),
        ("*a* ~~b~~ <script>", "<i>a</i> <s>b</s> &lt;script&gt;"),
        ("- one\n- two\n  - inner", "• one\n• two\n  • inner"),
        ("3. one\n4. two\n\nend", "3. one\n4. two\n\nend"),
        ("[x](https://a.b/?c=1&d=2)", '<a href="https://a.b/?c=1&amp;d=2">x</a>'),
        ("[x](javascript:alert)", "[x](javascript:alert)"),
        ("[x](file.txt)", "x"),
        ("> said\n> so", "<blockquote>said\nso</blockquote>"),
        ("```py\na<b\n```", '<pre><code class="language-py">a&lt;b</code></pre>'),
        ("|a|b|\n|-|-|\n|1|2|", "<pre>a | b\n1 | 2</pre>"),
    ],
)
def test_markdown_becomes_telegrams_html(markdown: str, html: str) -> None:
    assert telegram_html(markdown) == html
