"""Characters that nobody sees: they reach neither a prompt nor a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned import Seasoned
from seasoned.core.text import without_hidden

HIDDEN = "\x1b[2K \x07 \u202e \u2066 \u200b \u2060 \ufeff \U000e0041 \u3164 \x9b"
KEPT = [
    "line\n\tnext",
    "می‌خواهم",  # Persian, with a zero-width non-joiner
    "क्‍ष",  # Devanagari, with a zero-width joiner
    "👩‍👩‍👧 👍🏽 ❤️‍🔥",
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",  # the flag of Scotland
    "naïve — “quoted” 東京 🎉",
]


@pytest.mark.parametrize("text", KEPT)
def test_what_scripts_and_emoji_need_stays(text: str) -> None:
    assert without_hidden(text) == text


@given(st.text(alphabet=st.characters() | st.sampled_from("\u200c\u200d\x1b[]\\0m\u202e👩❤")))
def test_a_clean_text_stays_as_it_is(text: str) -> None:
    once = without_hidden(text)
    assert without_hidden(once) == once
    assert without_hidden(without_hidden(text, "?"), "?") == without_hidden(text, "?")


def test_joiners_between_plain_letters_go() -> None:
    assert without_hidden("pass\u200dword \u200cx") == "password x"


@pytest.mark.sqlite_only
def test_hidden_characters_reach_no_prompt(seasoned: Seasoned) -> None:
    seasoned.teach(rule=f"Always {HIDDEN} answer in Norwegian.")
    seasoned.teach("oslo weather", fact=f"Oslo's station {HIDDEN} is called Blindern.")
    seasoned.teach("boom", fix=f"Use {HIDDEN} podman.", tool="shell")
    context = seasoned.recall("oslo weather station", runtime={"note": f"now {HIDDEN}"})
    hint = seasoned.observe("shell", {"cmd": "x"}, error="boom")
    for told in (context.text, str(hint), seasoned.tool_notes("shell").text):
        assert not set(told) & set(HIDDEN) - {" ", "[", "2", "K"}, told
    assert "Blindern" in context.text
    assert "podman" in str(hint)
