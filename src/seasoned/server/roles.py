"""Roles: read < learn < operate < admin. Every route names the least that its callers need."""

from collections.abc import Callable

from starlette.requests import HTTPConnection

from seasoned.core.errors import NotAllowed
from seasoned.security.api_keys import ROLES, Role
from seasoned.server.callers import caller_of


class RequiredRole:
    """A dependency of routes: refuses callers whose role is less than this one."""

    def __init__(self, role: Role) -> None:
        self.role: Role = role

    def __call__(self, connection: HTTPConnection) -> None:
        caller = caller_of(connection)
        if ROLES.index(caller.role) < ROLES.index(self.role):
            raise NotAllowed(
                f"this needs the role {self.role!r}, but {caller.name or 'this caller'} has "
                f"{caller.role!r}; use a key of that role (`seasoned keys create NAME --role "
                f"{self.role}`)"
            )


def requires(role: Role) -> Callable[[HTTPConnection], None]:
    """Return a dependency for `Depends`: the caller must have this role, or a higher one."""
    return RequiredRole(role)
