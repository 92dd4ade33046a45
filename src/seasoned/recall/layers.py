"""Fill the layers of a context: from the stores, and from sources that other rooms provide.

Nothing may hold up the turn. Postgres answers each pipeline on its own connection, and a slow
part is cut off; SQLite answers one part after the other, and skips those that come too late. Each
source runs in a thread of its own. A note names everything that was left out.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING

from seasoned.core.scope import Scope
from seasoned.core.text import one_line, storable
from seasoned.core.threads import run_in_thread, wait_for
from seasoned.db.database import Connection, Database
from seasoned.fixes.tool_records import ToolRecordStore
from seasoned.lessons.embedding import QueryVector
from seasoned.lessons.lesson import ACTIVE_FROM, Lesson, Source
from seasoned.lessons.lesson_store import LessonStore
from seasoned.recall.context import (
    ContextEntry,
    Layer,
    LayerRequest,
    LayerSource,
    RecallRequest,
    layer_of,
)
from seasoned.recall.prompt_block import LONGEST_LINE, line_for
from seasoned.recall.ranking import credibility
from seasoned.recall.relevance import RULES, involves, names_tool
from seasoned.recall.search import Hit, PreparedQuery, Search, SearchFilter, query_stems

if TYPE_CHECKING:
    from seasoned.recall.graph_rag import GraphRag

log = logging.getLogger("seasoned.recall")

LESSONS: tuple[Source, ...] = ("operator", "user", "episode", "model")
DOCUMENTS: tuple[Source, ...] = ("document",)
OF_TOOLS = SearchFilter(RULES, sources=LESSONS)  # a rule names few of the tools at hand
HOLDS = "holds in every turn"
MOST_AT_ONCE = 16  # open requests per source, so that one that hangs cannot pile up threads

Entries = Sequence[ContextEntry]
Reader = Callable[[Connection, str, Scope, int], Awaitable[Sequence[str]]]
Part = Callable[[Connection], Awaitable[Entries]]
Pipeline = Mapping[str, Part]  # parts by name, one after the other
Answer = Future[list[str]]


@dataclass(frozen=True, slots=True)
class RecallConfig:
    limit: int = 3  # entries per layer
    standing: int = 10
    floor: float = 0.33  # below this relevance, a lesson is noise
    least_confidence: float = ACTIVE_FROM
    budget_tokens: int = 1200
    tool_bonus: float = 0.2  # for a lesson about the tool that is about to be used
    seconds: float = 1.0  # that a pipeline may take


class Layers:
    """The layers that are read from the stores."""

    def __init__(
        self,
        db: Database,
        lessons: LessonStore,
        tools: ToolRecordStore,
        search: Search,
        graph_rag: "GraphRag | None",
        config: RecallConfig,
    ) -> None:
        self.db = db
        self.lessons = lessons
        self.tools = tools
        self.search = search
        self.graph_rag = graph_rag
        self.config = config

    async def standing(self, tx: Connection, request: RecallRequest) -> list[ContextEntry]:
        """Rules and preferences that are tied to no situation."""
        sure, most = self.config.least_confidence, self.config.standing
        lessons = await self.lessons.standing(tx, request.scope, sure, most)
        return [
            ContextEntry(layer_of(lesson), line_for(lesson), 1.0, HOLDS, lesson.source, lesson)
            for lesson in lessons
        ]

    async def tool_records(self, tx: Connection, request: RecallRequest) -> list[ContextEntry]:
        """How the tools perform; the one in use only if it often fails."""
        names = sorted({*request.tools, *request.watched, request.tool or ""} - {""})
        if not names:
            return []
        records = await self.tools.named(tx, request.scope, names)
        return [
            ContextEntry("tools", f"• {record.line}", record.failing, "is at hand", "tools")
            for record in records
            if record.name in request.tools or record.often_fails
        ]

    async def learned(
        self,
        tx: Connection,
        request: RecallRequest,
        query: PreparedQuery,
        most: int,
        words_alone: set[str],
    ) -> list[ContextEntry]:
        """Lessons that fit the request; with a tool and no such lesson, the tool's best fix."""
        # A lesson about the tool in use may be less like the request.
        floor = self.config.floor - (self.config.tool_bonus if request.tool else 0)
        wanted = SearchFilter(sources=LESSONS, relevance=floor)
        found = await self.search.answer(tx, query, request.scope, wanted, 4 * most + 8)
        words_alone |= {found.note} - {""}
        entries = [
            entry
            for hit in found.hits
            if (entry := self._entry(hit, request.tool))
            and (_is_about(hit.lesson, request.tool) or involves(request.query, hit.lesson))
        ]
        if request.tool and not entries:
            entries = await self._best_fix(tx, request.scope, request.tool)
        return [*entries, *await self._rules_of_tools(tx, request, most)]

    async def _rules_of_tools(
        self, tx: Connection, request: RecallRequest, most: int
    ) -> list[ContextEntry]:
        """Rules that name a tool at hand, whatever the request says."""
        tools = sorted({*request.tools, *request.watched, request.tool or ""} - {""})
        stems = query_stems(" ".join(tools))
        if not stems:
            return []
        named = PreparedQuery(stems, QueryVector())
        found = await self.search.answer(tx, named, request.scope, OF_TOOLS, 4 * most + 8)
        entries: list[ContextEntry] = []
        for hit in found.hits:
            tool = next((one for one in tools if names_tool(hit.lesson, one)), "")
            if tool and self._is_sure(hit.lesson):
                layer, line = layer_of(hit.lesson), line_for(hit.lesson)
                score = self.config.floor * credibility(hit.lesson, self.search.clock.now())
                why = f"names {one_line(tool, 80)}, which is at hand"
                source = hit.lesson.source
                entries.append(ContextEntry(layer, line, score, why, source, hit.lesson))
        return entries

    async def documents(
        self,
        tx: Connection,
        request: RecallRequest,
        query: PreparedQuery,
        most: int,
        words_alone: set[str],
    ) -> list[ContextEntry]:
        wanted = SearchFilter(sources=DOCUMENTS, relevance=self.config.floor)
        found = await self.search.answer(tx, query, request.scope, wanted, 2 * most)
        words_alone |= {found.note} - {""}
        return [entry for hit in found.hits if (entry := self._entry(hit, None))]

    async def connected(self, request: RecallRequest, found: Entries) -> list[ContextEntry]:
        """Lessons and statements that the graph connects with those found."""
        if self.graph_rag is None or not found:
            return []
        async with self.db.read() as tx:
            return await self.graph_rag.connected(tx, found, request.scope)

    async def _best_fix(self, tx: Connection, scope: Scope, tool: str) -> list[ContextEntry]:
        """Return the one fix of a tool with the most evidence."""
        fixes = await self.lessons.list(tx, scope, kind="fix", status="active", tool=tool)
        sure = [one for one in fixes if self._is_sure(one)]
        if not sure:
            return []
        best = max(sure, key=lambda lesson: (lesson.explicit, lesson.belief.worked))
        score = self.config.floor * credibility(best, self.search.clock.now())
        why = f"the best known fix for {tool}"
        return [ContextEntry("lessons", line_for(best), score, why, best.source, best)]

    def _entry(self, hit: Hit, tool: str | None) -> ContextEntry | None:
        """Turn a hit into an entry; None if it is irrelevant or not believed enough."""
        lesson, match = hit.lesson, hit.match
        relevance, score = match.relevance, hit.score
        why = f"shares {match.covered:.0%} of the request's words"
        if match.likeness is not None:
            why += f", similarity {match.likeness:.2f}"
        if tool and _is_about(lesson, tool):
            relevance += self.config.tool_bonus
            score += self.config.tool_bonus
            why += f", is about {tool}"
        if relevance < self.config.floor or not self._is_sure(lesson):
            return None
        layer, line = layer_of(lesson), line_for(lesson)
        return ContextEntry(layer, line, score, why, lesson.source, lesson, match)

    def _is_sure(self, lesson: Lesson) -> bool:
        return lesson.confidence >= self.config.least_confidence and lesson.verdict != "harms"


