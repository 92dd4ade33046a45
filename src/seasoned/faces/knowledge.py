"""`s.knowledge`: documents that an agent may draw on, imported and kept up to date."""

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING

from seasoned.core.scope import Scope
from seasoned.faces.driving import Driven, Run, sync

if TYPE_CHECKING:
    from seasoned.documents.source import Passage
    from seasoned.learning.document_store import KnownDocument
    from seasoned.learning.lesson import Lesson
    from seasoned.learning.library import Library
    from seasoned.learning.library_report import LibraryReport, Progress
    from seasoned.recall.search import Hit, Search

LEAST_SCORE = 0.05  # what fits less does not fit at all


class AsyncKnowledge:
    def __init__(self, library: "Library", search: "Search", scope: Scope, run: Run) -> None:
        self._library = library
        self._search = search
        self._scope = scope
        self._run = run

    async def add(
        self, *sources: str | PathLike[str], progress: "Progress | None" = None
    ) -> "LibraryReport":
        """Imports files, folders and web pages; those known already are brought up to date.

        One that cannot be read is in the report's `problems`, and the others are imported.
        """
        return await self._run(self._library.add(sources, self._scope, progress))

    async def add_text(self, name: str, text: str, *, title: str = "") -> "LibraryReport":
        """Imports a text that stands in no file, read as Markdown."""
        return await self._run(self._library.add_text(name, text, self._scope, title=title))

    async def add_passages(
        self, name: str, passages: "Sequence[Passage]", *, title: str = ""
    ) -> "LibraryReport":
        """Imports passages just as they are, in their order: the turns of a conversation, say.

        Each is a text, or a pair of what stands above it (a heading, who said it) and the text.
        """
        return await self._run(
            self._library.add_text(name, list(passages), self._scope, title=title)
        )

    async def list(self) -> "Sequence[KnownDocument]":
        """The documents there are, by name."""
        return await self._run(self._library.list(self._scope))

    async def get(self, name: str) -> "tuple[KnownDocument, Sequence[Lesson]]":
        """One document, by its name or a telling part of it, and its passages in their order."""
        return await self._run(self._library.get(name, self._scope))

    async def search(self, query: str, *, limit: int = 10) -> "Sequence[Hit]":
        """The passages that fit a request best."""
        from seasoned.recall.search import Wanted

        wanted = Wanted(sources=("document",))
        found = await self._run(
            self._search.find(query, self._scope, wanted=wanted, most=max(0, limit))
        )
        return [hit for hit in found.hits if hit.score >= LEAST_SCORE]

    async def update(
        self, *, prune: bool = False, progress: "Progress | None" = None
    ) -> "LibraryReport":
        """Reads every document again; `prune` removes those that are no longer there."""
        return await self._run(self._library.refresh(self._scope, prune=prune, progress=progress))

    async def remove(self, name: str) -> "LibraryReport":
        """Removes a document, or all in a folder, with every passage."""
        return await self._run(self._library.remove(name, self._scope))


class Knowledge(Driven[AsyncKnowledge]):
    """The same for synchronous code."""

    add = sync(AsyncKnowledge.add)
    add_text = sync(AsyncKnowledge.add_text)
    add_passages = sync(AsyncKnowledge.add_passages)
    list = sync(AsyncKnowledge.list)
    get = sync(AsyncKnowledge.get)
    search = sync(AsyncKnowledge.search)
    update = sync(AsyncKnowledge.update)
    remove = sync(AsyncKnowledge.remove)
