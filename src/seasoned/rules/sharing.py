"""Shares rules: what one person said holds for that person, what a second says for the project.

An operator may share a rule at once. What is about one person ("my payment method") is only ever
shared by an operator, and users do not overrule what an operator said.
"""

import re
from collections.abc import Callable, Sequence

from seasoned.core.scope import Scope
from seasoned.db.unit import Change
from seasoned.lessons.lesson import Lesson, Source
from seasoned.rules.case import RuleDraft
from seasoned.rules.grammar.text import fold
from seasoned.rules.known_rules import type_of
from seasoned.rules.rules import RuleOrigin, Rules

_PERSONAL = re.compile(
    r"(?<!\w)(?:my|mine|mein(?:e[nmrs]?)?|mi|mis|mio|mia|miei|mie|meu|minha|meus|minhas|mon|ma|mes)"
    r"(?!\w)|我的|私の|僕の"
)


class Sharing:
    """`counts` tells whose word may become the project's by another's; by default everybody's."""

    def __init__(self, rules: Rules, counts: Callable[[str], bool] | None = None) -> None:
        self.rules = rules
        self._counts = counts or _everybody

    async def on_said(self, change: Change, rule: Lesson) -> Lesson | None:
        """Share a user's rule if another user of the project has the same; None if not."""
        scope = rule.scope
        if not scope.user or scope.session or rule.status != "active":
            return None
        if not self._counts(scope.user):
            return None
        if _PERSONAL.search(fold(rule.content)):
            return None
        shared = Scope(scope.tenant, scope.project)
        known = self.rules.known
        same = await known.same_of_others(change, rule)
        others = [one for one in same if self._counts(one.scope.user)]
        if not others:
            return None
        near = await known.near(change, _draft(rule), shared)
        rivals = known.rivals(_draft(rule), shared, near)
        if any(rival.rule.source == "operator" for rival in rivals):
            return None
        return await self.widen(change, [rule, *others], shared, "user", "several people said so")

    async def widen(
        self, change: Change, said: Sequence[Lesson], scope: Scope, source: Source, reason: str
    ) -> Lesson:
        """Save a rule for a wider scope; the narrower ones are superseded by it.

        Only an operator may show others the exchange that it comes from.
        """
        first = said[0]
        told = first.rule if source == "operator" else None
        exchange = told.source_exchange if told else None
        origin = RuleOrigin(source, first.kind, reason=reason, exchange=exchange)
        wide = (await self.rules.save(change, _draft(first), scope, origin)).rule
        for one in said:
            if one.id != wide.id:
                await self.rules.lessons.supersede(change, one, wide.id, f"shared: {reason}")
        return wide


def _everybody(user: str) -> bool:
    return True


def _draft(rule: Lesson) -> RuleDraft:
    detail = rule.rule
    return RuleDraft(
        type_of(rule),
        rule.content,
        rule.trigger,
        detail.poison if detail else None,
        detail.fewshot_user if detail else None,
        detail.fewshot_assistant if detail else None,
        confidence=rule.confidence,
    )
