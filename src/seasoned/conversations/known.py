"""Finds known lessons about the same things, so that nothing is stored twice."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.conversations.items import ConversationItem
from seasoned.core.scope import Scope
from seasoned.core.words import stems
from seasoned.db.database import Connection, Database
from seasoned.db.search.index import NO_SPACE
from seasoned.lessons.embedding import Embedding
from seasoned.lessons.lesson import Kind, Lesson
from seasoned.lessons.lesson_store import LessonStore
from seasoned.rules.case import RuleDraft
from seasoned.rules.grammar.claims import core_words
from seasoned.rules.grammar.comparison import conflict, is_duplicate

KINDS: tuple[Kind, ...] = ("fact", "pattern", "correction", "preference", "rule")
STATUSES = ("active", "candidate")
MOST_NEAR = 8
MOST_WORDS = 32
EMBEDDING_SECONDS = 5.0  # timeout: nobody waits for this answer
SAME_WORDS = 0.79  # share of the core words of two statements
SOME_WORDS = 0.3
SAME_MEANING = 0.85
ABOUT = (" is ", " are ")
TASTE = re.compile(
    r"(?:(?P<no>the user dislikes|avoid)|the user likes|prefer) (?P<what>.+)", re.IGNORECASE
)
CHOICE = re.compile(r",? (?:over|rather than|instead of|not) ", re.IGNORECASE)
COMMON = frozenset(stems("prefer always use the a user likes better"))


@dataclass(frozen=True, slots=True)
class NearLesson:
    """A lesson, and its similarity in meaning, if known."""

    lesson: Lesson
    likeness: float | None = None


class KnownLessons:
    """Searches the lessons of a scope."""

    def __init__(self, db: Database, lessons: LessonStore, embedding: Embedding) -> None:
        self.db = db
        self.lessons = lessons
        self.embedding = embedding

    async def near(self, text: str, scope: Scope, most: int = MOST_NEAR) -> list[NearLesson]:
        """Find the lessons of this scope about the same things, by words and by meaning."""
        asked = await self.embedding.embed_query(text, EMBEDDING_SECONDS)
        async with self.db.read() as tx:
            groups = await self._groups(tx, scope)
            if not groups:
                return []
            space = await self.embedding.space(tx)
            words = list(dict.fromkeys(stems(text)))[:MOST_WORDS]
            index = self.lessons.words
            spoken = (await index.search(tx, space or NO_SPACE, words, groups, most)).keys
            alike: dict[int, float] = {}
            if space is not None and asked.vector is not None:
                vectors, vector = self.lessons.vectors, asked.vector
                alike = dict(await vectors.nearest(tx, space, vector, groups, most))
                rest = [key for key in spoken if key not in alike]
                alike |= await vectors.likeness(tx, space, vector, rest)
            keys = list(dict.fromkeys((*spoken, *alike)))
            found = await self.lessons.by_keys(tx, keys, scope)
        near = {key: self.embedding.read(cosine) for key, cosine in alike.items()}
        return [NearLesson(found[key], near.get(key)) for key in keys if key in found]

    async def _groups(self, tx: Connection, scope: Scope) -> frozenset[int]:
        allowed = [sorted({"", value}) for value in scope.fields()]
        return await self.lessons.vectors.groups(tx, [*allowed, KINDS, STATUSES, None])


def twin_of(content: str, near: Sequence[NearLesson]) -> Lesson | None:
    """Return the lesson that says the same, if there is one."""
    return next((one.lesson for one in near if is_same(content, one)), None)


def is_same(content: str, near: NearLesson) -> bool:
    """Whether a lesson says the same, perhaps in other words: same numbers, names, polarity."""
    known = near.lesson.content
    if _reversed(content, known) or _opposed(content, known):
        return False
    one, other = (RuleDraft("preference", text) for text in (content, known))
    if _adds_nothing(content, known) and is_duplicate(one, other, overlap=SAME_WORDS):
        return True
    alike = near.likeness is not None and near.likeness >= SAME_MEANING
    same_names = _names(content) == _names(known)
    return alike and same_names and is_duplicate(one, other, overlap=SOME_WORDS)


def _adds_nothing(one: str, other: str) -> bool:
    """Whether one has no core word that the other lacks: another word may be another thing."""
    return core_words(one) <= core_words(other)


def without_contradictions(items: Sequence[ConversationItem]) -> list[ConversationItem]:
    """Return each statement once; of two that contradict each other, the later one."""
    kept: list[ConversationItem] = []
    for item in items:
        against = [one for one in kept if statements_conflict(item.content, one.content)]
        if any(one.prior.confidence > item.prior.confidence for one in against):
            continue
        kept = [one for one in kept if one not in against]
        if not any(_repeats(item, one) for one in kept):
            kept.append(item)
    return kept


def _repeats(item: ConversationItem, other: ConversationItem) -> bool:
    one, two = (RuleDraft("preference", each.content) for each in (item, other))
    return (
        item.by_user <= other.by_user
        and _adds_nothing(item.content, other.content)
        and is_duplicate(one, two, overlap=SAME_WORDS)
    )


def rivals_of(content: str, near: Sequence[NearLesson]) -> list[Lesson]:
    """Return the lessons that contradict this one."""
    return [one.lesson for one in near if statements_conflict(content, one.lesson.content)]


def statements_conflict(one: str, other: str) -> bool:
    """Whether two statements say different things about one subject, or oppose each other.

    >>> statements_conflict("The user's editor is vim.", "The user's editor is emacs.")
    True
    >>> statements_conflict("The user's editor is vim.", "The user's shell is zsh.")
    False
    >>> statements_conflict("Prefer tabs over spaces.", "Prefer spaces over tabs.")
    True
    >>> statements_conflict("The user likes jazz.", "The user dislikes jazz.")
    True
    """
    if one.strip(" .").casefold() == other.strip(" .").casefold():
        return False
    subjects = (_subject(one), _subject(other))
    if subjects[0] == subjects[1] != "":
        return True
    return _reversed(one, other) or _opposed(one, other) or conflict(one, other) is not None


def _opposed(one: str, other: str) -> bool:
    """Whether one likes or wants the same thing that the other does not."""
    (wants, what), (wants_too, that) = _taste(one), _taste(other)
    return bool(what and what == that and wants != wants_too)


def _taste(text: str) -> tuple[bool, frozenset[str]]:
    found = TASTE.match(text)
    return (found["no"] is None, core_words(found["what"])) if found else (True, frozenset())


def _reversed(one: str, other: str) -> bool:
    """Whether each prefers what the other rejects."""
    (more, less), (theirs, not_theirs) = _choice(one), _choice(other)
    return bool(more and less and more & not_theirs and theirs & less and not more & theirs)


def _choice(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of the preferred and of the rejected thing, without shared ones."""
    parts = CHOICE.split(text, maxsplit=1)
    if len(parts) == 1:
        return frozenset(), frozenset()
    more, less = (frozenset(stems(part)) - COMMON for part in parts)
    return more - less, less - more


def _subject(text: str) -> str:
    """Return the subject of a statement about the user's or the team's things, or nothing."""
    plain = text.casefold()
    if not plain.startswith(("the user's ", "the team's ")):
        return ""
    return next((plain.partition(verb)[0] for verb in ABOUT if verb in plain), "")


def _names(text: str) -> set[str]:
    """Return the capitalised words inside a sentence."""
    return {word.strip(".,;:!?") for word in text.split()[1:] if word[:1].isupper()}
