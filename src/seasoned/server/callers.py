"""Who sends a request, and whose lessons it works on.

Middleware that knows callers (by a token, a key, a login) puts a `RequestCaller` into the request's
scope; headers narrow it to the tenant, project, user and session that the request is about.
"""

from dataclasses import dataclass
from typing import Any, cast

from starlette.requests import HTTPConnection

from seasoned.core.authority import contains
from seasoned.core.errors import NotAllowed, SeasonedError
from seasoned.core.scope import Scope
from seasoned.jobs.delivery import is_guest
from seasoned.security.api_keys import Role
from seasoned.security.stored import stored_name

CALLER = "seasoned.caller"  # key of the ASGI scope
FIELDS = ("tenant", "project", "user", "session")
LONGEST_NAME = 500


class NotAuthenticated(SeasonedError):
    """The request shows no token, or a wrong one."""


class ProviderUnavailable(SeasonedError):
    """The identity provider cannot be asked whether a token is genuine."""


OPERATORS: tuple[Role, ...] = ("operate", "admin")  # who look after others


@dataclass(frozen=True, slots=True)
class RequestCaller:
    """A known caller: whose lessons it works on, where it may change things, and what it may do."""

    scope: Scope
    acts_in: Scope | None = None
    role: Role = "read"
    name: str = ""  # for people and the audit
    id: str = ""  # which token, key or login; limits and the audit tell callers apart by it

    def operates(self, installation: Scope) -> bool:
        """Whether it looks after the whole installation, which works in this scope.

        >>> RequestCaller(Scope(), role="admin").operates(Scope(project="web"))
        True
        >>> RequestCaller(Scope("acme"), role="admin").operates(Scope())
        False
        """
        return self.role in OPERATORS and contains(self.scope.within(""), installation.within(""))

    @property
    def actor(self) -> str:
        """Name the caller for the audit.

        >>> RequestCaller(Scope(), name="ci", id="key k3x9m2c7q4tz").actor
        'ci (key k3x9m2c7q4tz)'
        """
        return f"{self.name} ({self.id})" if self.id else self.name


def caller_of(connection: HTTPConnection) -> RequestCaller:
    """Return the caller that the middleware recognised."""
    found = cast("RequestCaller | None", connection.scope.get(CALLER))
    if found is None:
        raise NotAuthenticated(
            "this needs a key or the server's token; send it as `Authorization: Bearer KEY`"
        )
    return found


def request_scope(connection: HTTPConnection, caller: RequestCaller) -> Scope:
    """Return the caller's scope, narrowed by `X-Seasoned-Tenant`, -Project, -User, -Session.

    A field that the caller's own scope names cannot be changed.
    """
    named = [_header(connection, field) for field in FIELDS]
    pairs = zip(caller.scope.fields(), named, strict=True)
    wanted = Scope(*(asked or own for own, asked in pairs))
    if not contains(caller.scope.within(""), wanted):
        raise NotAllowed(
            "the X-Seasoned headers name another tenant, project or user than this caller's; "
            "leave them out, or use a token of that scope"
        )
    if wanted.user != caller.scope.user and is_guest(wanted.user):
        _require_operator(caller, wanted.user)
    return wanted


def _require_operator(caller: RequestCaller, user: str) -> None:
    """Let only operators speak for people of channels: what they plan is told in their chats."""
    if caller.role not in OPERATORS:
        raise NotAllowed(
            f"X-Seasoned-User names {user!r}, somebody in a channel, for whom only a key with the "
            "role operate may speak; name another user"
        )


def request_realm(caller: RequestCaller, scope: Scope) -> Scope:
    """Return where the caller acts for this request: never outside of the tenant it names."""
    realm = caller.acts_in if caller.acts_in is not None else scope.within("")
    return realm if realm.tenant == scope.tenant else Scope(scope.tenant)


def _header(connection: HTTPConnection, field: str) -> str:
    raw: Any = connection.headers.get(f"x-seasoned-{field}", "")
    try:
        text = raw.encode("latin-1").decode("utf-8")  # names are UTF-8, in headers too
    except UnicodeDecodeError:
        text = raw
    return stored_name(text.strip()[:LONGEST_NAME])
