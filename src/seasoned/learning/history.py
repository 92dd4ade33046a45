"""Learns from transcripts that people already have: each call once, however often it is read."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeVar

from seasoned.core.bus import Bus
from seasoned.core.clock import Clock
from seasoned.core.ids import digest
from seasoned.core.messages import Message
from seasoned.core.scope import Scope
from seasoned.core.tool_result import ToolResult
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.learning.engine import Engine
from seasoned.learning.failure import failure_of
from seasoned.learning.journal import Journal
from seasoned.learning.learner import BEFORE, Learned, Learner
from seasoned.learning.retold import Retold
from seasoned.security.audit import AuditStore
from seasoned.transcripts.item import Item, Problem
from seasoned.transcripts.reader import format_of, read

T = TypeVar("T")

MOST_SHOWN = 1000  # rules of one run that are told of
CHUNK = 200  # calls per transaction: an interrupted run loses none that was counted


@dataclass(slots=True)
class HistoryReport:
    """What reading the transcripts came to."""

    files: int = 0
    skipped_files: int = 0  # learned to their end before
    calls: int = 0
    failures: int = 0
    known_calls: int = 0  # learned before
    messages: int = 0
    corrections: int = 0  # of the assistant, by a user
    known_corrections: int = 0  # learned from before
    rules: list[Learned] = field(default_factory=list[Learned])  # what came of each correction
    sessions: set[str] = field(default_factory=set[str])
    formats: Counter[str] = field(default_factory=Counter[str])
    problems: list[Problem] = field(default_factory=list[Problem])


Progress = Callable[[Path, HistoryReport], None]


class History:
    """Owns `learned_calls` and `learned_files`."""

    def __init__(
        self,
        db: Database,
        engine: Engine,
        learner: Learner | None,
        audit: AuditStore,
        bus: Bus,
        clock: Clock,
    ) -> None:
        self.db = db
        self.engine = engine
        self.learner = learner
        self.audit = audit
        self.bus = bus
        self.clock = clock

    async def learn(
        self, files: Iterable[Path], scope: Scope, progress: Progress | None = None
    ) -> HistoryReport:
        """Reads the files in their order and learns from every call that is new."""
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
        report.formats[format_of(path) or "unknown"] += 1
        before, broken = report.calls, len(report.problems)
        retold = Retold(scope, self.clock.now())
        for chunk in _chunks(read(path), CHUNK):
            await self._learn_chunk(chunk, scope, report)
            await self._learn_rules(chunk, retold, report)
            if progress:
                progress(path, report)
        if mark and len(report.problems) == broken:
            await self._remember(mark, path, report.calls - before)

    async def _learn_chunk(
        self, items: Sequence[Item], scope: Scope, report: HistoryReport
    ) -> None:
        report.problems += [item for item in items if isinstance(item, Problem)]
        report.messages += sum(isinstance(item, Message) for item in items)
        calls = [item for item in items if isinstance(item, ToolResult)]
        if not calls:
            return

        async def learned(tx: Connection) -> tuple[Journal, list[ToolResult]]:
            journal = Journal(self.clock.now())
            fresh = [call for call in calls if await self._is_fresh(tx, call, scope)]
            for call in fresh:
                await self.engine.observe_within(tx, call, scope, journal, hints=False)
            if journal.entries:
                await self.audit.add(tx, journal.at, journal.entries)
            return journal, fresh

        journal, fresh = await transact(self.db, learned)
        journal.publish(self.bus)
        report.calls += len(fresh)
        report.known_calls += len(calls) - len(fresh)
        report.failures += sum(failure_of(call) is not None for call in fresh)
        report.sessions.update(call.session for call in fresh)

    async def _learn_rules(
        self, items: Sequence[Item], retold: Retold, report: HistoryReport
    ) -> None:
        """Learns from each correction in these items; what fails waits in the queue."""
        if self.learner is None:
            return
        cases = [case for item in items if (case := retold.take(item)) is not None]
        for case in cases:
            learned = await self.learner.learn_from(case)
            report.corrections += learned.reason != BEFORE
            report.known_corrections += learned.reason == BEFORE
            if learned.rule is not None and len(report.rules) < MOST_SHOWN:
                report.rules.append(learned)

    async def _is_fresh(self, tx: Connection, call: ToolResult, scope: Scope) -> bool:
        """Takes the call's name; False when it was taken before."""
        if call.id is None:
            return True
        name = digest(scope.tenant, scope.project, call.id)
        added = await tx.execute(
            "INSERT INTO learned_calls (id) VALUES (?) ON CONFLICT (id) DO NOTHING", (name,)
        )
        return added > 0

    async def _is_learned(self, mark: str) -> bool:
        async with self.db.read() as tx:
            return bool(await tx.fetch_one("SELECT 1 FROM learned_files WHERE digest = ?", (mark,)))

    async def _remember(self, mark: str, path: Path, calls: int) -> None:
        async with self.db.write() as tx:
            await tx.execute(
                "INSERT INTO learned_files (digest, path, calls, at) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (digest) DO NOTHING",
                (mark, str(path), calls, self.clock.now()),
            )


def _mark(path: Path, scope: Scope) -> str | None:
    """The file's content and who learns it, as one name; None when it cannot be read."""
    try:
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "blake2b").hexdigest()
    except OSError:
        return None  # the reader says so, with its reason
    return digest(scope.tenant, scope.project, content)


def _chunks(items: Iterator[T], size: int) -> Iterator[list[T]]:
    while chunk := list(islice(items, size)):
        yield chunk
