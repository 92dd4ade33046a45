"""Saves rules: repetition is evidence, another value is a changed mind, a contradiction a conflict.

The later rule wins, unless only the earlier one was said outright.
"""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from seasoned.core.events import RuleConflicted, RuleLearned
from seasoned.core.scope import Scope
from seasoned.core.text import one_line, storable
from seasoned.core.words import dice, stems
from seasoned.db.database import Connection
from seasoned.db.search.index import NO_SPACE
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
    RuleType,
    Source,
)
from seasoned.lessons.lesson_store import LessonStore
from seasoned.rules.case import RuleDraft
from seasoned.rules.conflicts import Conflict, ConflictStore
from seasoned.rules.grammar.comparison import changed_mind, conflict, is_duplicate, overlap
from seasoned.security.redact import redact

log = logging.getLogger("seasoned.rules")

MOST_COMPARED = 20  # rules that share most words with a new one
MOST_WORDS = 32  # of a new rule, to find them by
SHORT_RULE = 8  # words: a rule so short is compared with every candidate
SHARED_WORDS = 0.3  # share of the words of the shorter rule
MOST_STANDING = 200  # rules that always hold
RULES: tuple[Kind, ...] = ("rule", "preference")
LONGEST_RULE_TEXT = 600  # characters
SAME_WORDS = 0.99  # overlap of two rules about the same things, one the reverse of the other
SAME_SITUATION = 0.35


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
        self.embedding = embedding
        self.config = config

    async def prepare(self, *drafts: RuleDraft) -> None:
        """Update the in-memory index before a transaction that saves these drafts.

        Within the transaction the index must not change, because that may be rolled back.
        """
        if self.lessons.db.dialect == "sqlite":
            async with self.lessons.db.read() as tx:
                words = [word for draft in drafts for word in _search_words(draft)]
                await self._keys_by_words(tx, words, ())

    async def save(
        self, change: Change, draft: RuleDraft, scope: Scope, origin: RuleOrigin
    ) -> SavedRule:
        """Save a rule in this scope, or add evidence to the one that says the same."""
        draft = draft if origin.verbatim else _clean(draft)
        others = await self._comparable(change, draft, scope, origin)
        rivals = self._rivals(draft, scope, others)
        opposed = {rival.rule.id for rival in rivals}
        rest = [one for one in others if one.id not in opposed and not origin.verbatim]
        same = next((one for one in rest if self._same(draft, one)), None)
        if same is not None and same.scope.session in ("", scope.session):
            rule, is_new = await self._strengthen(change, same, draft, origin), False
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
        others = await self._comparable(change, draft, rule.scope, RuleOrigin())
        rivals = self._rivals(draft, rule.scope, [one for one in others if one.id != rule.id])
        found = [await self._settle(change, rule, rival) for rival in rivals]
        return [conflict for conflict in found if conflict is not None]

    async def rivals_of(self, tx: Connection, draft: RuleDraft, scope: Scope) -> list["Rival"]:
        """Return the rules of a scope that cannot be followed beside a draft."""
        others = await self._comparable(tx, draft, scope, RuleOrigin())
        return self._rivals(draft, scope, others)

    async def same_of_others(self, tx: Connection, rule: Lesson) -> Sequence[Lesson]:
        """Return the rules of other users of the project that say the same."""
        draft = RuleDraft(type_of(rule), rule.content, rule.trigger)
        place = ([rule.scope.tenant], [rule.scope.project], None, [""])
        groups = await self.lessons.vectors.groups(tx, [*place, RULES, ("active",), None])
        keys = await self._keys_by_words(tx, _search_words(draft), groups) if groups else ()
        found = await self.lessons.with_keys(tx, keys)
        return [
            one
            for one in found
            if one.scope.user not in ("", rule.scope.user)
            and self._same(draft, one)
            and _same_matter(draft, one)
        ]

    def _rivals(self, draft: RuleDraft, scope: Scope, others: Sequence[Lesson]) -> list["Rival"]:
        """Return the rules that cannot be followed beside this one."""
        own = set(stems(draft.description))
        found: list[Rival] = []
        for other in others:
            if not _may_differ(own, other):
                continue
            same_matter = _same_matter(draft, other)
            if why := self._contradicts(draft, other):
                found.append(Rival(other, why, same_matter))
            elif same_matter and (other_value := changed_mind(other.content, draft.description)):
                why = f"another value: {other_value.new} instead of {other_value.old}"
                found.append(Rival(other, why, same_matter, changed=other.scope == scope))
        return found

    def _contradicts(self, draft: RuleDraft, other: Lesson) -> str | None:
        return conflict(draft.description, other.content, overlap=self.config.conflict_overlap)

    def _same(self, draft: RuleDraft, other: Lesson) -> bool:
        known = RuleDraft(type_of(other), other.content)
        return is_duplicate(draft, known, overlap=self.config.duplicate_overlap)

    async def _comparable(
        self, tx: Connection, draft: RuleDraft, scope: Scope, origin: RuleOrigin
    ) -> list[Lesson]:
        """Return the rules of the same callers that may be about the same, newest first."""
        allowed = [sorted({"", value}) for value in scope.fields()]
        statuses = ("active", "candidate")
        groups = await self.lessons.vectors.groups(tx, [*allowed, RULES, statuses, None])
        found: dict[str, Lesson] = {}
        if groups:
            keys = await self._keys_by_words(tx, _search_words(draft), groups)
            rows = await self.lessons.by_keys(tx, keys, scope)
            found = {lesson.id: lesson for lesson in rows.values()}
        for lesson in await self.lessons.standing(tx, scope, 0.0, MOST_STANDING):
            found.setdefault(lesson.id, lesson)
        if origin.provisional_of is None:  # a provisional rule is no rival of a lasting one
            found = {
                name: one
                for name, one in found.items()
                if one.rule is None or one.rule.provisional_of is None
            }
        return sorted(found.values(), key=lambda one: (-one.created_at, one.id))

    async def _keys_by_words(
        self, tx: Connection, words: Sequence[str], groups: Collection[int]
    ) -> Sequence[int]:
        """Return the index keys of the lessons that share most of these words."""
        space = await self.embedding.space(tx) or NO_SPACE
        return (await self.lessons.words.search(tx, space, words, groups, MOST_COMPARED)).keys

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
            return await self._strengthen(change, lesson, draft, origin), False
        if origin.provisional_of is None:
            change.tell(
                RuleLearned(change.at, lesson.id, type_of(lesson), lesson.content, origin.session)
            )
        return lesson, True

    async def _strengthen(
        self, change: Change, lesson: Lesson, draft: RuleDraft, origin: RuleOrigin
    ) -> Lesson:
        """Add evidence to a known rule; an explicit statement restores a superseded one."""
        if origin.provisional_of is not None:
            return lesson
        again = Evidence(change.at, "said again", 1, 0, origin.session, " … ".join(draft.quotes))
        if lesson.rule and origin.exchange and not lesson.rule.source_exchange:
            lesson = replace(lesson, rule=replace(lesson.rule, source_exchange=origin.exchange))
            assert lesson.rule is not None, "it was just replaced"
            await self.lessons.put_rule(change, lesson.id, lesson.rule)
        belief = lesson.belief.plus(1, 0)
        status = lesson.status_with(belief, self.config.threshold)
        if lesson.status in ("superseded", "retired") and origin.source in EXPLICIT:
            lesson = await self.lessons.supersede(change, lesson, None, None)
            status = lesson.status
        return await self.lessons.believe(change, lesson, again, status)

    async def _settle(self, change: Change, rule: Lesson, rival: "Rival") -> Conflict | None:
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


