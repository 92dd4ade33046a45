"""Embed lessons and errors shortly after they are learned, and queries at once.

The queue is the state: a lesson without a vector in the model's space. So a crash, an overflow or
an unavailable embedder loses nothing. Meanwhile recall searches by words alone, and says so.
"""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seasoned.core.clock import Clock
from seasoned.core.errors import SeasonedError
from seasoned.core.threads import run_in_thread, wait_for
from seasoned.db.database import Connection, Database
from seasoned.db.search.index import Space, SpaceStore, VectorIndex
from seasoned.db.unit import transact
from seasoned.errors.likeness import meaning_of
from seasoned.errors.similar import SimilarErrors
from seasoned.llm.embed.embedder import background_of, scaled_cosine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seasoned.llm.embed.embedder import Embedder

log = logging.getLogger("seasoned.embedding")

NEAR_COUNTS = 0.4  # weight of the neighbouring text in the vector of a passage
LONGEST_QUIET_SECONDS = 60.0
NOTHING = "there is nothing to embed"


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The vector of a query, or the reason why there is none."""

    vector: "NDArray[Any] | None" = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class WaitingTexts:
    """Texts without a vector: their keys, and the text beside each."""

    vectors: VectorIndex
    keys: Sequence[int]
    texts: Sequence[str]
    beside: Sequence[str]


class Embedding:
    """Without an `embedder`, `missing` says why there is none."""

    def __init__(
        self,
        db: Database,
        lessons: VectorIndex,
        errors: SimilarErrors,
        embedder: "Embedder | None",
        clock: Clock,
        missing: str = "",
    ) -> None:
        self.db = db
        self.lessons = lessons
        self.errors = errors.vectors
        self.similar = errors
        self.embedder = embedder
        self.clock = clock
        self.missing = missing
        self.spaces = SpaceStore()
        self._claimed: Space | None = None
        self._quiet_seconds = 0.0
        self._quiet_until = 0.0
        self._behind: float | None = None

    async def space(self, tx: Connection) -> Space | None:
        """Return the space in use if it belongs to this embedder."""
        current = await self.spaces.current(tx)
        if current is None or self.embedder is None or current.model != self.embedder.model:
            return None
        return current

    def read(self, cosine: float) -> float:
        """Convert a cosine to a scale that is the same for every embedder."""
        return cosine if self._behind is None else scaled_cosine(cosine, self._behind)

    async def embed_query(self, text: str, seconds: float) -> QueryVector:
        """Embed a query within these seconds."""
        if self.embedder is None:
            return QueryVector(why=self.missing)
        if not text.strip():
            return QueryVector(why=NOTHING)
        left = self._quiet_until - time.monotonic()
        if left > 0:
            return QueryVector(why=f"the embedder failed; next attempt in {left:.0f} s")
        try:
            if self.embedder.local:
                vectors = self.embedder.embed([text])
            else:
                vectors = await wait_for(run_in_thread(self.embedder.embed, [text]), seconds)
        except TimeoutError:
            why = f"the embedder did not answer within {seconds:g} s"
        except SeasonedError as error:
            why = str(error)
        except Exception as error:  # a fault of the embedder must not break the turn
            log.exception("the embedder %s failed", self.embedder.model)
            why = f"the embedder failed ({type(error).__name__}: {error})"
        else:
            self._end_pause()
            self._see_background(self.embedder)
            return QueryVector(vectors[0]) if vectors[0].any() else QueryVector(why=NOTHING)
        self._pause()
        return QueryVector(why=why)

    def work(self, most: int) -> int:
        """Embed up to `most` waiting texts and return how many. Runs in the buffer's thread."""
        if self.embedder is None:
            return 0
        done = 0
        for vectors in (self.lessons, self.errors):
            waiting = self.db.run(self._waiting(vectors, most - done))
            if waiting is not None and waiting.keys:
                if vectors is self.errors and self._behind is None:
                    self._behind = background_of(self.embedder)
                rows = self._embed_waiting(self.embedder, waiting)
                self._end_pause()
                self.db.run(self._put(waiting, rows, self.embedder.model))
                done += len(waiting.keys)
            if done >= most:
                break
        return done

    async def status(self, tx: Connection) -> dict[str, Any]:
        current = await self.spaces.current(tx)
        own = self.embedder.model if self.embedder else ""
        begins_anew = current is None or (own not in ("", current.model) and not self._claimed)
        counted = await self.lessons.count(tx, current.id if current and not begins_anew else 0)
        note = self.missing or await self.lessons.why_unusable(tx)
        if current is not None and own not in ("", current.model) and self._claimed is not None:
            note = f"another process embeds with {current.model}; this one searches by words alone"
        return {
            "model": own,
            "space": current.model if current else "",
            "embedded": 0 if begins_anew else counted.embedded,
            "waiting": counted.waiting + (counted.embedded if begins_anew else 0),
            "note": note,
        }

    async def behind(self) -> bool:
        """Tell whether something waits, as after a crash or a change of model."""
        if self.embedder is None:
            return False
        async with self.db.read() as tx:
            for vectors in (self.lessons, self.errors):
                await vectors.why_unusable(tx)  # prepare it now, not during an observation
            space = await self._target(tx)
            return space is not None and any(
                [await vectors.waiting(tx, space, 1) for vectors in (self.lessons, self.errors)]
            )

    async def _target(self, tx: Connection) -> int | None:
        """Return the id of the space to embed into; None if another process has taken over.

        A process that opens the database with another model begins a new space, once; the latest
        space is in use.
        """
        current = await self.spaces.current(tx)
        if current is None:
            return 1
        assert self.embedder is not None, "callers check this"
        if current.model == self.embedder.model:
            self._claimed = current
            return current.id
        return None if self._claimed is not None else current.id + 1

    async def _waiting(self, vectors: VectorIndex, most: int) -> WaitingTexts | None:
        async with self.db.read() as tx:
            if await vectors.why_unusable(tx):
                return None
            space = await self._target(tx)
            keys = await vectors.waiting(tx, space, most) if space is not None else []
            if not keys:
                return None
            texts = LESSON_TEXTS if vectors is self.lessons else ERROR_TEXTS
            marks = ", ".join("?" for _ in keys)
            rows = sorted(await tx.fetch(texts.format(marks=marks), keys))
        if vectors is self.errors:
            rows = [(key, "", meaning_of(template), "", "") for key, _, template, _, _ in rows]
        return WaitingTexts(
            vectors,
            [row[0] for row in rows],
            ["\n".join(part for part in row[1:4] if part) for row in rows],
            [row[4] or "" for row in rows],
        )

    def _embed_waiting(self, embedder: "Embedder", waiting: WaitingTexts) -> "NDArray[Any]":
        from seasoned.llm.embed.embedder import unit_rows

        rows = embedder.embed(waiting.texts)
        beside = [place for place, text in enumerate(waiting.beside) if text]
        if beside:
            near = embedder.embed([waiting.beside[place] for place in beside])
            rows = rows.copy()
            rows[beside] += NEAR_COUNTS * near
            rows = unit_rows(rows)
        return rows

    async def _put(self, waiting: WaitingTexts, rows: "NDArray[Any]", model: str) -> None:
        async def put(tx: Connection) -> Space | None:
            if await self._target(tx) is None:  # another model took over meanwhile
                return None
            space = await self.spaces.begin(tx, model, rows.shape[1], self.clock.now())
            await waiting.vectors.put(tx, space, waiting.keys, rows)
            if waiting.vectors is self.errors:
                await self.similar.link_embedded(tx, space, waiting.keys, rows, self.read)
            await waiting.vectors.tend(tx, space)
            return space

        self._claimed = await transact(self.db, put) or self._claimed

    def _see_background(self, embedder: "Embedder") -> None:
        """Measure the background similarity once; in a thread if it takes a request."""
        if self._behind is None:
            self._behind = 0.0

            def look() -> None:
                self._behind = background_of(embedder)

            if embedder.local:
                look()
            else:
                run_in_thread(look)  # if it fails, cosines stay uncalibrated

    def _end_pause(self) -> None:
        """End the pause after failures: the embedder works again."""
        self._quiet_seconds = self._quiet_until = 0.0

    def _pause(self) -> None:
        """Pause a failing embedder, longer each time."""
        self._quiet_seconds = min(max(1.0, 2 * self._quiet_seconds), LONGEST_QUIET_SECONDS)
        self._quiet_until = time.monotonic() + self._quiet_seconds


LESSON_TEXTS = (
    "SELECT l.key, f.tool, l.trigger, l.content, p.near FROM lessons l "
    "LEFT JOIN lesson_fixes f ON f.lesson_id = l.id "
    "LEFT JOIN lesson_passages p ON p.lesson_id = l.id WHERE l.key IN ({marks})"
)
ERROR_TEXTS = (
    "SELECT e.vector_key, '', e.template, '', '' FROM errors e WHERE e.vector_key IN ({marks})"
)
