"""Saves rules: repetition is evidence, another value is a changed mind, a contradiction a conflict.

The later rule wins, unless only the earlier one was said outright.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from seasoned.core.events import RuleConflicted, RuleLearned
from seasoned.core.scope import Scope
from seasoned.core.text import one_line, storable
from seasoned.db.unit import Change
from seasoned.lessons.embedding import Embedding
from seasoned.lessons.lesson import (
    ACTIVE_FROM,
    EXPLICIT,
    PRIORS,
    Belief,
    Draft,
    Evidence,
    Kind,
    Lesson,
    RuleDetail,
    Source,
)
from seasoned.lessons.lesson_store import LessonStore
from seasoned.rules.case import RuleDraft
from seasoned.rules.conflicts import Conflict, ConflictStore
from seasoned.rules.known_rules import RULES, KnownRules, Rival, type_of
from seasoned.security.redact import redact

log = logging.getLogger("seasoned.rules")

LONGEST_RULE_TEXT = 600  # characters


@dataclass(frozen=True, slots=True)
class RulesConfig:
    duplicate_overlap: float = 0.60
    conflict_overlap: float = 0.35
    threshold: float = ACTIVE_FROM


@dataclass(frozen=True, slots=True)
class RuleOrigin:
    """Origin of a rule (who, where, why), and how to compare and believe it."""

    source: Source = "user"
    kind: Kind = "rule"
    session: str = ""
    reason: str = "the user corrected the assistant"
    provisional_of: str | None = None
    replaces: str = ""  # id of the provisional rule whose place it takes
    exchange: str | None = None  # the exchange that it comes from, as JSON
    verbatim: bool = False  # keep the words; only the same words are the same rule
    typed: bool = True  # store the type and the other details of a rule
    prior: Belief | None = None  # initial belief; None: by source and confidence


@dataclass(frozen=True, slots=True)
class SavedRule:
    rule: Lesson
    is_new: bool
    conflicts: Sequence[Conflict] = field(default=())


class Rules:
    """Saves a draft as a new rule or as evidence for a known one, and finds conflicts."""

    def __init__(
        self,
        lessons: LessonStore,
        conflicts: ConflictStore,
        embedding: Embedding,
        config: RulesConfig,
    ) -> None:
        self.lessons = lessons
        self.conflicts = conflicts
        self.config = config
        self.known = KnownRules(
            lessons, embedding, config.duplicate_overlap, config.conflict_overlap
        )

    async def prepare(self, *drafts: RuleDraft) -> None:
        """Update the in-memory index before a transaction that saves these drafts."""
        await self.known.prepare(*drafts)

    async def save(
        self, change: Change, draft: RuleDraft, scope: Scope, origin: RuleOrigin
    ) -> SavedRule:
        """Save a rule in this scope, or add evidence to the one that says the same."""
        draft = draft if origin.verbatim else _clean(draft)
        others = await self.known.near(
            change, draft, scope, provisional=origin.provisional_of is not None
        )
        rivals = self.known.rivals(draft, scope, others)
        opposed = {rival.rule.id for rival in rivals}
        rest = [one for one in others if one.id not in opposed and not origin.verbatim]
        same = next((one for one in rest if self.known.same(draft, one)), None)
        if same is not None and same.scope.session in ("", scope.session):
            is_own = same.scope == scope
            rule, is_new = await self._strengthen(change, same, draft, origin, is_own=is_own), False
            if rule.status == same.status:
                return SavedRule(rule, is_new=False)
        else:
            nearest = [one.rule for one in rivals if one.rule.scope == scope and one.same_matter]
            rule, is_new = await self._add(change, _with_triggers(draft, nearest), scope, origin)
        found = [
            await self._settle(change, rule, rival) for rival in rivals if rival.rule.id != rule.id
        ]
        return SavedRule(rule, is_new, [conflict for conflict in found if conflict is not None])

    def will_hold(self, draft: RuleDraft, origin: RuleOrigin) -> bool:
        """Whether a rule is believed enough to be given."""
        return _belief(draft, origin).confidence >= self.config.threshold

    async def compare(self, change: Change, rule: Lesson) -> Sequence[Conflict]:
        """Find the conflicts of a rule whose words have changed."""
        draft = RuleDraft(type_of(rule), rule.content, rule.trigger)
        others = await self.known.near(change, draft, rule.scope)
        rivals = self.known.rivals(draft, rule.scope, [one for one in others if one.id != rule.id])
        found = [await self._settle(change, rule, rival) for rival in rivals]
        return [conflict for conflict in found if conflict is not None]

    async def _add(
        self, change: Change, draft: RuleDraft, scope: Scope, origin: RuleOrigin
    ) -> tuple[Lesson, bool]:
        belief = _belief(draft, origin)
        evidence = tuple(
            Evidence(change.at, origin.reason, belief.worked, belief.failed, origin.session, quote)
            for quote in (" … ".join(draft.quotes),)
        )
        lesson, is_new = await self.lessons.add(
            change,
            Draft(
                kind=origin.kind,
                status="active" if self.will_hold(draft, origin) else "candidate",
                scope=scope,
                trigger=draft.trigger,
                content=draft.description,
                belief=belief,
                source=origin.source,
                identity=f"{origin.provisional_of or ''}\n{draft.description}",
                rule=_detail(draft, origin) if origin.typed else None,
                evidence=evidence,
                id=origin.replaces,
            ),
        )
        if not is_new:
            return await self._strengthen(change, lesson, draft, origin, is_own=True), False
        if origin.provisional_of is None:
            change.tell(
                RuleLearned(change.at, lesson.id, type_of(lesson), lesson.content, origin.session)
            )
        return lesson, True

    async def _strengthen(
        self, change: Change, lesson: Lesson, draft: RuleDraft, origin: RuleOrigin, *, is_own: bool
    ) -> Lesson:
        """Add evidence to a known rule; an explicit statement restores a superseded one.

        Only a rule of the speaker's own scope keeps the exchange: a wider one is read by others.
        """
        if origin.provisional_of is not None:
            return lesson
        again = Evidence(change.at, "said again", 1, 0, origin.session, " … ".join(draft.quotes))
        if lesson.rule and origin.exchange and not lesson.rule.source_exchange and is_own:
            lesson = replace(lesson, rule=replace(lesson.rule, source_exchange=origin.exchange))
            assert lesson.rule is not None, "it was just replaced"
            await self.lessons.put_rule(change, lesson.id, lesson.rule)
        belief = lesson.belief.plus(1, 0)
        status = lesson.status_with(belief, self.config.threshold)
        if lesson.status in ("superseded", "retired") and origin.source in EXPLICIT:
            lesson = await self.lessons.supersede(change, lesson, None, None)
            status = lesson.status
        return await self.lessons.believe(change, lesson, again, status)

    async def _settle(self, change: Change, rule: Lesson, rival: Rival) -> Conflict | None:
        """Let one of two rules win: the later one, unless only the earlier one is explicit.

        A changed mind needs no decision: the old value is superseded. Any other contradiction is
        stored as a conflict, for a person to decide.
        """
        other = rival.rule
        counts = rule.status == "active" or other.status != "active"
        wins = counts and (rule.explicit or not other.explicit)
        winner, loser = (rule, other) if wins else (other, rule)
        supersedes = rival.same_matter and winner.scope == loser.scope and counts
        if rival.changed and supersedes:
            await self._supersede(change, loser, winner, rival.why)
            return None
        wins_by = winner.id if rival.same_matter or winner.scope != loser.scope else None
        found = await self.conflicts.add(change, other.id, rule.id, wins_by, rival.why, change.at)
        log.warning(
            "behavioral.rule_conflict_detected earlier=%s later=%s winner=%s: %s",
            *(other.id, rule.id, wins_by, rival.why),
        )
        if supersedes:
            await self._supersede(change, loser, winner, f"contradicted by {winner.id}")
        if rule.rule is None or rule.rule.provisional_of is None:
            change.tell(RuleConflicted(change.at, found.id, other.content, rule.content, rival.why))
        return found

    async def _supersede(self, change: Change, loser: Lesson, winner: Lesson, reason: str) -> None:
        if loser.status in ("active", "candidate"):
            await self.lessons.supersede(change, loser, winner.id, reason)

    async def reinstate(self, change: Change, gone: Lesson) -> Sequence[Lesson]:
        """Before a rule goes: what it superseded holds again, or is superseded by its successor."""
        back: list[Lesson] = []
        for rule in await self.lessons.rules.superseded_by(change, gone.id):
            if gone.status == "superseded" and gone.superseded_by:
                await self.lessons.supersede(change, rule, gone.superseded_by, None)
            elif rule.kind in RULES and rule.content:
                reason = f"{gone.id}, which superseded it, was forgotten"
                back.append(await self.lessons.supersede(change, rule, None, reason))
        await self.conflicts.close(change, gone.id, change.at)
        return back


def _with_triggers(draft: RuleDraft, rivals: Sequence[Lesson]) -> RuleDraft:
    """Extend the trigger of a rule by those of the rules that it supersedes."""
    if not draft.trigger:
        return draft
    words = dict.fromkeys(" ".join([draft.trigger, *(one.trigger for one in rivals)]).split())
    return replace(draft, trigger=" ".join(words)[:LONGEST_RULE_TEXT])


def _belief(draft: RuleDraft, origin: RuleOrigin) -> Belief:
    """Return the prior of the source, lowered to the confidence of the draft."""
    if origin.prior is not None:
        return origin.prior
    prior = PRIORS[origin.source] if origin.source in PRIORS else PRIORS["model_medium"]
    share = min(prior.confidence, max(0.05, draft.confidence))
    together = prior.worked + prior.failed
    return Belief(share * together, (1 - share) * together)


def _detail(draft: RuleDraft, origin: RuleOrigin) -> RuleDetail:
    return RuleDetail(
        *(draft.type, draft.poison, draft.fewshot_user, draft.fewshot_assistant),
        provisional_of=origin.provisional_of,
        source_exchange=origin.exchange,
    )


def _clean(draft: RuleDraft) -> RuleDraft:
    """Put the texts of a draft on one line, redacted and cut."""

    def clean(text: str | None) -> str | None:
        return redact(storable(text[:LONGEST_RULE_TEXT])) if text else None

    return replace(
        draft,
        description=one_line(clean(draft.description) or "", LONGEST_RULE_TEXT),
        trigger=one_line(clean(draft.trigger) or "", LONGEST_RULE_TEXT),
        poison=clean(draft.poison),
        fewshot_user=clean(draft.fewshot_user),
        fewshot_assistant=clean(draft.fewshot_assistant),
        quotes=tuple(
            one_line(redact(storable(quote[:LONGEST_RULE_TEXT]))) for quote in draft.quotes
        ),
    )
