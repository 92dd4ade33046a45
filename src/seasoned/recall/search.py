"""Find the lessons that fit a request, by words and by meaning, best first.

Both ways only choose candidates; each candidate is then compared with the request itself. If the
embedder gives no vector in time, words alone must do, and the result says so.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from seasoned.core.clock import Clock
from seasoned.core.scope import Scope
from seasoned.core.words import WordMatches, stem, telling_words
from seasoned.db.database import Connection, Database
from seasoned.db.search.index import NO_SPACE, Nearest, Space
from seasoned.lessons.edits import LessonEdits
from seasoned.lessons.embedding import Embedding, QueryVector
from seasoned.lessons.lesson import Kind, Lesson, Source, Status
from seasoned.lessons.lesson_store import LessonStore
from seasoned.recall.ranking import Match, RequestWeights, credibility, match_text

SPARE = 10  # matches beyond those wanted, because belief may change the order
MOST_WORDS = 24  # telling words that count, of a long request


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """The lessons that a search may return; None allows any."""

    kinds: Collection[Kind] | None = None
    statuses: Collection[Status] | None = ("active",)
    sources: Collection[Source] | None = None
    relevance: float = 0.0  # at least


@dataclass(frozen=True, slots=True)
class Hit:
    """A lesson, how well it matches, and the score that it is ranked by."""

    lesson: Lesson
    match: Match
    score: float


@dataclass(frozen=True, slots=True)
class PreparedQuery:
    """A request's stems and vector, made once for several searches."""

    words: Sequence[str]
    asked: QueryVector


@dataclass(frozen=True, slots=True)
class SearchConfig:
    candidates: int = 30  # by words, and as many by meaning
    seconds: float = 1.0  # that the embedder may take


@dataclass(frozen=True, slots=True)
class SearchResult:
    hits: Sequence[Hit] = field(default=())
    note: str = ""  # why the search went by words alone, if it did


class Search:
    def __init__(
        self,
        db: Database,
        lessons: LessonStore,
        embedding: Embedding,
        clock: Clock,
        config: SearchConfig,
        edits: LessonEdits,
    ) -> None:
        self.edits = edits
        self.db = db
        self.lessons = lessons
        self.embedding = embedding
        self.clock = clock
        self.config = config

    async def find(
        self, query: str, scope: Scope, *, wanted: SearchFilter | None = None, most: int = 10
    ) -> SearchResult:
        """Return the lessons of this scope that fit a request best."""
        prepared = await self.prepare(query)
        async with self.db.read() as tx:
            return await self.answer(tx, prepared, scope, wanted or SearchFilter(), most)

    async def prepare(self, query: str) -> PreparedQuery:
        await self.edits.follow()
        asked = await self.embedding.embed_query(query, self.config.seconds)
        return PreparedQuery(query_stems(query), asked)

    async def answer(
        self, tx: Connection, query: PreparedQuery, scope: Scope, wanted: SearchFilter, most: int
    ) -> SearchResult:
        """Search for a prepared query, in the caller's transaction."""
        groups = await self.lessons.vectors.groups(tx, _allowed(scope, wanted))
        if not groups or not most:
            return SearchResult(note=query.asked.why)
        space = await self.embedding.space(tx)
        many = max(self.config.candidates, most + SPARE)
        query, nearest = await self._begin_nearest(tx, query, space, groups, many)
        index = self.lessons.words
        said = await index.search(tx, space or NO_SPACE, query.words, groups, many)
        near = await nearest(said.keys) if nearest is not None else {}
        likeness = {key: self.embedding.read(cosine) for key, cosine in near.items()}
        keys = list(dict.fromkeys((*said.keys, *likeness)))
        matches = await self._matches(tx, query, keys, said, likeness)
        relevant = [key for key in matches if matches[key].relevance >= wanted.relevance]
        best = sorted(relevant, key=lambda key: -matches[key].score)[: most + SPARE]
        lessons = await self.lessons.by_keys(tx, best, scope)
        now = self.clock.now()
        hits = [
            Hit(lesson, matches[key], matches[key].score * credibility(lesson, now))
            for key in best
            if (lesson := lessons.get(key)) is not None
        ]
        hits.sort(key=lambda hit: (-hit.score, -hit.lesson.updated_at))
        return SearchResult([hit for hit in hits if hit.score > 0][:most], query.asked.why)

    async def _begin_nearest(
        self,
        tx: Connection,
        query: PreparedQuery,
        space: Space | None,
        groups: Collection[int],
        many: int,
    ) -> tuple[PreparedQuery, Nearest | None]:
        """Start the search by meaning; if that is impossible, note why in the query."""
        vector, vectors = query.asked.vector, self.lessons.vectors
        if vector is None:
            return query, None
        if space is None or space.dimensions != len(vector):
            why = await vectors.why_unusable(tx) or "nothing is embedded with this model yet"
            return replace(query, asked=QueryVector(why=why)), None
        return query, await vectors.begin(tx, space, vector, groups, many)

    async def _matches(
        self,
        tx: Connection,
        query: PreparedQuery,
        keys: Sequence[int],
        said: WordMatches,
        likeness: dict[int, float],
    ) -> dict[int, Match]:
        texts = await self.lessons.words.texts(tx, keys) if keys else {}
        request = RequestWeights.among(query.words, said)
        return {key: match_text(request, text, likeness.get(key)) for key, text in texts.items()}


def query_stems(query: str) -> list[str]:
    """Return the stems of a request's telling words, without single letters.

    >>> query_stems('Deploying "A" of B2 to the staging cluster')
    ['deploy', 'b2', 'stage', 'cluster']
    """
    telling = list(dict.fromkeys(stem(word) for word in telling_words(query)))
    return [word for word in telling if len(word) > 1 or ord(word) > 0x2E80][:MOST_WORDS]


def _allowed(scope: Scope, wanted: SearchFilter) -> list[Collection[str] | None]:
    own = [sorted({"", value}) for value in scope.fields()]
    return [*own, wanted.kinds, wanted.statuses, wanted.sources]
