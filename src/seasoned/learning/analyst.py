"""Makes a rule of a correction: by the grammar of what was said, or by asking a language model."""

from typing import Protocol

from seasoned.db.database import Database
from seasoned.learning.lessons import LessonStore
from seasoned.learning.rule_analysis import rule_from
from seasoned.llm.model import Model
from seasoned.rules.case import Case
from seasoned.rules.drafting import drafted
from seasoned.rules.rule import NoRule, RuleDraft


class Analyst(Protocol):
    """`slow` is one that may take seconds: it is asked in a thread of its own."""

    slow: bool

    @property
    def name(self) -> str: ...

    def __call__(self, case: Case) -> RuleDraft | NoRule: ...


class Grammar:
    """Templates in the languages that detection knows: what can be done without a model."""

    slow = False
    name = "grammar"

    def __call__(self, case: Case) -> RuleDraft | NoRule:
        return drafted(case)


class ModelAnalyst:
    slow = True

    def __init__(self, model: Model, db: Database, lessons: LessonStore) -> None:
        self.model = model
        self.db = db
        self.lessons = lessons

    @property
    def name(self) -> str:
        return self.model.name

    def __call__(self, case: Case) -> RuleDraft | NoRule:
        return rule_from(self.model, case, self.db.run(self._active(case)))

    async def _active(self, case: Case) -> list[str]:
        """What the rules said that were in force when the user corrected the assistant."""
        async with self.db.read() as tx:
            found = [await self.lessons.find(tx, name) for name in case.rules]
        return [lesson.content for lesson in found if lesson is not None]
