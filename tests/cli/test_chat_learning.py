"""What a chat says about what it learns, plans and waits for."""

import pytest
from tests.cli.conftest import Chat
from tests.cli.terminal_driver import CTRL_D, PROMPT

pytestmark = pytest.mark.sqlite_only


def test_what_was_noted_says_how_long_it_holds(chat: Chat) -> None:
    with chat(["Long.", "Short.", "German.", "Fine."]) as screen:
        screen.wait(PROMPT)
        screen.say("hello")
        screen.wait(PROMPT)
        screen.say("No, that is wrong. Always answer in one word.")
        screen.wait("✎ noted from now on: Always answer in one word. [")
        screen.wait(PROMPT)
        screen.say("No, I meant the second file.")
        assert "✎ noted for this session: " in screen.wait(PROMPT)
        screen.say("/lessons")
        listed = screen.wait(PROMPT)
        rows = [line for line in listed.splitlines() if "rule" in line]
        assert ["this session" in row for row in rows if "one word" in row] == [False]
        assert ["this session" in row for row in rows if "second file" in row] == [True]


def test_teaching_says_at_once_what_it_replaces_or_contradicts(chat: Chat) -> None:
    with chat(["So be it.", "Well.", "Good."]) as screen:
        screen.wait(PROMPT)
        screen.say("/teach Use podman, not docker")
        screen.wait("taught: Use podman, not docker [")
        first = screen.wait("]").rstrip("]")
        screen.wait(PROMPT)
        screen.say("/teach Always use docker, never podman")
        told = screen.wait(PROMPT)
        assert f"replaces: Use podman, not docker [{first}]" in told
        screen.say("hello")
        screen.wait(PROMPT)
        screen.say("No, use podman, not docker.")
        told = screen.wait(PROMPT)
        assert "✎ noted from now on: Use podman, not docker. [" in told
        assert "contradicts: Always use docker, never podman [" in told
        screen.say("/teach No, use tabs")
        screen.wait("taught: Use tabs [")
        screen.wait(PROMPT)


def test_a_lesson_forgotten_twice_says_so(chat: Chat) -> None:
    with chat([]) as screen:
        screen.wait(PROMPT)
        screen.say("/teach Use metric units.")
        screen.wait("[")
        lesson = screen.wait("]").rstrip("]")
        for told in ("forgot: Use metric units.", "it was forgotten before: Use metric units."):
            screen.wait(PROMPT)
            screen.say(f"/forget {lesson}")
            screen.wait(told)
        screen.wait(PROMPT)


def test_a_pause_before_the_next_try_says_why_and_how_long(chat: Chat) -> None:
    busy = {"fail": 503, "message": "too many requests in flight", "retry_after": 2}
    with chat([busy, "There."]) as screen:
        screen.wait(PROMPT)
        screen.say("hello")
        screen.wait("next try in 2 s: it answered 503: too many requests in flight")
        screen.wait("There.")
        screen.wait(PROMPT)


def test_a_reminder_comes_in_the_window_that_planned_it(chat: Chat) -> None:
    remind = {"calls": [{"tool": "remind", "args": {"what": "Make tea.", "when": "3s"}}]}
    with chat(["Nothing.", "Not mine."], "--tools", "schedule", "--session", "other") as other:
        other.wait(PROMPT)
        with chat([remind, "I will.", "Tea!"], "--tools", "schedule") as screen:
            screen.wait(PROMPT)
            screen.say("remind me")
            screen.wait("I will.")
            screen.wait("⏰ Make tea.", seconds=15)
            screen.wait("Tea!")
            screen.wait(PROMPT)
            assert "⏰" not in other.watch(2)


def test_a_reminder_of_a_closed_window_comes_in_any_other(chat: Chat) -> None:
    remind = {"calls": [{"tool": "remind", "args": {"what": "Make tea.", "when": "2s"}}]}
    with chat(["Tea, from here."], "--tools", "schedule", "--session", "other") as other:
        other.wait(PROMPT)
        with chat([remind, "I will."], "--tools", "schedule") as screen:
            screen.wait(PROMPT)
            screen.say("remind me")
            screen.wait("I will.")
            screen.wait(PROMPT)
            screen.press(CTRL_D)
            assert screen.ends() == 0
        other.wait("⏰ Make tea. (planned in session s)", seconds=15)
        other.wait("Tea, from here.")
