"""Stores the last exchange of each session, which the next message may correct."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.db.database import Connection
from seasoned.security.redact import cut, redacted

LONGEST_MESSAGE = 8000  # characters that are stored


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request, the reply to it, the tools that were called, and the rules that were given."""

    request: str = ""
    reply: str = ""
    tool_calls: Sequence[Mapping[str, Any]] = ()
    rules: Sequence[str] = ()
    at: int = 0


class ExchangeStore:
    """Owns `exchanges`."""

    async def last(self, tx: Connection, scope: Scope) -> Exchange:
        row = await tx.fetch_one(
            "SELECT request, reply, tool_calls, rules, at FROM exchanges WHERE tenant = ? "
            "AND project = ? AND user_id = ? AND session = ?",
            scope.fields(),
        )
        if row is None:
            return Exchange()
        return Exchange(row[0], row[1], json.loads(row[2]), json.loads(row[3]), row[4])

    async def is_of_others(self, tx: Connection, scope: Scope) -> bool:
        """Whether a rule for this session would hold in somebody else's of the same name."""
        named = [
            (column, value)
            for column, value in zip(("tenant", "project", "user_id"), scope.fields(), strict=False)
            if value
        ]
        wanted = "".join(f" AND {column} = ?" for column, _ in named)
        values = [scope.session, *(value for _, value in named)]
        rows = await tx.fetch(
            f"SELECT tenant, project, user_id FROM exchanges WHERE session = ?{wanted} "
            f"UNION SELECT tenant, project, user_id FROM sessions WHERE name = ?{wanted}",
            (*values, *values),
        )
        return any(Scope(*row) != scope.within("") for row in rows)

    async def put(self, tx: Connection, scope: Scope, exchange: Exchange) -> None:
        """Store the exchange in place of the previous one."""
        await tx.execute(
            "INSERT INTO exchanges (tenant, project, user_id, session, at, request, reply, "
            "tool_calls, rules) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (tenant, project, user_id, session) DO UPDATE SET at = excluded.at, "
            "request = excluded.request, reply = excluded.reply, "
            "tool_calls = excluded.tool_calls, rules = excluded.rules",
            (
                *(
                    *scope.fields(),
                    exchange.at,
                    storable_message(exchange.request),
                    storable_message(exchange.reply),
                ),
                *(_json(exchange.tool_calls), _json(exchange.rules)),
            ),
        )

    async def drop(self, tx: Connection, before: int) -> int:
        """Delete exchanges older than this; nobody will correct them any more."""
        return await tx.execute("DELETE FROM exchanges WHERE at < ?", (before,))


def storable_message(text: str) -> str:
    """Redact and cut a message for storage."""
    return cut(storable(text), LONGEST_MESSAGE)


def _json(value: Sequence[Any]) -> str:
    return json.dumps(redacted(list(value)), ensure_ascii=False)
