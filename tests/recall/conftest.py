"""Recall with generous deadlines for busy machines; tests of deadlines set their own."""

from collections.abc import Awaitable, Callable, Generator
from typing import TypeVar

import pytest
from tests.embedding_service import EmbeddingService, eventually

from seasoned import Seasoned
from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.db.unit import Change
from seasoned.lessons.lesson import Belief, Draft, Kind, Lesson, Source

T = TypeVar("T")


@pytest.fixture(autouse=True)
def at_leisure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEASONED_KNOWLEDGE__DEADLINE_SECONDS", "30")
    monkeypatch.setenv("SEASONED_BUFFER__FLUSH_SECONDS", "0.02")


@pytest.fixture
def service() -> Generator[EmbeddingService]:
    there = EmbeddingService()
    yield there
    there.stop()


def settled(s: Seasoned) -> None:
    """Wait until every lesson has its vector."""
    assert eventually(lambda: s.status()["embedding"]["waiting"] == 0), s.status()["buffers"]


def changed(s: Seasoned, work: Callable[[Connection], Awaitable[T]]) -> T:
    """Change the database directly, where the API has no method."""
    db = s.inner.app.db

    async def done() -> T:
        async with db.write() as tx:
            return await work(tx)

    return db.run(done())


def inferred(
    s: Seasoned,
    content: str,
    *,
    trigger: str = "",
    kind: Kind = "fact",
    belief: Belief | None = None,
    source: Source = "model",
) -> Lesson:
    """Add a lesson that was inferred, not stated."""
    draft = Draft(kind, "active", Scope(), trigger, content, belief or Belief(8, 2), source)
    store, now = s.inner.app.lessons, s.inner.app.clock.now()
    lesson, _ = changed(s, lambda tx: store.add(Change(tx, now), draft))
    s.inner.app.nudge("embedding")
    return lesson


def contents(s: Seasoned, query: str, **options: object) -> list[str]:
    return [one.lesson.content for one in s.recall(query, **options).lessons]  # pyright: ignore