def _is_about(lesson: Lesson, tool: str | None) -> bool:
    return tool is not None and lesson.fix is not None and lesson.fix.tool == tool


async def read_pipelines(
    db: Database, pipelines: Sequence[Pipeline], seconds: float
) -> tuple[dict[str, Entries], list[str]]:
    """Read all parts within a time; return their entries by name, and notes for those skipped."""
    notes: list[str] = []
    ends = time.monotonic() + seconds

    async def read(part: Part) -> Entries:
        async with db.read() as tx:
            return await part(tx)

    async def read_in_time(name: str, part: Part) -> Entries:
        left = ends - time.monotonic()
        try:
            if left <= 0:
                raise TimeoutError
            return await (_cut_off(read(part), left) if db.overlaps else read(part))
        except TimeoutError:
            notes.append(f"{name}: cut off after {seconds:g} s")
            return ()

    async def run(parts: Pipeline) -> list[tuple[str, Entries]]:
        return [(name, await read_in_time(name, part)) for name, part in parts.items()]

    if db.overlaps:
        import asyncio  # late: it is slow to load, and SQLite does without

        found = await asyncio.gather(*map(run, pipelines))
    else:
        found = [await run(parts) for parts in pipelines]
    return dict(chain.from_iterable(found)), notes


async def _cut_off(work: Awaitable[Entries], seconds: float) -> Entries:
    import asyncio

    return await asyncio.wait_for(work, seconds)


