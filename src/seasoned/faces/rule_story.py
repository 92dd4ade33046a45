"""All there is to say about a rule: where it comes from, what stands against it, what shows it."""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.core.scope import Scope
from seasoned.learning.case_store import Analysed, CaseStore
from seasoned.learning.conflicts import Conflict
from seasoned.learning.lesson import Evidence, Lesson
from seasoned.learning.rulebook import Rulebook

ALL = 1_000_000


@dataclass(frozen=True, slots=True)
class RuleStory:
    """`conflicts` names each contradiction with the other rule in it, also those decided."""

    rule: Lesson
    evidence: Sequence[Evidence]
    corrections: Sequence[Analysed]
    examples: Sequence[Lesson]
    conflicts: Sequence[tuple[Conflict, Lesson]]
    superseded_by: Lesson | None

    @property
    def supersedes(self) -> Sequence[Lesson]:
        """The rules whose place it took."""
        return [other for _, other in self.conflicts if other.superseded_by == self.rule.id]


async def story_of(name: str, rulebook: Rulebook, scope: Scope) -> RuleStory:
    rule = await rulebook.get(name, scope)
    found = await rulebook.conflicting(scope, resolved=True, limit=ALL)
    against = [
        (one, later if earlier.id == rule.id else earlier)
        for one, earlier, later in found
        if rule.id in (one.earlier, one.later)
    ]
    async with rulebook.db.read() as tx:
        return RuleStory(
            rule,
            await rulebook.lessons.evidence(tx, rule.id),
            await CaseStore().of_lesson(tx, rule.id),
            await rulebook.lessons.rules.examples(tx, rule.id),
            against,
            await rulebook.lessons.find(tx, rule.superseded_by) if rule.superseded_by else None,
        )
