"""Saves rules: the same said again is evidence, a contradiction is noticed, the later one wins."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from seasoned.core.events import RuleConflicted, RuleLearned
from seasoned.core.scope import Scope
from seasoned.core.similarity import dice
from seasoned.core.stems import stems
from seasoned.core.text import one_line, storable
from seasoned.db.database import Connection
from seasoned.db.vectors import NO_SPACE
from seasoned.learning.confidence import PRIORS, Belief
from seasoned.learning.conflicts import Conflict, ConflictStore
from seasoned.learning.embedding import Embedding
from seasoned.learning.journal import Journal
from seasoned.learning.lesson import EXPLICIT, Draft, Evidence, Kind, Lesson, RuleDetail, Source
from seasoned.learning.lessons import LessonStore
from seasoned.rules.case import Case
from seasoned.rules.comparing import conflict, is_duplicate, overlap
from seasoned.rules.rule import RuleDraft, RuleType
from seasoned.security.redact import redact

log = logging.getLogger("seasoned.rules")

COMPARED = 20  # rules that share most words with a new one
MOST_WORDS = 32  # of a new rule, by which they are found
SHORT = 8  # words: so short a rule is compared with all
SHARED = 0.3  # of the words of the shorter one
STANDING = 200  # rules that hold always
RULES: tuple[Kind, ...] = ("rule", "preference")
LONGEST = 600
SAME_WORDS = 0.99  # the same things, the other way round
SAME_SITUATION = 0.35


@dataclass(frozen=True, slots=True)
class RulesConfig:
    duplicate_overlap: float = 0.60
    conflict_overlap: float = 0.35
    threshold: float = 0.7  # from which confidence a rule is given


@dataclass(frozen=True, slots=True)
class Saying:
    """Who says a rule, where, and in which words."""

    source: Source = "user"
    kind: Kind = "rule"
    session: str = ""
    reason: str = "the user corrected the assistant"
    provisional_of: str | None = None
    verbatim: bool = False  # only the very same words are the same rule
    typed: bool = True
    prior: Belief | None = None  # how far it is believed, where not by its source alone


@dataclass(frozen=True, slots=True)
class Saved:
    rule: Lesson
    is_new: bool
    conflicts: Sequence[Conflict] = field(default=())


class Rules:
    """Decides what becomes of a rule that is said; their stores keep lessons and conflicts."""

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

    async def ready(self, *drafts: RuleDraft) -> None:
        """Before a transaction that saves: the index in memory follows, and keeps who says the
        words of these drafts, only while nothing may be undone."""
        if self.lessons.db.dialect == "sqlite":
            async with self.lessons.db.read() as tx:
                await self._spoken(tx, [word for draft in drafts for word in _asked(draft)], ())

    async def save(
        self, tx: Connection, draft: RuleDraft, scope: Scope, said: Saying, journal: Journal
    ) -> Saved:
        """Stores a rule in this scope, or adds evidence to the one that says the same."""
        draft = draft if said.verbatim else _clean(draft)
        others = await self._comparable(tx, draft, scope, said)
        own = set(stems(draft.description))
        against = [
            (other, why)
            for other in others
            if _may_differ(own, other) and (why := self._contradicts(draft, other))
        ]
        opposed = {other.id for other, _ in against}
        rest = [one for one in others if one.id not in opposed and not said.verbatim]
        same = next((one for one in rest if self._same(draft, one)), None)
        if same is not None and same.scope.session in ("", scope.session):
            return Saved(await self._again(tx, same, draft, said, journal), is_new=False)
        rivals = [one for one, _ in against if one.scope == scope and _same_matter(draft, one)]
        rule, is_new = await self._add(tx, _about(draft, rivals), scope, said, journal)
        found = [
            await self._oppose(tx, rule, other, why, journal)
            for other, why in against
            if other.id != rule.id
        ]
        return Saved(rule, is_new, found)

    async def compare(self, tx: Connection, rule: Lesson, journal: Journal) -> Sequence[Conflict]:
        """Looks for contradictions with a rule whose words have changed."""
        draft = RuleDraft(type_of(rule), rule.content, rule.trigger)
        others = await self._comparable(tx, draft, rule.scope, Saying())
        return [
            await self._oppose(tx, rule, other, why, journal)
            for other in others
            if other.id != rule.id
            and _may_differ(set(stems(rule.content)), other)
            and (why := self._contradicts(draft, other))
        ]

    def _contradicts(self, draft: RuleDraft, other: Lesson) -> str | None:
        return conflict(draft.description, other.content, overlap=self.config.conflict_overlap)

    def _same(self, draft: RuleDraft, other: Lesson) -> bool:
        known = RuleDraft(type_of(other), other.content)
        return is_duplicate(draft, known, overlap=self.config.duplicate_overlap)

    async def _comparable(
        self, tx: Connection, draft: RuleDraft, scope: Scope, said: Saying
    ) -> list[Lesson]:
        """The rules that reach the same callers and may speak of the same, the latest first."""
        allowed = [sorted({"", value}) for value in scope.fields()]
        statuses = ("active", "candidate")
        groups = await self.lessons.vectors.groups(tx, [*allowed, RULES, statuses, None])
        found: dict[str, Lesson] = {}
        if groups:
            keys = await self._spoken(tx, _asked(draft), groups)
            rows = await self.lessons.by_keys(tx, keys, scope)
            found = {lesson.id: lesson for lesson in rows.values()}
        for lesson in await self.lessons.standing(tx, scope, 0.0, STANDING):
            found.setdefault(lesson.id, lesson)
        if said.provisional_of is None:  # a rule that stands for this very correction is no rival
            found = {
                name: one
                for name, one in found.items()
                if one.rule is None or one.rule.provisional_of is None
            }
        return sorted(found.values(), key=lambda one: (-one.created_at, one.id))

    async def _spoken(
        self, tx: Connection, asked: Sequence[str], groups: Collection[int]
    ) -> Sequence[int]:
        space = await self.embedding.space(tx) or NO_SPACE
        return (await self.lessons.words.spoken(tx, space, asked, groups, COMPARED)).keys

    async def _add(
        self, tx: Connection, draft: RuleDraft, scope: Scope, said: Saying, journal: Journal
    ) -> tuple[Lesson, bool]:
        belief = _belief(draft, said)
        evidence = tuple(
            Evidence(journal.at, said.reason, belief.worked, belief.failed, said.session, quote)
            for quote in (" … ".join(draft.quotes),)
        )
        explicit = belief.confidence >= self.config.threshold
        lesson, is_new = await self.lessons.add(
            tx,
            Draft(
                kind=said.kind,
                status="active" if explicit else "candidate",
                scope=scope,
                trigger=draft.trigger,
                content=draft.description,
                belief=belief,
                source=said.source,
                identity=f"{said.provisional_of or ''}\n{draft.description}",
                rule=_detail(draft, said) if said.typed else None,
                evidence=evidence,
            ),
            journal.at,
        )
        if not is_new:
            return await self._again(tx, lesson, draft, said, journal), False
        journal.learned(lesson)
        if said.provisional_of is None:
            journal.events.append(
                RuleLearned(journal.at, lesson.id, type_of(lesson), lesson.content, said.session)
            )
        return lesson, True

    async def _again(
        self, tx: Connection, lesson: Lesson, draft: RuleDraft, said: Saying, journal: Journal
    ) -> Lesson:
        """The same was said before: it is believed more, and takes its place back if it lost it."""
        if said.provisional_of is not None:
            return lesson
        again = Evidence(journal.at, "said again", 1, 0, said.session, " … ".join(draft.quotes))
        belief = lesson.belief.plus(1, 0)
        status = lesson.status_with(belief, self.config.threshold)
        if lesson.status in ("superseded", "retired") and said.source in EXPLICIT:
            lesson = await self.lessons.supersede(tx, lesson, None, journal.at)
            status = lesson.status
        changed = await self.lessons.believe(tx, lesson, again, status, journal.at)
        journal.changed(lesson, changed, again.reason)
        return changed

    async def _oppose(
        self, tx: Connection, rule: Lesson, other: Lesson, why: str, journal: Journal
    ) -> Conflict:
        """The later statement wins, unless a person's word stands against an inference."""
        wins = rule.explicit or not other.explicit
        winner, loser = (rule, other) if wins else (other, rule)
        same = _same_matter(RuleDraft(type_of(rule), rule.content, rule.trigger), other)
        wins_by = winner.id if same or winner.scope != loser.scope else None
        found = await self.conflicts.add(tx, other.id, rule.id, wins_by, why, journal.at)
        log.warning(
            "behavioral.rule_conflict_detected earlier=%s later=%s winner=%s: %s",
            *(other.id, rule.id, wins_by, why),
        )
        if same and winner.scope == loser.scope and loser.status in ("active", "candidate"):
            changed = await self.lessons.supersede(tx, loser, winner.id, journal.at)
            journal.changed(loser, changed, f"contradicted by {winner.id}")
        if rule.rule is None or rule.rule.provisional_of is None:
            journal.events.append(
                RuleConflicted(journal.at, found.id, other.content, rule.content, why)
            )
        return found

    async def reword_provisional(
        self, tx: Connection, case: Case, learned: Lesson, now: int
    ) -> None:
        """For the rest of its session a correction is said in the words of what was learned."""
        for rule in await self.lessons.rules.provisional(tx, case.id):
            if rule.content != learned.content and rule.status == "active":
                await self.lessons.reword(tx, rule, "", learned.content, None, now)


