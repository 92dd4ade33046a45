"""Finds the lessons that fit a request: by words and by meaning, fused, best first.

Both ways only choose candidates; each candidate is then compared with the request itself. When
there is no vector in time, words alone must do, and the answer says so.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from seasoned.core.bm25 import Spoken
from seasoned.core.clock import Clock
from seasoned.core.scope import Scope
from seasoned.core.similarity import telling_words
from seasoned.core.stems import stem
from seasoned.db.database import Connection, Database
from seasoned.db.vectors import NO_SPACE, Nearest, Space
from seasoned.learning.embedding import Asked, Embedding
from seasoned.learning.lesson import Kind, Lesson, Source, Status
from seasoned.learning.lessons import LessonStore
from seasoned.recall.ranking import Match, Weighed, believed, matched

SPARE = 10  # matches beyond those wanted: how far a lesson is believed may change the order
MOST_WORDS = 24  # of a long request: the first telling ones


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a search may answer with; None lets any through."""

    kinds: Collection[Kind] | None = None
    statuses: Collection[Status] | None = ("active",)
    sources: Collection[Source] | None = None
    relevance: float = 0.0  # at least


@dataclass(frozen=True, slots=True)
class Hit:
    """A lesson that was found, how well it matches, and what it is ranked by."""

    lesson: Lesson
    match: Match
    score: float


@dataclass(frozen=True, slots=True)
class Question:
    """A request, prepared once for several searches."""

    text: str
    words: Sequence[str]
    asked: Asked


@dataclass(frozen=True, slots=True)
class SearchConfig:
    candidates: int = 30  # from each of the two ways
    seconds: float = 1.0  # that the embedder may take


@dataclass(frozen=True, slots=True)
class Found:
    hits: Sequence[Hit] = field(default=())
    note: str = ""  # why it went by words alone, if it did


class Search:
    def __init__(
        self,
        db: Database,
        lessons: LessonStore,
        embedding: Embedding,
        clock: Clock,
        config: SearchConfig,
    ) -> None:
        self.db = db
        self.lessons = lessons
        self.embedding = embedding
        self.clock = clock
        self.config = config

    async def find(
        self, query: str, scope: Scope, *, wanted: Wanted | None = None, most: int = 10
    ) -> Found:
        """The lessons of this scope that fit a request best."""
        question = await self.question(query)
        async with self.db.read() as tx:
            return await self.answer(tx, question, scope, wanted or Wanted(), most)

    async def question(self, query: str) -> Question:
        asked = await self.embedding.asked(query, self.config.seconds)
        return Question(query, asked_for(query), asked)

    async def answer(
        self, tx: Connection, question: Question, scope: Scope, wanted: Wanted, most: int
    ) -> Found:
        """The same for a prepared question, in the caller's transaction."""
        groups = await self.lessons.vectors.groups(tx, _allowed(scope, wanted))
        if not groups or not most:
            return Found(note=question.asked.why)
        space = await self.embedding.space(tx)
        many = max(self.config.candidates, most + SPARE)
        question, nearest = await self._begun(tx, question, space, groups, many)
        index = self.lessons.words
        spoken = await index.spoken(tx, space or NO_SPACE, question.words, groups, many)
        near = await nearest(spoken.keys) if nearest is not None else {}
        likeness = {key: self.embedding.read(cosine) for key, cosine in near.items()}
        keys = list(dict.fromkeys((*spoken.keys, *likeness)))
        matches = await self._matches(tx, question, keys, spoken, likeness)
        relevant = [key for key in matches if matches[key].relevance >= wanted.relevance]
        best = sorted(relevant, key=lambda key: -matches[key].score)[: most + SPARE]
        lessons = await self.lessons.by_keys(tx, best, scope)
        now = self.clock.now()
        hits = [
            Hit(lesson, matches[key], matches[key].score * believed(lesson, now))
            for key in best
            if (lesson := lessons.get(key)) is not None
        ]
        hits.sort(key=lambda hit: (-hit.score, -hit.lesson.updated_at))
        return Found([hit for hit in hits if hit.score > 0][:most], question.asked.why)

    async def _begun(
        self,
        tx: Connection,
        question: Question,
        space: Space | None,
        groups: Collection[int],
        many: int,
    ) -> tuple[Question, Nearest | None]:
        """Begins to look for the nearest by meaning; else, in the question, why that cannot be."""
        vector, vectors = question.asked.vector, self.lessons.vectors
        if vector is None:
            return question, None
        if space is None or space.dimensions != len(vector):
            why = await vectors.usable(tx) or "nothing is embedded with this model yet"
            return replace(question, asked=Asked(why=why)), None
        return question, await vectors.begin(tx, space, vector, groups, many)

    async def _matches(
        self,
        tx: Connection,
        question: Question,
        keys: Sequence[int],
        spoken: Spoken,
        likeness: dict[int, float],
    ) -> dict[int, Match]:
        texts = await self.lessons.words.texts(tx, keys) if keys else {}
        request = Weighed.among(question.words, spoken)
        return {key: matched(request, text, likeness.get(key)) for key, text in texts.items()}


def asked_for(query: str) -> list[str]:
    """The stems of what a request is about; a letter that stands alone says nothing.

    >>> asked_for('Deploying "A" of B2 to the staging cluster')
    ['deploy', 'b2', 'stage', 'cluster']
    """
    telling = list(dict.fromkeys(stem(word) for word in telling_words(query)))
    return [word for word in telling if len(word) > 1 or ord(word) > 0x2E80][:MOST_WORDS]


def _allowed(scope: Scope, wanted: Wanted) -> list[Collection[str] | None]:
    own = [sorted({"", value}) for value in scope.fields()]
    return [*own, wanted.kinds, wanted.statuses, wanted.sources]
