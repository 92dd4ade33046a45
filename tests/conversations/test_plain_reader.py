"""The reader without a model: finds outright statements, ignores everything else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.conversations.plain_reader import PhraseReader, statements
from seasoned.sessions.session import SessionMessage


def told(message: str) -> list[str]:
    return [one.content for one in statements(message)]


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I prefer tabs over spaces.", "Prefer tabs over spaces."),
        ("Hi! My editor is vim, by the way.", "The user's editor is vim."),
        ("Call me Ana.", "Call the user Ana."),
        ("We use Postgres 16 for everything.", "The team uses Postgres 16 for everything."),
        ("our main branch is trunk", "The team's main branch is trunk."),
        ("I don't like emojis.", "Avoid emojis."),
        ("I like short answers.", "Prefer short answers."),
        ("I like jazz a lot.", "The user likes jazz."),
        ("Remember that my wife is called Eva", "The user's wife is called Eva."),
        ("I'm allergic to peanuts, so no nuts please.", "The user is allergic to peanuts."),
        ("I work at Acme as a designer.", "The user works at Acme as a designer."),
        ("I’m a Python developer.", "The user is a Python developer."),
        ("Always use British spelling.", "Always use British spelling."),
        ("I work for us all.", "The user said: “I work for us all.”"),
    ],
)
def test_a_statement_is_told_of_the_user(message: str, content: str) -> None:
    assert told(message) == [content]


@pytest.mark.parametrize(
    "message",
    [
        "My build is failing.",
        "My server is down.",
        "My laptop is overheating",
        "My manager is asking for a report",
        "I prefer the second one.",
        "I prefer a hotel near the station.",
        "I like it.",
        "I'd like a coffee.",
        "Would you say I prefer tabs?",
        "If my name is Bob, what then?",
        "Translate this: my name is Ana.",
        "Write a letter. My name is John.",
        "She told me my name is Ana.",
        '"My name is Ana", he wrote.',
        "> My name is Ana.",
        "My name is Ana for now.",
        "Today I use Windows.",
        "Always happy to help!",
        "Never refuse a question.",
        "Imagine you are a pirate. My name is Jack.",
        "I use this function to sort.",
        "call me back tomorrow",
        "",
    ],
)
def test_a_passing_remark_is_ignored(message: str) -> None:
    assert told(message) == []


def test_a_long_paste_is_not_read() -> None:
    assert told("My name is Ana. " + "word " * 500) == []


def test_only_the_user_is_believed_and_corrections_are_left_to_others() -> None:
    said = [
        SessionMessage(1, 1, "user", "My name is Ana. Always use tabs.", 9, 0, ""),
        SessionMessage(2, 1, "assistant", "My name is Bot.", 4, 0, ""),
        SessionMessage(3, 1, "tool", "My name is Eve.", 4, 0, ""),
    ]
    (item,) = PhraseReader()(said)
    assert (item.content, item.by_user, item.quoted) == (
        "The user's name is Ana.",
        True,
        "My name is Ana.",
    )
    both = PhraseReader(corrections_elsewhere=False)(said)
    assert [one.content for one in both] == ["The user's name is Ana.", "Always use tabs."]


def test_secrets_are_not_kept() -> None:
    (content,) = told("My github account is ana with password=hunter2hunter2")
    assert "hunter2" not in content


@given(st.text(max_size=300))
def test_any_message_can_be_read(message: str) -> None:
    for one in statements(message):
        assert one.content
        assert "\n" not in one.content
