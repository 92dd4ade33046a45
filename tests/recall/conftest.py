"""Recall on a machine that may be busy: only the tests about deadlines have tight ones."""

from collections.abc import Awaitable, Callable, Generator
from typing import TypeVar

import pytest
from tests.embedding_service import EmbeddingService, eventually

from seasoned import Seasoned
from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.learning.confidence import Belief
from seasoned.learning.lesson import Draft, Kind, Lesson, Source

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
    """Waits until every lesson has its vector."""
    assert eventually(lambda: s.status()["embedding"]["waiting"] == 0), s.status()["buffers"]


def changed(s: Seasoned, work: Callable[[Connection], Awaitable[T]]) -> T:
    """Changes the database beneath, where there is no public way yet."""
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
    """A lesson that nobody said outright."""
    draft = Draft(kind, "active", Scope(), trigger, content, belief or Belief(8, 2), source)
    store, now = s.inner.app.lessons, s.inner.app.clock.now()
    lesson, _ = changed(s, lambda tx: store.add(tx, draft, now))
    s.inner.app.nudge("embedding")
    return lesson


def contents(s: Seasoned, query: str, **options: object) -> list[str]:
    return [one.lesson.content for one in s.recall(query, **options).lessons]  # pyright: ignore
