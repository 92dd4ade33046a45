"""Markdown becomes Slack's mrkdwn: formatted as meant, and never a ping."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.channels.slack.mrkdwn import mrkdwn
from seasoned.channels.splitting import split

pytestmark = pytest.mark.sqlite_only

NOTHING = "\N{ZERO WIDTH SPACE}"
OURS = re.compile(r"<(?:https?://|mailto:)[^<>|\s]+(?:\|[^<>|\n]*)?>")
SIGNS = st.text("ab <>!@#&|*_~`[]()\n-:/.1\\", max_size=60)
PINGS = st.sampled_from(
    [
        *("<!channel>", "<@U123>", "<#C1|x>", "[x](<!here>)", "`<!here>`", "> ", "- "),
        *("[<!channel>](https://a.b)", "https://a.b/<!here>", "<https://a.b|<!here>>"),
        *("[a](https://b.c|d)", "[a](<https://b.c|<!here>>)", "mailto:a@b|<!here>", "\n|-|\n"),
    ]
)


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("**bold** *italic* ~~gone~~", "*bold* _italic_ ~gone~"),
        ("***both***", "_*both*_"),
        ("## A **big** title", "*A big title*"),
        ("**one\ntwo**", "*one*\n*two*"),
        ("un**believ**able", f"un{NOTHING}*believ*{NOTHING}able"),
        (r"\*as typed\*", f"*{NOTHING}as typed*"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("[docs](https://a.b/c?d=1&e=2)", "<https://a.b/c?d=1&amp;e=2|docs>"),
        ("[run](javascript:alert)", "[run](javascript:alert)"),
        ("[here](/relative)", "here"),
        ("<https://a.b>", "<https://a.b>"),
        ("(see https://a.b/c_(d).)", "(see <https://a.b/c_(d)>.)"),
        ("![a plan](https://a.b/p.png)", "<https://a.b/p.png|a plan>"),
        ("[**bold** | x](https://a.b)", "<https://a.b|bold ¦ x>"),
        ("a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"),
        ("`a < b`", "`a &lt; b`"),
        ("```python\nx = a & b\n```", "```\nx = a &amp; b\n```"),
        ("````\n```\n````", f"```\n`{NOTHING}`{NOTHING}`\n```"),
        ("- a\n- b\n  - c\n\n1. d\n2. e", "• a\n• b\n    • c\n\n1. d\n2. e"),
        ("3. c\n4. d", "3. c\n4. d"),
        ("- a\n  ```\n  x\n  ```\n- b", "• a\n```\nx\n```\n• b"),
        ("> one\n> two\n>\n> three", "> one\n> two\n>\n> three"),
        ("| a | b |\n|---|---|\n| 10 | x |", "```\na  | b\n---|--\n10 | x\n```"),
        ("a\n\n---\n\nb", "a\n\n———\n\nb"),
        ("<b>html</b>", "&lt;b&gt;html&lt;/b&gt;"),
        ("#\n\na", "a"),
        ("", ""),
    ],
)
def test_markdown_is_written_as_slack_reads_it(markdown: str, expected: str) -> None:
    assert mrkdwn(markdown) == expected


@pytest.mark.parametrize(
    "ping", ["<!channel>", "<!here|here>", "<@U123>", "<!subteam^S1>", "<#C1>"]
)
def test_a_models_text_pings_nobody(ping: str) -> None:
    for text in (ping, f"**{ping}**", f"`{ping}`", f"```\n{ping}\n```", f"- {ping}", f"# {ping}"):
        assert "<" not in mrkdwn(text), text
    for text in (f"[{ping}](https://a.b)", f"[a]({ping})", f"![a]({ping})", f"| {ping} |\n|---|"):
        assert "<" not in OURS.sub("", mrkdwn(text)), text


@given(st.lists(st.one_of(SIGNS, PINGS), max_size=6).map("".join))
def test_whatever_the_text_only_links_to_the_web_are_marked_up(text: str) -> None:
    assert "<" not in OURS.sub("", mrkdwn(text))


def test_half_a_character_is_no_reason_for_slack_to_refuse_a_message() -> None:
    mrkdwn("half \ud83d of it").encode()


def test_pieces_of_a_long_text_fit_as_they_are_written() -> None:
    text = "\n\n".join(f"{n}. **a** < b & `c` https://a.b/{n}" for n in range(400))
    pieces = split(text, 3000, lambda piece: len(mrkdwn(piece)))
    assert len(pieces) > 5
    assert all(len(mrkdwn(piece)) <= 3000 for piece in pieces)


def test_marks_in_thousands_of_marks_are_shown_as_they_were_typed() -> None:
    assert mrkdwn("*" * 5000 + "a" + "*" * 5000).count("a") == 1
