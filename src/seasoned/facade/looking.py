"""Looks at what was learned, takes it back, and takes it elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seasoned.core.errors import BadInput
from seasoned.facade.opened import Opened
from seasoned.learning.lesson import KINDS, STATUSES, Lesson

if TYPE_CHECKING:
    from seasoned.faces.feedback import Moment
    from seasoned.learning.error_store import KnownError
    from seasoned.learning.explanation import Explanation
    from seasoned.learning.export_report import ExportReport
    from seasoned.learning.history import HistoryReport, Progress
    from seasoned.learning.tool_records import ToolRecord
    from seasoned.recall.search import Hit
    from seasoned.security.audit import AuditReport


class Looking(Opened):
    """Search, list, explain, forget, export."""

    async def search(
        self, query: str, *, session: str | None = None, limit: int = 10
    ) -> Sequence[Hit]:
        """The lessons that fit a request best, with no floor: to look around in what there is."""
        if limit < 0:
            raise BadInput(f"limit is {limit}; it must be 0 or more")
        scope = self.scope.within(session or self._session())
        found = await self._run(self.app.search.find(query, scope, wanted=None, most=limit))
        return found.hits

    async def learn(
        self, paths: Iterable[str | PathLike[str]], *, progress: Progress | None = None
    ) -> HistoryReport:
        """Learns from old transcripts: files, or folders of them."""
        from seasoned.transcripts.files import transcript_files

        files = list(transcript_files([Path(path) for path in paths]))
        return await self._run(self.app.history.learn(files, self.scope, progress))

    async def lessons(
        self,
        *,
        kind: str | None = None,
        status: str | None = None,
        tool: str | None = None,
        limit: int = 50,
    ) -> Sequence[Lesson]:
        """What was learned, the newest first; what was imported is in `knowledge`."""
        _one_of("kind", kind, KINDS)
        _one_of("status", status, STATUSES)

        async def listed() -> Sequence[Lesson]:
            async with self.app.db.read() as tx:
                return await self.app.lessons.list(
                    tx, self.scope, kind=kind, status=status, tool=tool, limit=limit
                )

        return await self._run(listed())

    async def lesson(self, name: str) -> Lesson:
        """One lesson, by its id or the beginning of it."""

        async def found() -> Lesson:
            async with self.app.db.read() as tx:
                return await self.app.lessons.get(tx, name, self.scope)

        return await self._run(found())

    async def errors(self, *, limit: int = 20) -> Sequence[KnownError]:
        """The error patterns seen, the most frequent first."""

        async def listed() -> Sequence[KnownError]:
            async with self.app.db.read() as tx:
                return await self.app.errors.list(tx, self.scope, limit=limit)

        return await self._run(listed())

    async def tools(self, *, limit: int = 50) -> Sequence[ToolRecord]:
        """How each tool performed, the busiest first."""

        async def listed() -> Sequence[ToolRecord]:
            async with self.app.db.read() as tx:
                return await self.app.tools.list(tx, self.scope, limit)

        return await self._run(listed())

    async def forget(self, name: str, *, erase: bool = False) -> Lesson:
        """Retires a lesson; with `erase`, its words are taken away for good as well."""
        return await self._run(self.app.teacher.forget(name, self.scope, erase=erase))

    async def why(self, name: str) -> Explanation:
        """Why a lesson is believed: its evidence, its error, its episodes, its audit events."""
        return await self._run(self.app.explainer.why(name, self.scope))

    async def status(self) -> dict[str, Any]:
        """What there is, in numbers."""
        return await self._run(self.app.status(self.scope))

    async def verify_audit(self) -> AuditReport:
        """Checks that no event of the audit was changed, removed or inserted."""
        return await self._run(self.app.audit.verify())

    async def export(
        self,
        kind: str,
        path: str | PathLike[str],
        *,
        format: str | None = None,  # noqa: A002 - what it is called
        dimension: str | None = None,
        source: str | None = None,
        model: str | None = None,
        least_confidence: float | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        samples: bool = False,
        chat: bool = False,
        keep_pii: bool = False,
        with_corrections: bool = False,
    ) -> ExportReport:
        """Writes what was judged as data to train with: dpo, kto, reward or sft, and a datasheet.

        The file's name says the format (.jsonl, .parquet), or `format` does. `samples` makes a
        reward file of single answers with their worth, `chat` messages instead of plain texts.
        Personal data is taken out unless `keep_pii`; `with_corrections` adds what users corrected
        and the examples there are.
        """
        from seasoned.faces.export import exported

        work = exported(
            self.app.export,
            self.scope,
            kind,
            path,
            format=format,
            dimension=dimension,
            source=source,
            model=model,
            least_confidence=least_confidence,
            since=since,
            until=until,
            samples=samples,
            chat=chat,
            keep_pii=keep_pii,
            with_corrections=with_corrections,
        )
        return await self._run(work)


def _one_of(name: str, value: str | None, allowed: Sequence[str]) -> None:
    if value is not None and value not in allowed:
        raise BadInput(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")
