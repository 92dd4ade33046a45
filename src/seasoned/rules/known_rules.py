"""Finds the known rules that a new one is compared with: the same, its rivals, those of others."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from seasoned.core.scope import Scope
from seasoned.core.words import dice, stems
from seasoned.db.database import Connection
from seasoned.db.search.index import NO_SPACE
from seasoned.lessons.embedding import Embedding
from seasoned.lessons.lesson import Kind, Lesson, RuleType
from seasoned.lessons.lesson_store import LessonStore
from seasoned.rules.case import RuleDraft
from seasoned.rules.grammar.comparison import changed_mind, conflict, is_duplicate, overlap

MOST_COMPARED = 20  # rules that share most words with a new one
MOST_WORDS = 32  # of a new rule, to find them by
SHORT_RULE = 8  # words: a rule so short is compared with every candidate
SHARED_WORDS = 0.3  # share of the words of the shorter rule
MOST_STANDING = 200  # rules that always hold
RULES: tuple[Kind, ...] = ("rule", "preference")
SAME_WORDS = 0.99  # overlap of two rules about the same things, one the reverse of the other
SAME_SITUATION = 0.35


@dataclass(frozen=True, slots=True)
class Rival:
    """A known rule that cannot be followed beside a new one, and why.

    `changed`: it is the same sentence with another value, in the same scope.
    """

    rule: Lesson
    why: str
    same_matter: bool
    changed: bool = False


class KnownRules:
    def __init__(
        self,
        lessons: LessonStore,
        embedding: Embedding,
        duplicate_overlap: float,
        conflict_overlap: float,
    ) -> None:
        self.lessons = lessons
        self.embedding = embedding
        self.duplicate_overlap = duplicate_overlap
        self.conflict_overlap = conflict_overlap

    async def prepare(self, *drafts: RuleDraft) -> None:
        """Update the in-memory index before a transaction that saves these drafts.

        Within the transaction the index must not change, because that may be rolled back.
        """
        if self.lessons.db.dialect == "sqlite":
            async with self.lessons.db.read() as tx:
                words = [word for draft in drafts for word in _search_words(draft)]
                await self._keys_by_words(tx, words, ())

    async def near(
        self, tx: Connection, draft: RuleDraft, scope: Scope, *, provisional: bool = False
    ) -> list[Lesson]:
        """Return the rules of the same callers that may be about the same, newest first.

        Provisional rules are compared only with another `provisional` one.
        """
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
        if not provisional:
            found = {
                name: one
                for name, one in found.items()
                if one.rule is None or one.rule.provisional_of is None
            }
        return sorted(found.values(), key=lambda one: (-one.created_at, one.id))

    def rivals(self, draft: RuleDraft, scope: Scope, others: Sequence[Lesson]) -> list[Rival]:
        """Return the rules that cannot be followed beside this one."""
        own = set(stems(draft.description))
        found: list[Rival] = []
        for other in others:
            if not _may_differ(own, other):
                continue
            same_matter = _same_matter(draft, other)
            if same_matter and (value := changed_mind(other.content, draft.description)):
                why = f"another value: {value.new} instead of {value.old}"
                found.append(Rival(other, why, same_matter, changed=other.scope == scope))
            elif why := conflict(draft.description, other.content, overlap=self.conflict_overlap):
                found.append(Rival(other, why, same_matter))
        return found

    def same(self, draft: RuleDraft, other: Lesson) -> bool:
        """Whether a known rule says the same."""
        known = RuleDraft(type_of(other), other.content)
        return is_duplicate(draft, known, overlap=self.duplicate_overlap)

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
            and self.same(draft, one)
            and _same_matter(draft, one)
        ]

    async def _keys_by_words(
        self, tx: Connection, words: Sequence[str], groups: Collection[int]
    ) -> Sequence[int]:
        """Return the index keys of the lessons that share most of these words."""
        space = await self.embedding.space(tx) or NO_SPACE
        return (await self.lessons.words.search(tx, space, words, groups, MOST_COMPARED)).keys


def type_of(lesson: Lesson) -> RuleType:
    """Return the type of a rule; one taught without a type is a preference."""
    return lesson.rule.type if lesson.rule else "preference"


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
