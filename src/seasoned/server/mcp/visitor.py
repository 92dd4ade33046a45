"""Who calls the MCP server: whose lessons a request works on, in which session, what it may do."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from mcp.server.context import ServerRequestContext

from seasoned.api.async_seasoned import AsyncSeasoned
from seasoned.core.errors import NotAllowed
from seasoned.core.ids import new_id

RequestContext = ServerRequestContext[Any, Any]

LONGEST_CLIENT = 40  # characters of a client's name in a session's
_ODD = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Visitor:
    """The caller of one request."""

    seasoned: AsyncSeasoned
    session: str
    may_learn: bool = True

    def require_learning(self, tool: str) -> None:
        if not self.may_learn:
            raise NotAllowed(
                f"{tool} records something, and this key may only read; use a key with the role "
                "learn"
            )


FindVisitor = Callable[[RequestContext], Awaitable[Visitor]]
"""Returns the caller of a request."""


def client_name(ctx: RequestContext) -> str:
    """Return how the client calls itself; empty if it does not."""
    known = ctx.session.client_params
    return readable(known.client_info.name) if known is not None else ""


def readable(client: str) -> str:
    """Return a client's name fit for a session's name and a header.

    >>> readable("Visual Studio Code"), readable("\\u2603")
    ('Visual-Studio-Code', '')
    """
    return _ODD.sub("-", client[: 4 * LONGEST_CLIENT]).strip("-")[:LONGEST_CLIENT]


def new_session(client: str) -> str:
    """Name a new session after its client.

    >>> new_session("codex").startswith("mcp-codex-")
    True
    """
    return "-".join(part for part in ("mcp", client, new_id()) if part)


def only_visitor(seasoned: AsyncSeasoned) -> FindVisitor:
    """Return the one caller of a pipe, whose session lasts as long as the connection."""
    session = ""

    async def find(ctx: RequestContext) -> Visitor:
        nonlocal session
        session = session or new_session(client_name(ctx))
        return Visitor(seasoned, session)

    return find
