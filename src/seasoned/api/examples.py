"""`s.examples`: good and bad exchanges."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seasoned.api.face import AsyncFace, SyncFace, sync
from seasoned.core.errors import NotFound
from seasoned.lessons.lesson import Lesson, Source

if TYPE_CHECKING:
    from seasoned.db.keyset import Place
    from seasoned.recall.search import Hit


class AsyncExamplesFace(AsyncFace):
    """Example exchanges of one scope."""

    async def add(
        self,
        request: str,
        reply: str,
        *,
        polarity: str = "positive",
        note: str = "",
        source: Source = "operator",
    ) -> Lesson:
        """Add an exchange to follow or, with polarity negative, to avoid; `note` says why."""
        return await self._run(
            self._app.examples.add(request, reply, polarity, self._scope, note=note, source=source)
        )

    async def list(
        self, *, polarity: str | None = None, limit: int = 50, after: "Place | None" = None
    ) -> Sequence[Lesson]:
        """List examples, newest first; `after` is the `place` of the last one before."""
        found = self._app.examples.list(self._scope, polarity=polarity, limit=limit, after=after)
        return await self._run(found)

    async def get(self, name: str) -> Lesson:
        """Return an example by its id or a prefix of it."""
        lesson = await self._read(lambda tx: self._app.lessons.get(tx, name, self._caller))
        if lesson.example is None:
            raise NotFound(f"{lesson.id} is a {lesson.kind}, not an example")
        return lesson

    async def search(self, query: str, *, limit: int = 10) -> "Sequence[Hit]":
        """Search examples by request, best first."""
        from seasoned.recall.search import SearchFilter

        wanted = SearchFilter(kinds=("example",))
        found = await self._run(
            self._app.search.find(query, self._scope, wanted=wanted, most=max(0, limit))
        )
        return found.hits

    async def delete(self, name: str, *, version: str | None = None) -> Lesson:
        """Delete an example and its text; `version` is as in `rules.edit`."""
        lesson = await self.get(name)
        await self._run(
            self._app.teacher.forget(lesson.id, self._caller, erase=True, version=version)
        )
        return lesson


class ExamplesFace(SyncFace[AsyncExamplesFace]):
    """The synchronous twin."""

    add = sync(AsyncExamplesFace.add)
    list = sync(AsyncExamplesFace.list)
    get = sync(AsyncExamplesFace.get)
    search = sync(AsyncExamplesFace.search)
    delete = sync(AsyncExamplesFace.delete)
