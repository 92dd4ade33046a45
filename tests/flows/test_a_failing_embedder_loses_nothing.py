"""While the embedding service is slow, failing or down, recall searches by words."""

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.embedding_service import EmbeddingService, eventually

from seasoned import Seasoned
from seasoned.recall.context import Context

Opened = Callable[..., Seasoned]

FACTS = {
    "cars": "Cars wait.",
    "invoices": "Invoices rest.",
    "doctors": "Doctors sing.",
}
# Queries that share a meaning with a fact, but no word.
MEANT = {"automobile": "cars", "the bill": "invoices", "a physician": "doctors"}


def teach(s: Seasoned) -> None:
    for trigger, fact in FACTS.items():
        s.teach(trigger, fact=fact)


def embedding(s: Seasoned) -> dict[str, Any]:
    return s.status()["embedding"]


def failure(s: Seasoned) -> str:
    return s.status()["buffers"]["embedding"]["last_error"]


def recalled(context: Context) -> list[str]:
    return [one.lesson.trigger for one in context.lessons]


def all_is_embedded(s: Seasoned) -> bool:
    return eventually(lambda: embedding(s)["waiting"] == 0)


def found_by_meaning(s: Seasoned) -> None:
    for query, trigger in MEANT.items():
        context = s.recall(query)
        assert recalled(context) == [trigger], (query, context.notes)
        assert context.notes == []


def found_by_words(s: Seasoned, why: str) -> None:
    for trigger in FACTS:
        context = s.recall(trigger)
        assert recalled(context) == [trigger]
        assert context.notes[0].startswith("went by words alone: ")
        assert why in " ".join(context.notes) or "next attempt in" in context.notes[0]


def test_a_service_that_is_down_from_the_start(
    database_url: str, opened: Opened, service: EmbeddingService
) -> None:
    service.stop()
    s = opened(database_url, environment=service.settings())
    teach(s)
    found_by_words(s, "cannot be reached")
    assert eventually(lambda: "EmbedderUnavailable" in failure(s))
    assert (embedding(s)["waiting"], embedding(s)["embedded"]) == (3, 0)
    service.start()
    assert all_is_embedded(s)
    assert failure(s) == ""
    assert embedding(s)["embedded"] == 3
    found_by_meaning(s)
    texts = [text for text in service.texts() if text.split("\n")[0] in FACTS]
    assert sorted(texts) == sorted(f"{trigger}\n{fact}" for trigger, fact in FACTS.items())


@pytest.mark.parametrize("status", [500, 429, 401, 404])
def test_a_service_that_answers_with_errors(
    database_url: str, opened: Opened, service: EmbeddingService, status: int
) -> None:
    s = opened(database_url, environment=service.settings())
    teach(s)
    assert all_is_embedded(s)
    found_by_meaning(s)
    service.failing = status
    s.teach("holidays", fact="Holidays end.")
    assert eventually(lambda: f"answered {status}" in failure(s))
    assert (embedding(s)["waiting"], embedding(s)["embedded"]) == (1, 3)
    found_by_words(s, f"answered {status}")
    assert recalled(s.recall("holidays")) == ["holidays"]
    service.failing = 0
    assert all_is_embedded(s)
    found_by_meaning(s)
    assert recalled(s.recall("vacation")) == ["holidays"]


def test_a_service_that_is_too_slow_is_not_waited_for(
    database_url: str, opened: Opened, service: EmbeddingService
) -> None:
    hasty = service.settings(SEASONED_KNOWLEDGE__DEADLINE_SECONDS="1")
    s = opened(database_url, environment=hasty)
    teach(s)
    assert all_is_embedded(s)
    s.recall("warm up")
    service.delay_seconds = 4
    began = time.monotonic()
    context = s.recall("what do cars do?")
    assert time.monotonic() - began < 3.5
    assert recalled(context) == ["cars"]
    assert context.notes == ["went by words alone: the embedder did not answer within 1 s"]
    service.delay_seconds = 0
    assert eventually(lambda: not s.recall("automobile").notes)
    assert recalled(s.recall("automobile")) == ["cars"]


STORY = """
import os, sys, time
from seasoned import Seasoned
s = Seasoned(sys.argv[1], environment=dict(os.environ))
s.teach("cars", fact="Cars wait.")
s.teach("invoices", fact="Invoices rest.")
print("taught", flush=True)
if sys.argv[2] == "killed":
    time.sleep(60)
s.close()
"""