@dataclass(frozen=True, slots=True)
class Rival:
    """A known rule that cannot be followed beside a new one, and why.

    `changed`: it is the same sentence with another value, in the same scope.
    """

    rule: Lesson
    why: str
    same_matter: bool
    changed: bool = False


def _search_words(draft: RuleDraft) -> list[str]:
    """Return the words to find comparable rules by."""
    return list(dict.fromkeys(stems(f"{draft.description} {draft.trigger}")))[:MOST_WORDS]


def _may_differ(own: set[str], other: Lesson) -> bool:
    """Whether a full comparison is worth its time: long rules must share some words."""
    theirs = set(stems(other.content))
    fewer = min(len(own), len(theirs))
    return fewer <= SHORT_RULE or len(own & theirs) >= SHARED_WORDS * fewer


def _same_matter(draft: RuleDraft, other: Lesson) -> bool:
    """Whether two contradicting rules are for the same situation.

    Tabs in Makefiles and spaces in Python can both be right: neither supersedes the other.
    """
    if overlap(draft.description, other.content) >= SAME_WORDS:
        return True
    own = {*stems(draft.description), *stems(other.content)}
    one, two = (set(stems(text)) - own for text in (draft.trigger, other.trigger))
    return not one or not two or dice(one, two) >= SAME_SITUATION


def _with_triggers(draft: RuleDraft, rivals: Sequence[Lesson]) -> RuleDraft:
    """Extend the trigger of a rule by those of the rules that it supersedes."""
    if not draft.trigger:
        return draft
    words = dict.fromkeys(" ".join([draft.trigger, *(one.trigger for one in rivals)]).split())
    return replace(draft, trigger=" ".join(words)[:LONGEST_RULE_TEXT])


def type_of(lesson: Lesson) -> RuleType:
    """Return the type of a rule; one taught without a type is a preference."""
    return lesson.rule.type if lesson.rule else "preference"


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
