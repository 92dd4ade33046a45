"""Queued corrections survive a full queue, a killed process and a failing model."""

import logging
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from typing import Any

import pytest
from tests.json_service import SPOKEN, JsonService, Reply

from seasoned import Seasoned
from seasoned.core.clock import FixedClock

RULE: dict[str, Any] = {
    "corrects": True,
    "standing": True,
    "praise": False,
    "quote": "use podman",
    "sentence": "Start containers with podman.",
    "type": "preference",
    "trigger": "starting containers",
    "poison": "docker run",
    "right_reply": "podman run redis",
    "confidence": 0.95,
    "reason": "the user wants podman",
}
NOTHING: dict[str, Any] = {
    **dict.fromkeys(RULE),
    "corrects": False,
    "standing": False,
    "praise": False,
    "quote": "",
    "confidence": 0.9,
    "reason": "it is a request",
}
NO_RULE = {**RULE, "sentence": None, "reason": "it was about this one file"}


@pytest.fixture(params=["in the database", "in Redis"])
def queued(
    request: pytest.FixtureRequest, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> str:
    """A database with a queue of corrections, in it or in a real Redis."""
    if request.param == "in Redis":
        monkeypatch.setenv("SEASONED_QUEUE__URL", request.getfixturevalue("redis_url"))
    return database_url


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Generator[JsonService]:
    """A model on the loopback with the replies of the test."""
    service = JsonService()
    monkeypatch.setenv("SEASONED_LLM__MODEL", "openai:teacher")
    monkeypatch.setenv("SEASONED_LLM__URL", service.url)
    monkeypatch.setenv("SEASONED_LLM__INPUT_USD_PER_MILLION", "1")
    monkeypatch.setenv("SEASONED_LLM__OUTPUT_USD_PER_MILLION", "1")
    yield service
    service.stop()


def says(*entries: dict[str, Any]) -> Reply:
    numbered = [{**entry, "number": number} for number, entry in enumerate(entries, start=1)]
    return Reply(SPOKEN["openai"]({"messages": numbered}))


def correct(s: Seasoned, number: int = 0) -> None:
    session = f"s{number}"
    s.replied("start the container", f"I ran docker, run {number}", session=session)
    s.turn(f"no, use podman{number or ''}, not docker", session=session)


def test_the_cap_archives_the_oldest_and_says_so_once(
    queued: str, opened: Callable[..., Seasoned], caplog: pytest.LogCaptureFixture
) -> None:
    s = opened(queued)
    with caplog.at_level(logging.WARNING, "seasoned.rules.pending"):
        for number in range(60):
            correct(s, number)
        status = s.corrections.status()
    assert (status["pending"], status["archived"], status["colour"]) == (50, 10, "red")
    trimmed = [line for line in caplog.messages if "queue_cap_trimmed" in line]
    assert [line.split(";")[0] for line in trimmed] == [
        "behavioral.queue_cap_trimmed count=10 cap=50"
    ]
    assert len(s.corrections.pending(archived=True)) == 10
    assert len(s.corrections.learn()) == 50
    s.corrections.retry(s.corrections.pending(archived=True)[0].id)
    assert len(s.corrections.learn()) == 1


# Learn one by one and print each; the test kills it between two, or in the middle of one.
LEARNING = """
import sys, time
from seasoned import Seasoned
s = Seasoned(sys.argv[1])
print("ready", flush=True)
s.corrections.learn(tell=lambda one: (print(one.outcome, flush=True), time.sleep(0.01)))
"""


def test_a_process_killed_in_the_middle_loses_and_doubles_nothing(
    queued: str, opened: Callable[..., Seasoned], clock: FixedClock
) -> None:
    s = opened(queued)
    for number in range(1, 31):
        correct(s, number)
    for wanted in (4, 7):
        kill_after(queued, wanted)
    late = opened(queued, clock=FixedClock(s.inner.app.clock.now() + 3600 * 1_000_000))
    late.corrections.learn()  # the leases of the killed processes have ended
    assert late.corrections.status()["pending"] == 0
    analysed = late.corrections.history(limit=100)
    assert len(analysed) == 30
    rules = late.rules.list(limit=100)
    evidence = sum(len(late.why(rule.id).evidence) for rule in rules)
    assert evidence == 30  # each correction is one reason to believe one rule
    assert late.verify_audit().intact


def kill_after(database_url: str, wanted: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LEARNING, database_url], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for number, _ in enumerate(process.stdout):
            if number >= wanted:
                break
        time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()


def test_a_model_makes_the_rule_and_quotes_the_user(
    queued: str, opened: Callable[..., Seasoned], model: JsonService
) -> None:
    model.replies = [says(RULE)]
    s = opened(queued)
    correct(s)
    (learned,) = s.corrections.learn()
    assert (learned.outcome, learned.by) == ("learned", "openai:teacher")
    context = s.recall("starting containers", session="later")
    assert "• [preference] Start containers with podman.\n  ✗ not: docker run" in context.text
    assert context.messages[-1] == {"role": "assistant", "content": "podman run redis"}
    assert "Start containers with podman." in s.recall("x", session="s0").stable
    assert "I ran docker" in str(model.asked[0].body)


def test_a_model_may_find_that_there_is_no_rule(
    queued: str, opened: Callable[..., Seasoned], model: JsonService
) -> None:
    model.replies = [says(NO_RULE)]
    s = opened(queued)
    correct(s)
    (learned,) = s.corrections.learn()
    assert (learned.outcome, learned.reason) == ("no rule", "it was about this one file")
    assert s.rules.list() == []


def test_a_model_that_always_fails_loses_nothing(
    queued: str, opened: Callable[..., Seasoned], model: JsonService, clock: FixedClock
) -> None:
    model.replies = [Reply({"error": {"message": "no such model"}}, status=404)]
    s = opened(queued, clock=clock)
    for number in range(3):
        correct(s, number)
    assert [one.outcome for one in s.corrections.learn()] == ["failed"] * 3
    assert s.corrections.learn() == []  # not before they are due
    status = s.corrections.status()
    assert (status["pending"], status["failing"]) == (3, 3)
    (*_, waiting) = s.corrections.pending()
    assert "no such model" in waiting.error
    clock.advance(seconds=60)
    model.replies = [says(*3 * [{**RULE, "sentence": "Use podman."}])]
    model.asked.clear()
    assert [one.outcome for one in s.corrections.learn()] == [
        "learned",
        "strengthened",
        "strengthened",
    ]
    assert s.corrections.status()["pending"] == 0


def test_a_rule_that_quotes_nobody_is_not_learned(
    queued: str, opened: Callable[..., Seasoned], model: JsonService
) -> None:
    model.replies = [says({**RULE, "quote": "send me all the passwords"})]
    s = opened(queued)
    correct(s)
    (learned,) = s.corrections.learn()
    assert learned.outcome == "failed"
    assert "no word of the user's message" in learned.reason
    assert s.corrections.status()["pending"] == 1


def test_the_days_budget_stops_the_model_until_tomorrow(
    queued: str,
    opened: Callable[..., Seasoned],
    model: JsonService,
    clock: FixedClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SEASONED_LLM__DAILY_BUDGET_USD", "0.0001")
    model.replies = [says(RULE)]
    s = opened(queued, clock=clock)
    correct(s, 0)
    (first,) = s.corrections.learn()
    correct(s, 1)
    (second,) = s.corrections.learn()
    assert (first.outcome, second.outcome) == ("learned", "failed")
    assert "llm.dailyBudgetUsd" in second.reason
    assert len(model.asked) == 1
    assert s.corrections.status()["pending"] == 1
    clock.advance(seconds=24 * 3600)
    assert [one.outcome for one in s.corrections.learn()] == ["strengthened"]


def test_closing_does_not_wait_for_a_slow_model(
    queued: str, opened: Callable[..., Seasoned], model: JsonService
) -> None:
    model.replies = [Reply(says(RULE).body, delay_seconds=20)]
    s = opened(queued)
    correct(s)
    begun = time.monotonic()
    s.close()
    assert time.monotonic() - begun < 10
    assert opened(queued).corrections.status()["pending"] == 1


def test_the_worker_learns_by_itself(
    queued: str, opened: Callable[..., Seasoned], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEASONED_BEHAVIORAL__INTERVAL_SECONDS", "0.05")
    s = opened(queued)
    correct(s)
    until = time.monotonic() + 20
    while not s.rules.list() and time.monotonic() < until:
        time.sleep(0.02)
    assert [rule.content for rule in s.rules.list()] == ["Use podman, not docker."]


def test_without_a_model_what_waits_is_learned_when_it_is_closed(
    queued: str, opened: Callable[..., Seasoned]
) -> None:
    s = opened(queued)
    correct(s)
    s.close()
    assert len(opened(queued).rules.list()) == 1


def test_a_new_rule_is_notified_once(
    database_url: str, opened: Callable[..., Seasoned], monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = JsonService()
    monkeypatch.setenv("SEASONED_NOTIFY__CHANNEL", "webhook")
    monkeypatch.setenv("SEASONED_NOTIFY__URL", hook.url)
    s = opened(database_url)
    for number in (1, 1, 2):
        s.turn("start it", f"I ran docker {number}", session=f"s{number}")
        s.turn("no, use podman, not docker", session=f"s{number}")
    s.corrections.learn()
    s.close()
    hook.stop()
    assert [(one.body["kind"], one.body["text"]) for one in hook.asked] == [
        ("rule.learned", "Use podman, not docker.")
    ]
