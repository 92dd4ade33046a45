"""`s.examples`: exchanges that went well, or badly."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seasoned.core.errors import NotFound
from seasoned.core.scope import Scope
from seasoned.faces.driving import Driven, Run, sync
from seasoned.learning.lesson import Lesson, Source

if TYPE_CHECKING:
    from seasoned.learning.examples import Examples as Kept
    from seasoned.learning.teaching import Teacher
    from seasoned.recall.search import Hit, Search


class AsyncExamples:
    def __init__(
        self, examples: "Kept", teacher: "Teacher", search: "Search", scope: Scope, run: Run
    ) -> None:
        self._examples = examples
        self._teacher = teacher
        self._search = search
        self._scope = scope
        self._run = run

    async def add(
        self,
        request: str,
        reply: str,
        *,
        polarity: str = "positive",
        note: str = "",
        source: Source = "operator",
    ) -> Lesson:
        """Keeps an exchange as one to follow, or as one to avoid; `note` says why."""
        return await self._run(
            self._examples.add(request, reply, polarity, self._scope, note=note, source=source)
        )

    async def list(self, *, polarity: str | None = None, limit: int = 50) -> Sequence[Lesson]:
        """The examples there are, the newest first."""
        found = self._examples.list(self._scope, polarity=polarity, limit=limit)
        return await self._run(found)

    async def get(self, name: str) -> Lesson:
        """One example, by its id or the beginning of it."""

        async def found() -> Lesson:
            async with self._examples.db.read() as tx:
                return await self._examples.lessons.get(tx, name, self._scope)

        lesson = await self._run(found())
        if lesson.example is None:
            raise NotFound(f"{lesson.id} is a {lesson.kind}, not an example")
        return lesson

    async def search(self, query: str, *, limit: int = 10) -> "Sequence[Hit]":
        """The examples that fit a request best."""
        from seasoned.recall.search import Wanted

        wanted = Wanted(kinds=("example",))
        found = await self._run(
            self._search.find(query, self._scope, wanted=wanted, most=max(0, limit))
        )
        return found.hits

    async def delete(self, name: str) -> Lesson:
        """Takes an example and its words away."""
        lesson = await self.get(name)
        await self._run(self._teacher.forget(lesson.id, self._scope, erase=True))
        return lesson


class Examples(Driven[AsyncExamples]):
    """The same for synchronous code."""

    add = sync(AsyncExamples.add)
    list = sync(AsyncExamples.list)
    get = sync(AsyncExamples.get)
    search = sync(AsyncExamples.search)
    delete = sync(AsyncExamples.delete)
