"""Add what the graph connects with the lessons found: at most two steps away, ten nodes in all.

A fix leads to its error, to similar errors and to their fixes, and to all statements of the graph
about these or about the tool.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.db.database import Connection
from seasoned.graph.graph_store import GraphStore
from seasoned.graph.traverse import (
    Edge,
    NearNode,
    Walk,
    neighbourhood,
)
from seasoned.graph.triple import Predicate, error_node, fix_node, tool_node
from seasoned.lessons.lesson import ACTIVE_FROM, Lesson
from seasoned.lessons.lesson_store import LessonStore
from seasoned.recall.context import ContextEntry, layer_of
from seasoned.recall.prompt_block import line_for

# Not causedBy and inSession: through a tool or a session, everything is near everything.
FOLLOWED: tuple[Predicate, ...] = (
    *("similarTo", "resolvedBy", "supersedes", "contradicts"),
    *("relatedTo", "follows", "contains", "reflectsOn"),
)
PHRASES: dict[str, str] = {  # predicates of people and documents, as a prompt says them
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
    least_confidence: float = ACTIVE_FROM
    less: float = 0.8  # factor for what is only connected


class GraphRag:
    def __init__(self, graph: GraphStore, lessons: LessonStore, config: GraphRagConfig) -> None:
        self.graph = graph
        self.lessons = lessons
        self.config = config

    async def connected(
        self, tx: Connection, found: Sequence[ContextEntry], scope: Scope
    ) -> list[ContextEntry]:
        """Return lessons and statements near the lessons found that are not among them."""
        seeds = {entry.lesson.id: entry for entry in found if entry.lesson is not None}
        starts = [node for entry in seeds.values() for node in _nodes(entry.lesson)]
        if not starts:
            return []
        around = await neighbourhood(
            *(tx, self.graph, scope, starts),
            depth=self.config.depth,
            most=self.config.nodes,
            walk=Walk(FOLLOWED),
        )
        best = max(entry.score for entry in seeds.values()) * self.config.less
        entries = [
            entry
            for near in around.near
            if (entry := await self._fix(tx, near, best, scope))
            and entry.lesson
            and entry.lesson.id not in seeds
        ]
        return entries + await self._statements(tx, around.edges, best, scope)

    async def _fix(
        self, tx: Connection, near: NearNode, best: float, scope: Scope
    ) -> ContextEntry | None:
        if not near.node.startswith(FIX):
            return None
        lesson = await self.lessons.find(tx, near.node.removeprefix(FIX))
        if lesson is None or not self._is_sure(lesson, scope):
            return None
        why = f"the graph connects it with what was found, in {near.steps} steps"
        score = best * near.strength
        return ContextEntry(layer_of(lesson), line_for(lesson), score, why, lesson.source, lesson)

    async def _statements(
        self, tx: Connection, edges: Sequence[Edge], best: float, scope: Scope
    ) -> list[ContextEntry]:
        """Return statements of the graph about what was found."""
        stated = [edge for edge in edges if edge.predicate in PHRASES]
        if not stated:
            return []
        nodes = sorted({node for edge in stated for node in (edge.subject, edge.object)})
        labels = await self.graph.labels(tx, scope, nodes)
        return [
            ContextEntry(
                "documents", _line(edge, labels), best * edge.weight, "the graph says so", "graph"
            )
            for edge in stated
        ]

    def _is_sure(self, lesson: Lesson, scope: Scope) -> bool:
        believed = lesson.confidence >= self.config.least_confidence and lesson.verdict != "harms"
        return lesson.status == "active" and believed and lesson.scope.reaches(scope)


def _nodes(lesson: Lesson | None) -> list[str]:
    """Return the nodes that a lesson is about."""
    if lesson is None or lesson.fix is None:
        return []
    own = [fix_node(lesson.id), error_node(lesson.fix.tool, lesson.fix.error_id)]
    return [*own, tool_node(lesson.fix.tool)] if lesson.fix.tool else own


def _line(edge: Edge, labels: dict[str, str]) -> str:
    one, other = (one_line(labels.get(n, n), 160) for n in (edge.subject, edge.object))
    return f"• [graph] {one} {PHRASES[edge.predicate]} {other}"
