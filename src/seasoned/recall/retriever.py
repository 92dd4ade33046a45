"""Recalls the few lessons that matter for a request, and nothing rather than noise."""

from dataclasses import dataclass

from seasoned.core.scope import Scope
from seasoned.core.similarity import telling_words
from seasoned.core.tokens import within
from seasoned.db.database import Connection, Database
from seasoned.learning.lesson import Lesson
from seasoned.learning.lessons import LessonStore
from seasoned.recall.context import Context, Recalled
from seasoned.recall.prompt_block import line_for, prompt_block
from seasoned.recall.ranking import relevance, score

MOST_WORDS = 24  # of a long request: the first telling ones


@dataclass(frozen=True, slots=True)
class RetrieverConfig:
    limit: int = 3
    floor: float = 0.3  # below this share of the request, a lesson is noise
    least_confidence: float = 0.7
    budget_tokens: int = 1200
    tool_bonus: float = 0.2  # for a lesson about the very tool that is to be used


class Retriever:
    def __init__(self, db: Database, lessons: LessonStore, config: RetrieverConfig) -> None:
        self.db = db
        self.lessons = lessons
        self.config = config

    async def recall(
        self, query: str, scope: Scope, *, tool: str | None = None, limit: int | None = None
    ) -> Context:
        """The lessons for a request, best first, within the budget."""
        most = self.config.limit if limit is None else limit
        asked = telling_words(query)[:MOST_WORDS]
        async with self.db.read() as tx:
            found = await self._candidates(tx, asked, scope, tool, most)
        ranked = sorted(found, key=lambda one: (-one.score, -one.lesson.updated_at))[:most]
        kept = list(within(self.config.budget_tokens, ((line_for(r.lesson), r) for r in ranked)))
        return Context(prompt_block([one.lesson for one in kept]), kept)

    async def _candidates(
        self, tx: Connection, asked: list[str], scope: Scope, tool: str | None, most: int
    ) -> list[Recalled]:
        found = await self.lessons.search(tx, asked, scope, limit=10 * most + 20)
        judged = [self._judged(lesson, asked, tool) for lesson, _ in found]
        relevant = [one for one in judged if one is not None]
        if tool and not relevant:
            relevant = await self._habits(tx, scope, tool)
        return relevant

    async def _habits(self, tx: Connection, scope: Scope, tool: str) -> list[Recalled]:
        """Of a tool about to be used: the one fix with the most evidence."""
        fixes = await self.lessons.list(tx, scope, kind="fix", status="active", tool=tool)
        sure = [one for one in fixes if one.confidence >= self.config.least_confidence]
        if not sure:
            return []
        best = max(sure, key=lambda lesson: (lesson.explicit, lesson.belief.worked))
        worth = score(self.config.floor, best.confidence, explicit=best.explicit)
        return [Recalled(best, worth, f"the best known fix for {tool}")]

    def _judged(self, lesson: Lesson, asked: list[str], tool: str | None) -> Recalled | None:
        if lesson.status != "active" or lesson.confidence < self.config.least_confidence:
            return None
        where = lesson.fix.tool if lesson.fix else ""
        relevant = relevance(asked, f"{where} {lesson.trigger} {lesson.content}")
        why = f"shares {relevant:.0%} of the request's words"
        if tool and where == tool:
            relevant = min(1.0, relevant + self.config.tool_bonus)
            why += f", is about {tool}"
        if relevant < self.config.floor:
            return None
        return Recalled(lesson, score(relevant, lesson.confidence, explicit=lesson.explicit), why)