@pytest.mark.parametrize("end", ["closed", "killed"])
def test_what_a_process_leaves_waiting_the_next_one_embeds(
    database_url: str, opened: Opened, service: EmbeddingService, end: str
) -> None:
    service.failing = 503
    command = [sys.executable, "-c", STORY, database_url, end]
    settings = {**service.settings(), "SEASONED_EMBEDDING__TIMEOUT_SECONDS": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=settings, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "taught\n"
        if end == "killed":
            process.kill()
        assert process.wait(60) == (0 if end == "closed" else -9)
    service.failing = 0
    s = opened(database_url, environment=service.settings())
    assert all_is_embedded(s)
    assert embedding(s)["embedded"] == 2
    assert recalled(s.recall("automobile")) == ["cars"]


def test_a_process_that_ends_embeds_what_it_has_just_learned(
    database_url: str, opened: Opened, service: EmbeddingService
) -> None:
    """A short command ends before its batch is due."""
    unhurried = service.settings(SEASONED_BUFFER__FLUSH_SECONDS="30")
    command = [sys.executable, "-c", STORY, database_url, "closed"]
    assert subprocess.run(command, env=unhurried, timeout=60, check=False).returncode == 0
    s = opened(database_url, environment=service.settings())
    assert (embedding(s)["embedded"], embedding(s)["waiting"]) == (2, 0)


def test_one_text_that_is_refused_does_not_hold_up_the_others(
    database_url: str, opened: Opened, service: EmbeddingService
) -> None:
    service.refused = "forbidden"
    s = opened(database_url, environment=service.settings())
    s.teach("fruit", fact="This is forbidden fruit.")
    teach(s)
    assert all_is_embedded(s)
    found_by_meaning(s)
    assert recalled(s.recall("fruit")) == ["fruit"]


def test_another_model_takes_over_while_words_go_on(
    database_url: str, opened: Opened, service: EmbeddingService
) -> None:
    with Seasoned(database_url, environment=service.settings("one")) as s:
        teach(s)
        assert all_is_embedded(s)
        found_by_meaning(s)
    service.failing = 503  # the new model is not there yet
    s = opened(database_url, environment=service.settings("two"))
    assert embedding(s)["space"] == embedding(s)["model"].replace("/two/", "/one/")
    for trigger in FACTS:
        assert recalled(s.recall(trigger)) == [trigger]
    assert s.recall("automobile").lessons == []
    service.failing = 0
    assert eventually(lambda: embedding(s)["space"] == embedding(s)["model"])
    assert all_is_embedded(s)
    assert eventually(lambda: not s.recall("automobile").notes)
    found_by_meaning(s)
    assert len([text for text in service.texts("two") if text.split("\n")[0] in FACTS]) == 3


def test_during_a_change_of_model_the_note_says_why_recall_uses_words(
    database_url: str, opened: Opened, service: EmbeddingService
) -> None:
    with Seasoned(database_url, environment=service.settings("one")) as s:
        teach(s)
    unhurried = service.settings("two", SEASONED_BUFFER__FLUSH_SECONDS="60")
    s = opened(database_url, environment=unhurried)
    context = s.recall("cars")
    assert recalled(context) == ["cars"]
    assert context.notes == ["went by words alone: nothing is embedded with this model yet"]


def test_switching_between_local_and_remote_vectors_mixes_nothing(
    database_url: str, opened: Opened, service: EmbeddingService
) -> None:
    """Their vectors differ in dimensions."""
    local = {"SEASONED_BUFFER__FLUSH_SECONDS": "0.05"}
    for settings in (local, service.settings(), local):
        with Seasoned(database_url, environment=settings) as s:
            teach(s)
            assert eventually(lambda s=s: embedding(s)["space"] == embedding(s)["model"])
            assert all_is_embedded(s)
            for trigger in FACTS:
                assert recalled(s.recall(trigger))[:1] == [trigger]


def test_two_models_at_once_do_not_fight(
    database_url: str, opened: Opened, service: EmbeddingService
) -> None:
    """The one opened last wins; the other searches by words, and says why."""
    first = opened(database_url, environment=service.settings("one"))
    teach(first)
    assert all_is_embedded(first)
    second = opened(database_url, environment=service.settings("two"))
    assert eventually(lambda: embedding(second)["space"] == embedding(second)["model"])
    assert all_is_embedded(second)
    for number in range(5):
        first.teach(f"first{number}", fact=f"The first says {number}.")
        second.teach(f"second{number}", fact=f"The second says {number}.")
        time.sleep(0.2)
    assert all_is_embedded(second)
    assert embedding(second)["embedded"] == 13
    assert "another process embeds with" in embedding(first)["note"]
    assert recalled(first.recall("first3")) == ["first3"]
    found_by_meaning(second)
    spaces = first.inner.app.db.run(_spaces(first))
    assert spaces == 2  # one change of model
    once = [text for text in service.texts("two") if text.startswith(("first", "second"))]
    assert len(once) == len(set(once)) == 10


async def _spaces(s: Seasoned) -> int:
    async with s.inner.app.db.read() as tx:
        return len(await tx.fetch("SELECT id FROM vector_spaces"))


def test_two_processes_of_one_model_share_the_work_in_peace(
    database_url: str, opened: Opened, service: EmbeddingService
) -> None:
    service.delay_seconds = 0.05
    both = [opened(database_url, environment=service.settings()) for _ in range(2)]
    for number in range(40):
        both[number % 2].teach(f"topic{number}", fact=f"Fact about topic{number}.")
    for s in both:
        assert all_is_embedded(s)
        assert embedding(s)["embedded"] == 40
        assert s.status()["buffers"]["embedding"]["failed"] == 0, failure(s)
    assert both[0].inner.app.db.run(_spaces(both[0])) == 1
