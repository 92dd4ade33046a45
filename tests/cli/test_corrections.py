"""`seasoned corrections`."""

from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import Result

Answer = Callable[..., Any]
Call = Callable[..., Result]

ASKED = ("--request", "List the containers", "--reply", "Run docker ps.", "--session", "chat-7")
CORRECTION = ("corrections", "add", "No, use podman, not docker.", *ASKED)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Configure an unreachable model, so that corrections stay pending."""
    monkeypatch.setenv("SEASONED_LLM__MODEL", "ollama:none")
    monkeypatch.setenv("SEASONED_LLM__URL", "http://127.0.0.1:9")
    monkeypatch.setenv("SEASONED_LLM__TIMEOUT_SECONDS", "30")


@pytest.fixture
def waiting(answer: Answer, model: None, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of a pending correction that can be learned by grammar."""
    name = answer(*CORRECTION)["correction"]
    monkeypatch.delenv("SEASONED_LLM__MODEL")
    return name


def test_a_correction_holds_at_once_and_is_learned_for_good(seasoned: Call, answer: Answer) -> None:
    said = seasoned(*CORRECTION)
    assert said.exit_code == 0, said.output
    assert "applies to session chat-7:\n  Use podman, not docker.\n" in said.stdout
    (learned,) = answer("corrections", "history")
    assert (learned["outcome"], learned["by"]) == ("learned", "grammar")
    assert f"seasoned corrections show {learned['id']}" in said.stdout
    (rule,) = answer("rules", "list")
    assert rule["id"] == learned["rule"]
    assert answer("rules", "list", "--provisional") == [rule]  # the provisional one became it
    assert rule["provisional_of"] is None


def test_pending_corrections_are_shown_with_their_colour(
    seasoned: Call, answer: Answer, waiting: str
) -> None:
    shown = seasoned("corrections", "pending").stdout
    assert shown.startswith("● 1 of 50 pending (green), the oldest just now\n")
    for told in (waiting, "replacement", "“No, use podman, not docker.”"):
        assert told in shown
    machine = answer("corrections", "pending")
    assert (machine["queue"]["pending"], machine["queue"]["colour"]) == (1, "green")
    assert machine["corrections"][0]["correction"]["reply"] == "Run docker ps."
    one = seasoned("corrections", "show", waiting[:6]).stdout
    for told in ("pending", "session chat-7", "podman", "List the containers", "Run docker ps."):
        assert told in one


def test_learn_reports_each_correction_and_a_total(
    seasoned: Call, answer: Answer, waiting: str
) -> None:
    done = seasoned("corrections", "learn")
    assert done.exit_code == 0, done.output
    assert f"✓ learned       {waiting}" in done.stdout
    assert "1 correction (grammar): 1 learned." in done.stdout
    assert "nothing is due" in seasoned("corrections", "learn").stderr
    shown = seasoned("corrections", "show", waiting).stdout
    assert "learned, just now, by grammar" in shown
    history = seasoned("corrections", "history").stdout
    assert "“No, use podman, not docker.”" in history
    assert "→ rule " in history


