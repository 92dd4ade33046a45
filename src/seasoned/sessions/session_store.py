"""Store sessions, messages and turns; learners find their work in these rows."""

from collections.abc import Mapping, Sequence
from typing import get_args

from seasoned.core.authority import Caller
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.scope import Scope
from seasoned.core.text import estimate_tokens, storable
from seasoned.db.database import Connection, Row
from seasoned.db.keyset import Place, following
from seasoned.db.scope_filter import contained
from seasoned.security.stored import stored_name
from seasoned.sessions.session import (
    Mark,
    NewMessage,
    Session,
    SessionMessage,
    TurnRecord,
    TurnStatus,
)

COLUMNS = (
    "key, tenant, project, user_id, name, title, started_at, active_at, ended_at, end_reason, "
    "turns, last_seq, analysed_to, observed_to, learned_to, distilled_to, asked_turn, "
    "compacted_to, summary"
)
MARKS: tuple[Mark, ...] = get_args(Mark)
LONGEST_NAME = 200
ALL = 2**62  # a LIMIT that is none
LATEST = "active_at DESC, key DESC"
OF_LIST = "tenant = ? AND project = ? AND (? = '' OR user_id = ?)"


class SessionStore:
    """Owns `sessions`, `session_messages`, `session_turns` and `turn_steps`."""

    async def open(self, tx: Connection, scope: Scope, now: int) -> Session:
        """Open the session of this name: create it, or reopen one that has ended."""
        if not scope.session or len(scope.session) > LONGEST_NAME:
            raise BadInput(
                f"a session's name has 1 to {LONGEST_NAME} characters, not {len(scope.session)}"
            )
        row = await tx.fetch_one(
            "INSERT INTO sessions (tenant, project, user_id, name, started_at, active_at) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, project, user_id, name) DO UPDATE "
            "SET active_at = excluded.active_at, ended_at = NULL, end_reason = '' "
            f"RETURNING {COLUMNS}",
            (*scope.fields(), now, now),
        )
        assert row is not None, "a session that was just written is there"
        return _session(row)

    async def get(self, tx: Connection, key: int) -> Session:
        row = await tx.fetch_one(f"SELECT {COLUMNS} FROM sessions WHERE key = ?", (key,))
        if row is None:
            raise NotFound(f"the session with key {key} no longer exists")
        return _session(row)

    async def find(self, tx: Connection, scope: Scope) -> Session | None:
        """Return the session of exactly this scope and name; None if there is none."""
        row = await tx.fetch_one(
            f"SELECT {COLUMNS} FROM sessions WHERE tenant = ? AND project = ? AND user_id = ? "
            "AND name = ?",
            scope.fields(),
        )
        return _session(row) if row else None

    async def named(self, tx: Connection, scope: Scope, name: str) -> Session:
        """Get a session by its name or the beginning of it."""
        name = stored_name(name)
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM sessions WHERE tenant = ? AND project = ? AND user_id = ? "
            "AND substr(name, 1, ?) = ? ORDER BY name LIMIT 2",
            (scope.tenant, scope.project, scope.user, len(name), name),
        )
        if not rows or not name:
            raise NotFound(f"there is no session {name!r}; `seasoned sessions list` shows them")
        if len(rows) > 1 and rows[0][4] != name:
            raise BadInput(f"several sessions begin with {name!r}; give more of the name")
        return _session(rows[0])

    async def seen(self, tx: Connection, caller: Caller, name: str) -> Session:
        """Get a session that the caller may read, by its name or the beginning of it.

        One of the caller's own project comes before one of others that it acts for.
        """
        scope, name = caller.scope, stored_name(name)
        inside, values = contained(caller.realm)
        of_list = (scope.tenant, scope.project, scope.user, scope.user)
        for condition, params in ((OF_LIST, of_list), (inside, values)):
            rows = await tx.fetch(
                f"SELECT {COLUMNS} FROM sessions WHERE {condition} AND substr(name, 1, ?) = ? "
                "ORDER BY name, user_id <> ? LIMIT 3",
                (*params, len(name), name, scope.user),
            )
            found = [_session(row) for row in rows if name]
            exact = [one for one in found if one.name == name]
            own = [one for one in exact if one.scope == scope.within(name)]
            for meant in (own, exact, found):
                if len(meant) == 1:
                    return meant[0]
            if found:
                raise BadInput(
                    f"several sessions begin with {name!r}; give more of the name, or the user"
                )
        raise NotFound(f"there is no session {name!r}; `seasoned sessions list` shows them")

    async def list(
        self, tx: Connection, scope: Scope, limit: int, after: Place | None = None
    ) -> Sequence[Session]:
        """List sessions, latest first; those of all users if the scope names none."""
        later, place = following(LATEST, after)
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM sessions WHERE {OF_LIST} AND {later} ORDER BY {LATEST} LIMIT ?",
            (scope.tenant, scope.project, scope.user, scope.user, *place, limit),
        )
        return [_session(row) for row in rows]

    async def delete(self, tx: Connection, session: Session) -> None:
        """Delete a session with its messages and memories; lessons stay."""
        await tx.execute("DELETE FROM sessions WHERE key = ?", (session.key,))

    async def delete_ended(self, tx: Connection, before: int, most: int) -> int:
        """Delete sessions that ended before a time, the oldest first; lessons stay."""
        return await tx.execute(
            "DELETE FROM sessions WHERE key IN (SELECT key FROM sessions "
            "WHERE ended_at < ? ORDER BY ended_at LIMIT ?)",
            (before, most),
        )

    async def end(self, tx: Connection, key: int, now: int, reason: str) -> bool:
        """End a session; return False if it had ended already."""
        return bool(
            await tx.execute(
                "UPDATE sessions SET ended_at = ?, end_reason = ? "
                "WHERE key = ? AND ended_at IS NULL",
                (now, reason, key),
            )
        )

    async def idle(self, tx: Connection, before: int, limit: int) -> Sequence[Session]:
        """List open sessions without activity since `before`."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM sessions WHERE ended_at IS NULL AND active_at < ? "
            "ORDER BY active_at LIMIT ?",
            (before, limit),
        )
        return [_session(row) for row in rows]

    async def unlearned(self, tx: Connection, least: int, limit: int) -> Sequence[Session]:
        """List ended sessions with at least `least` messages not yet learned from."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM sessions WHERE ended_at IS NOT NULL "
            "AND last_seq > learned_to AND last_seq - learned_to >= ? ORDER BY ended_at LIMIT ?",
            (least, limit),
        )
        return [_session(row) for row in rows]

    async def entitle(self, tx: Connection, key: int, title: str) -> None:
        """Set the title if there is none."""
        await tx.execute(
            "UPDATE sessions SET title = ? WHERE key = ? AND title = ''", (storable(title), key)
        )

    async def begin_turn(self, tx: Connection, key: int, now: int) -> int:
        """Start a turn and return its number."""
        row = await tx.fetch_one(
            "UPDATE sessions SET turns = turns + 1, active_at = ? WHERE key = ? RETURNING turns",
            (now, key),
        )
        if row is None:
            raise NotFound("the session was deleted; begin a new one")
        await tx.execute(
            "INSERT INTO session_turns (session_key, turn, status, started_at) "
            "VALUES (?, ?, 'open', ?)",
            (key, row[0], now),
        )
        return int(row[0])

    async def end_turn(
        self,
        tx: Connection,
        key: int,
        turn: int,
        status: TurnStatus,
        now: int,
        *,
        error: str = "",
        tokens: tuple[int, int] = (0, 0),
    ) -> None:
        await tx.execute(
            "UPDATE session_turns SET status = ?, ended_at = ?, error = ?, input_tokens = ?, "
            "output_tokens = ? WHERE session_key = ? AND turn = ?",
            (status, now, storable(error), *tokens, key, turn),
        )
        await tx.execute("UPDATE sessions SET active_at = ? WHERE key = ?", (now, key))

    async def turns(
        self, tx: Connection, key: int, after: int = 0, limit: int = ALL
    ) -> Sequence[TurnRecord]:
        rows = await tx.fetch(
            "SELECT turn, status, started_at, ended_at, error, input_tokens, output_tokens "
            "FROM session_turns WHERE session_key = ? AND turn > ? ORDER BY turn LIMIT ?",
            (key, after, limit),
        )
        return [TurnRecord(*row) for row in rows]

    async def add(
        self, tx: Connection, key: int, turn: int, messages: Sequence[NewMessage], now: int
    ) -> int:
        """Append messages; return the number of the last one."""
        row = await tx.fetch_one(
            "UPDATE sessions SET last_seq = last_seq + ?, active_at = ? WHERE key = ? "
            "RETURNING last_seq",
            (len(messages), now, key),
        )
        if row is None:
            raise NotFound("the session was deleted; begin a new one")
        first = int(row[0]) - len(messages) + 1
        await tx.execute_many(
            "INSERT INTO session_messages (session_key, seq, turn, role, text, tokens, at, body) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    key,
                    seq,
                    turn,
                    one.role,
                    storable(one.text),
                    estimate_tokens(one.text),
                    now,
                    one.body,
                )
                for seq, one in enumerate(messages, first)
            ],
        )
        return int(row[0])

    async def messages(
        self,
        tx: Connection,
        key: int,
        after: int = 0,
        upto: int | None = None,
        limit: int = ALL,
    ) -> Sequence[SessionMessage]:
        """List the messages after one number and up to another, in order."""
        rows = await tx.fetch(
            "SELECT seq, turn, role, text, tokens, at, body FROM session_messages "
            "WHERE session_key = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
            (key, after, ALL if upto is None else upto, limit),
        )
        return [SessionMessage(*row) for row in rows]

    async def advance(self, tx: Connection, session: Session, mark: Mark, to: int) -> bool:
        """Advance a learner's mark in the transaction that stores what it learned.

        Returns False if another process has advanced it meanwhile; then store nothing.
        """
        assert mark in MARKS, mark
        return bool(
            await tx.execute(
                f"UPDATE sessions SET {mark} = ? WHERE key = ? AND {mark} = ?",
                (to, session.key, getattr(session, mark)),
            )
        )

    async def compact(self, tx: Connection, session: Session, to: int, summary: str) -> bool:
        """Let the summary replace the messages up to a number."""
        return bool(
            await tx.execute(
                "UPDATE sessions SET compacted_to = ?, summary = ? "
                "WHERE key = ? AND compacted_to = ?",
                (to, storable(summary), session.key, session.compacted_to),
            )
        )

    async def step(
        self, tx: Connection, key: int, turn: int, step: str, now: int, body: str = ""
    ) -> bool:
        """Record a step of a turn and its result; return False if it was recorded before."""
        return bool(
            await tx.execute(
                "INSERT INTO turn_steps (session_key, turn, step, at, body) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (session_key, turn, step) DO NOTHING",
                (key, turn, step, now, storable(body)),
            )
        )

    async def steps(
        self, tx: Connection, key: int, *, turn: int | None = None, step: str | None = None
    ) -> Mapping[tuple[int, str], str]:
        """Return step results by turn and step, optionally of one turn or one step."""
        rows = await tx.fetch(
            "SELECT turn, step, body FROM turn_steps WHERE session_key = ? "
            "AND (? = 0 OR turn = ?) AND (? = '' OR step = ?) ORDER BY turn",
            (key, turn or 0, turn or 0, step or "", step or ""),
        )
        return {(row[0], row[1]): row[2] for row in rows}

    async def behind(
        self, tx: Connection, mark: Mark, tokens: int, turns: int | None, limit: int
    ) -> Sequence[Session]:
        """List sessions with at least `tokens` or `turns` that a learner has not processed.

        Only finished turns count.
        """
        assert mark in MARKS, mark
        enough = "" if turns is None else " OR count(DISTINCT m.turn) >= ?"
        rows = await tx.fetch(
            f"SELECT {', '.join('s.' + name for name in COLUMNS.split(', '))} FROM sessions s "
            f"WHERE s.last_seq > s.{mark} AND s.key IN ("
            "SELECT m.session_key FROM session_messages m JOIN session_turns t "
            "ON t.session_key = m.session_key AND t.turn = m.turn AND t.status <> 'open' "
            f"WHERE m.session_key = s.key AND m.seq > s.{mark} GROUP BY m.session_key "
            f"HAVING sum(m.tokens) >= ?{enough}) ORDER BY s.active_at LIMIT ?",
            (tokens, *([] if turns is None else [turns]), limit),
        )
        return [_session(row) for row in rows]


def _session(row: Row) -> Session:
    key, tenant, project, user, name, *rest = row
    return Session(key, Scope(tenant, project, user, name), *rest)
