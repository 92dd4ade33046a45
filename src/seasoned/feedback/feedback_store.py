"""Store feedback, each piece once, in the order of arrival, and keep running totals."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Row
from seasoned.feedback.feedback import (
    Attribution,
    Feedback,
    RatedTurn,
    StoredFeedback,
    environment_json,
)
from seasoned.feedback.totals import FeedbackTotal, TotalKey

T = TypeVar("T")

COLUMNS = (
    "tenant, project, user_id, id, at, session, correlation_id, polarity, dimension, source, "
    "score, confidence, annotator_id, comment, correction, span_start, span_end, prompt, "
    "response, model, environment, version, flags, skill, tool, lesson_id"
)
COLUMN_COUNT = 26
TOTAL_COLUMNS = (
    "tenant, project, about, name, dimension, given, score, confidence, positive, negative, "
    "neutral, corrective, last_at"
)
SUMMED = "given score confidence positive negative neutral corrective".split()
# Rows per statement: few sizes, so that each statement stays prepared.
INSERT_SIZES = (100, 30, 10, 3, 1)
LOOKUP_SIZE = 100


@dataclass(frozen=True, slots=True)
class FeedbackFilter:
    """Conditions on feedback; None means any."""

    dimension: str | None = None
    source: str | None = None
    polarity: str | None = None
    model: str | None = None
    skill: str | None = None
    tool: str | None = None
    least_confidence: float | None = None
    since: int | None = None
    until: int | None = None  # exclusive

    def conditions(self, scope: Scope) -> tuple[str, list[Any]]:
        """Return SQL conditions and their values, limited to the tenant and project."""
        terms = ["tenant = ?", "project = ?"]
        values: list[Any] = [scope.tenant, scope.project]
        for term, value in (
            ("user_id = ?", scope.user or None),
            ("dimension = ?", self.dimension),
            ("source = ?", self.source),
            ("polarity = ?", self.polarity),
            ("model = ?", self.model),
            ("skill = ?", self.skill),
            ("tool = ?", self.tool),
            ("confidence >= ?", self.least_confidence),
            ("at >= ?", self.since),
            ("at < ?", self.until),
        ):
            if value is not None:
                terms.append(term)
                values.append(value)
        return " AND ".join(terms), values


class FeedbackStore:
    """Owns `feedback`, `feedback_totals` and `feedback_links`."""

    async def add(self, tx: Connection, scope: Scope, items: Sequence[StoredFeedback]) -> set[str]:
        """Store new feedback; return the ids that were new."""
        rows = [_row(scope, item) for item in items]
        new: set[str] = set()
        for some in _batches(rows):
            answer = await tx.fetch(
                f"INSERT INTO feedback ({COLUMNS}) VALUES {_marks(len(some), COLUMN_COUNT)} "
                "ON CONFLICT (tenant, project, id) DO NOTHING RETURNING id",
                [value for row in some for value in row],
            )
            new.update(row[0] for row in answer)
        return new

    async def add_totals(
        self, tx: Connection, scope: Scope, sums: Mapping[TotalKey, FeedbackTotal]
    ) -> dict[TotalKey, FeedbackTotal]:
        """Add sums to the totals; return the new totals."""
        # In sorted order, so that two writers cannot deadlock.
        rows = [
            (scope.tenant, scope.project, *key, *sums[key].sums(), sums[key].last_at)
            for key in sorted(sums)
        ]
        added = ", ".join(f"{name} = feedback_totals.{name} + excluded.{name}" for name in SUMMED)
        totals: dict[TotalKey, FeedbackTotal] = {}
        for some in _batches(rows):
            answer = await tx.fetch(
                f"INSERT INTO feedback_totals ({TOTAL_COLUMNS}) VALUES {_marks(len(some), 13)} "
                f"ON CONFLICT (tenant, project, about, name, dimension) DO UPDATE SET {added}, "
                "last_at = CASE WHEN feedback_totals.last_at > excluded.last_at "
                "THEN feedback_totals.last_at ELSE excluded.last_at END "
                "RETURNING about, name, dimension, given, score, confidence, positive, negative, "
                "neutral, corrective, last_at",
                [value for row in some for value in row],
            )
            totals.update({TotalKey(*row[:3]): FeedbackTotal(*row[3:]) for row in answer})
        return totals

    async def totals(
        self, tx: Connection, scope: Scope, about: str, dimension: str | None, limit: int
    ) -> dict[str, FeedbackTotal]:
        """Return totals by name, most frequent first."""
        narrowed = "" if dimension is None else " AND dimension = ?"
        rows = await tx.fetch(
            "SELECT name, sum(given), sum(score), sum(confidence), sum(positive), sum(negative), "
            "sum(neutral), sum(corrective), max(last_at) FROM feedback_totals "
            f"WHERE tenant = ? AND project = ? AND about = ?{narrowed} "
            "GROUP BY name ORDER BY sum(given) DESC, name LIMIT ?",
            (scope.tenant, scope.project, about, *([dimension] if dimension else []), limit),
        )
        return {
            row[0]: FeedbackTotal(int(row[1]), float(row[2]), float(row[3]), *map(int, row[4:]))
            for row in rows
        }

    async def list(
        self,
        tx: Connection,
        scope: Scope,
        chosen: FeedbackFilter,
        limit: int,
        before: int | None = None,
    ) -> Sequence[StoredFeedback]:
        """List feedback, newest first; `before` names the place that a page ended with."""
        terms, values = chosen.conditions(scope)
        if before is not None:
            terms, values = f"{terms} AND n < ?", [*values, before]
        rows = await tx.fetch(
            f"SELECT n, {COLUMNS} FROM feedback WHERE {terms} ORDER BY n DESC LIMIT ?",
            (*values, limit),
        )
        return [_from_row(row) for row in rows]

    async def page(
        self, tx: Connection, scope: Scope, chosen: FeedbackFilter, after: int, last: int, most: int
    ) -> Sequence[StoredFeedback]:
        """Return the next pieces in the order of arrival, after one place and up to another."""
        terms, values = chosen.conditions(scope)
        rows = await tx.fetch(
            f"SELECT n, {COLUMNS} FROM feedback WHERE {terms} AND n > ? AND n <= ? "
            "ORDER BY n LIMIT ?",
            (*values, after, last, most),
        )
        return [_from_row(row) for row in rows]

    async def end(self, tx: Connection, scope: Scope) -> tuple[int, int]:
        """Return the last place, and the number of pieces up to it."""
        terms, values = FeedbackFilter().conditions(scope)
        row = await tx.fetch_one(
            f"SELECT coalesce(max(n), 0), count(*) FROM feedback WHERE {terms}", values
        )
        return (int(row[0]), int(row[1])) if row else (0, 0)

    async def about(
        self, tx: Connection, scope: Scope, ids: Iterable[str]
    ) -> dict[str, Attribution]:
        """Look up what ids are attributed to, by links and by earlier feedback."""
        found: dict[str, Attribution] = {}
        for some in _lookups(sorted(ids)):
            marks = ", ".join("?" for _ in some)
            for table, lesson in (("feedback", "lesson_id"), ("feedback_links", "''")):
                of_user = table == "feedback" and scope.user
                rows = await tx.fetch(
                    f"SELECT id, skill, tool, {lesson} FROM {table} "
                    f"WHERE tenant = ? AND project = ? AND id IN ({marks})"
                    f"{' AND user_id = ?' if of_user else ''}",
                    (scope.tenant, scope.project, *some, *([scope.user] if of_user else [])),
                )
                found.update({row[0]: Attribution(*row[1:]) for row in rows})
        return found

    async def link(
        self, tx: Connection, scope: Scope, links: Mapping[str, Attribution], now: int
    ) -> None:
        """Store what ids are attributed to; an id that is known keeps its first attribution."""
        await tx.execute_many(
            "INSERT INTO feedback_links (tenant, project, id, skill, tool, at) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, project, id) DO NOTHING",
            [
                (scope.tenant, scope.project, name, links[name].skill, links[name].tool, now)
                for name in sorted(links)
            ],
        )

    async def linked(self, tx: Connection, scope: Scope, ids: Iterable[str]) -> set[str]:
        """Return the ids that have a link."""
        found: set[str] = set()
        for some in _lookups(list(ids)):
            marks = ", ".join("?" for _ in some)
            rows = await tx.fetch(
                "SELECT id FROM feedback_links WHERE tenant = ? AND project = ? "
                f"AND id IN ({marks})",
                (scope.tenant, scope.project, *some),
            )
            found.update(row[0] for row in rows)
        return found


def _row(scope: Scope, item: StoredFeedback) -> Row:
    given, turn, about = item.feedback, item.feedback.turn, item.attribution
    start, end = given.correction_span or (None, None)
    return (
        *(scope.tenant, scope.project, scope.user, given.id, given.at, given.session_id),
        *(given.correlation_id, given.polarity, given.dimension, given.source),
        *(float(given.score), float(given.confidence), given.annotator_id, given.comment),
        *(given.correction, start, end),
        *(
            (turn.prompt, turn.response, turn.model, environment_json(turn.environment))
            if turn
            else (None, None, None, None)
        ),
        turn.version if turn else None,
        json.dumps(given.flags, ensure_ascii=False) if given.flags else "[]",
        *(about.skill, about.tool, about.lesson),
    )


def _from_row(row: Row) -> StoredFeedback:
    prompt, response, model, environment, version = row[18:23]
    turn = None
    if prompt is not None:
        known = None if environment is None else json.loads(environment)
        turn = RatedTurn(prompt, response or "", model or "", known, version)
    feedback = Feedback(
        id=row[4],
        at=row[5],
        session_id=row[6],
        correlation_id=row[7],
        polarity=row[8],
        dimension=row[9],
        source=row[10],
        score=row[11],
        confidence=row[12],
        annotator_id=row[13],
        comment=row[14],
        correction=row[15],
        correction_span=None if row[16] is None else (row[16], row[17]),
        turn=turn,
        flags=() if row[23] == "[]" else tuple(json.loads(row[23])),
    )
    return StoredFeedback(feedback, Attribution(*row[24:27]), user=row[3], place=row[0])


def _batches(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    """Split rows into as few batches as the sizes allow."""
    start = 0
    for size in INSERT_SIZES:
        while len(rows) - start >= size:
            yield rows[start : start + size]
            start += size


def _lookups(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + LOOKUP_SIZE] for start in range(0, len(ids), LOOKUP_SIZE))


def _marks(rows: int, columns: int) -> str:
    one = f"({', '.join('?' * columns)})"
    return ", ".join([one] * rows)