def _asked(draft: RuleDraft) -> list[str]:
    """The words by which rules are found that a draft is compared with."""
    return list(dict.fromkeys(stems(f"{draft.description} {draft.trigger}")))[:MOST_WORDS]


def _may_differ(own: set[str], other: Lesson) -> bool:
    """A quick look, before what takes a while: long rules contradict only what they speak of."""
    theirs = set(stems(other.content))
    fewer = min(len(own), len(theirs))
    return fewer <= SHORT or len(own & theirs) >= SHARED * fewer


def _same_matter(draft: RuleDraft, other: Lesson) -> bool:
    """Whether two rules that contradict each other are for the same situation.

    Tabs in Makefiles and spaces in Python can both be right: neither takes the other's place.
    """
    if overlap(draft.description, other.content) >= SAME_WORDS:
        return True
    own = {*stems(draft.description), *stems(other.content)}
    one, two = (set(stems(text)) - own for text in (draft.trigger, other.trigger))
    return not one or not two or dice(one, two) >= SAME_SITUATION


def _about(draft: RuleDraft, rivals: Sequence[Lesson]) -> RuleDraft:
    """A rule that takes the place of others matters where they did."""
    if not draft.trigger:
        return draft
    words = dict.fromkeys(" ".join([draft.trigger, *(one.trigger for one in rivals)]).split())
    return replace(draft, trigger=" ".join(words)[:LONGEST])


