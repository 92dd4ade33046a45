"""`seasoned memory` and `seasoned librarian` on the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from seasoned import Seasoned
from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.db.unit import transact
from seasoned.memory.inquiries import InquiryStore
from seasoned.sessions.session import NewMessage
from seasoned.sessions.session_store import SessionStore

Answer = Callable[..., Any]
Call = Callable[..., Result]


@pytest.fixture
def talked(home: Path) -> str:
    """Store a session with a promise and an inquiry, and return the inquiry's id."""
    store = SessionStore()
    with Seasoned() as s:
        app = s.inner.app
        now = app.clock.now()

        async def talk(tx: Connection) -> str:
            session = await store.open(tx, Scope(session="monday"), now)
            turn = await store.begin_turn(tx, session.key, now)
            told = "I promise to water the plants on Sunday. My cat is called Tom."
            messages = [NewMessage("user", told, "{}"), NewMessage("assistant", "Fine.", "{}")]
            await store.add(tx, session.key, turn, messages, now)
            await store.end_turn(tx, session.key, turn, "done", now)
            asked = await InquiryStore().add(tx, session, "Which plants?", "to remind", now)
            return asked.id

        return app.db.run(transact(app.db, talk))


def test_people_see_what_is_remembered(seasoned: Call, talked: str) -> None:
    assert "monday" in seasoned("memory", "list").stdout
    assert "nothing yet" in seasoned("memory", "show", "monday").stderr
    made = seasoned("memory", "observe")
    assert made.stdout == "2 new observations, 0 new reflections (plain).\n"
    assert "no new observations" in seasoned("memory", "observe", "monday").stderr
    assert "1 new reflection" in seasoned("memory", "reflect", "mon").stdout
    shown = seasoned("memory", "show", "monday").stdout
    for told in ("promise", "User: I promise to water the plants on Sunday.", "Reflection"):
        assert told in shown
    gone = seasoned("memory", "clear", "monday").stdout
    assert gone == "Removed 2 observations, 1 reflection of session monday.\n"


def test_the_answers_for_machines_are_one_document_each(answer: Answer, talked: str) -> None:
    (listed,) = answer("memory", "list")
    assert (listed["session"], listed["messages"], listed["observations"]) == ("monday", 2, 0)
    made = answer("memory", "observe")
    assert made == {"sessions": 1, "observations": 2, "reflections": 0, "by": "plain"}
    assert answer("memory", "reflect")["reflections"] == 1
    shown = answer("memory", "show", "monday")
    assert [one["kind"] for one in shown["observations"]] == ["promise", "fact"]
    assert shown["observations"][0]["open"] is True
    assert shown["reflections"][0]["generation"] == 1
    assert answer("memory", "clear", "--anew")["observations"] == 2
    assert answer("memory", "observe")["observations"] == 2


def test_an_inquiry_is_listed_dismissed_and_answered(
    seasoned: Call, answer: Answer, talked: str
) -> None:
    assert "Which plants?" in seasoned("librarian", "list").stdout
    assert f"Dismissed {talked}" in seasoned("librarian", "dismiss", talked).stdout
    told = seasoned("librarian", "answer", talked[:6], "the", "ferns").stdout
    assert "Which plants? the ferns" in told
    (one,) = answer("librarian", "list", "--status", "resolved")
    assert one["answer"] == "Which plants? the ferns"
    assert answer("lessons", "show", one["lesson"])["content"] == one["answer"]
    nothing = seasoned("librarian", "list", "--status", "pending")
    assert "needs a model" in nothing.stderr


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("memory", "show", "tuesday"), 3, "no session 'tuesday'"),
        (("memory", "clear", "tuesday"), 3, "no session 'tuesday'"),
        (("librarian", "answer", "zzzz", "x"), 3, "no inquiry 'zzzz'"),
        (("librarian", "dismiss", "zzzz"), 3, "no inquiry 'zzzz'"),
        (("librarian", "list", "--status", "gone"), 2, "one of pending"),
        (("librarian", "ask"), 2, "llm.model"),
    ],
)
def test_errors_have_their_exit_codes(
    seasoned: Call, talked: str, args: tuple[str, ...], code: int, told: str
) -> None:
    result = seasoned(*args)
    assert result.exit_code == code
    assert told in result.stderr
    assert "Traceback" not in result.output