def test_what_fails_stays_with_its_error_and_can_be_retried(
    seasoned: Call, answer: Answer, model: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = answer(*CORRECTION)["correction"]
    (failed,) = answer("corrections", "learn")["corrections"]
    assert (failed["outcome"], failed["id"]) == ("failed", name)
    assert "1 failing; `seasoned corrections pending`" in seasoned("corrections", "learn").stderr
    shown = seasoned("corrections", "pending").stdout
    assert "1 failing" in shown
    assert "ollama:none at http://127.0.0.1:9: Connection error" in " ".join(shown.split())
    assert "1 attempt; next attempt in " in shown
    assert "nothing is due; 1 still pending" in seasoned("corrections", "learn").stderr
    assert "1 correction due" in seasoned("corrections", "retry").stdout
    monkeypatch.delenv("SEASONED_LLM__MODEL")
    assert answer("corrections", "learn")["corrections"][0]["outcome"] == "learned"


def test_archived_corrections_are_shown_and_can_be_restored(
    seasoned: Call, answer: Answer, model: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEASONED_BEHAVIORAL__QUEUE_CAP", "1")
    first = answer(*CORRECTION)["correction"]
    second = answer("corrections", "add", "Stop using emojis.", "--session", "chat-8")["correction"]
    assert [one["id"] for one in answer("corrections", "pending")["corrections"]] == [second]
    aside = seasoned("corrections", "pending", "--archived").stdout
    assert first in aside
    assert "(red)" in aside
    assert "stays in the archive" in seasoned("corrections", "retry", first).stderr
    assert answer("corrections", "clear", second) == {"cleared": 1}
    assert answer("corrections", "retry", first) == {"due": 1}
    assert answer("corrections", "pending")["queue"]["archived"] == 0


def test_what_is_cleared_is_not_learned_from(seasoned: Call, answer: Answer, waiting: str) -> None:
    assert "Cleared 1 correction" in seasoned("corrections", "clear").stdout
    assert answer("corrections", "pending")["corrections"] == []
    assert answer("corrections", "history") == []


def test_the_status_tells_of_corrections(seasoned: Call, answer: Answer, waiting: str) -> None:
    answer("rules", "add", "Use podman, not docker.")
    answer("rules", "add", "Use docker, not podman.")
    told = seasoned("lessons", "status").stdout
    assert "analysed by     grammar" in told
    assert "queue           1 of 50 pending (green), the oldest just now" in told
    assert "conflicts open  1" in told
    assert answer("lessons", "status")["corrections"]["by"] == "grammar"


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("corrections", "add", " "), 2, "error: the correction is empty"),
        (("corrections", "add"), 2, "TEXT"),
        (("corrections", "show", "nothing"), 3, "error: no correction 'nothing'"),
        (("corrections", "show", ""), 2, "error: the id is empty"),
        (("corrections", "retry", "nothing"), 3, "error: no correction 'nothing'"),
        (("corrections", "retry", " "), 2, "error: the id is empty"),
        (("corrections", "clear", "nothing"), 3, "error: no correction 'nothing'"),
        (("corrections", "clear", ""), 2, "error: the id is empty"),
        (("corrections", "clear", "a", "--archived"), 2, "error: give an id or --archived"),
        (("corrections", "learn", "--limit", "0"), 2, "--limit"),
    ],
)
def test_errors_have_their_exit_codes(
    seasoned: Call, args: tuple[str, ...], code: int, told: str
) -> None:
    result = seasoned(*args)
    assert result.exit_code == code, result.output
    assert told in result.stderr
    assert "Traceback" not in result.output


def test_an_ambiguous_id_of_a_correction_is_refused(
    seasoned: Call, answer: Answer, model: None
) -> None:
    names = [
        answer("corrections", "add", f"No, use port {port}.", "--session", "s")["correction"]
        for port in range(17)  # ids begin with one of 16 letters: at least two share one
    ]
    first = [name[0] for name in names]
    shared = next(letter for letter in first if first.count(letter) > 1)
    result = seasoned("corrections", "show", shared)
    assert result.exit_code == 2
    assert "several" in result.stderr


def test_an_unreadable_correction_is_shown_and_blocks_nothing(
    seasoned: Call, answer: Answer, waiting: str
) -> None:
    from seasoned.api import Seasoned

    with Seasoned() as s:  # like a push by another program
        app = s.inner.app
        app.db.run(app.pending.queue.push("odd", "no JSON \x1b[31m at all", app.clock.now()))
    shown = seasoned("corrections", "pending").stdout
    assert "unreadable" in shown
    assert "\x1b" not in shown
    assert "not a JSON object" in seasoned("corrections", "show", "odd").stdout
    done = seasoned("corrections", "learn")
    assert "1 learned; 1 still pending" in done.stdout
    assert answer("corrections", "pending")["corrections"][0]["attempts"] == 1


def test_a_queue_out_of_reach_is_said_and_nothing_is_lost(
    seasoned: Call, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("redis")
    monkeypatch.setenv("SEASONED_QUEUE__URL", "redis://127.0.0.1:1")
    name = answer(*CORRECTION)["correction"]
    shown = seasoned("corrections", "pending")
    assert shown.exit_code == 0
    assert "unreachable (red); 1 held in the database" in shown.stdout
    assert "warning: the queue is unreachable" in shown.stderr
    assert seasoned("corrections", "learn").exit_code == 4
    monkeypatch.delenv("SEASONED_QUEUE__URL")
    assert [one["id"] for one in answer("corrections", "learn")["corrections"]] == [name]
