"""The librarian: asks rarely, recognises answers, never asks twice."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from seasoned import Seasoned
from seasoned.core.errors import BadInput, ConfigError, ModelError, ModelUnavailable, NotFound
from seasoned.memory.librarian import Librarian, LookResult

pytestmark = pytest.mark.sqlite_only

Talk = Callable[..., Any]

QUESTION = {"question": "Which region is staging in?", "reason": "to deploy there"}
OTHERS = [
    {"question": "Who reviews the pull requests?", "reason": "to ask them"},
    {"question": "What is the deadline of the migration?", "reason": "to plan"},
]
ANSWER = {
    "inquiry": 1,
    "fact": "Staging is in eu-west-3.",
    "quote": "staging is in eu-west-3",
    "confidence": "high",
}


def said(*questions: Any, answers: Any = ()) -> dict[str, Any]:
    return {"questions": list(questions), "answers": list(answers)}


@pytest.fixture
def chat(talk: Talk) -> Any:
    """A conversation of three turns, with two observations."""
    chat = talk(user="ana")
    chat.turn("I prefer short answers.")
    chat.turn("We use Postgres at work.")
    chat.turn("Let's deploy the new version to staging.")
    chat.memory(observe_tokens=1).work(8)
    return chat


@pytest.fixture
def librarian(seasoned: Seasoned) -> Callable[..., Librarian]:
    """The app's own librarian, with another model."""

    def made(model: Any, **settings: int) -> Librarian:
        own = seasoned.inner.app.build_librarian(model)
        own.settings = replace(own.settings, **settings)
        return own

    return made


def ask(chat: Any, librarian: Librarian) -> LookResult | None:
    return librarian.look(chat.session)


def questions(chat: Any, status: str | None = None) -> list[str]:
    return [one.question for one in chat.s.librarian.list(status=status)]


def test_after_three_turns_it_asks_and_then_waits(
    chat: Any, librarian: Callable[..., Librarian], scripted: Any
) -> None:
    model = scripted({"inquiries": said(QUESTION)})
    assert librarian(model).work(8) == 1
    (one,) = chat.s.librarian.list()
    assert (one.question, one.status, one.scope.user) == (QUESTION["question"], "pending", "ana")
    chat.turn("And now the tests.")
    chat.turn("And now the docs.")
    assert librarian(model).work(8) == 0
    chat.turn("And now the release.")
    assert librarian(model).work(8) == 1
    assert len(model.asked) == 2


def test_it_needs_two_observations(
    talk: Talk, librarian: Callable[..., Librarian], scripted: Any
) -> None:
    chat = talk()
    for _ in range(4):
        chat.turn("Hello there!")
    assert librarian(scripted({})).work(8) == 0


def test_at_most_two_are_pending_and_nobody_is_asked_in_vain(
    chat: Any, librarian: Callable[..., Librarian], scripted: Any
) -> None:
    model = scripted({"inquiries": said(QUESTION, *OTHERS)})
    ask(chat, librarian(model))
    assert len(questions(chat, "pending")) == 2
    assert "so many new questions: 2." in model.asked[0].prompt
    for _ in range(3):
        chat.turn("Go on with it.")
    ask(chat, librarian(model))
    assert len(questions(chat)) == 2


@pytest.mark.parametrize("how", ["pending", "dismissed", "resolved"])
@pytest.mark.both_dialects
def test_what_was_asked_before_is_not_asked_again_in_other_words(
    chat: Any, librarian: Callable[..., Librarian], scripted: Any, how: str
) -> None:
    ask(chat, librarian(scripted({"inquiries": said(QUESTION)})))
    (one,) = chat.s.librarian.list()
    if how == "dismissed":
        chat.s.librarian.dismiss(one.id)
    if how == "resolved":
        chat.s.librarian.answer(one.id, "eu-west-3")
    for _ in range(3):
        chat.turn("Go on with it.")
    again = {"question": "In which region is the staging?", "reason": "x"}
    ask(chat, librarian(scripted({"inquiries": said(again, OTHERS[0])})))
    assert set(questions(chat)) == {QUESTION["question"], OTHERS[0]["question"]}


def test_an_answer_that_the_user_gives_becomes_a_lesson(
    chat: Any, librarian: Callable[..., Librarian], scripted: Any
) -> None:
    ask(chat, librarian(scripted({"inquiries": said(QUESTION)})))
    for text in ("Well, staging is in eu-west-3.", "Go on.", "Go on now."):
        chat.turn(text)
    looked = ask(chat, librarian(scripted({"inquiries": said(answers=[ANSWER])})))
    assert looked is not None
    (one,) = looked.resolved
    assert (one.status, one.answer) == ("resolved", ANSWER["fact"])
    ana = chat.s.inner.app.db.run(_lesson(chat, one.lesson))
    assert (ana.kind, ana.content, ana.status) == ("fact", ANSWER["fact"], "active")
    assert (ana.scope.user, ana.source, ana.confidence) == ("ana", "model", 0.7)
    assert ask(chat, librarian(scripted({}))) is None


