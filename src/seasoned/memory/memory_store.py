"""Store observations and reflections."""

from collections.abc import Mapping, Sequence
from typing import Literal

from seasoned.core.errors import BadInput, DatabaseConflict, NotFound
from seasoned.core.ids import new_id
from seasoned.core.scope import Scope
from seasoned.core.text import estimate_tokens, storable, without_hidden
from seasoned.db.database import Connection
from seasoned.db.keyset import Place, following
from seasoned.db.scope_filter import contained
from seasoned.memory.observation import BINDING, PLAIN, Observation, ObservationDraft, Reflection

OBSERVED = (
    "o.id, o.session_key, o.from_seq, o.to_seq, o.kind, o.text, o.tokens, o.at, o.made_by, "
    "o.reflection_id, o.settled_seq"
)
REFLECTED = (
    "r.id, r.session_key, r.text, r.tokens, r.at, r.made_by, r.generation, r.consolidated_in"
)
OF_SESSION = "s.tenant = ? AND s.project = ? AND s.user_id = ? AND s.name = ?"
OF_SCOPE = "s.tenant = ? AND s.project = ? AND (? = '' OR s.user_id = ?)"
BY_MESSAGE = "o.to_seq, o.from_seq, o.at, o.id"
OLDEST = "r.at, r.generation, r.id"
ALL = 2**62  # a LIMIT that is none
SHORTEST_START = 3
# Only active sessions need new memories, and they are among the latest. Searching all sessions
# would make the end of each turn slower than the one before.
LATEST = 200
LATEST_KEYS = f"(SELECT key FROM sessions ORDER BY active_at DESC, key DESC LIMIT {LATEST})"


