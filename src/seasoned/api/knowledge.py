"""`s.knowledge`: import, update and search documents."""

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING

from seasoned.api.face import AsyncFace, SyncFace, sync

if TYPE_CHECKING:
    from seasoned.db.keyset import Place
    from seasoned.documents.document_store import KnownDocument
    from seasoned.documents.library import LibraryReport, Progress
    from seasoned.documents.source import GivenPassage
    from seasoned.lessons.lesson import Lesson
    from seasoned.recall.search import Hit

LEAST_SCORE = 0.05  # hits below are irrelevant


class AsyncKnowledgeFace(AsyncFace):
    """Documents of one scope."""

    async def add(
        self, *sources: str | PathLike[str], progress: "Progress | None" = None
    ) -> "LibraryReport":
        """Import files, folders and web pages; update those imported before.

        Unreadable ones are listed in the report's `problems`.
        """
        return await self._run(self._app.library.add(sources, self._scope, progress))

    async def add_text(self, name: str, text: str, *, title: str = "") -> "LibraryReport":
        """Import a Markdown text under a name."""
        return await self._run(self._app.library.add_text(name, text, self._scope, title=title))

    async def add_passages(
        self, name: str, passages: "Sequence[GivenPassage]", *, title: str = ""
    ) -> "LibraryReport":
        """Import ready-made passages in order, for example the turns of a conversation.

        Each is a text, or a pair of its heading (or speaker) and the text.
        """
        return await self._run(
            self._app.library.add_text(name, list(passages), self._scope, title=title)
        )

    async def list(
        self, *, limit: int = 2**62, after: "Place | None" = None
    ) -> "Sequence[KnownDocument]":
        """List documents by name; `after` is the `place` of the last one of the page before."""
        return await self._run(self._app.library.list(self._scope, limit, after))

    async def get(self, name: str) -> "tuple[KnownDocument, Sequence[Lesson]]":
        """Return a document, by its name or a unique part of it, and its passages in order."""
        return await self._run(self._app.library.get(name, self._caller))

    async def search(self, query: str, *, limit: int = 10) -> "Sequence[Hit]":
        """Search passages by request, best first."""
        from seasoned.recall.search import SearchFilter

        wanted = SearchFilter(sources=("document",))
        found = await self._run(
            self._app.search.find(query, self._scope, wanted=wanted, most=max(0, limit))
        )
        return [hit for hit in found.hits if hit.score >= LEAST_SCORE]

    async def update(
        self, *, prune: bool = False, progress: "Progress | None" = None
    ) -> "LibraryReport":
        """Read every document again; `prune` removes those that no longer exist."""
        return await self._run(
            self._app.library.refresh(self._caller, prune=prune, progress=progress)
        )

    async def remove(self, name: str) -> "LibraryReport":
        """Remove a document, or all in a folder."""
        return await self._run(self._app.library.remove(name, self._caller))


class KnowledgeFace(SyncFace[AsyncKnowledgeFace]):
    """The synchronous twin."""

    add = sync(AsyncKnowledgeFace.add)
    add_text = sync(AsyncKnowledgeFace.add_text)
    add_passages = sync(AsyncKnowledgeFace.add_passages)
    list = sync(AsyncKnowledgeFace.list)
    get = sync(AsyncKnowledgeFace.get)
    search = sync(AsyncKnowledgeFace.search)
    update = sync(AsyncKnowledgeFace.update)
    remove = sync(AsyncKnowledgeFace.remove)
