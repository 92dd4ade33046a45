"""A conversation that any agent reports teaches what a session of our own agent does."""

import threading
from collections.abc import Callable

import pytest
from tests.conversations.talks import Told, item, items

from seasoned import Seasoned
from seasoned.core.clock import FixedClock
from seasoned.llm.chat.scripted import Scripted

Opened = Callable[..., Seasoned]
SAID = [
    ("Our main branch is trunk, by the way.", "Noted."),
    ("I prefer tabs over spaces.", "Fine."),
    ("How do I sort a list?", "Call sorted."),
]


@pytest.fixture(autouse=True)
def idle_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the tests say when workers work; the end of a process still drains them."""
    monkeypatch.setenv("SEASONED_BUFFER__FLUSH_SECONDS", "600")


def talked(s: Seasoned, name: str = "chat") -> None:
    chat = s.conversation(name)
    for user, reply in SAID:
        chat.user(user)
        chat.assistant(reply)


def lessons(s: Seasoned) -> set[str]:
    return {lesson.content for lesson in s.lessons() if lesson.kind in ("fact", "preference")}


PLAIN = {"The team's main branch is trunk.", "Prefer tabs over spaces."}


def test_a_closed_conversation_taught_something(seasoned: Seasoned) -> None:
    chat = seasoned.conversation("chat")
    assert not chat.end()  # nothing was said
    talked(seasoned)
    assert seasoned.conversation("chat").end()
    assert not seasoned.conversation("chat").end()
    seasoned.inner.app.build_conversations(None).work(8)
    assert lessons(seasoned) == PLAIN
    text = seasoned.recall("which main branch do we use?", session="another").text
    assert "main branch is trunk" in text


def test_whole_turns_teach_the_same(seasoned: Seasoned) -> None:
    for user, reply in SAID:
        seasoned.turn(user, reply, session="chat")
    assert seasoned.end(session="chat")
    seasoned.inner.app.build_conversations(None).work(8)
    assert lessons(seasoned) == PLAIN


def test_it_teaches_what_our_own_agent_learns_from_the_same_words(
    database_url: str, opened: Opened
) -> None:
    agents, theirs = (opened(database_url, project=name) for name in ("ours", "theirs"))
    with agents.agent(Scripted(*(reply for _, reply in SAID)), session="chat") as agent:
        for user, _ in SAID:
            agent.ask(user)
        agent.end()
    talked(theirs)
    theirs.conversation("chat").end()
    theirs.inner.app.build_conversations(None).work(8)
    assert lessons(agents) == lessons(theirs) == PLAIN
    ours, reported = (
        [(one.turn, one.role, one.text) for one in s.sessions.messages("chat")]
        for s in (agents, theirs)
    )
    assert ours == reported


def test_a_model_reads_it_too(seasoned: Seasoned) -> None:
    chat = seasoned.conversation("chat")
    for user in ("the cluster in Porto holds the backups", "thanks"):
        chat.user(user)
        chat.assistant("I see.")
    chat.end()
    found = item("The backups are in the Porto cluster.", (1, "cluster in Porto holds the backups"))
    model = Told(items(found))
    seasoned.inner.app.build_conversations(model).work(8)
    assert lessons(seasoned) == {"The backups are in the Porto cluster."}
    assert "[1 user] the cluster in Porto" in model.questions[0].prompt


def test_five_turns_are_read_while_it_goes_on(seasoned: Seasoned) -> None:
    conversations = seasoned.inner.app.build_conversations(None)
    talked(seasoned)
    assert conversations.work(8) == 0
    chat = seasoned.conversation("chat")
    for _ in range(2):
        chat.user("And how do I reverse one?")
        chat.assistant("Call reversed.")
    assert conversations.work(8) == 1
    assert lessons(seasoned) == PLAIN


def test_many_words_are_read_while_it_goes_on(seasoned: Seasoned) -> None:
    chat = seasoned.conversation("chat")
    chat.user("Our main branch is trunk, by the way.")
    chat.assistant("word " * 2500)
    assert seasoned.inner.app.build_conversations(None).work(8) == 1
    assert lessons(seasoned) == {"The team's main branch is trunk."}


def test_one_that_is_left_alone_is_over(seasoned: Seasoned, clock: FixedClock) -> None:
    talked(seasoned)
    clock.advance(seconds=31 * 60)
    seasoned.inner.app.build_conversations(None).work(8)
    assert seasoned.sessions.get("chat").end_reason == "idle"
    assert lessons(seasoned) == PLAIN


@pytest.mark.parametrize("answered", [True, False])
def test_the_end_of_the_process_ends_it(
    database_url: str, opened: Opened, *, answered: bool
) -> None:
    before = {*threading.enumerate()}
    one = opened(database_url)
    talked(one)
    if not answered:
        one.conversation("chat").user("Are you there?")
    one.close()
    assert one.inner.app.workers.counters("conversations")["failed"] == 0
    left = {*threading.enumerate()} - before
    assert not [it for it in left if it.name == "seasoned-conversations"]
    again = opened(database_url)
    assert again.sessions.get("chat").end_reason == "shutdown"
    assert {lesson.content for lesson in again.lessons()} >= PLAIN


def test_it_goes_on_after_its_end(seasoned: Seasoned) -> None:
    talked(seasoned)
    seasoned.end(session="chat")
    seasoned.turn("Call me Sam, please.", "Hi Sam.", session="chat")
    session = seasoned.sessions.get("chat")
    assert (session.ended_at, session.turns) == (None, 4)


def test_what_a_user_does_to_a_reply_is_no_second_turn(seasoned: Seasoned) -> None:
    chat = seasoned.conversation("chat")
    chat.user("write the greeting")
    chat.tool("files", {"path": "a.txt"}, error="no such file: token=abcdefghijklmnop1234")
    chat.assistant("Dear Sir")
    chat.edited("Dear Madam")
    chat.user("tell me a long story")
    chat.interrupted()
    turns = seasoned.sessions.turns("chat")
    assert [turn.status for turn in turns] == ["done", "cancelled"]
    stored = seasoned.sessions.messages("chat")
    assert [one.role for one in stored] == ["user", "assistant", "tool", "assistant", "user"]
    assert "abcdefghijklmnop1234" not in "".join(one.text + one.body for one in stored)


def test_our_agent_can_go_on_with_it(seasoned: Seasoned) -> None:
    chat = seasoned.conversation("chat")
    chat.user("look into a.txt")
    chat.tool("files", {"path": "a.txt"}, error="no such file")
    chat.assistant("There is none.")
    model = Scripted("It was a.txt.")
    with seasoned.agent(model, session="chat") as agent:
        assert agent.ask("Which file was it?") == "It was a.txt."
    assert "look into a.txt" in model.asked[0].text
    assert "There is none." in model.asked[0].text


def test_nothing_is_recorded_where_nothing_is_to_be_learned(
    database_url: str, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEASONED_KNOWLEDGE__ENABLED", "false")
    s = opened(database_url)
    talked(s)
    assert s.sessions.list() == []


@pytest.mark.parametrize(
    ("statement", "pasted"),
    [
        ("Our main branch is trunk.", "Here is what Bob wrote:\nOur main branch is trunk."),
        ("Our main branch is trunk.", "see below\n> Our main branch is trunk."),
    ],
)
def test_what_others_wrote_is_no_fact(seasoned: Seasoned, statement: str, pasted: str) -> None:
    for session, message in (("pasted", pasted), ("said", statement)):
        seasoned.turn(message, "I see.", session=session)
        seasoned.turn("thanks", "Welcome.", session=session)
        seasoned.end(session=session)
        seasoned.inner.app.build_conversations(None).work(8)
        assert bool(lessons(seasoned)) == (session == "said")
