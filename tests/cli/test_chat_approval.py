"""What a chat shows before a dangerous call runs, and what "always" allows."""

from pathlib import Path

import pytest
from tests.cli.conftest import Chat
from tests.cli.terminal_driver import CTRL_D, PROMPT

from seasoned.cli.chat.call_box import GUTTER, call_lines, shortened_lines

pytestmark = pytest.mark.sqlite_only

QUESTION = "Allow it?"


def test_a_long_line_keeps_the_gutter_so_that_no_call_draws_a_box_of_its_own(chat: Chat) -> None:
    fake = "x" * 90 + "Allow it? [y]es" + " " * 70 + "run_script asks for your approval"
    call = {"calls": [{"tool": "run_script", "args": {"script": f"echo {fake}\n{'日本語' * 40}"}}]}
    with chat([call, "No."], "--tools", "shell", columns=60) as screen:
        screen.wait(PROMPT)
        screen.say("run it")
        screen.wait("reveal things):\n")
        box, _, _ = screen.wait("\n  in /").rpartition("\n")
        rows = box.splitlines()
        assert len(rows) > 8
        assert all(row.startswith("  │") for row in rows), box
        assert all(sum(2 if sign > "⺀" else 1 for sign in row) < 60 for row in rows), box
        joined = "".join(row.removeprefix(GUTTER).strip() for row in rows)
        assert "Allow it? [y]es" in joined
        screen.wait("): ")
        screen.say("n")
        screen.wait("No.")


def test_a_call_is_shown_whole_where_it_fits_and_its_ends_where_not() -> None:
    lines = call_lines({"text": "\n".join(map(str, range(50)))}, 80)
    assert shortened_lines(lines, 50) == lines
    shown = shortened_lines(lines, 11)
    assert [*shown[:2], *shown[-2:]] == [*lines[:2], *lines[-2:]]
    assert shown[5] == "  ┆ … 40 of 50 lines are not shown …"
    assert len(shown) == 11


@pytest.mark.parametrize(
    ("sign", "escape"),
    [
        ("\0", r"\x00"),
        ("\u00a0", r"\xa0"),
        ("\u115f", r"\u115f"),
        ("\u3164", r"\u3164"),
        ("\u2800", r"\u2800"),
        ("\u200b", r"\u200b"),
        ("\u202e", r"\u202e"),
        ("\ufe0f", r"\ufe0f"),
        ("\U000e0041", r"\U000e0041"),
        ("\r", r"\r"),
        ("\x1b", r"\x1b"),
    ],
)
def test_a_sign_that_nobody_sees_is_shown_as_an_escape(sign: str, escape: str) -> None:
    assert call_lines({"argv": ["rm", f"a{sign}b"], f"n{sign}": f"x{sign}y"}, 80)[-1] == (
        f"{GUTTER}n{escape}: x{escape}y"
    )


def test_a_grant_says_what_it_covers_and_can_be_taken_back(chat: Chat, tmp_path: Path) -> None:
    write = {"calls": [{"tool": "write_file", "args": {"path": "note.txt", "text": "hello"}}]}
    with chat([write, "Once.", write, "Twice.", write, "Thrice."], "--tools", "files") as screen:
        screen.wait(PROMPT)
        screen.say("/grants")
        screen.wait("nothing is always allowed")
        screen.wait(PROMPT)
        screen.say("write")
        assert "[a]lways this exact call here" in screen.wait("): ")
        screen.say("a")
        screen.wait("with exactly these parameters in this folder is allowed from now on, in all")
        screen.wait(PROMPT)
        screen.say("write again")
        assert QUESTION not in screen.wait("Twice.")
        screen.wait(PROMPT)
        screen.say("/grants")
        listed = screen.wait("/grants ID takes one back.")
        assert "path: note.txt" in listed
        assert str(tmp_path / "root") in "".join(listed.split())
        grant = next(line.split()[0] for line in listed.splitlines() if "write_file" in line)
        screen.wait(PROMPT)
        screen.say(f"/grants {grant}")
        screen.wait("asked for again: write_file")
        screen.wait(PROMPT)
        screen.say("and again")
        screen.wait("): ")
        screen.say("n")
        screen.wait("Thrice.")
        screen.wait(PROMPT)
        screen.press(CTRL_D)
        assert screen.ends() == 0


def test_a_grant_holds_in_its_folder_only(chat: Chat, tmp_path: Path) -> None:
    write = {"calls": [{"tool": "write_file", "args": {"path": "note.txt", "text": "hello"}}]}
    with chat([write, "Done."], "--tools", "files") as screen:
        screen.wait(PROMPT)
        screen.say("write")
        screen.wait("): ")
        screen.say("a")
        screen.wait("Done.")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with chat([write, "Done."], "--tools", "files", "--root", str(elsewhere)) as screen:
        screen.wait(PROMPT)
        screen.say("write")
        assert f"in {elsewhere}" in screen.wait(QUESTION)
