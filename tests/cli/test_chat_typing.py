"""What a person types into a chat: pastes, several lines, paths, and how a chat ends."""

import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Call, Chat
from tests.cli.terminal_driver import ALT_ENTER, CTRL_C, CTRL_D, PROMPT

from seasoned import Seasoned

pytestmark = pytest.mark.sqlite_only

LONG = "one two three four five six seven eight nine ten " * 20
Stored = Callable[[], Seasoned]


def said(stored: Stored, session: str = "s") -> list[str]:
    with stored() as s:
        return [one.text for one in s.sessions.messages(session) if one.role == "user"]


def test_a_paste_of_several_lines_is_one_message(chat: Chat, stored: Stored) -> None:
    with chat(["I see.", "Fine.", "Bye."]) as screen:
        screen.wait(PROMPT)
        screen.paste("Traceback:\n  line 1\n\n  line 2")
        assert "I see." not in screen.watch(0.5)  # it can still be edited
        screen.say("")
        screen.wait("I see.")
        screen.wait(PROMPT)
        screen.say("and then?")
        screen.wait("Fine.")
        screen.wait(PROMPT)
        screen.press(CTRL_D)
        assert screen.ends() == 0
        assert screen.raw.rindex("\x1b[?2004l") > screen.raw.rindex("\x1b[?2004h")
    assert said(stored) == ["Traceback:\n  line 1\n\n  line 2", "and then?"]


def test_a_paste_while_the_agent_works_is_the_next_message(chat: Chat, stored: Stored) -> None:
    with chat([{"say": "First.", "delay_seconds": 1.5}, "Second."]) as screen:
        screen.wait(PROMPT)
        screen.say("one")
        screen.watch(0.7)
        screen.paste("two\nthree")
        screen.press("\r")
        screen.wait("Second.")
    assert said(stored) == ["one", "two\nthree"]


def test_several_lines_can_be_typed_and_recalled(chat: Chat, stored: Stored) -> None:
    up = "\x1b[A"
    with chat(["A.", "B.", "C."]) as screen:
        screen.wait(PROMPT)
        screen.say("first\\")
        screen.wait("...> ")
        screen.say("second")
        screen.wait("A.")
        screen.wait(PROMPT)
        screen.press(f"up{ALT_ENTER}")
        screen.say("down")
        screen.wait("B.")
        screen.wait(PROMPT)
        screen.say(r"C:\\")  # an escaped backslash goes on nowhere
        screen.wait("C.")
        screen.wait(PROMPT)
        screen.say("/help")
        assert "backslash before Enter" in screen.wait(PROMPT)
        screen.process.send_signal(signal.SIGKILL)
        screen.ends()
    assert said(stored) == ["first\nsecond", "up\ndown", r"C:\\"]
    with chat(["Again."]) as screen:  # the history outlives the window
        screen.wait(PROMPT)
        screen.press(up * 4)
        screen.watch(0.3)
        screen.say("")
        screen.wait("Again.")
    assert said(stored)[-1] == "first\nsecond"


def test_ctrl_c_drops_the_lines_of_an_unfinished_message(chat: Chat, stored: Stored) -> None:
    with chat(["Hi."]) as screen:
        screen.wait(PROMPT)
        screen.say("no\\")
        screen.wait("...> ")
        screen.press(CTRL_C)
        screen.wait(PROMPT)
        screen.say("hello")
        screen.wait("Hi.")
    assert said(stored) == ["hello"]


def test_a_path_is_no_command(chat: Chat, stored: Stored) -> None:
    with chat(["Odd."]) as screen:
        screen.wait(PROMPT)
        screen.say("/xyz")
        screen.wait("unknown command /xyz")
        screen.wait(PROMPT)
        screen.say("/usr/bin/foo crashes")
        screen.wait("Odd.")
        screen.wait(PROMPT)
        screen.say("/QUIT")
        assert screen.ends() == 0
    assert said(stored) == ["/usr/bin/foo crashes"]


def test_what_is_typed_ahead_of_the_prompt_is_shown_once(chat: Chat) -> None:
    with chat(["Hello."]) as screen:
        screen.wait("session s")
        screen.say("hi there")
        shown = screen.wait("Hello.")
        assert shown.count("hi there") == 1
        screen.wait(PROMPT)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_keeps_what_was_said_as_ctrl_c_does(
    chat: Chat, stored: Stored, number: int
) -> None:
    with chat([{"say": LONG, "pause_seconds": 0.05}]) as screen:
        screen.wait(PROMPT)
        screen.say("go")
        screen.wait("three four")
        screen.process.send_signal(number)
        assert screen.ends() == 128 + number
        assert "Traceback" not in screen.text
    with stored() as s:
        assert "three four" in s.sessions.messages("s")[-1].text
        (turn,) = s.sessions.turns("s")
        assert (turn.status, turn.error) == ("cancelled", "the window was closed")
        assert s.sessions.get("s").end_reason == "left"
        assert not s.lessons()  # unlike Ctrl-C, it says nothing about the answer


def test_a_closed_window_keeps_what_was_said(chat: Chat, stored: Stored) -> None:
    for streaming in (True, False):
        with chat([{"say": LONG, "pause_seconds": 0.05}], "--session", str(streaming)) as screen:
            screen.wait(PROMPT)
            if streaming:
                screen.say("go")
                screen.wait("three four")
            screen.close_window()
            assert screen.process.wait(20) == 128 + signal.SIGHUP
    with stored() as s:
        assert "three four" in s.sessions.messages("True")[-1].text


def test_a_turn_that_was_cut_off_is_shown_as_such(chat: Chat, seasoned: Call, home: Path) -> None:
    with chat([{"say": "never", "delay_seconds": 100}]) as screen:
        screen.wait(PROMPT)
        screen.say("hello")
        screen.watch(1)
        screen.process.send_signal(signal.SIGKILL)
        screen.ends()
    database = home.parent / "home" / "seasoned.db"
    shown = seasoned("sessions", "show", "s", "--db", database).stdout
    assert "Turn 1  (cut off, or still going on)" in shown


def test_an_empty_input_gets_a_message(seasoned: Call, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps(["Hi."]))
    done = seasoned("chat", "--model", f"scripted:{script}", input="\n")
    assert "the input is empty" in done.stderr
    assert done.exit_code == 0