async def _lesson(chat: Any, name: str) -> Any:
    app = chat.s.inner.app
    async with app.db.read() as tx:
        return await app.lessons.find(tx, name)


@pytest.mark.parametrize(
    "answer",
    [
        ANSWER | {"confidence": "medium"},
        ANSWER | {"quote": "staging is in us-east-1"},
        ANSWER | {"quote": "it was eu-west-3 after all"},  # the assistant said so, not the user
        ANSWER | {"inquiry": 2},
        ANSWER | {"fact": "  "},
    ],
)
def test_what_the_user_did_not_say_outright_answers_nothing(
    chat: Any, librarian: Callable[..., Librarian], scripted: Any, answer: Any
) -> None:
    ask(chat, librarian(scripted({"inquiries": said(QUESTION)})))
    chat.turn("Well, staging is in eu-west-3.", "So it was eu-west-3 after all.")
    chat.turn("Go on with it.")
    chat.turn("Go on with it now.")
    ask(chat, librarian(scripted({"inquiries": said(answers=[answer])})))
    assert questions(chat, "pending") == [QUESTION["question"]]
    assert chat.s.lessons(kind="fact") == []


def test_an_answer_in_another_session_of_the_same_user_counts(
    chat: Any, talk: Talk, librarian: Callable[..., Librarian], scripted: Any
) -> None:
    ask(chat, librarian(scripted({"inquiries": said(QUESTION)})))
    other, stranger = talk("later", user="ana"), talk("later", user="bob")
    for one in (other, stranger):
        for _ in range(3):
            one.turn("By the way, staging is in eu-west-3.")
    assert librarian(scripted({"inquiries": said(answers=[ANSWER])})).work(8) == 1
    assert questions(chat, "resolved") == [QUESTION["question"]]


def test_pending_ones_reach_the_prompt_of_that_user_alone(
    chat: Any,
    librarian: Callable[..., Librarian],
    scripted: Any,
    opened: Callable[..., Seasoned],
    database_url: str,
) -> None:
    ask(chat, librarian(scripted({"inquiries": said(QUESTION)})))
    ana, bob = opened(database_url, user="ana"), opened(database_url, user="bob")
    told = "• Find out when it fits: Which region is staging in?"
    assert told in ana.recall("anything", session="new").turn
    assert told not in bob.recall("anything", session="new").turn
    ana.librarian.answer(ana.librarian.list()[0].id, "eu-west-3")
    assert told not in ana.recall("anything", session="new").turn
    assert "Which region is staging in? eu-west-3" in ana.recall("region of staging").text


def test_two_workers_look_once(
    chat: Any, librarian: Callable[..., Librarian], scripted: Any
) -> None:
    session = chat.session

    def meanwhile(_: Any) -> dict[str, Any]:
        assert librarian(scripted({"inquiries": said(OTHERS[0])})).look(session)
        return said(QUESTION)

    assert librarian(scripted({"inquiries": meanwhile})).look(session) is None
    assert questions(chat) == [OTHERS[0]["question"]]


def test_a_model_that_is_away_is_asked_later_and_a_useless_answer_is_passed_over(
    chat: Any, librarian: Callable[..., Librarian], scripted: Any
) -> None:
    with pytest.raises(ModelUnavailable):
        librarian(scripted({"inquiries": ModelUnavailable("away")})).work(8)
    assert chat.session.asked_turn == 0
    assert librarian(scripted({"inquiries": ModelError("no JSON")})).work(8) == 1
    assert chat.session.asked_turn == 3


def test_without_a_model_nothing_is_asked_and_that_is_said(chat: Any, seasoned: Seasoned) -> None:
    assert seasoned.inner.app.librarian.work(8) == 0
    with pytest.raises(ConfigError, match=r"llm\.model"):
        seasoned.librarian.ask()


def test_only_what_waits_can_be_answered_or_dismissed(
    chat: Any, librarian: Callable[..., Librarian], scripted: Any
) -> None:
    ask(chat, librarian(scripted({"inquiries": said(QUESTION)})))
    face = chat.s.librarian
    (one,) = face.list()
    with pytest.raises(BadInput, match="1 to"):
        face.answer(one.id, "  ")
    assert face.dismiss(one.id[:5]).status == "dismissed"
    assert face.answer(one.id, "eu-west-3").status == "resolved"
    with pytest.raises(BadInput, match="is answered"):
        face.answer(one.id, "us-east-1")
    with pytest.raises(BadInput, match="is answered"):
        face.dismiss(one.id)
    with pytest.raises(NotFound, match="librarian list"):
        face.get("nothing")
    with pytest.raises(BadInput, match="one of pending"):
        face.list(status="gone")
