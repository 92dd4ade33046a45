"""Imports documents: each passage becomes a lesson, and follows its document as that changes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from os import PathLike

from seasoned.core.bus import Bus
from seasoned.core.clock import Clock
from seasoned.core.errors import BadInput, NotFound, SeasonedError, Unreachable, Unsupported
from seasoned.core.events import LessonChanged, LessonLearned
from seasoned.core.scope import Scope
from seasoned.core.waiting import begun, waited
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.documents.fetch import FetchConfig
from seasoned.documents.reading import SUFFIXES
from seasoned.documents.source import GIVEN, Loaded, Passage, given, load, names_of
from seasoned.learning.document_names import named
from seasoned.learning.document_store import DocumentStore, KnownDocument, Placed
from seasoned.learning.journal import Journal
from seasoned.learning.lesson import Lesson
from seasoned.learning.lessons import LessonStore
from seasoned.learning.library_report import LibraryReport, Problem, Progress
from seasoned.learning.passages import Settled, drafts_of, settled
from seasoned.security.audit import AuditStore

LONGEST_SECONDS = 900  # that reading one document may take
NO_DOCUMENTS = f"there are no documents in it; they end in {', '.join(sorted(SUFFIXES))}"

Source = str | PathLike[str]


class Library:
    def __init__(
        self,
        db: Database,
        lessons: LessonStore,
        documents: DocumentStore,
        audit: AuditStore,
        bus: Bus,
        clock: Clock,
        config: FetchConfig | None = None,
    ) -> None:
        self.db = db
        self.lessons = lessons
        self.documents = documents
        self.audit = audit
        self.bus = bus
        self.clock = clock
        self.config = config

    async def add(
        self, sources: Iterable[Source], scope: Scope, progress: Progress | None = None
    ) -> LibraryReport:
        """Imports files, folders and pages; what is known already is brought up to date."""
        report = LibraryReport()
        own = replace(scope, session="")
        for name in _names(sources, report):
            async with self.db.read() as tx:
                known = await self.documents.find(tx, own, name)
            await self._bring(name, own, known, report)
            if progress:
                progress(name, report)
        return report

    async def add_text(
        self, name: str, content: str | Sequence[Passage], scope: Scope, *, title: str = ""
    ) -> LibraryReport:
        """Imports what stands in no file: a text as Markdown, or passages just as they are."""
        if not name.strip():
            raise BadInput("a text needs a name, by which it is brought up to date or removed")
        report = LibraryReport()
        await self._store(given(name, content, title), replace(scope, session=""), report)
        return report

    async def refresh(
        self, scope: Scope, *, prune: bool = False, progress: Progress | None = None
    ) -> LibraryReport:
        """Reads every document again; `prune` removes those that are no longer there."""
        report = LibraryReport()
        for document in await self.list(scope):
            if document.format == GIVEN:
                continue
            await self._bring(document.name, document.scope, document, report)
            if prune and document.name in report.vanished:
                await self._remove(document, report)
            if progress:
                progress(document.name, report)
        return report

    async def list(self, scope: Scope) -> Sequence[KnownDocument]:
        """Every document that reaches this scope, by name."""
        async with self.db.read() as tx:
            return await self.documents.list(tx, scope)

    async def get(self, name: str, scope: Scope) -> tuple[KnownDocument, Sequence[Lesson]]:
        """One document, and its passages in their order."""
        document, *others = named(await self.list(scope), name)
        if others:
            raise BadInput(f"{name!r} is a folder with {len(others) + 1} documents; name one")
        async with self.db.read() as tx:
            placed = await self.documents.passages(tx, document.id)
            found = [await self.lessons.find(tx, one.lesson_id) for one in placed]
        return document, [lesson for lesson in found if lesson is not None]

    async def remove(self, name: str, scope: Scope) -> LibraryReport:
        """Takes a document away, or all those in a folder, with every passage."""
        report = LibraryReport()
        for document in named(await self.list(scope), name):
            await self._remove(document, report)
        return report

    async def _bring(
        self, name: str, scope: Scope, known: KnownDocument | None, report: LibraryReport
    ) -> None:
        """Reads a document where it stands, and stores it if it has changed."""
        was = (known.digest, known.validator) if known else ("", "")
        try:
            loaded = await waited(begun(load, name, *was, self.config), LONGEST_SECONDS)
        except TimeoutError:
            report.problems.append(Problem(name, f"reading it took over {LONGEST_SECONDS} s"))
            return
        except (NotFound, BadInput, Unreachable, Unsupported) as error:
            if known and isinstance(error, NotFound):
                report.vanished.append(name)
            else:
                report.problems.append(Problem(name, str(error)))
            return
        if loaded is not None:
            await self._store(loaded, scope, report)
        elif known is not None:
            report.unchanged += 1
            report.passages_kept += known.passages

    async def _store(self, loaded: Loaded, scope: Scope, report: LibraryReport) -> None:
        """Makes what is stored of a document what it says now, in one transaction."""
        now = self.clock.now()

        async def stored(tx: Connection) -> tuple[Journal, LibraryReport]:
            journal = Journal(now)
            held = await self.documents.hold(tx, scope, loaded.name, now)
            old = await self.documents.passages(tx, held.id)
            if held.digest == loaded.digest:  # another process was faster
                return journal, LibraryReport(unchanged=1, passages_kept=len(old))
            done = await self._settle(tx, held, old, loaded, journal)
            await self.documents.describe(tx, held.id, loaded, now)
            if held.digest:
                done.updated = 1
            else:
                done.added = 1
            kind = "document.updated" if held.digest else "document.added"
            self._note(journal, kind, held.id, loaded.name, done)
            await self.audit.add(tx, now, journal.entries)
            return journal, done

        journal, done = await transact(self.db, stored)
        journal.publish(self.bus)
        report += done

    async def _settle(
        self,
        tx: Connection,
        document: KnownDocument,
        old: Sequence[Placed],
        loaded: Loaded,
        journal: Journal,
    ) -> LibraryReport:
        """Passages that stay keep their lesson, those that vanished go, new ones come."""
        drafts = drafts_of(loaded, document.id, document.scope, journal.at)
        found, gone = settled(old, drafts)
        await self._remove_lessons(tx, gone)
        passages = [(await self._lesson_of(tx, one, journal), one.draft) for one in found]
        await self.documents.place(tx, document.id, passages)
        added = sum(one.before is None for one in found)
        return LibraryReport(
            passages_added=added,
            passages_kept=len(found) - added,
            passages_removed=len(gone),
        )

    async def _lesson_of(self, tx: Connection, passage: Settled, journal: Journal) -> str:
        """The id of the lesson that the passage is, as it should be now."""
        if passage.before is None:
            lesson, _ = await self.lessons.add(tx, passage.draft, journal.at)
            journal.events.append(LessonLearned(journal.at, lesson.id, lesson.kind))
            return lesson.id
        name = passage.before.lesson_id
        if passage.has_moved and (lesson := await self.lessons.find(tx, name)):
            await self.lessons.resettle(tx, lesson, passage.draft, journal.at)
            belief = lesson.confidence
            reason = "it moved in its document"
            journal.events.append(LessonChanged(journal.at, name, belief, belief, reason))
        return name

    async def _remove(self, document: KnownDocument, report: LibraryReport) -> None:
        now = self.clock.now()

        async def removed(tx: Connection) -> LibraryReport:
            journal = Journal(now)
            gone = await self.documents.passages(tx, document.id)
            await self._remove_lessons(tx, gone)
            if not await self.documents.remove(tx, document.id):
                return LibraryReport()  # another process was faster
            done = LibraryReport(removed=1, passages_removed=len(gone))
            self._note(journal, "document.removed", document.id, document.name, done)
            await self.audit.add(tx, now, journal.entries)
            return done

        report += await transact(self.db, removed)

    async def _remove_lessons(self, tx: Connection, passages: Sequence[Placed]) -> None:
        for passage in passages:
            if lesson := await self.lessons.find(tx, passage.lesson_id):
                await self.lessons.remove(tx, lesson)

    def _note(
        self, journal: Journal, kind: str, document_id: str, name: str, done: LibraryReport
    ) -> None:
        counts = (done.passages_added, done.passages_kept, done.passages_removed)
        passages = dict(zip(("added", "kept", "removed"), counts, strict=True))
        journal.write(kind, document_id, {"name": name, "passages": passages})


def _names(sources: Iterable[Source], report: LibraryReport) -> Iterator[str]:
    """Each document that the sources stand for, once; a source that stands for none is reported."""
    seen: set[str] = set()
    for source in sources:
        try:
            names = list(names_of(source))
        except SeasonedError as error:
            report.problems.append(Problem(str(source), str(error)))
            continue
        if not names:
            report.problems.append(Problem(str(source), NO_DOCUMENTS))
        yield from (name for name in names if not (name in seen or seen.add(name)))