@dataclass(frozen=True, slots=True)
class SourceAnswers:
    """Answers of sources under way, their deadline, and notes about sources not asked."""

    answers: Mapping[Layer, Answer]
    until: float
    notes: Sequence[str] = ()


class Sources:
    """The layers that others fill, by at most one source each."""

    def __init__(self) -> None:
        self._sources: dict[Layer, LayerSource] = {}
        self._gates: dict[Layer, Callable[[], bool]] = {}
        self._running: defaultdict[Layer, list[Answer]] = defaultdict(list)

    def provide(
        self, layer: Layer, source: LayerSource, when: Callable[[], bool] | None = None
    ) -> None:
        """Set a layer's source; `when` returns at once whether it needs to be asked."""
        self._sources[layer] = source
        self._gates.pop(layer, None)
        if when is not None:
            self._gates[layer] = when

    def fills(self, layer: Layer) -> bool:
        return layer in self._sources

    def begin(self, request: LayerRequest, seconds: float) -> SourceAnswers:
        """Ask every source at once, except those that are stuck."""
        answers: dict[Layer, Answer] = {}
        notes: list[str] = []
        for layer, source in self._sources.items():
            if layer in self._gates and not self._gates[layer]():
                continue
            running = [answer for answer in self._running[layer] if not answer.done()]
            if len(running) < MOST_AT_ONCE:
                answers[layer] = run_in_thread(_lines, source, request)
                running.append(answers[layer])
            else:
                notes.append(f"{layer}: its source is stuck in {len(running)} earlier requests")
            self._running[layer] = running
        return SourceAnswers(answers, time.monotonic() + seconds, notes)


async def gather_sources(asked: SourceAnswers) -> tuple[list[ContextEntry], list[str]]:
    """Return the answers that came in time, and notes for sources that failed or were slow."""
    entries: list[ContextEntry] = []
    notes = list(asked.notes)
    for layer, answer in asked.answers.items():
        try:
            lines = await wait_for(answer, asked.until - time.monotonic())
        except TimeoutError:
            notes.append(f"{layer}: cut off, its source took too long")
        except Exception as error:  # a source must not break the turn
            log.exception("the source of layer %s failed", layer)
            notes.append(f"{layer}: its source failed ({type(error).__name__}: {error})")
        else:
            entries += entries_of(layer, lines)
    return entries, notes


def _lines(source: LayerSource, request: LayerRequest) -> list[str]:
    """Take as many lines as are wanted; a source may yield without end."""
    lines = (one_line(storable(line), LONGEST_LINE) for line in as_lines(source(request)))
    return list(islice(filter(None, lines), request.most))


def as_lines(given: Iterable[str]) -> Iterable[str]:
    """Treat a bare string as one line, not as a line per letter.

    >>> as_lines("be kind"), as_lines(["be", "kind"])
    (['be kind'], ['be', 'kind'])
    """
    return [given] if isinstance(given, str) else given


def entries_of(layer: Layer, lines: Sequence[str]) -> list[ContextEntry]:
    """Turn the lines of a source into entries."""
    return [
        ContextEntry(layer, f"• {line}", 1.0, f"its source gave it as number {place}", layer)
        for place, line in enumerate(lines, 1)
    ]
