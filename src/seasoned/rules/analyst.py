"""Analysts judge what users said: by the grammar of their words, or by asking a model."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from seasoned.core.errors import ModelError
from seasoned.db.database import Database
from seasoned.lessons.lesson_store import LessonStore
from seasoned.llm.model import Model
from seasoned.rules.case import Case, Judgement
from seasoned.rules.grammar.drafting import draft_rule
from seasoned.rules.judge import TOGETHER, judge


class Analyst(Protocol):
    """Judges cases, up to `together` at once; a `slow` one takes seconds, in its own thread."""

    slow: bool
    together: int

    @property
    def name(self) -> str: ...

    def __call__(self, cases: Sequence[Case]) -> Sequence[Judgement | ModelError]:
        """Return for each case its judgement, or what went wrong with it alone."""
        ...


class Grammar:
    """Drafts rules by grammar, in the languages of detection, without a model."""

    slow = False
    together = 1
    name = "grammar"

    def __call__(self, cases: Sequence[Case]) -> Sequence[Judgement | ModelError]:
        return [
            Judgement(draft_rule(case), case.kind != "wish", confidence=case.score)
            for case in cases
        ]


class ModelAnalyst:
    """Asks a model, and tells it the rules that were active."""

    slow = True
    together = TOGETHER

    def __init__(self, model: Model, db: Database, lessons: LessonStore) -> None:
        self.model = model
        self.db = db
        self.lessons = lessons

    @property
    def name(self) -> str:
        return self.model.name

    def __call__(self, cases: Sequence[Case]) -> Sequence[Judgement | ModelError]:
        asked = [case for case in cases if case.message.strip()]
        told = judge(self.model, asked, self.db.run(self._active_rules(asked))) if asked else []
        judged = {case.id: one for case, one in zip(asked, told, strict=True)}
        # Who stops a reply without a word says nothing that a model could read.
        return [judged.get(case.id) or Judgement(draft_rule(case)) for case in cases]

    async def _active_rules(self, cases: Sequence[Case]) -> Mapping[str, Sequence[str]]:
        """Return the texts of the rules that were active when the users wrote, by case."""
        active: dict[str, Sequence[str]] = {}
        async with self.db.read() as tx:
            for case in cases:
                found = [await self.lessons.find(tx, name) for name in case.rules]
                active[case.id] = [lesson.content for lesson in found if lesson is not None]
        return active
