"""Recalls the few lines that matter for a request, and nothing rather than noise.

Three pipelines: the layers (what was learned), the semantic one (documents and the graph), and
memory (what others keep of the conversation). The slow ones are asked first and waited for last;
one that is too slow is left out, and the answer says so.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING

from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.core.text import one_line, storable
from seasoned.core.tokens import estimate
from seasoned.db.database import Connection, Database
from seasoned.learning.conflicts import ConflictStore
from seasoned.learning.lesson import Lesson, Source
from seasoned.learning.lessons import LessonStore
from seasoned.learning.tool_records import ToolRecordStore
from seasoned.recall.context import Context, Entry
from seasoned.recall.layers import LAYERS, OPEN, Layer, Request, layer_of
from seasoned.recall.layers import Source as LayerSource
from seasoned.recall.pipelines import together
from seasoned.recall.prompt_block import (
    LONGEST_LINE,
    RULES,
    fitting,
    heading_of,
    line_for,
    prompt_block,
    standing_block,
)
from seasoned.recall.ranking import believed
from seasoned.recall.search import Hit, Question, Search, Wanted
from seasoned.recall.sources import Sources, entries_of, gathered

if TYPE_CHECKING:
    from seasoned.recall.graph_rag import GraphRag

Reader = Callable[[Connection, str, Scope, int], Awaitable[Sequence[str]]]

LESSONS: tuple[Source, ...] = ("operator", "user", "episode", "model")
DOCUMENTS: tuple[Source, ...] = ("document",)
HOLDS = "holds in every turn"


@dataclass(frozen=True, slots=True)
class RetrieverConfig:
    limit: int = 3  # a layer
    standing: int = 10
    floor: float = 0.33  # below this relevance, a lesson is noise
    least_confidence: float = 0.7
    budget_tokens: int = 1200
    tool_bonus: float = 0.2  # for a lesson about the very tool that is to be used
    seconds: float = 1.0  # that a pipeline may take


@dataclass(frozen=True, slots=True)
class Turn:
    """What is about to happen: the request, and what the caller knows beside it."""

    query: str
    scope: Scope
    tool: str | None = None
    tools: Sequence[str] = ()
    runtime: Mapping[str, object] | None = None
    watched: Sequence[str] = ()  # tools of which only those are told that often fail


class Retriever:
    def __init__(
        self,
        db: Database,
        lessons: LessonStore,
        tools: ToolRecordStore,
        search: Search,
        graph_rag: "GraphRag | None",
        conflicts: ConflictStore,
        config: RetrieverConfig,
    ) -> None:
        self.db = db
        self.lessons = lessons
        self.tools = tools
        self.search = search
        self.graph_rag = graph_rag
        self.conflicts = conflicts
        self.config = config
        self.sources = Sources()
        self._readers: dict[Layer, Reader] = {}

    def read(self, layer: Layer, reader: Reader) -> None:
        """Fills a layer from the database itself, unless a source fills it."""
        self._readers[layer] = reader

    def provide(self, layer: Layer, source: LayerSource) -> None:
        """Fills a layer from elsewhere: a store of skills, a memory of the conversation."""
        if layer not in OPEN:
            raise BadInput(
                f"no source can be given for layer {layer!r}; there are {', '.join(sorted(OPEN))}"
            )
        if iscoroutinefunction(source):
            raise BadInput(
                f"the source for layer {layer!r} is async; give an ordinary function: it is called "
                "in a thread of its own, and may wait there"
            )
        self.sources.provide(layer, source)

    async def recall(self, turn: Turn, *, limit: int | None = None) -> Context:
        """The lines for a request, best first in each layer, within the budget."""
        most = self.config.limit if limit is None else limit
        asked = self.sources.begin(Request(turn.query, turn.scope, most), self.config.seconds)
        question = await self.search.question(turn.query)
        words_alone: set[str] = set()
        found, late = await together(
            self.db,
            [
                {  # first what takes no time, and must not be left out for what does
                    "standing": lambda tx: self._standing(tx, turn),
                    "tools": lambda tx: self._tools(tx, turn),
                    "memory": lambda tx: self._remembered(tx, turn, most),
                },
                {"lessons": lambda tx: self._learned(tx, turn, question, most, words_alone)},
                {"documents": lambda tx: self._documents(tx, turn, question, most, words_alone)},
            ],
            self.config.seconds,
        )
        connected = await self._connected(turn, found["lessons"])
        given, missed = await gathered(asked)
        standing, lessons = await self._agreeing(found["standing"], found["lessons"])
        learned = [*lessons, *found["documents"], *found["tools"], *connected]
        given = [*given, *found["memory"]]
        few = _few([*given, *_without(learned, standing)], most)
        why = [f"went by words alone: {reason}" for reason in sorted(words_alone)]
        return self._context(standing, [*_runtime(turn), *few], [*why, *late, *missed])

    async def _agreeing(
        self, standing: Sequence[Entry], lessons: Sequence[Entry]
    ) -> tuple[list[Entry], list[Entry]]:
        """Of two rules that contradict each other, only the one that wins meanwhile."""
        rules = {
            entry.lesson.id: entry.score
            for entry in (*standing, *lessons)
            if entry.lesson is not None and entry.lesson.kind in ("rule", "preference")
        }
        beaten: set[str] = set()
        if len(rules) > 1:
            async with self.db.read() as tx:
                beaten = await self.conflicts.outvoted(tx, rules)

        def agreeing(entries: Sequence[Entry]) -> list[Entry]:
            return [
                one for one in entries if not (_names(one) & beaten or _shows(one) & rules.keys())
            ]

        return agreeing(standing), agreeing(lessons)

    def _context(
        self, standing: Sequence[Entry], entries: Sequence[Entry], notes: Sequence[str]
    ) -> Context:
        budget = self.config.budget_tokens
        kept = fitting(standing, budget, lambda _: RULES)
        left = budget - estimate(standing_block(kept))
        best = sorted(entries, key=lambda entry: -entry.score)
        chosen = set(map(id, fitting(best, left, heading_of)))
        turn = [entry for entry in entries if id(entry) in chosen]
        return Context(standing_block(kept), prompt_block(turn), [*kept, *turn], notes)

    async def _standing(self, tx: Connection, turn: Turn) -> list[Entry]:
        """Rules and preferences that are tied to no situation hold in every turn."""
        sure, most = self.config.least_confidence, self.config.standing
        lessons = await self.lessons.standing(tx, turn.scope, sure, most)
        return [
            Entry(layer_of(lesson), line_for(lesson), 1.0, HOLDS, lesson.source, lesson)
            for lesson in lessons
        ]

    async def _learned(
        self, tx: Connection, turn: Turn, question: Question, most: int, words_alone: set[str]
    ) -> list[Entry]:
        # One about the very tool that is to be used may be less like the request.
        floor = self.config.floor - (self.config.tool_bonus if turn.tool else 0)
        wanted = Wanted(sources=LESSONS, relevance=floor)
        found = await self.search.answer(tx, question, turn.scope, wanted, 4 * most + 8)
        words_alone |= {found.note} - {""}
        entries = [entry for hit in found.hits if (entry := self._judged(hit, turn.tool))]
        if turn.tool and not entries:
            entries = await self._habits(tx, turn.scope, turn.tool)
        return entries

    async def _documents(
        self, tx: Connection, turn: Turn, question: Question, most: int, words_alone: set[str]
    ) -> list[Entry]:
        wanted = Wanted(sources=DOCUMENTS, relevance=self.config.floor)
        passages = await self.search.answer(tx, question, turn.scope, wanted, 2 * most)
        words_alone |= {passages.note} - {""}
        return [entry for hit in passages.hits if (entry := self._judged(hit, None))]

    async def _connected(self, turn: Turn, found: Sequence[Entry]) -> list[Entry]:
        """What the graph connects with the lessons found."""
        if self.graph_rag is None or not found:
            return []
        async with self.db.read() as tx:
            return await self.graph_rag.connected(tx, found, turn.scope)

    async def _tools(self, tx: Connection, turn: Turn) -> list[Entry]:
        """How the tools at hand perform; the one in use only when it often fails."""
        names = sorted({*turn.tools, *turn.watched, turn.tool or ""} - {""})
        if not names:
            return []
        records = await self.tools.named(tx, turn.scope, names)
        return [
            Entry("tools", f"• {record.line}", record.failing, "is at hand", "tools")
            for record in records
            if record.name in turn.tools or record.often_fails
        ]

    async def _remembered(self, tx: Connection, turn: Turn, most: int) -> list[Entry]:
        """What is kept of conversations."""
        entries: list[Entry] = []
        for layer, reader in self._readers.items():
            if not self.sources.fills(layer):
                entries += entries_of(layer, await reader(tx, turn.query, turn.scope, most))
        return entries

    async def _habits(self, tx: Connection, scope: Scope, tool: str) -> list[Entry]:
        """Of a tool about to be used: the one fix with the most evidence."""
        fixes = await self.lessons.list(tx, scope, kind="fix", status="active", tool=tool)
        sure = [one for one in fixes if self._is_sure(one)]
        if not sure:
            return []
        best = max(sure, key=lambda lesson: (lesson.explicit, lesson.belief.worked))
        worth = self.config.floor * believed(best, self.search.clock.now())
        why = f"the best known fix for {tool}"
        return [Entry("lessons", line_for(best), worth, why, best.source, best)]

    def _judged(self, hit: Hit, tool: str | None) -> Entry | None:
        """A hit as an entry, unless it is not believed enough or beside the point."""
        lesson, match = hit.lesson, hit.match
        relevance, score = match.relevance, hit.score
        why = f"shares {match.covered:.0%} of the request's words"
        if match.likeness is not None:
            why += f", is {match.likeness:.2f} alike in meaning"
        if tool and lesson.fix is not None and lesson.fix.tool == tool:
            relevance += self.config.tool_bonus
            score += self.config.tool_bonus
            why += f", is about {tool}"
        if relevance < self.config.floor or not self._is_sure(lesson):
            return None
        return Entry(layer_of(lesson), line_for(lesson), score, why, lesson.source, lesson, match)

    def _is_sure(self, lesson: Lesson) -> bool:
        return lesson.confidence >= self.config.least_confidence and lesson.verdict != "harms"


def _names(entry: Entry) -> set[str]:
    return {entry.lesson.id} if entry.lesson else set()


def _shows(entry: Entry) -> set[str]:
    """The rule that a bad example is there for: where the rule is said, it need not be shown."""
    shown = entry.lesson.example if entry.lesson else None
    return {shown.rule} if shown and shown.rule and shown.polarity == "negative" else set()


def _runtime(turn: Turn) -> list[Entry]:
    """What the caller says is told as it is, however much that is."""
    facts = turn.runtime or {}
    lines = (one_line(storable(f"{name}: {value}"), LONGEST_LINE) for name, value in facts.items())
    return [Entry("runtime", f"• {line}", 1.0, "is so right now", "caller") for line in lines]


def _without(entries: Sequence[Entry], standing: Sequence[Entry]) -> list[Entry]:
    """Each line once: what stands already, or in another document too, is not said again."""
    seen = {entry.lesson.content for entry in standing if entry.lesson}
    kept: list[Entry] = []
    for entry in sorted(entries, key=lambda entry: -entry.score):
        said = entry.lesson.content if entry.lesson else entry.line
        if said not in seen:
            kept.append(entry)
            seen.add(said)
    return kept


def _few(entries: Sequence[Entry], most: int) -> list[Entry]:
    """The best of each layer, the layers in their order."""
    best = sorted(entries, key=lambda entry: -entry.score)
    return [
        entry for layer in LAYERS for entry in [one for one in best if one.layer == layer][:most]
    ]
