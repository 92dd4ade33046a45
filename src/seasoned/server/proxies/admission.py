"""Whom the proxies serve, and for whom they learn.

A client that only changed its base URL shows its provider's key, and nothing to us. Programs on
this machine are served all the same; callers from elsewhere show the gateway's token, in
`X-Seasoned-Token`, since `Authorization` is the provider's.
"""

from dataclasses import replace
from ipaddress import ip_address

from starlette.requests import HTTPConnection

from seasoned.api import AsyncSeasoned
from seasoned.core.errors import NotAllowed
from seasoned.core.scope import Scope
from seasoned.security.stored import stored_name
from seasoned.server.asgi import AsgiScope, header, trust_connection
from seasoned.server.callers import (
    CALLER,
    NotAuthenticated,
    RequestCaller,
    request_realm,
    request_scope,
)
from seasoned.server.gateway import Gateway
from seasoned.server.roles import includes

FORWARDED = (b"forwarded", b"x-forwarded-for", b"x-real-ip")
LOCAL_NAMES = ("localhost", "ip6-localhost")


class Admission:
    """Knows who may use the proxies."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._needs_token = gateway.settings.proxy.needs_token

    def admit(self, scope: AsgiScope, tenant: str, project: str) -> AsyncSeasoned:
        """Return Seasoned for the caller of a request; raise if it may not call."""
        connection = HTTPConnection(scope)
        known: RequestCaller | None = scope.get(CALLER)
        caller = known or self._stranger(scope)
        if not includes(caller.role, "learn"):
            raise NotAllowed(
                f"a proxy teaches, and {caller.name or 'this caller'} may only read; use a key "
                "whose role is learn"
            )
        wanted = request_scope(connection, caller)
        named = [("tenant", stored_name(tenant)), ("project", stored_name(project))]
        for field, value in named:
            own = getattr(caller.scope, field)
            if value and own not in ("", value):
                raise NotAllowed(f"the path names the {field} {value!r}, this caller's is {own!r}")
            if value:
                wanted = replace(wanted, **{field: value})
        if known is None and wanted.tenant != caller.scope.tenant:
            raise NotAuthenticated(
                "a request that names a tenant needs the server's token, in `X-Seasoned-Token`"
            )
        trust_connection(scope)
        return self._gateway.seasoned.acting_for(wanted, request_realm(caller, wanted))

    def _stranger(self, scope: AsgiScope) -> RequestCaller:
        """Return the caller that shows nothing, if it needs to show nothing."""
        if self._needs_token == "yes" or (self._needs_token == "auto" and not is_local(scope)):
            place = self._gateway.config.token_place
            where = f"; it is in {place}" if place else ""
            raise NotAuthenticated(
                "send the server's token in the header `X-Seasoned-Token`, beside the provider's "
                f"key{where}"
            )
        own = self._gateway.seasoned.scope
        return RequestCaller(own, Scope(*own.fields()[:3]), "learn", "a program on this machine")


def is_local(scope: AsgiScope) -> bool:
    """Whether a program on this machine calls, and not for somebody else."""
    ends = [str((scope.get(end) or ("",))[0]) for end in ("client", "server")]
    if not all(map(_is_loopback, ends)):
        return False
    if any(header(scope, name) for name in FORWARDED):
        return False
    host = header(scope, b"host").strip().lower()
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return name in LOCAL_NAMES or _is_loopback(name)


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
