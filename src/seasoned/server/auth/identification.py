"""Middleware: who sends a request, how often they may, and under whose name it is audited."""

import asyncio
from collections.abc import Collection

from seasoned.core.actor import acting_as
from seasoned.core.errors import NotAllowed, SeasonedError
from seasoned.security.api_keys import is_key
from seasoned.server.asgi import AsgiApp, AsgiScope, Receive, Send, refuse, trust_connection
from seasoned.server.auth.buckets import Buckets, address_group
from seasoned.server.auth.cookies import SAFE, check_page, session_cookie
from seasoned.server.auth.identities import IDENTITIES, Identities, Identity, NotKnownYet
from seasoned.server.auth.open_requests import OpenRequests, close
from seasoned.server.callers import CALLER, NotAuthenticated
from seasoned.server.errors import error_response, response_to
from seasoned.server.gateway import Gateway
from seasoned.server.identification import shown_tokens

FAILURES = "seasoned.failures"  # key of the ASGI scope: the buckets of wrong credentials
BURST_SHARE = 4  # a quarter of a minute's requests may come at once
SINGLE = frozenset(  # headers that may not come twice
    {
        *(b"authorization", b"cookie", b"host", b"origin"),
        *(b"x-seasoned-csrf", b"x-seasoned-token"),
        *(b"x-seasoned-tenant", b"x-seasoned-project", b"x-seasoned-user", b"x-seasoned-session"),
    }
)
FILES = "/assets/"  # of the desk: one page loads a dozen, and strangers get them, too


class Identification:
    """Recognises the caller of each request, or refuses it.

    Open paths answer strangers, too: what they show may be for somebody else, such as a provider.
    """

    def __init__(self, app: AsgiApp, gateway: Gateway, open_paths: Collection[str]) -> None:
        self._app = app
        self._open = frozenset(open_paths)
        self._identities = Identities(gateway)
        self._lasting = OpenRequests()
        self._settings = gateway.settings
        auth = gateway.settings.auth
        self._failures = Buckets(auth.failures_per_minute, auth.failures_per_minute)
        self._limits = {
            one: Buckets(rate, rate / BURST_SHARE)
            for one, rate in (
                (False, auth.requests_per_minute),
                (True, auth.token_requests_per_minute),
            )
        }

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        if complaint := oddity(scope):
            answer = error_response(400, "BadInput", complaint, {"connection": "close"})
            await refuse(scope, receive, send, answer)
            return
        scope[IDENTITIES], scope[FAILURES] = self._identities, self._failures
        is_open = self._is_open(scope["path"])
        try:
            identity = await self._identify(scope, is_open=is_open)
        except NotKnownYet as refused:
            wait = max(1, self._failures.wait(address_of(scope)))
            answer = error_response(429, "TooMany", str(refused), {"retry-after": str(wait)})
            await refuse(scope, receive, send, answer)
            return
        except SeasonedError as refused:
            await refuse(scope, receive, send, response_to(refused))
            return
        if identity is not None and (wait := self._excess(identity, scope["path"])):
            text = f"too many requests of {identity.caller.name}; wait {wait} s"
            answer = error_response(429, "TooMany", text, {"retry-after": str(wait)})
            await refuse(scope, receive, send, answer)
            return
        await self._serve(scope, receive, send, identity)

    async def _serve(
        self, scope: AsgiScope, receive: Receive, send: Send, identity: Identity | None
    ) -> None:
        if identity is None:
            await self._app(scope, receive, send)
            return
        scope[CALLER] = identity.caller
        trust_connection(scope)
        with acting_as(identity.caller.actor), self._lasting.watch(identity) as request:
            try:
                await self._app(scope, receive, send)
            except asyncio.CancelledError:
                if not request.ended:
                    raise
                request.task.uncancel()
                await close(scope, send, request.ended)

    async def _identify(self, scope: AsgiScope, *, is_open: bool) -> Identity | None:
        """Return who sends a request; None for a stranger at an open path."""
        shown = shown_tokens(scope)
        if not shown and (cookie := session_cookie(scope, self._settings)):
            return await self._by_cookie(scope, cookie, is_open=is_open)
        passes = is_open or self._identities.open_to_all
        refused: SeasonedError = self._identities.stranger()
        for one in shown:
            try:
                return await self._recognise(scope, one)
            except (NotAuthenticated, NotAllowed) as error:
                refused = error
            may_be_for_others = passes and not is_key(one)
            if type(refused) is NotAuthenticated and not may_be_for_others:
                self._failures.take(address_of(scope))
            if is_key(one):
                raise refused
        if self._identities.open_to_all:
            return self._identities.anybody()
        if is_open:
            return None
        raise refused

    async def _recognise(self, scope: AsgiScope, shown: str) -> Identity:
        tired = bool(self._failures.wait(address_of(scope)))
        return await self._identities.recognise(shown, only_known=tired)

    async def _by_cookie(self, scope: AsgiScope, cookie: str, *, is_open: bool) -> Identity | None:
        try:
            identity = await self._identities.by_login(cookie)
        except (NotAuthenticated, NotAllowed):
            if is_open:
                return None
            raise
        try:
            check_page(scope, cookie)
        except NotAllowed:
            if is_open and scope.get("method") in SAFE:
                return None  # such as the provider's page, which leads back here
            raise
        return identity

    def _excess(self, identity: Identity, path: str) -> int:
        """Return how long a caller must wait; open paths limit programs of this machine itself."""
        is_token = identity.still is None
        if path.startswith(FILES) or (is_token and self._is_open(path)):
            return 0
        return self._limits[is_token].take(identity.caller.id)

    def _is_open(self, path: str) -> bool:
        """Tell whether a path, or one above it, answers callers that nobody knows."""
        return any(path == one or path.startswith(f"{one}/") for one in self._open)


def oddity(scope: AsgiScope) -> str:
    """Return what is ambiguous about a request; others might read it differently than we do."""
    path: str = scope["path"]
    if any(one in (".", "..") for one in path.split("/")) or "\\" in path or "\0" in path:
        return "the path has a segment of dots; send the path that is meant"
    seen: set[bytes] = set()
    for name, _ in scope["headers"]:
        if name in SINGLE:
            if name in seen:
                return f"the header {name.decode('ascii')} is sent twice; send it once"
            seen.add(name)
    return ""


def address_of(scope: AsgiScope) -> str:
    client: tuple[str, int] | None = scope.get("client")
    return address_group(client[0]) if client else ""
