"""What a caller's role lets it do, in this order: read, learn, operate, admin.

`read` sees and recalls. `learn` also reports what happened and teaches in its own scope. `operate`
also edits, reviews and deletes. `admin` also manages keys and settings. A role says what may be
done; whose things it may be done to is decided by the caller's scope (`core/authority.py`).
"""

from collections.abc import Awaitable, Callable
from typing import get_args

from starlette.requests import HTTPConnection

from seasoned.core.errors import NotAllowed
from seasoned.server.callers import Role, caller_of

ROLES: tuple[Role, ...] = get_args(Role)


def includes(role: Role, wanted: Role) -> bool:
    """Tell whether a role may do what another may.

    >>> includes("operate", "learn"), includes("read", "learn")
    (True, False)
    """
    return ROLES.index(role) >= ROLES.index(wanted)


def check_role(connection: HTTPConnection, wanted: Role) -> None:
    """Raise `NotAllowed` unless the caller of a request has this role, or a higher one."""
    role = caller_of(connection).role
    if not includes(role, wanted):
        raise NotAllowed(
            f"this needs the role {wanted!r}, but the caller has {role!r}; use a key with that role"
        )


def requires(wanted: Role) -> Callable[[HTTPConnection], Awaitable[None]]:
    """Return a dependency that lets only callers with this role, or a higher one, pass.

    `Depends(requires("learn"))` on a FastAPI route; elsewhere `check_role(request, "learn")`.
    """

    async def check(connection: HTTPConnection) -> None:
        check_role(connection, wanted)

    return check
