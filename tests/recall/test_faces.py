"""A slow embedder delays only its caller, up to the deadline."""

import asyncio
import time
from collections.abc import Callable

import pytest

from seasoned import AsyncSeasoned, Seasoned
from seasoned.recall.context import Context

from .conftest import EmbeddingService, settled

pytestmark = pytest.mark.sqlite_only


@pytest.fixture
def slow(service: EmbeddingService, monkeypatch: pytest.MonkeyPatch) -> EmbeddingService:
    """An embedding service much slower than the deadline of recall."""
    for name, value in service.settings().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SEASONED_KNOWLEDGE__DEADLINE_SECONDS", "1.5")
    service.delay_seconds = 8
    return service


async def story(s: AsyncSeasoned) -> tuple[Context, int, float]:
    """Recall once; return the context, the ticks of another task meanwhile, and the seconds."""
    await s.teach("cars", fact="Cars are washed on Mondays.")
    ticks = 0

    async def ticking() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.01)

    other = asyncio.create_task(ticking())
    began = time.monotonic()
    context = await s.recall("when are cars washed?")
    took = time.monotonic() - began
    other.cancel()
    return context, ticks, took


def test_a_slow_embedder_does_not_block_the_loop(
    database_url: str, home: object, slow: EmbeddingService
) -> None:
    async def run() -> tuple[Context, int, float]:
        s = AsyncSeasoned(database_url)
        try:
            return await story(s)
        finally:
            slow.stop()  # otherwise closing would wait for it
            await s.close()

    context, ticks, took = asyncio.run(run())
    assert context.lessons[0].lesson.content == "Cars are washed on Mondays."
    assert context.notes == ["went by words alone: the embedder did not answer within 1.5 s"]
    assert took < 7
    assert ticks > 20


def test_the_synchronous_face_waits_no_longer_either(
    database_url: str, home: object, slow: EmbeddingService
) -> None:
    with Seasoned(database_url) as s:
        s.teach("cars", fact="Cars are washed on Mondays.")
        began = time.monotonic()
        context = s.recall("when are cars washed?")
        took = time.monotonic() - began
        again = time.monotonic()
        second = s.recall("when are cars washed?")  # the embedder is not asked again so soon
        quick = time.monotonic() - again
        slow.stop()
    assert 1.4 < took < 7
    assert quick < took
    assert context.lessons
    assert second.lessons
    assert context.notes == ["went by words alone: the embedder did not answer within 1.5 s"]
    assert "next attempt in" in second.notes[0]


def test_the_synchronous_face_works_inside_a_running_loop(
    database_url: str, home: object, service: EmbeddingService, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in service.settings().items():
        monkeypatch.setenv(name, value)

    async def notebook() -> Context:
        with Seasoned(database_url) as s:
            s.teach("cars", fact="Cars are washed on Mondays.")
            s.provide("skills", lambda _: ["Drive."])
            settled(s)
            return s.recall("the automobile")

    context = asyncio.run(notebook())
    assert "Cars are washed on Mondays." in context.text
    assert "• Drive." in context.text
    assert context.notes == []


@pytest.mark.parametrize("tasks", [12])
def test_many_tasks_recall_at_once(
    database_url: str,
    home: object,
    service: EmbeddingService,
    monkeypatch: pytest.MonkeyPatch,
    tasks: int,
) -> None:
    for name, value in service.settings().items():
        monkeypatch.setenv(name, value)
    service.delay_seconds = 0.2

    async def run() -> list[str]:
        async with AsyncSeasoned(database_url) as s:
            for number in range(tasks):
                await s.teach(f"topic{number}", fact=f"Fact about topic{number}.")
            found = await asyncio.gather(*(s.recall(f"topic{n}?") for n in range(tasks)))
            return [context.lessons[0].lesson.content for context in found]

    assert asyncio.run(run()) == [f"Fact about topic{number}." for number in range(tasks)]


def test_closing_does_not_wait_for_ever(
    database_url: str, home: object, slow: EmbeddingService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seasoned.api.async_seasoned.STOP_SECONDS", 0.5)
    with Seasoned(database_url) as s:
        s.teach("cars", fact="Cars are washed on Mondays.")
        time.sleep(0.3)
        began = time.monotonic()
    assert time.monotonic() - began < 4
    slow.delay_seconds = 0
    slow.stop()
    slow.start()
    with Seasoned(database_url) as s:
        settled(s)
        assert s.recall("the automobile").lessons


def test_asking_changes_nothing(seasoned: Seasoned, opened: Callable[..., Seasoned]) -> None:
    seasoned.teach("cars", fact="Cars are washed on Mondays.")
    before = seasoned.status()["audit_events"], seasoned.lessons()
    seasoned.recall("when are cars washed?", given=False)
    seasoned.search("cars")
    assert (seasoned.status()["audit_events"], seasoned.lessons()) == before
