"""Adds what the graph connects with the lessons found: two steps away at most, ten nodes in all.

A fix that was found leads to its error, to errors like it, and to their fixes; and to whatever
was said in the graph about these, or about the tool.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.core.triple import Predicate
from seasoned.db.database import Connection
from seasoned.graph.nodes import error_node, fix_node, tool_node
from seasoned.graph.store import GraphStore
from seasoned.graph.traverse import Edge, Near, Walk, neighbourhood
from seasoned.learning.lesson import Lesson
from seasoned.learning.lessons import LessonStore
from seasoned.recall.context import Entry
from seasoned.recall.layers import layer_of
from seasoned.recall.prompt_block import line_for

# Not causedBy and inSession: through a tool or a session everything is near everything.
TAKEN: tuple[Predicate, ...] = (
    *("similarTo", "resolvedBy", "supersedes", "contradicts"),
    *("relatedTo", "follows", "contains", "reflectsOn"),
)
SAID: dict[str, str] = {  # what people and documents say in the graph, as a prompt says it
    "relatedTo": "is related to",
    "follows": "follows",
    "contains": "contains",
    "contradicts": "contradicts",
    "reflectsOn": "reflects on",
}
FIX = fix_node("")


@dataclass(frozen=True, slots=True)
class GraphRagConfig:
    depth: int = 2
    nodes: int = 10
    least_confidence: float = 0.7
    less: float = 0.8  # what is only connected counts less than what was found


class GraphRag:
    def __init__(self, graph: GraphStore, lessons: LessonStore, config: GraphRagConfig) -> None:
        self.graph = graph
        self.lessons = lessons
        self.config = config

    async def connected(self, tx: Connection, found: Sequence[Entry], scope: Scope) -> list[Entry]:
        """Lessons and statements near the lessons found, which are not among them."""
        seeds = {entry.lesson.id: entry for entry in found if entry.lesson is not None}
        starts = [node for entry in seeds.values() for node in _nodes(entry.lesson)]
        if not starts:
            return []
        around = await neighbourhood(
            *(tx, self.graph, scope, starts),
            depth=self.config.depth,
            most=self.config.nodes,
            walk=Walk(TAKEN),
        )
        best = max(entry.score for entry in seeds.values()) * self.config.less
        entries = [
            entry
            for near in around.near
            if (entry := await self._fix(tx, near, best, scope))
            and entry.lesson
            and entry.lesson.id not in seeds
        ]
        return entries + await self._said(tx, around.edges, best, scope)

    async def _fix(self, tx: Connection, near: Near, best: float, scope: Scope) -> Entry | None:
        if not near.node.startswith(FIX):
            return None
        lesson = await self.lessons.find(tx, near.node.removeprefix(FIX))
        if lesson is None or not self._is_sure(lesson, scope):
            return None
        why = f"the graph connects it with what was found, in {near.steps} steps"
        score = best * near.strength
        return Entry(layer_of(lesson), line_for(lesson), score, why, lesson.source, lesson)

    async def _said(
        self, tx: Connection, edges: Sequence[Edge], best: float, scope: Scope
    ) -> list[Entry]:
        """Statements of the graph about what was found."""
        told = [edge for edge in edges if edge.predicate in SAID]
        if not told:
            return []
        nodes = sorted({node for edge in told for node in (edge.subject, edge.object)})
        labels = await self.graph.labels(tx, scope, nodes)
        return [
            Entry(
                "documents", _line(edge, labels), best * edge.weight, "the graph says so", "graph"
            )
            for edge in told
        ]

    def _is_sure(self, lesson: Lesson, scope: Scope) -> bool:
        believed = lesson.confidence >= self.config.least_confidence and lesson.verdict != "harms"
        return lesson.status == "active" and believed and lesson.scope.reaches(scope)


def _nodes(lesson: Lesson | None) -> list[str]:
    """The nodes that a lesson speaks of."""
    if lesson is None or lesson.fix is None:
        return []
    own = [fix_node(lesson.id), error_node(lesson.fix.tool, lesson.fix.error_id)]
    return [*own, tool_node(lesson.fix.tool)] if lesson.fix.tool else own


def _line(edge: Edge, labels: dict[str, str]) -> str:
    one, other = (one_line(labels.get(n, n), 160) for n in (edge.subject, edge.object))
    return f"• [graph] {one} {SAID[edge.predicate]} {other}"