def type_of(lesson: Lesson) -> RuleType:
    """A rule that was taught without a type says what somebody wants."""
    return lesson.rule.type if lesson.rule else "preference"


def _belief(draft: RuleDraft, said: Saying) -> Belief:
    """What was surely said counts as said; what was only guessed counts by its score."""
    if said.prior is not None:
        return said.prior
    prior = PRIORS[said.source] if said.source in PRIORS else PRIORS["model_medium"]
    share = min(prior.confidence, max(0.05, draft.confidence))
    together = prior.worked + prior.failed
    return Belief(share * together, (1 - share) * together)


def _detail(draft: RuleDraft, said: Saying) -> RuleDetail:
    return RuleDetail(
        *(draft.type, draft.poison, draft.fewshot_user, draft.fewshot_assistant),
        provisional_of=said.provisional_of,
    )


def _clean(draft: RuleDraft) -> RuleDraft:
    """As it may be stored and shown: on one line, no secret in it."""

    def clean(text: str | None) -> str | None:
        return redact(storable(text[:LONGEST])) if text else None

    return replace(
        draft,
        description=one_line(clean(draft.description) or "", LONGEST),
        trigger=one_line(clean(draft.trigger) or "", LONGEST),
        poison=clean(draft.poison),
        fewshot_user=clean(draft.fewshot_user),
        fewshot_assistant=clean(draft.fewshot_assistant),
        quotes=tuple(one_line(redact(storable(quote[:LONGEST]))) for quote in draft.quotes),
    )