class MemoryStore:
    """Owns `observations` and `reflections`."""

    async def add(
        self, tx: Connection, session: int, found: Sequence[ObservationDraft], by: str, now: int
    ) -> Sequence[Observation]:
        rows = [
            Observation(
                *(new_id(), session, one.from_seq, one.to_seq, one.kind),
                *(
                    text := without_hidden(storable(one.text)),
                    estimate_tokens(text),
                    now + place,
                ),  # keeps their order
                *(PLAIN if one.plain else by, "", 0),
            )
            for place, one in enumerate(found)
        ]
        await tx.execute_many(
            "INSERT INTO observations (id, session_key, from_seq, to_seq, kind, text, tokens, at, "
            "made_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (o.id, o.session, o.from_seq, o.to_seq, o.kind, o.text, o.tokens, o.at, o.made_by)
                for o in rows
            ],
        )
        return rows

    async def settle(self, tx: Connection, names: Sequence[str], seq: int) -> None:
        """Mark promises as kept, questions as answered, decisions as overturned by a message."""
        await tx.execute_many(
            "UPDATE observations SET settled_seq = ? WHERE id = ? AND settled_seq = 0",
            [(seq, name) for name in names],
        )

    async def observations(
        self, tx: Connection, session: int, limit: int = ALL, after: Place | None = None
    ) -> Sequence[Observation]:
        """List the observations of a session in the order of the messages."""
        later, place = following(BY_MESSAGE, after)
        rows = await tx.fetch(
            f"SELECT {OBSERVED} FROM observations o WHERE o.session_key = ? AND {later} "
            f"ORDER BY {BY_MESSAGE} LIMIT ?",
            (session, *place, limit),
        )
        return [Observation(*row) for row in rows]

    async def binding(self, tx: Connection, session: int, most: int) -> Sequence[Observation]:
        """List the latest open promises, decisions and questions, in order."""
        marks = ", ".join("?" for _ in BINDING)
        rows = await tx.fetch(
            f"SELECT {OBSERVED} FROM observations o WHERE o.session_key = ? AND o.settled_seq = 0 "
            f"AND o.kind IN ({marks}) ORDER BY o.to_seq DESC, o.id LIMIT ?",
            (session, *BINDING, most),
        )
        return [Observation(*row) for row in reversed(rows)]

    async def telling(
        self, tx: Connection, session: int, upto: int, most: int
    ) -> Sequence[Observation]:
        """List the latest observations without a reflection, and all that bind, up to a message."""
        marks = ", ".join("?" for _ in BINDING)
        rows = await tx.fetch(
            f"SELECT {OBSERVED} FROM observations o WHERE o.session_key = ? AND o.to_seq <= ? "
            f"AND o.settled_seq = 0 AND (o.reflection_id = '' OR o.kind IN ({marks})) "
            "ORDER BY o.to_seq DESC, o.from_seq DESC, o.at DESC, o.id DESC LIMIT ?",
            (session, upto, *BINDING, most),
        )
        return [Observation(*row) for row in reversed(rows)]

    async def unreflected(self, tx: Connection, session: int) -> Sequence[Observation]:
        rows = await tx.fetch(
            f"SELECT {OBSERVED} FROM observations o WHERE o.session_key = ? "
            "AND o.reflection_id = '' ORDER BY o.to_seq, o.from_seq, o.at, o.id",
            (session,),
        )
        return [Observation(*row) for row in rows]

    async def waiting(
        self, tx: Connection, mark: Literal["observed_to", "compacted_to"], tokens: int, limit: int
    ) -> Sequence[int]:
        """List latest sessions with at least `tokens` in finished turns after a mark."""
        rows = await tx.fetch(
            f"SELECT s.key FROM (SELECT key, active_at, {mark} AS mark FROM sessions "
            f"WHERE last_seq > {mark} ORDER BY active_at DESC, key DESC LIMIT {LATEST}) s "
            "WHERE (SELECT coalesce(sum(m.tokens), 0) FROM session_messages m "
            "JOIN session_turns t ON t.session_key = m.session_key AND t.turn = m.turn "
            "AND t.status <> 'open' WHERE m.session_key = s.key AND m.seq > s.mark) >= ? "
            "ORDER BY s.active_at DESC LIMIT ?",
            (tokens, limit),
        )
        return [row[0] for row in rows]

    async def to_reflect(self, tx: Connection, tokens: int, limit: int) -> Sequence[int]:
        """List latest sessions with at least `tokens` of observations without a reflection."""
        rows = await tx.fetch(
            "SELECT session_key FROM observations WHERE reflection_id = '' "
            f"AND session_key IN {LATEST_KEYS} GROUP BY session_key "
            "HAVING sum(tokens) >= ? ORDER BY session_key LIMIT ?",
            (tokens, limit),
        )
        return [row[0] for row in rows]

    async def reflect(
        self, tx: Connection, taken: Sequence[Observation], text: str, by: str, now: int
    ) -> Reflection | None:
        """Store a reflection on observations; return None if another process was faster."""
        made = _reflection(taken[0].session, text, by, now, 1)
        marks = ", ".join("?" for _ in taken)
        free = await tx.execute(
            "UPDATE observations SET reflection_id = ? "
            f"WHERE id IN ({marks}) AND reflection_id = ''",
            (made.id, *(one.id for one in taken)),
        )
        return await self._put(tx, made) if _all_of(free, len(taken)) else None

    async def reflections(
        self,
        tx: Connection,
        session: int,
        *,
        consolidated: bool = False,
        limit: int = ALL,
        after: Place | None = None,
    ) -> Sequence[Reflection]:
        """List the reflections of a session, oldest first; with `consolidated`, merged ones too."""
        only = "" if consolidated else " AND r.consolidated_in = ''"
        later, place = following(OLDEST, after)
        rows = await tx.fetch(
            f"SELECT {REFLECTED} FROM reflections r WHERE r.session_key = ?{only} AND {later} "
            f"ORDER BY {OLDEST} LIMIT ?",
            (session, *place, limit),
        )
        return [Reflection(*row) for row in rows]

    async def to_consolidate(self, tx: Connection, number: int, limit: int) -> Sequence[int]:
        """List latest sessions with at least `number` reflections to merge."""
        rows = await tx.fetch(
            "SELECT session_key FROM reflections WHERE consolidated_in = '' "
            f"AND session_key IN {LATEST_KEYS} GROUP BY session_key "
            "HAVING count(*) >= ? ORDER BY session_key LIMIT ?",
            (number, limit),
        )
        return [row[0] for row in rows]

    async def consolidate(
        self, tx: Connection, taken: Sequence[Reflection], text: str, by: str, now: int
    ) -> Reflection | None:
        """Replace reflections by one and keep them; return None if another process was faster."""
        generation = 1 + max(one.generation for one in taken)
        made = _reflection(taken[0].session, text, by, now, generation)
        marks = ", ".join("?" for _ in taken)
        free = await tx.execute(
            "UPDATE reflections SET consolidated_in = ? "
            f"WHERE id IN ({marks}) AND consolidated_in = ''",
            (made.id, *(one.id for one in taken)),
        )
        return await self._put(tx, made) if _all_of(free, len(taken)) else None

    async def _put(self, tx: Connection, one: Reflection) -> Reflection:
        await tx.execute(
            "INSERT INTO reflections (id, session_key, text, tokens, at, made_by, generation) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (one.id, one.session, one.text, one.tokens, one.at, one.made_by, one.generation),
        )
        return one

    async def hidden_observations(
        self, tx: Connection, scope: Scope, most: int
    ) -> tuple[str, Sequence[Observation]]:
        """Return a session's summary, and the latest observations of messages it replaces."""
        rows = await tx.fetch(
            f"SELECT {OBSERVED}, s.summary FROM sessions s JOIN observations o "
            "ON o.session_key = s.key AND o.to_seq <= s.compacted_to "
            f"WHERE {OF_SESSION} AND o.settled_seq = 0 ORDER BY o.to_seq DESC LIMIT ?",
            (*scope.fields(), most),
        )
        return rows[0][-1] if rows else "", [Observation(*row[:-1]) for row in rows]

    async def latest_reflections(
        self, tx: Connection, scope: Scope, most: int
    ) -> tuple[str, Sequence[Reflection]]:
        """Return a session's summary and its reflections, latest first."""
        rows = await tx.fetch(
            f"SELECT {REFLECTED}, s.summary FROM sessions s JOIN reflections r "
            f"ON r.session_key = s.key AND r.consolidated_in = '' WHERE {OF_SESSION} "
            "AND s.compacted_to > 0 ORDER BY r.at DESC, r.id LIMIT ?",
            (*scope.fields(), most),
        )
        return rows[0][-1] if rows else "", [Reflection(*row[:-1]) for row in rows]

    async def find(self, tx: Connection, realm: Scope, name: str) -> Observation | Reflection:
        """Find an observation or reflection inside a realm, by its id or the beginning of it."""
        found: list[Observation | Reflection] = []
        inside, values = contained(realm, "s.")
        if len(name) >= SHORTEST_START:
            bounds = (name, name + "~", *values)
            for made, columns, table in (
                (Observation, OBSERVED, "observations o JOIN sessions s ON s.key = o.session_key"),
                (Reflection, REFLECTED, "reflections r JOIN sessions s ON s.key = r.session_key"),
            ):
                own = columns.partition(",")[0]
                rows = await tx.fetch(
                    f"SELECT {columns} FROM {table} WHERE {own} >= ? AND {own} < ? AND {inside} "
                    f"ORDER BY {own} LIMIT 2",
                    bounds,
                )
                found += [made(*row) for row in rows]
        if not found:
            raise NotFound(f"no memory {name!r}; `seasoned memory list` shows them")
        exact = [one for one in found if one.id == name]
        if len(found) > 1 and not exact:
            raise BadInput(f"several ids start with {name!r}; give more of the id")
        return (exact or found)[0]

    async def clear(self, tx: Connection, session: int) -> tuple[int, int]:
        """Delete the memories of a session; return how many observations and reflections."""
        return (
            await tx.execute("DELETE FROM observations WHERE session_key = ?", (session,)),
            await tx.execute("DELETE FROM reflections WHERE session_key = ?", (session,)),
        )

    async def count(self, tx: Connection, scope: Scope) -> dict[str, int]:
        counts: dict[str, int] = {}
        for table in ("observations", "reflections"):
            row = await tx.fetch_one(
                f"SELECT count(*) FROM {table} o JOIN sessions s ON s.key = o.session_key "
                f"WHERE {OF_SCOPE}",
                (scope.tenant, scope.project, scope.user, scope.user),
            )
            counts[table] = int(row[0]) if row else 0
        return counts

    async def tally(self, tx: Connection, sessions: Sequence[int]) -> Mapping[int, tuple[int, int]]:
        """Count the observations and reflections of each session."""
        marks = ", ".join("?" for _ in sessions)
        counts: dict[int, tuple[int, int]] = dict.fromkeys(sessions, (0, 0))
        for place, table in enumerate(("observations", "reflections")) if sessions else ():
            for key, number in await tx.fetch(
                f"SELECT session_key, count(*) FROM {table} WHERE session_key IN ({marks}) "
                "GROUP BY session_key",
                sessions,
            ):
                first, second = counts[key]
                counts[key] = (first, int(number)) if place else (int(number), second)
        return counts

    async def has_some(self, tx: Connection) -> bool:
        return await tx.fetch_one("SELECT 1 FROM observations LIMIT 1") is not None


def _all_of(free: int, wanted: int) -> bool:
    """Tell whether all rows were still free; False if none was."""
    if free not in (0, wanted):
        raise DatabaseConflict("another process has taken some of these rows; try again")
    return bool(free)


def _reflection(session: int, text: str, by: str, now: int, generation: int) -> Reflection:
    kept = without_hidden(storable(text))
    return Reflection(new_id(), session, kept, estimate_tokens(kept), now, by, generation, "")
