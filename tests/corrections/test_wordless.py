"""Corrections without words: an edited reply, an interrupted turn, a denied call."""

import time

from hypothesis import given
from hypothesis import strategies as st

from seasoned.corrections import CorrectionKind, denied, edited, interrupted


def test_an_edit_tells_what_was_taken_out_and_what_was_put_in() -> None:
    change = edited("Deploy with docker on Monday.", "Deploy with podman on Tuesday.")
    assert change is not None
    assert change.kind is CorrectionKind.EDITED
    assert change.unwanted == "docker … Monday"
    assert change.wanted == "podman … Tuesday"
    assert "Deploy with podman on Tuesday."[slice(*change.span)] == "podman on Tuesday"


def test_a_piece_may_only_be_removed_or_only_be_added() -> None:
    removed = edited("Sure! Here it is. 🎉", "Here it is.")
    assert removed is not None
    assert (removed.wanted, removed.unwanted) == (None, "Sure! … 🎉")
    added = edited("Here it is.", "Here it is. Best, Ann")
    assert added is not None
    assert (added.wanted, added.unwanted) == ("Best, Ann", None)


def test_white_space_alone_is_no_edit() -> None:
    assert edited("a b\nc", "  a  b c\n") is None
    assert edited("", " \n") is None


def test_words_without_spaces_are_compared_too() -> None:
    change = edited("会议在星期一。", "会议在星期二。")
    assert change is not None
    assert (change.wanted, change.unwanted) == ("二", "一")


@given(st.text(), st.text())
def test_any_two_texts_can_be_compared(reply: str, now: str) -> None:
    change = edited(reply, now)
    if change is None:
        assert reply.split() == now.split() or "".join(reply.split()) == "".join(now.split())
    else:
        assert 0 <= change.span[0] <= change.span[1] <= len(now)
        assert change.wanted or change.unwanted


def test_a_long_reply_that_was_rewritten_is_compared_quickly() -> None:
    """A comparison of every word with every other would take hours of CPU time."""
    start = time.process_time()
    assert edited("old words " * 100_000, "new text here " * 70_000) is not None
    assert time.process_time() - start < 60


def test_an_interrupt_is_a_sign_that_needs_a_second_one() -> None:
    assert interrupted().kind is CorrectionKind.INTERRUPTED
    assert interrupted().uncertain


def test_a_denied_call_says_which_tool_and_perhaps_what_instead() -> None:
    plain = denied("shell")
    assert (plain.kind, plain.unwanted, plain.wanted) == (CorrectionKind.DENIED, "shell", None)
    told = denied("shell", "no, use podman, not docker")
    assert (told.wanted, told.unwanted, told.language) == ("podman", "docker", "en")
    assert told.score > plain.score
    assert denied("shell", "  ") == plain
