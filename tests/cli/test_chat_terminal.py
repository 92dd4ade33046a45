"""`seasoned chat` in a terminal: real processes, typed keys, real signals."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Chat
from tests.cli.terminal_driver import CTRL_C, CTRL_D, PROMPT, Terminal, script_of

from seasoned import Seasoned

pytestmark = pytest.mark.sqlite_only

LONG = "one two three four five six seven eight nine ten " * 20
WRITE = {"calls": [{"tool": "write_file", "args": {"path": "note.txt", "text": "hello"}}]}
QUESTION = "Allow it?"


def has_no_noise(shown: str) -> bool:
    return not re.search(r"Traceback|Error:|Exception|asyncio|pydantic|WARNING", shown)


def test_ctrl_c_stops_an_answer_at_any_moment_and_keeps_what_was_said(
    chat: Chat, stored: Callable[[], Seasoned]
) -> None:
    sleep = {"calls": [{"tool": "run_program", "args": {"argv": ["sleep", "100"]}}]}
    answers = [
        "Good morning.",
        {"say": "never", "delay_seconds": 100},
        {"say": LONG, "pause_seconds": 0.05},
        {"thinking": LONG, "say": "never", "pause_seconds": 0.05},
        {"say": "I write it.", **WRITE},
        sleep,
        {"fail": 503, "retry_after": 25},
        "Still here.",
    ]
    with chat(answers, "--tools", "files,shell", SEASONED_APPROVAL__EXEMPT="run_program") as screen:
        screen.wait(PROMPT)
        screen.say("hello")  # the first turn loads what the others use
        for said, until in (
            ("wait for the model", PROMPT),  # nothing is shown yet
            ("stream", "three four"),
            ("think", "three four"),
            ("ask me", QUESTION),
            ("run it", "run_program("),
            ("try again and again", PROMPT),
        ):
            screen.wait(PROMPT)
            screen.say(said)
            screen.wait(until if until != PROMPT else said)
            screen.watch(1)
            screen.press(CTRL_C)
            screen.wait("stopped", seconds=10)
        screen.wait(PROMPT)
        screen.say("are you there?")
        screen.wait("Still here.")
        screen.wait(PROMPT)
        screen.press(CTRL_C)
        screen.wait("Ctrl-C again")
        screen.wait(PROMPT)
        screen.press(CTRL_C)
        assert screen.ends() == 0
        assert has_no_noise(screen.text), screen.text
    with stored() as s:
        assert [turn.status for turn in s.sessions.turns("s")] == [
            "done",
            *["cancelled"] * 6,
            "done",
        ]
        said = [one.text for one in s.sessions.messages("s") if one.role == "assistant"]
        assert said[1].startswith("one two three four")
        assert len(said[1]) < len(LONG)
        assert said[2].startswith("I write it.")
        assert s.sessions.get("s").end_reason == "left"


def test_ctrl_c_twice_leaves_in_the_middle_of_an_answer(
    chat: Chat, stored: Callable[[], Seasoned]
) -> None:
    with chat([{"say": LONG, "pause_seconds": 0.05}]) as screen:
        screen.wait(PROMPT)
        screen.say("go")
        screen.wait("three four")
        screen.press(CTRL_C)
        screen.watch(0.1)  # faster than any hand; two signals at once would be one
        screen.press(CTRL_C)
        assert screen.ends() == 0
        assert has_no_noise(screen.text), screen.text
    with stored() as s:
        assert s.sessions.get("s").end_reason == "left"
        assert "three four" in s.sessions.messages("s")[-1].text


def test_ctrl_c_pressed_again_and_again_never_shows_a_traceback(
    chat: Chat, stored: Callable[[], Seasoned]
) -> None:
    with chat([{"say": LONG, "pause_seconds": 0.05}]) as screen:
        screen.wait(PROMPT)
        screen.say("go")
        screen.wait("three four")
        for _ in range(20):
            screen.press(CTRL_C)
            screen.watch(0.05)
        assert screen.ends() == 0
        assert has_no_noise(screen.text), screen.text
    with stored() as s:
        assert s.sessions.get("s").end_reason == "left"


def test_ctrl_c_while_it_starts_is_one_line_at_most(chat: Chat) -> None:
    for seconds in (0.1, 0.4, 0.8):
        with chat(["Hi."], "hello") as screen:
            screen.watch(seconds)
            screen.press(CTRL_C)
            # -2: the signal came before Python listened to it; a shell calls that 130, too
            assert screen.ends() in (0, 130, -2)
            assert has_no_noise(screen.text), screen.text


def test_ctrl_c_ends_a_single_message_with_its_exit_code(
    chat: Chat, stored: Callable[[], Seasoned]
) -> None:
    with chat([{"say": LONG, "pause_seconds": 0.05}], "go") as screen:
        screen.wait("three four")
        screen.press(CTRL_C)
        assert screen.ends() == 130
        assert has_no_noise(screen.text), screen.text
    with stored() as s:
        assert "three four" in s.sessions.messages("s")[-1].text


def test_what_was_typed_before_a_question_never_answers_it(chat: Chat, tmp_path: Path) -> None:
    answers = [{"delay_seconds": 2, **WRITE}, "So be it.", "Hello yourself."]
    with chat(answers, "--tools", "files") as screen:
        screen.wait(PROMPT)
        screen.say("write")
        screen.watch(0.5)
        screen.say("y")
        screen.press("hel")
        screen.wait(QUESTION)
        assert "So be it." not in screen.watch(1.5)
        screen.say("n")
        screen.wait("was not allowed", "So be it.")
        screen.wait(f"{PROMPT}y hel")  # it is not lost, and not sent
        screen.say("lo")
        screen.wait("Hello yourself.")
    assert not (tmp_path / "root" / "note.txt").exists()


def test_a_line_typed_while_the_agent_works_is_the_next_message(chat: Chat) -> None:
    with chat([{"say": "First.", "delay_seconds": 1.5}, "Second."]) as screen:
        screen.wait(PROMPT)
        screen.say("one")
        screen.watch(0.5)
        screen.say("two")
        shown = screen.wait("Second.")
        assert shown.index("First.") < shown.index(f"{PROMPT}two")


def test_a_question_shows_exactly_what_will_run(
    chat: Chat, stored: Callable[[], Seasoned], tmp_path: Path
) -> None:
    script = "echo one\necho 'two \x1b[2K'\n" + "".join(f"echo {n}\n" for n in range(100))
    call = {"calls": [{"tool": "run_script", "args": {"script": script}}]}
    with chat([call, "Done."], "--tools", "shell") as screen:
        screen.wait(PROMPT)
        screen.say("run it")
        shown = screen.wait(QUESTION)
        lines = shown.splitlines()
        asked = lines.index("run_script asks for your approval (it can change or reveal things):")
        assert lines[asked + 1 : asked + 3] == [
            "  │ script: echo one",
            "  │         echo 'two \\x1b[2K'",
        ]
        assert "  ┆ … 73 of 106 lines are not shown …" in lines
        assert "echo 50" not in shown
        assert lines[-8:] == [
            "  │         echo 98",
            "  │         echo 99",
            "  │",
            "  │ args: null",
            "  │ folder: .",
            "  │ timeout_seconds: 0",
            f"  in {tmp_path / 'root'}",
            QUESTION,
        ]
        screen.wait("): ")
        screen.say("s")
        whole = screen.wait(QUESTION)
        assert all(f"  │         echo {n}\n" in whole for n in range(100))
        screen.wait("): ")
        time.sleep(1)
        screen.say("y")
        screen.wait("Done.")
        screen.wait(PROMPT)
        screen.press(CTRL_D)
        assert screen.ends() == 0
    with stored() as s:
        (tool,) = s.tools()
        assert tool.average_ms is not None
        assert tool.average_ms < 1000  # the person's second is not the tool's


def test_a_reminder_comes_without_a_key_and_leaves_the_line_alone(chat: Chat) -> None:
    remind = {"calls": [{"tool": "remind", "args": {"what": "Make tea.", "when": "2s"}}]}
    with chat([remind, "I will.", "Tea is due!", "Thanks."], "--tools", "schedule") as screen:
        screen.wait(PROMPT)
        screen.say("remind me")
        screen.wait("I will.")
        screen.wait(PROMPT)
        screen.press("half a sent")
        screen.wait("⏰ Make tea.", seconds=10)
        screen.wait("Tea is due!")
        screen.wait(f"{PROMPT}half a sent")
        screen.say("ence")
        screen.wait("Thanks.")
        assert has_no_noise(screen.text), screen.text


def test_what_was_noted_is_in_lessons_and_why_until_it_is_forgotten(chat: Chat) -> None:
    with chat(["One long answer.", "Yes.", "Again.", "Once more.", "Last."]) as screen:
        screen.wait(PROMPT)
        screen.say("hello")
        screen.wait(PROMPT)
        screen.say("No, that is wrong. Always answer in one word.")
        screen.wait("noted from now on: Always answer in one word. [")
        lesson = screen.wait("]").rstrip("]")
        screen.wait(PROMPT)
        for command in ("/lessons", "/why"):
            screen.say(command)
            assert lesson in screen.wait(PROMPT)
        screen.say("No, that is wrong. Never answer in one word.")
        told = screen.wait(PROMPT)
        assert "rule_conflict_detected" not in told
        assert f"replaces: Always answer in one word. [{lesson}]" in told or (
            f"contradicts: Always answer in one word. [{lesson}]" in told
        )
        screen.say(f"/forget {lesson}")
        assert f"forgot: Always answer in one word. [{lesson}" in screen.wait(PROMPT)
        screen.say("/lessons")
        assert "Always answer in one word." not in screen.wait(PROMPT)
        screen.say("and now?")
        screen.wait(PROMPT)
        screen.say("/why")
        assert "Always answer in one word." not in screen.wait(PROMPT)


def test_a_turn_that_was_cut_off_is_mentioned_and_can_be_resumed(chat: Chat) -> None:
    with chat([{"say": "never", "delay_seconds": 100}]) as screen:
        screen.wait(PROMPT)
        screen.say("hello")
        screen.watch(1)
        screen.process.send_signal(signal.SIGKILL)
    with chat(["Here I am."]) as screen:
        assert "was cut off; /resume finishes it" in screen.wait(PROMPT)
        screen.say("/resume")
        screen.wait("Here I am.")


@contextmanager
def service(status: int, body: str) -> Generator[str]:
    """Serve one answer at a local address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name
            """Print nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("status", "body", "cause"),
    [
        (401, json.dumps({"error": {"message": "wrong key"}}), "it answered 401: wrong key"),
        (200, "<html>not a model</html>", ""),
        (0, "", "onnect"),
    ],
)
def test_a_model_that_fails_is_one_line(tmp_path: Path, status: int, body: str, cause: str) -> None:
    with service(status, body) as address:
        base = address if status else "http://127.0.0.1:9"
        with Terminal(
            *("chat", "hello", "--model", "openai:gpt-9"),
            home=tmp_path,
            variables={"OPENAI_BASE_URL": f"{base}/v1", "OPENAI_API_KEY": "sk-not-a-real-key-1"},
        ) as screen:
            assert screen.ends(60) == 1
    (line,) = screen.text.strip().split("\n")
    assert line.startswith(f"no answer: openai:gpt-9 at {base}")
    assert cause in line
    assert re.search(r"Check|Try again|check", line)
    assert "sk-not-a-real-key-1" not in screen.text


def test_the_library_below_does_not_advertise_itself(chat: Chat) -> None:
    with chat(["Hi."], "hello") as screen:
        assert screen.ends() == 0
    assert screen.text.strip() == "Hi."


def test_input_that_is_no_utf_8_is_decoded(tmp_path: Path) -> None:
    model = script_of(["Bien.", "Oui."], tmp_path / "script.json")
    done = subprocess.run(
        [sys.executable, "-m", "seasoned", "chat", "--model", model, "--session", "s"],
        input="un café\n".encode("latin-1"),
        capture_output=True,
        env=os.environ | {"SEASONED_HOME": str(tmp_path)},
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout.decode(), done.stderr.decode()) == (0, "Bien.\n", "")
    with Seasoned(tmp_path / "seasoned.db") as s:
        assert s.sessions.messages("s")[0].text == "un café"
