"""With a model every message is judged in the background; without one only what is sure counts."""

from collections.abc import Callable, Generator
from typing import Any

import pytest
from tests.flows.test_no_correction_is_lost import NOTHING, RULE, says
from tests.json_service import JsonService, Reply

from seasoned import Seasoned
from seasoned.core.clock import FixedClock

pytestmark = pytest.mark.sqlite_only

WISH: dict[str, Any] = {
    **RULE,
    "corrects": False,
    "quote": "prices are stored in cents",
    "sentence": "Store prices in cents.",
    "right_reply": None,
    "poison": None,
}
ONE_OFF: dict[str, Any] = {
    **RULE,
    "standing": False,
    "quote": "could the old column stay",
    "sentence": "Keep old columns when a table is changed.",
    "right_reply": None,
    "poison": None,
}


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Generator[JsonService]:
    service = JsonService()
    monkeypatch.setenv("SEASONED_LLM__MODEL", "openai:teacher")
    monkeypatch.setenv("SEASONED_LLM__URL", service.url)
    yield service
    service.stop()


def say(s: Seasoned, message: str, session: str = "s") -> Any:
    s.replied("change the table", "Done: I dropped the old column.", session=session)
    return s.turn(message, session=session)


def test_a_wish_that_no_grammar_knows_holds_once_the_model_has_read_it(
    database_url: str, opened: Callable[..., Seasoned], model: JsonService
) -> None:
    model.replies = [says(WISH)]
    s = opened(database_url)
    assert not say(s, "Add a total; mind that prices are stored in cents by the way")
    assert s.rules.list() == []
    (learned,) = s.corrections.learn()
    assert (learned.outcome, learned.corrects) == ("learned", False)
    assert [rule.content for rule in s.rules.list()] == ["Store prices in cents."]
    assert s.recall("starting containers", session="later").text.count("Store prices in cents.")
    (judged,) = s.corrections.history()
    assert judged.kind == "wish"


def test_a_correction_of_the_work_at_hand_holds_in_its_session_only(
    database_url: str, opened: Callable[..., Seasoned], model: JsonService
) -> None:
    model.replies = [says(ONE_OFF)]
    s = opened(database_url)
    say(s, "hm, could the old column stay?", "here")
    (learned,) = s.corrections.learn()
    assert (learned.outcome, learned.corrects) == ("no rule", True)
    assert s.rules.list() == []
    assert ONE_OFF["sentence"] in s.recall("x", session="here").stable
    assert ONE_OFF["sentence"] not in s.recall("x", session="elsewhere").stable
    (judged,) = s.corrections.history()
    assert judged.kind == "judged"


def test_ordinary_messages_leave_nothing_behind_and_are_judged_once(
    database_url: str, opened: Callable[..., Seasoned], model: JsonService
) -> None:
    model.replies = [says(NOTHING)]
    s = opened(database_url)
    for _ in range(2):
        say(s, "now add an index on the name")
        assert s.corrections.learn() == []
    assert len(model.asked) == 1
    assert s.corrections.history() == []
    assert s.corrections.status()["remarks"]["pending"] == 0


def test_what_the_model_refutes_holds_no_longer(
    database_url: str, opened: Callable[..., Seasoned], model: JsonService
) -> None:
    model.replies = [says({**NOTHING, "reason": "it is quoted"})]
    s = opened(database_url)
    assert say(s, "no, use podman, not docker").rule is not None
    (learned,) = s.corrections.learn()
    assert (learned.outcome, learned.reason) == ("no rule", "it is quoted")
    assert "podman" not in s.recall("x", session="s").stable
    assert [one.kind for one in s.corrections.history()] == ["refuted"]


def test_what_the_model_calls_praise_is_an_example_to_follow(
    database_url: str, opened: Callable[..., Seasoned], model: JsonService
) -> None:
    model.replies = [says({**NOTHING, "praise": True})]
    s = opened(database_url)
    say(s, "that is how I would have done it myself, now the other table")
    s.corrections.learn()
    assert [one.example.polarity for one in s.examples.list() if one.example] == ["positive"]


def test_many_messages_are_one_question(
    database_url: str, opened: Callable[..., Seasoned], model: JsonService
) -> None:
    model.replies = [says(*8 * [NOTHING])]
    s = opened(database_url)
    for number in range(16):
        say(s, f"now table {number} of them all", f"s{number}")
    assert s.corrections.learn() == []
    assert len(model.asked) == 2


def test_chat_never_evicts_a_correction(
    database_url: str, opened: Callable[..., Seasoned], model: JsonService
) -> None:
    s = opened(database_url)
    say(s, "no, use podman, not docker")
    for number in range(60):  # more than behavioral.queueCap
        say(s, f"now table {number} of them all", f"s{number}")
    status = s.corrections.status()
    assert (status["pending"], status["archived"], status["remarks"]["pending"]) == (1, 0, 60)


def test_agreement_is_not_worth_a_question(
    database_url: str, opened: Callable[..., Seasoned], model: JsonService
) -> None:
    s = opened(database_url)
    for message in ("yes", "ok, go ahead!", "2)", "vale, gracias", "はい"):
        say(s, message)
    assert s.corrections.status()["remarks"]["pending"] == 0


def test_a_broken_answer_keeps_the_messages_with_its_error(
    database_url: str, opened: Callable[..., Seasoned], model: JsonService, clock: FixedClock
) -> None:
    model.replies = [Reply({"choices": [{"message": {"role": "assistant", "content": "Sure!"}}]})]
    s = opened(database_url, clock=clock)
    say(s, "mind that prices are stored in cents")
    (failed,) = s.corrections.learn()
    assert failed.outcome == "failed"
    assert failed.reason
    assert s.corrections.status()["remarks"]["failing"] == 1
    clock.advance(seconds=60)
    model.replies, model.asked = [says(WISH)], []
    assert [one.outcome for one in s.corrections.learn()] == ["learned"]


def test_one_message_that_breaks_every_answer_does_not_hold_up_the_others(
    database_url: str, opened: Callable[..., Seasoned], model: JsonService, clock: FixedClock
) -> None:
    refused = Reply({"error": {"message": "flagged content"}}, status=400)
    s = opened(database_url, clock=clock)
    say(s, "one that is flagged", "bad")
    say(s, "mind that prices are stored in cents", "good")
    model.replies = [refused]
    for _ in range(2):
        assert {one.outcome for one in s.corrections.learn()} == {"failed"}
        clock.advance(seconds=3600)
    model.replies, model.asked = [refused, says(WISH)], []
    assert {one.outcome for one in s.corrections.learn()} == {"failed", "learned"}
    clock.advance(seconds=3600)
    assert len(s.rules.list()) == 1


def test_without_a_model_nothing_waits_to_be_judged(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    s = opened(database_url)
    say(s, "mind that prices are stored in cents")
    assert s.corrections.status()["remarks"]["pending"] == 0
    assert s.corrections.learn() == []
