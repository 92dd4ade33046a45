"""Import documents: each passage is a lesson, updated when its document changes."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from typing import Self

from seasoned.core.authority import Caller
from seasoned.core.errors import BadInput, NotFound, SeasonedError, Unreachable, Unsupported
from seasoned.core.scope import Scope
from seasoned.core.threads import run_in_thread, wait_for
from seasoned.db.keyset import Place
from seasoned.db.unit import Change, Unit
from seasoned.documents.document_store import ALL, DocumentStore, KnownDocument, StoredPassage
from seasoned.documents.fetch import FetchConfig, address_of, is_address
from seasoned.documents.passages import PassageChange, drafts_of, match_passages
from seasoned.documents.readers.reader import SUFFIXES
from seasoned.documents.source import GIVEN, GivenPassage, LoadedDocument, load, load_text, names_of
from seasoned.lessons.lesson import Lesson
from seasoned.lessons.lesson_store import LessonStore

LONGEST_SECONDS = 900  # for reading one document
NO_DOCUMENTS = f"there are no documents in it; they end in {', '.join(sorted(SUFFIXES))}"

SHORTEST_ID = 3

Source = str | PathLike[str]


@dataclass(frozen=True, slots=True)
class DocumentProblem:
    """A document that could not be imported, and the reason."""

    name: str
    reason: str


@dataclass(slots=True)
class LibraryReport:
    """Counts of documents and passages after an import, with its problems."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    passages_added: int = 0
    passages_kept: int = 0
    passages_removed: int = 0
    vanished: list[str] = field(default_factory=list[str])  # stored, but gone at their source
    problems: list[DocumentProblem] = field(default_factory=list[DocumentProblem])

    def __iadd__(self, other: "LibraryReport") -> Self:
        for part in fields(self):
            setattr(self, part.name, getattr(self, part.name) + getattr(other, part.name))
        return self

    @property
    def documents(self) -> int:
        """Number of documents read, changed or not."""
        return self.added + self.updated + self.unchanged


Progress = Callable[[str, LibraryReport], None]


class Library:
    def __init__(
        self,
        unit: Unit,
        lessons: LessonStore,
        documents: DocumentStore,
        config: FetchConfig | None = None,
    ) -> None:
        self.unit = unit
        self.lessons = lessons
        self.documents = documents
        self.config = config

    async def add(
        self, sources: Iterable[Source], scope: Scope, progress: Progress | None = None
    ) -> LibraryReport:
        """Import files, folders and pages; update those imported before."""
        report = LibraryReport()
        own = replace(scope, session="")
        for name in _names(sources, report):
            async with self.unit.read() as tx:
                known = await self.documents.find(tx, own, name)
            await self._import(name, own, known, report)
            if progress:
                progress(name, report)
        return report

    async def add_text(
        self, name: str, content: str | Sequence[GivenPassage], scope: Scope, *, title: str = ""
    ) -> LibraryReport:
        """Import a text as Markdown, or passages as they are, under a name."""
        if not name.strip():
            raise BadInput("a text needs a name, by which it is updated or removed")
        report = LibraryReport()
        await self._store(load_text(name, content, title), replace(scope, session=""), report)
        return report

    async def refresh(
        self, caller: Caller, *, prune: bool = False, progress: Progress | None = None
    ) -> LibraryReport:
        """Read every document again that is the caller's; `prune` removes those that are gone."""
        report = LibraryReport()
        for document in await self.list(caller.scope):
            if document.format == GIVEN or not caller.may("change", document.scope):
                continue
            await self._import(document.name, document.scope, document, report)
            if prune and document.name in report.vanished:
                await self._remove(document, report)
            if progress:
                progress(document.name, report)
        return report

    async def list(
        self, scope: Scope, limit: int = ALL, after: Place | None = None
    ) -> Sequence[KnownDocument]:
        """List the documents visible in this scope, by name."""
        async with self.unit.read() as tx:
            return await self.documents.list(tx, scope, limit, after)

    async def get(self, name: str, caller: Caller) -> tuple[KnownDocument, Sequence[Lesson]]:
        """Return one document and its passages in order."""
        document, *others = await self._meant(name, caller)
        if others:
            raise BadInput(f"{name!r} is a folder with {len(others) + 1} documents; name one")
        async with self.unit.read() as tx:
            placed = await self.documents.passages(tx, document.id)
            found = [await self.lessons.find(tx, one.lesson_id) for one in placed]
        return document, [lesson for lesson in found if lesson is not None]

    async def remove(self, name: str, caller: Caller) -> LibraryReport:
        """Remove a document, or all documents of a folder, with their passages."""
        report = LibraryReport()
        meant = await self._meant(name, caller)
        for document in meant:
            caller.require("change", document.scope, f"document {document.name!r}")
        for document in meant:
            await self._remove(document, report)
        return report

    async def _meant(self, name: str, caller: Caller) -> Sequence[KnownDocument]:
        """Find documents by name among those that reach the caller, else one it acts for by id."""
        try:
            return matching_documents(await self.list(caller.scope), name)
        except NotFound:
            async with self.unit.read() as tx:
                inside = await self.documents.inside(tx, caller.realm)
            found = [one for one in inside if one.id == name]
            if not found:
                raise
            return found

    async def _import(
        self, name: str, scope: Scope, known: KnownDocument | None, report: LibraryReport
    ) -> None:
        """Load a document and store it if it has changed."""
        was = (known.digest, known.validator) if known else ("", "")
        try:
            loaded = await wait_for(run_in_thread(load, name, *was, self.config), LONGEST_SECONDS)
        except TimeoutError:
            report.problems.append(
                DocumentProblem(name, f"reading it took over {LONGEST_SECONDS} s")
            )
            return
        except (NotFound, BadInput, Unreachable, Unsupported) as error:
            if known and isinstance(error, NotFound):
                report.vanished.append(name)
            else:
                report.problems.append(DocumentProblem(name, str(error)))
            return
        if loaded is not None:
            await self._store(loaded, scope, report)
        elif known is not None:
            report.unchanged += 1
            report.passages_kept += known.passages

    async def _store(self, loaded: LoadedDocument, scope: Scope, report: LibraryReport) -> None:
        """Store a document and its passages in one transaction."""

        async def stored(change: Change) -> LibraryReport:
            held = await self.documents.hold(change, scope, loaded.name, change.at)
            old = await self.documents.passages(change, held.id)
            if held.digest == loaded.digest:  # another process was faster
                return LibraryReport(unchanged=1, passages_kept=len(old))
            done = await self._update_passages(change, held, old, loaded)
            await self.documents.describe(change, held.id, loaded, change.at)
            if held.digest:
                done.updated = 1
            else:
                done.added = 1
            kind = "document.updated" if held.digest else "document.added"
            _record(change, kind, held.id, loaded.name, done)
            return done

        report += await self.unit.change(stored)

    async def _update_passages(
        self,
        change: Change,
        document: KnownDocument,
        old: Sequence[StoredPassage],
        loaded: LoadedDocument,
    ) -> LibraryReport:
        """Update the passages: keep the lessons of those that stay, remove and add the others."""
        drafts = drafts_of(loaded, document.id, document.scope, change.at)
        found, gone = match_passages(old, drafts)
        await self._remove_lessons(change, gone)
        passages = [(await self._lesson_of(change, one), one.draft) for one in found]
        await self.documents.place(change, document.id, passages)
        added = sum(one.before is None for one in found)
        return LibraryReport(
            passages_added=added,
            passages_kept=len(found) - added,
            passages_removed=len(gone),
        )

    async def _lesson_of(self, change: Change, passage: PassageChange) -> str:
        """Add or update the lesson of a passage, and return its id."""
        if passage.before is None:
            lesson, _ = await self.lessons.add(change, passage.draft)
            return lesson.id
        name = passage.before.lesson_id
        if passage.has_moved and (lesson := await self.lessons.find(change, name)):
            await self.lessons.resettle(change, lesson, passage.draft)
        return name

    async def _remove(self, document: KnownDocument, report: LibraryReport) -> None:
        async def removed(change: Change) -> LibraryReport:
            gone = await self.documents.passages(change, document.id)
            await self._remove_lessons(change, gone)
            if not await self.documents.remove(change, document.id):
                return LibraryReport()  # another process was faster
            done = LibraryReport(removed=1, passages_removed=len(gone))
            _record(change, "document.removed", document.id, document.name, done)
            return done

        report += await self.unit.change(removed)

    async def _remove_lessons(self, change: Change, passages: Sequence[StoredPassage]) -> None:
        """Remove them without an audit entry each: their document's entry counts them."""
        for passage in passages:
            if lesson := await self.lessons.find(change, passage.lesson_id):
                await self.lessons.remove(change, lesson, None)


