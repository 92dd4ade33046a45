"""A tree of sums in the database: sample by priority without reading all priorities.

Each priority is in its own row. Each node above holds the sum of the 64 nodes below it; three
levels reach 262,144 places with one row at the top, so a sample reads a few hundred small rows.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from seasoned.db.database import Connection

FAN_BITS = 6
LEVELS = (3, 2, 1)  # from the top


class SumTree:
    """Owns `experience_sums`; its leaves are the priorities in `experiences`."""

    async def grow(
        self, tx: Connection, policy_id: int, first: int, priorities: Sequence[float]
    ) -> None:
        """Add the priorities of new places, starting at `first`."""
        added: defaultdict[tuple[int, int], float] = defaultdict(float)
        for place, priority in enumerate(priorities, start=first):
            for level in LEVELS:
                added[level, place >> (FAN_BITS * level)] += priority
        await tx.execute_many(
            "INSERT INTO experience_sums (policy_id, level, place, total) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (policy_id, level, place) DO UPDATE "
            "SET total = experience_sums.total + excluded.total",
            [(policy_id, *node, total) for node, total in sorted(added.items())],
        )

    async def refresh(self, tx: Connection, policy_id: int, places: Sequence[int]) -> None:
        """Recompute the sums above these places bottom up, so that rounding errors don't add up."""
        below = (
            "SELECT sum(priority) FROM experiences WHERE policy_id = ? AND place >= ? AND place < ?"
        )
        for level in reversed(LEVELS):
            nodes = sorted({place >> (FAN_BITS * level) for place in places})
            for node in nodes:
                span = (policy_id, node << FAN_BITS, (node + 1) << FAN_BITS)
                row = await tx.fetch_one(below, span)
                await tx.execute(
                    "UPDATE experience_sums SET total = ? "
                    "WHERE policy_id = ? AND level = ? AND place = ?",
                    ((row[0] if row else None) or 0.0, policy_id, level, node),
                )
            below = (
                f"SELECT sum(total) FROM experience_sums WHERE level = {level} "
                "AND policy_id = ? AND place >= ? AND place < ?"
            )

    async def totals(self, tx: Connection, policy_ids: Sequence[int]) -> Mapping[int, float]:
        """Return the sum of all priorities of each policy."""
        marks = ", ".join("?" for _ in policy_ids)
        rows = await tx.fetch(
            "SELECT policy_id, sum(total) FROM experience_sums "
            f"WHERE level = {LEVELS[0]} AND policy_id IN ({marks}) GROUP BY policy_id",
            policy_ids,
        )
        return {int(row[0]): float(row[1]) for row in rows}

    async def draw(
        self, tx: Connection, policy_id: int, points: Sequence[float]
    ) -> Sequence[tuple[int, float]]:
        """Return the place that each point from 0 to the total falls on, and its priority.

        Points are processed in sorted order, so that each node is read once.
        """
        ordered = sorted((point, index) for index, point in enumerate(points))
        spans: dict[int, list[tuple[float, int]]] = {-1: ordered}
        for level in LEVELS:
            deeper: dict[int, list[tuple[float, int]]] = {}
            for node, inside in spans.items():
                rows = await tx.fetch(
                    "SELECT place, total FROM experience_sums "
                    "WHERE policy_id = ? AND level = ? AND place >= ? AND place < ? ORDER BY place",
                    (policy_id, level, *_span(node)),
                )
                deeper.update(_shared(rows, inside))
            spans = deeper
        found: list[tuple[int, float]] = [(0, 0.0)] * len(points)
        for node, inside in spans.items():
            rows = await tx.fetch(
                "SELECT place, priority FROM experiences "
                "WHERE policy_id = ? AND place >= ? AND place < ? ORDER BY place",
                (policy_id, *_span(node)),
            )
            priorities = {int(place): float(priority) for place, priority in rows}
            for place, there in _shared(rows, inside).items():
                for _, index in there:
                    found[index] = (place, priorities[place])
        return found


def _span(node: int) -> tuple[int, int]:
    """Return the range of a node's children; -1 stands for the root."""
    return (0, 1 << 62) if node < 0 else (node << FAN_BITS, (node + 1) << FAN_BITS)


def _shared(
    rows: Sequence[tuple[int, float]], inside: Sequence[tuple[float, int]]
) -> dict[int, list[tuple[float, int]]]:
    """Group points by the row that they fall on, as offsets from that row's start.

    >>> _shared([(7, 1.0), (8, 2.0)], [(0.5, 0), (1.5, 1), (2.9, 2)])
    {7: [(0.5, 0)], 8: [(0.5, 1), (1.9, 2)]}
    """
    shared: dict[int, list[tuple[float, int]]] = {}
    filled = [(place, total) for place, total in rows if total > 0]
    at, start = 0, 0.0
    for point, index in inside:
        # The last row takes points beyond it, because sums of floats are not exact.
        while at < len(filled) - 1 and point >= start + filled[at][1]:
            start += filled[at][1]
            at += 1
        place, total = filled[at]
        shared.setdefault(place, []).append((min(point - start, total), index))
    return shared
