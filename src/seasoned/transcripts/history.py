"""Learn from transcripts; each call counts once, however often its file is read."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeVar

from seasoned.core.authority import owner
from seasoned.core.ids import digest
from seasoned.core.messages import Message, ToolResult
from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.db.unit import Change
from seasoned.errors.nature import nature_of
from seasoned.fixes.engine import Engine
from seasoned.fixes.failure import failure_of
from seasoned.rules.learner import LEARNED_BEFORE, CaseResult, Learner
from seasoned.transcripts.containers import content_digest
from seasoned.transcripts.corrections import CorrectionFinder
from seasoned.transcripts.item import Item, LeftOut, TranscriptProblem
from seasoned.transcripts.reader import Reading
from seasoned.transcripts.session_scopes import SessionScopes

T = TypeVar("T")

MOST_SHOWN = 1000  # rules of one run that the report lists
CHUNK = 200  # items per transaction; an interrupted run keeps every chunk that was committed


@dataclass(slots=True)
class ProjectReport:
    """Counts of one project's sessions, and of what taught nothing."""

    sessions: set[str] = field(default_factory=set[str])
    users: set[str] = field(default_factory=set[str])
    calls: int = 0
    failures: int = 0
    natures: Counter[str] = field(default_factory=Counter[str])  # of the failures
    corrections: int = 0
    without_rule: Counter[str] = field(default_factory=Counter[str])  # corrections, by reason


@dataclass(slots=True)
class UnusedPart:
    """What teaches nothing in the files of one format, for one reason."""

    format: str
    reason: str
    thing: str  # that is counted, in the singular; empty for whole files
    count: int = 0
    files: list[Path] = field(default_factory=list[Path])


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
    unused: list[UnusedPart] = field(default_factory=list[UnusedPart])
    projects: dict[str, ProjectReport] = field(default_factory=dict[str, ProjectReport])

    def of(self, scope: Scope) -> ProjectReport:
        """Return the part of the scope's project."""
        return self.projects.setdefault(scope.project, ProjectReport())

    def leave_out(self, format_: str, item: LeftOut) -> None:
        """Count what teaches nothing."""
        key = (format_, item.reason, item.thing)
        known = (one for one in self.unused if (one.format, one.reason, one.thing) == key)
        part = next(known, None)
        if part is None:
            part = UnusedPart(*key)
            self.unused.append(part)
        part.files.append(item.path)
        part.count += item.count


Progress = Callable[[Path, HistoryReport], None]


class TranscriptLearner:
    """Owns `learned_calls` and `learned_files`."""

    def __init__(self, engine: Engine, learner: Learner | None) -> None:
        self.unit = engine.unit
        self.engine = engine
        self.learner = learner

    async def learn(
        self,
        files: Sequence[Path],
        scope: Scope,
        progress: Progress | None = None,
        *,
        project: str | None = None,
        person: str = "",
        realm: Scope | None = None,
    ) -> HistoryReport:
        """Read files in order, and learn from every call and correction that is new.

        Each session teaches its own project and user, see `SessionScopes`; sessions outside of the
        realm teach nothing and are reported.
        """
        report = HistoryReport()
        if not self.engine.config.enabled:
            return report
        scopes = SessionScopes(scope, project=project, person=person, realm=realm)
        scopes.look_ahead(files)
        for path in files:
            await self._learn_file(path, scopes, report, progress)
            if progress:
                progress(path, report)
        return report

    async def _learn_file(
        self,
        path: Path,
        scopes: SessionScopes,
        report: HistoryReport,
        progress: Progress | None,
    ) -> None:
        mark = _mark(path, scopes.default)
        if mark and await self._is_learned(mark):
            report.skipped_files += 1
            return
        report.files += 1
        reading = Reading(path)
        before, broken = report.calls, len(report.problems)
        scopes.begin_file()
        corrections = CorrectionFinder(self.unit.now())
        for chunk in _chunks(iter(reading), CHUNK):
            report.problems += [item for item in chunk if isinstance(item, TranscriptProblem)]
            report.messages += sum(isinstance(item, Message) for item in chunk)
            for item in chunk:
                if isinstance(item, LeftOut):
                    report.leave_out(reading.format or "unknown", item)
            located = scopes.located(chunk)
            await self._learn_calls(located, report)
            await self._learn_rules(located, corrections, scopes, report)
            if progress:
                progress(path, report)
        report.formats[reading.format or "unknown"] += 1
        report.problems += [
            TranscriptProblem(path, 0, f"session {name} belongs to {owner(scope)}: left out")
            for name, scope in scopes.foreign.items()
        ]
        if mark and len(report.problems) == broken:
            await self._remember(mark, path, report.calls - before)

    async def _learn_calls(
        self, items: Sequence[tuple[Item, Scope]], report: HistoryReport
    ) -> None:
        calls = [(item, scope) for item, scope in items if isinstance(item, ToolResult)]
        if not calls:
            return

        async def learned(change: Change) -> list[tuple[ToolResult, Scope]]:
            fresh = [one for one in calls if await self._is_fresh(change, *one)]
            for call, scope in fresh:
                await self.engine.observe_within(change, call, scope, hints=False)
            return fresh

        fresh = await self.unit.change(learned)
        report.known_calls += len(calls) - len(fresh)
        for call, scope in fresh:
            _count(report, call, scope)

    async def _learn_rules(
        self,
        items: Sequence[tuple[Item, Scope]],
        corrections: CorrectionFinder,
        scopes: SessionScopes,
        report: HistoryReport,
    ) -> None:
        """Learn from each correction in these items; failed ones wait in the queue."""
        if self.learner is None:
            return
        found = [case for one in items if (case := corrections.take(*one)) is not None]
        # A wish is its speaker's. One of nobody knows whom must not become everybody's rule.
        cases = [case for case in found if scopes.knows_speaker(case.scope)]
        report.unattributed += len(found) - len(cases)
        for case in cases:
            learned = await self.learner.learn_from(case)
            if learned.reason == LEARNED_BEFORE:
                report.known_corrections += 1
                continue
            project = report.of(case.scope)
            report.corrections += 1
            project.corrections += 1
            project.users.add(case.scope.user)
            if learned.rule is None:
                project.without_rule[learned.reason] += 1
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


def _count(report: HistoryReport, call: ToolResult, scope: Scope) -> None:
    project = report.of(scope)
    project.users.add(scope.user)
    failure = failure_of(call)
    for counts in (report, project):
        counts.calls += 1
        counts.failures += failure is not None
        counts.sessions.add(call.session)
    if failure is not None:
        nature = nature_of(failure, call.params, refused=call.refused, cancelled=call.cancelled)
        project.natures[nature] += 1


def _mark(path: Path, scope: Scope) -> str | None:
    """Digest the file's content and the learning scope; None if the file cannot be read."""
    try:
        content = content_digest(path)
    except OSError:
        return None  # the reader reports it
    whose = (scope.user,) if scope.user else ()
    return digest(scope.tenant, scope.project, *whose, content)


def _chunks(items: Iterator[T], size: int) -> Iterator[list[T]]:
    while chunk := list(islice(items, size)):
        yield chunk
