"""Learn from transcripts; each call counts once, however often its file is read."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeVar

from seasoned.core.ids import digest
from seasoned.core.messages import Message, ToolResult
from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.db.unit import Change
from seasoned.fixes.engine import Engine
from seasoned.fixes.failure import failure_of
from seasoned.rules.learner import LEARNED_BEFORE, CaseResult, Learner
from seasoned.transcripts.corrections import CorrectionFinder
from seasoned.transcripts.item import Item, TranscriptProblem
from seasoned.transcripts.reader import read, recognised

T = TypeVar("T")

MOST_SHOWN = 1000  # rules of one run that the report lists
CHUNK = 200  # items per transaction; an interrupted run keeps every chunk that was committed


@dataclass(slots=True)
class HistoryReport:
    """Counts of files, calls and corrections, with rules learned and problems met."""

    files: int = 0
    skipped_files: int = 0  # learned to their end before
    calls: int = 0
    failures: int = 0
    known_calls: int = 0  # learned before
    messages: int = 0
    corrections: int = 0  # of the assistant, by a user
    known_corrections: int = 0  # learned from before
    unattributed: int = 0  # corrections by nobody knows whom; nothing is learned from them
    rules: list[CaseResult] = field(default_factory=list[CaseResult])
    sessions: set[str] = field(default_factory=set[str])
    formats: Counter[str] = field(default_factory=Counter[str])
    problems: list[TranscriptProblem] = field(default_factory=list[TranscriptProblem])


Progress = Callable[[Path, HistoryReport], None]


class TranscriptLearner:
    """Owns `learned_calls` and `learned_files`."""

    def __init__(self, engine: Engine, learner: Learner | None) -> None:
        self.unit = engine.unit
        self.engine = engine
        self.learner = learner

    async def learn(
        self, files: Iterable[Path], scope: Scope, progress: Progress | None = None
    ) -> HistoryReport:
        """Read files in order, and learn from every call and correction that is new."""
        report = HistoryReport()
        if not self.engine.config.enabled:
            return report
        for path in files:
            await self._learn_file(path, scope, report, progress)
            if progress:
                progress(path, report)
        return report

    async def _learn_file(
        self, path: Path, scope: Scope, report: HistoryReport, progress: Progress | None
    ) -> None:
        mark = _mark(path, scope)
        if mark and await self._is_learned(mark):
            report.skipped_files += 1
            return
        report.files += 1
        found = recognised(path)
        report.formats[found.name if found else "unknown"] += 1
        # Somebody's wishes are that person's; only an operator speaks for the project.
        attributed = bool(scope.user) or (found is not None and found.by_operator)
        before, broken = report.calls, len(report.problems)
        corrections = CorrectionFinder(scope, self.unit.now())
        for chunk in _chunks(read(path), CHUNK):
            await self._learn_chunk(chunk, scope, report)
            await self._learn_rules(chunk, corrections, report, attributed=attributed)
            if progress:
                progress(path, report)
        if mark and len(report.problems) == broken:
            await self._remember(mark, path, report.calls - before)

    async def _learn_chunk(
        self, items: Sequence[Item], scope: Scope, report: HistoryReport
    ) -> None:
        report.problems += [item for item in items if isinstance(item, TranscriptProblem)]
        report.messages += sum(isinstance(item, Message) for item in items)
        calls = [item for item in items if isinstance(item, ToolResult)]
        if not calls:
            return

        async def learned(change: Change) -> list[ToolResult]:
            fresh = [call for call in calls if await self._is_fresh(change, call, scope)]
            for call in fresh:
                await self.engine.observe_within(change, call, scope, hints=False)
            return fresh

        fresh = await self.unit.change(learned)
        report.calls += len(fresh)
        report.known_calls += len(calls) - len(fresh)
        report.failures += sum(failure_of(call) is not None for call in fresh)
        report.sessions.update(call.session for call in fresh)

    async def _learn_rules(
        self,
        items: Sequence[Item],
        corrections: CorrectionFinder,
        report: HistoryReport,
        *,
        attributed: bool,
    ) -> None:
        """Learn from each correction in these items; failed ones wait in the queue."""
        if self.learner is None:
            return
        cases = [case for item in items if (case := corrections.take(item)) is not None]
        if not attributed:
            report.unattributed += len(cases)
            return
        for case in cases:
            learned = await self.learner.learn_from(case)
            report.corrections += learned.reason != LEARNED_BEFORE
            report.known_corrections += learned.reason == LEARNED_BEFORE
            if learned.rule is not None and len(report.rules) < MOST_SHOWN:
                report.rules.append(learned)

    async def _is_fresh(self, tx: Connection, call: ToolResult, scope: Scope) -> bool:
        """Mark the call as learned; False if it was already."""
        if call.id is None:
            return True
        name = digest(scope.tenant, scope.project, call.id)
        added = await tx.execute(
            "INSERT INTO learned_calls (id) VALUES (?) ON CONFLICT (id) DO NOTHING", (name,)
        )
        return added > 0

    async def _is_learned(self, mark: str) -> bool:
        async with self.unit.read() as tx:
            return bool(await tx.fetch_one("SELECT 1 FROM learned_files WHERE digest = ?", (mark,)))

    async def _remember(self, mark: str, path: Path, calls: int) -> None:
        async with self.unit.db.write() as tx:
            await tx.execute(
                "INSERT INTO learned_files (digest, path, calls, at) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (digest) DO NOTHING",
                (mark, str(path), calls, self.unit.now()),
            )


def _mark(path: Path, scope: Scope) -> str | None:
    """Digest the file's content and the learning scope; None if the file cannot be read."""
    try:
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "blake2b").hexdigest()
    except OSError:
        return None  # the reader reports it
    whose = (scope.user,) if scope.user else ()
    return digest(scope.tenant, scope.project, *whose, content)


def _chunks(items: Iterator[T], size: int) -> Iterator[list[T]]:
    while chunk := list(islice(items, size)):
        yield chunk
