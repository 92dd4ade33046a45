"""Recall: find the few lines that an agent should know before it acts, or nothing at all.

A line that does not matter does harm, so the rule is few and relevant: at most three entries per
layer, above a floor of relevance, within a budget of tokens. Three pipelines run side by side:
standing rules, tools and memory; lessons; documents. The sources of other rooms are asked first
and awaited last. What is too slow is left out, and a note says so.
"""

from collections.abc import Awaitable, Callable, Sequence
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING

from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.fixes.tool_records import ToolRecordStore
from seasoned.lessons.lesson_store import LessonStore
from seasoned.recall.context import (
    OPEN,
    Context,
    ContextEntry,
    Layer,
    LayerRequest,
    LayerSource,
    RecallRequest,
)
from seasoned.recall.layers import (
    Layers,
    Reader,
    RecallConfig,
    Sources,
    entries_of,
    gather_sources,
    read_pipelines,
)
from seasoned.recall.prompt_block import best_of_each_layer, context_of, runtime_entries, unsaid
from seasoned.recall.search import Search
from seasoned.rules.conflicts import ConflictStore

if TYPE_CHECKING:
    from seasoned.recall.graph_rag import GraphRag


class Retriever:
    def __init__(
        self,
        db: Database,
        lessons: LessonStore,
        tools: ToolRecordStore,
        search: Search,
        graph_rag: "GraphRag | None",
        conflicts: ConflictStore,
        config: RecallConfig,
    ) -> None:
        self.db = db
        self.search = search
        self.conflicts = conflicts
        self.config = config
        self.layers = Layers(db, lessons, tools, search, graph_rag, config)
        self.sources = Sources()
        self.before: Callable[[Scope], Awaitable[None]] | None = None  # awaited by each recall
        self._readers: dict[Layer, Reader] = {}

    async def recall(self, request: RecallRequest, *, limit: int | None = None) -> Context:
        """Return the lines for a request, best first in each layer, within the budget."""
        if self.before is not None:
            await self.before(request.scope)
        most = self.config.limit if limit is None else limit
        asked = self.sources.begin(
            LayerRequest(request.query, request.scope, most), self.config.seconds
        )
        query = await self.search.prepare(request.query)
        words_alone: set[str] = set()  # reasons why a search went by words alone
        layers = self.layers
        found, late = await read_pipelines(
            self.db,
            [
                {  # first what takes no time, so that slow parts cannot push it out
                    "standing": lambda tx: layers.standing(tx, request),
                    "tools": lambda tx: layers.tool_records(tx, request),
                    "memory": lambda tx: self._memory(tx, request, most),
                },
                {"lessons": lambda tx: layers.learned(tx, request, query, most, words_alone)},
                {"documents": lambda tx: layers.documents(tx, request, query, most, words_alone)},
            ],
            self.config.seconds,
        )
        connected = await layers.connected(request, found["lessons"])
        provided, missed = await gather_sources(asked)
        standing, lessons = await self._without_conflicts(found["standing"], found["lessons"])
        learned = [*lessons, *found["documents"], *found["tools"], *connected]
        learned = [entry for entry in learned if not _ids_of(entry) & {*request.noted}]
        entries = [*provided, *found["memory"], *unsaid(learned, standing)]
        chosen = [*runtime_entries(request), *best_of_each_layer(entries, most)]
        notes = [f"went by words alone: {reason}" for reason in sorted(words_alone)]
        return context_of(standing, chosen, [*notes, *late, *missed], self.config.budget_tokens)

    def provide(self, layer: Layer, source: LayerSource) -> None:
        """Fill a layer from elsewhere: a store of skills, a memory of the conversation."""
        if layer not in OPEN:
            raise BadInput(f"layer {layer!r} takes no source; these do: {', '.join(sorted(OPEN))}")
        if iscoroutinefunction(source):
            raise BadInput(
                f"the source for layer {layer!r} is async; give an ordinary function: it is called "
                "in a thread of its own, and may wait there"
            )
        self.sources.provide(layer, source)

    def read(self, layer: Layer, reader: Reader) -> None:
        """Fill a layer from the database, unless a source fills it."""
        self._readers[layer] = reader

    async def _memory(
        self, tx: Connection, request: RecallRequest, most: int
    ) -> list[ContextEntry]:
        entries: list[ContextEntry] = []
        for layer, reader in self._readers.items():
            if not self.sources.fills(layer):
                lines = await reader(tx, request.query, request.scope, most)
                entries += entries_of(layer, lines)
        return entries

    async def _without_conflicts(
        self, standing: Sequence[ContextEntry], lessons: Sequence[ContextEntry]
    ) -> tuple[list[ContextEntry], list[ContextEntry]]:
        """Keep the stronger of two rules that contradict each other, until someone decides."""
        rules = {
            entry.lesson.id: entry.score
            for entry in (*standing, *lessons)
            if entry.lesson is not None and entry.lesson.kind in ("rule", "preference")
        }
        weaker: set[str] = set()
        if len(rules) > 1:
            async with self.db.read() as tx:
                weaker = await self.conflicts.outvoted(tx, rules)

        def consistent(entries: Sequence[ContextEntry]) -> list[ContextEntry]:
            return [
                entry
                for entry in entries
                if not (_ids_of(entry) & weaker or _rule_shown_by(entry) & rules.keys())
            ]

        return consistent(standing), consistent(lessons)


def _ids_of(entry: ContextEntry) -> set[str]:
    return {entry.lesson.id} if entry.lesson else set()


def _rule_shown_by(entry: ContextEntry) -> set[str]:
    """Return the rule that a bad example illustrates: beside its rule, it need not be shown."""
    shown = entry.lesson.example if entry.lesson else None
    return {shown.rule} if shown and shown.rule and shown.polarity == "negative" else set()