def _record(change: Change, kind: str, document_id: str, name: str, done: LibraryReport) -> None:
    counts = (done.passages_added, done.passages_kept, done.passages_removed)
    passages = dict(zip(("added", "kept", "removed"), counts, strict=True))
    change.record(kind, document_id, {"name": name, "passages": passages})


def _names(sources: Iterable[Source], report: LibraryReport) -> Iterator[str]:
    """Yield each document of the sources once; report sources without any."""
    seen: set[str] = set()
    for source in sources:
        try:
            names = list(names_of(source))
        except SeasonedError as error:
            report.problems.append(DocumentProblem(str(source), str(error)))
            continue
        if not names:
            report.problems.append(DocumentProblem(str(source), NO_DOCUMENTS))
        yield from (name for name in names if not (name in seen or seen.add(name)))


def matching_documents(known: Sequence[KnownDocument], name: str) -> list[KnownDocument]:
    """Find documents by name, path, address, folder or id.

    Only a folder gives several; of equal names the narrowest scope wins.
    """
    spelled = _spelled(name)
    ways: tuple[Callable[[KnownDocument], bool], ...] = (
        lambda document: document.name in (name, spelled),
        lambda document: document.name.startswith(spelled.rstrip("/") + "/"),
        lambda document: len(name) >= SHORTEST_ID and document.id.startswith(name),
        lambda document: document.name.endswith("/" + name),
    )
    for place, is_meant in enumerate(ways):
        found = [document for document in known if is_meant(document)]
        if len(found) > 1 and place == 0:
            return [max(found, key=_narrowness)]
        if len(found) > 1 and place > 1:
            names = ", ".join(document.name for document in found[:3])
            raise BadInput(f"{name!r} matches {names}; give more of the name")
        if found:
            return found
    raise NotFound(f"no document {name!r}; `seasoned knowledge list` shows those there are")


def _spelled(name: str) -> str:
    """Return a path or an address as it is stored."""
    if not is_address(name):
        return os.path.realpath(os.path.expanduser(name))
    try:
        return address_of(name)
    except SeasonedError:
        return name


def _narrowness(document: KnownDocument) -> int:
    return sum(map(bool, document.scope.fields()))
