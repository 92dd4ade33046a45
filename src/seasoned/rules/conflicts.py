"""Stores conflicts between rules: both rules stay, one is given, a person decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from seasoned.core.authority import Caller
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.ids import digest, new_id
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Row
from seasoned.db.keyset import Place, following
from seasoned.db.scope_filter import visible
from seasoned.db.unit import Change

Keep = Literal["earlier", "later", "both"]
KEEPS: tuple[Keep, ...] = get_args(Keep)
FORGOTTEN = "forgotten"  # the resolution if one of the two rules is gone

COLUMNS = (
    "c.id, c.earlier_id, c.later_id, c.winner_id, c.reason, c.found_at, c.resolved_at, c.resolution"
)
NEWEST = "c.found_at DESC, c.id"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two rules that cannot both be followed; `winner` is given until a person resolves it.

    Without a winner, the rule that fits a request better is given.
    """

    id: str
    earlier: str
    later: str
    winner: str | None
    reason: str
    found_at: int
    resolved_at: int | None = None
    resolution: str = ""

    @property
    def place(self) -> tuple[int, str]:
        """Where it stands in a list, newest first: `after` of the next page."""
        return (self.found_at, self.id)

    @property
    def version(self) -> str:
        """Return a digest of what people change by hand."""
        return digest(self.id, str(self.resolved_at), self.resolution, self.winner or "")


class ConflictStore:
    """Owns `rule_conflicts`."""

    async def add(
        self, tx: Connection, earlier: str, later: str, winner: str | None, reason: str, now: int
    ) -> Conflict:
        """Add a conflict; a resolved one is reopened."""
        row = await tx.fetch_one(
            "INSERT INTO rule_conflicts (id, earlier_id, later_id, winner_id, reason, found_at) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (earlier_id, later_id) DO UPDATE SET "
            "winner_id = excluded.winner_id, reason = excluded.reason, "
            "found_at = excluded.found_at, resolved_at = NULL, resolution = '' "
            f"RETURNING {COLUMNS.replace('c.', '')}",
            (new_id(), earlier, later, winner, reason, now),
        )
        assert row is not None, "RETURNING returns the inserted row"
        return _conflict(row)

    async def list(
        self,
        tx: Connection,
        scope: Scope,
        *,
        resolved: bool = False,
        limit: int = 50,
        after: Place | None = None,
    ) -> Sequence[Conflict]:
        """List open conflicts, or all of them, newest first."""
        which = "" if resolved else "AND c.resolved_at IS NULL"
        later, place = following(NEWEST, after)
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM rule_conflicts c JOIN lessons l ON l.id = c.later_id "
            "LEFT JOIN lesson_rules r ON r.lesson_id = l.id "
            "WHERE l.tenant IN ('', ?) AND l.project IN ('', ?) AND l.user_id IN ('', ?) "
            f"AND r.provisional_of IS NULL {which} AND {later} ORDER BY {NEWEST} LIMIT ?",
            (scope.tenant, scope.project, scope.user, *place, limit),
        )
        return [_conflict(row) for row in rows]

    async def waiting(
        self, tx: Connection, scope: Scope, limit: int, after: Place | None = None
    ) -> Sequence[Conflict]:
        """List open conflicts of a tenant for review, those inside of the scope too."""
        later, place = following(NEWEST, after)
        seen, values = visible(Caller(scope), "l.")
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM rule_conflicts c JOIN lessons l ON l.id = c.later_id "
            "LEFT JOIN lesson_rules r ON r.lesson_id = l.id "
            f"WHERE l.tenant = ? AND {seen} "
            f"AND r.provisional_of IS NULL AND c.resolved_at IS NULL AND {later} "
            f"ORDER BY {NEWEST} LIMIT ?",
            (scope.tenant, *values, *place, limit),
        )
        return [_conflict(row) for row in rows]

    async def rivals(self, tx: Connection, later: str) -> Sequence[str]:
        """Return the ids of the earlier rules in open conflict with this one."""
        rows = await tx.fetch(
            "SELECT earlier_id FROM rule_conflicts WHERE later_id = ? AND resolved_at IS NULL "
            "ORDER BY earlier_id",
            (later,),
        )
        return [name for (name,) in rows]

    async def get(self, tx: Connection, name: str) -> Conflict:
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM rule_conflicts c WHERE c.id >= ? AND c.id < ? "
            "ORDER BY c.id LIMIT 2",
            (name, name + "~"),
        )
        if len(rows) > 1 and rows[0][0] != name:
            raise BadInput(f"several conflicts have an id that starts with {name!r}; give more")
        if not rows or not name:
            raise no_conflict(name)
        return _conflict(rows[0])

    async def resolve(self, tx: Connection, conflict: Conflict, keep: Keep, now: int) -> None:
        winner = {"earlier": conflict.earlier, "later": conflict.later, "both": None}[keep]
        await tx.execute(
            "UPDATE rule_conflicts SET resolved_at = ?, resolution = ?, winner_id = ? WHERE id = ?",
            (now, keep, winner, conflict.id),
        )

    async def reopen(self, change: Change, name: str, winner: str | None) -> None:
        """Let a conflict wait again, with the rule that holds until it is decided."""
        await change.execute(
            "UPDATE rule_conflicts SET resolved_at = NULL, resolution = '', winner_id = ? "
            "WHERE id = ?",
            (winner, name),
        )
        change.record("conflict.reopened", name, {})

    async def close(self, tx: Connection, rule: str, now: int) -> None:
        """Close the open conflicts of a rule that is forgotten: nothing is left to decide."""
        await tx.send(
            "UPDATE rule_conflicts SET resolved_at = ?, resolution = ? "
            "WHERE (earlier_id = ? OR later_id = ?) AND resolved_at IS NULL",
            (now, FORGOTTEN, rule, rule),
        )

    async def outvoted(self, tx: Connection, rules: Mapping[str, float]) -> set[str]:
        """Return the ids of rules that lose a conflict with another of these rules.

        `rules` maps ids to how well they fit the request: without a winner, the better fit wins.
        """
        if len(rules) < 2:
            return set()
        marks = ", ".join("?" for _ in rules)
        rows = await tx.fetch(
            "SELECT earlier_id, later_id, winner_id FROM rule_conflicts "
            f"WHERE earlier_id IN ({marks}) AND later_id IN ({marks}) AND resolution <> 'both'",
            (*rules, *rules),
        )
        return {
            earlier if (winner or max(later, earlier, key=rules.__getitem__)) == later else later
            for earlier, later, winner in rows
        }

    async def count(self, tx: Connection) -> int:
        row = await tx.fetch_one(
            "SELECT count(*) FROM rule_conflicts c LEFT JOIN lesson_rules r "
            "ON r.lesson_id = c.later_id "
            "WHERE c.resolved_at IS NULL AND r.provisional_of IS NULL"
        )
        return int(row[0]) if row else 0


def no_conflict(name: str) -> NotFound:
    return NotFound(f"no conflict {name!r}; `seasoned rules conflicts` shows them")


def _conflict(row: Row) -> Conflict:
    return Conflict(*row)
