"""Who a token, key, provider's token or login is: the one place that turns them into callers."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, cast

from starlette.requests import HTTPConnection

from seasoned.core.clock import SECOND
from seasoned.core.errors import ConfigError, NotAllowed
from seasoned.core.scope import Scope
from seasoned.protocol.host.sessions import same_token
from seasoned.security.api_keys import ApiKey, is_key, key_digest
from seasoned.server.auth.claims import ClaimRules
from seasoned.server.auth.known_keys import KnownKeys
from seasoned.server.auth.login_store import Login, LoginStore
from seasoned.server.callers import OPERATORS, NotAuthenticated, RequestCaller
from seasoned.server.gateway import Gateway

if TYPE_CHECKING:
    from seasoned.server.auth.provider import Provider

IDENTITIES = "seasoned.identities"  # key of the ASGI scope
MOST_VERIFIED = 1000
VERIFIED_SECONDS = 60.0  # until a token's signature is checked again
LONGEST_CREDENTIAL = 16 * 1024


@dataclass(frozen=True, slots=True)
class Identity:
    """A recognised caller, and how to find out whether it still is one; None: always."""

    caller: RequestCaller
    still: Callable[[], Awaitable[object]] | None = None


@dataclass(frozen=True, slots=True)
class VerifiedToken:
    """A provider's token that was found genuine."""

    caller: RequestCaller
    expires_at: int
    verified_at: float


class NotKnownYet(NotAuthenticated):
    """It may be somebody, but nobody looks any more: too much from there was wrong."""


class Identities:
    """Recognises callers. Everything it remembers is bounded."""

    def __init__(self, gateway: Gateway) -> None:
        app, seasoned = gateway.seasoned.app, gateway.seasoned
        self.settings = gateway.settings
        self._config = gateway.config
        self._own = seasoned.scope
        self._run = app.unit.run
        self._clock = app.clock
        self._operator = Identity(
            RequestCaller(self._own, Scope(self._own.tenant), "admin", "operator", "the token")
        )
        self.keys = KnownKeys(app.keys, app.unit.run, app.clock)
        self.logins = LoginStore(app.unit)
        self.provider, self._rules = self._oidc()
        self._verified: OrderedDict[str, VerifiedToken] = OrderedDict()

    @property
    def audiences(self) -> list[str]:
        auth = self.settings.auth
        named = [one.strip() for one in auth.oidc_audience.split(",") if one.strip()]
        return named or ([auth.oidc_client_id] if auth.oidc_client_id else [])

    @property
    def rules(self) -> ClaimRules:
        assert self._rules is not None, "there is a provider"
        return self._rules

    @property
    def open_to_all(self) -> bool:
        """Whether programs on this machine need no token."""
        return not self._config.token

    def anybody(self) -> Identity:
        """Return the operator, for a server that asks for no token."""
        return self._operator

    async def recognise(self, shown: str, *, only_known: bool = False) -> Identity:
        """Return who shows this; raise `NotAuthenticated` if nobody.

        With `only_known` nothing new is looked up: `NotKnownYet` says so.
        """
        wanted = self._config.token
        if wanted and same_token(shown, wanted):
            return self._operator
        if len(shown) > LONGEST_CREDENTIAL:
            raise NotAuthenticated("no key or token is that long; copy it again")
        if is_key(shown):
            return await self._by_key(shown, only_known=only_known)
        if self.provider is not None and self.provider.issued(shown):
            return await self._by_provider(shown, only_known=only_known)
        raise self.stranger()

    def stranger(self) -> NotAuthenticated:
        place = self._config.token_place
        where = f" (the token is in {place})" if place else ""
        return NotAuthenticated(
            "send a key or the server's token as `Authorization: Bearer KEY` or "
            f"`X-Seasoned-Token`{where}; `seasoned keys create NAME --role learn` makes a key"
        )

    async def by_login(self, cookie: str) -> Identity:
        """Return who has logged in with a cookie."""

        async def current() -> RequestCaller:
            login = await self._run(self.logins.find(cookie))
            if login is None:
                raise NotAuthenticated("the login has ended; log in again")
            return await self._logged_in(login)

        return Identity(await current(), current)

    async def log_in(self, shown: str, *, only_known: bool = False) -> tuple[str, Login]:
        """Begin a browser login for whoever shows a key or the token; return its cookie."""
        found = await self.recognise(shown, only_known=only_known)
        key = await self.keys.recognise(shown) if is_key(shown) else None
        mark = key.id if key is not None else self._token_mark()
        return await self._begin(found.caller, mark, "")

    async def log_in_by_provider(self, caller: RequestCaller, subject: str) -> tuple[str, Login]:
        self._checked(caller)
        return await self._begin(caller, "", subject)

    async def _begin(self, caller: RequestCaller, mark: str, subject: str) -> tuple[str, Login]:
        hours = self.settings.auth.session_hours
        work = self.logins.add(mark, subject, caller.name, caller.role, caller.scope, hours)
        return await self._run(work)

    async def _logged_in(self, login: Login) -> RequestCaller:
        if login.subject:
            acts_in = login.scope if login.role in OPERATORS else None
            mark = f"login {login.subject}"
            return self._checked(RequestCaller(login.scope, acts_in, login.role, login.name, mark))
        if same_token(login.key_id, self._token_mark()):
            return self._operator.caller
        return self._of_key(await self.keys.by_id(login.key_id))

    async def _by_key(self, shown: str, *, only_known: bool) -> Identity:
        async def current() -> ApiKey:
            key = await self.keys.recognise(shown, only_known=only_known)
            if key is None:
                raise NotKnownYet("too many wrong keys from this address; wait a minute")
            return key

        return Identity(self._of_key(await current()), lambda: self.keys.recognise(shown))

    def _of_key(self, key: ApiKey) -> RequestCaller:
        acts_in = key.scope if key.role in OPERATORS else None
        return self._checked(RequestCaller(key.scope, acts_in, key.role, key.name, f"key {key.id}"))

    async def _by_provider(self, shown: str, *, only_known: bool) -> Identity:
        assert self.provider is not None
        digest = key_digest(shown)
        known = self._verified.get(digest)
        if known is None and only_known:
            raise NotKnownYet("too many wrong tokens from this address; wait a minute")
        if known is None or monotonic() - known.verified_at > VERIFIED_SECONDS:
            known = self._verified[digest] = await self._verify(self.provider, shown)
            if len(self._verified) > MOST_VERIFIED:
                self._verified.popitem(last=False)
        until = known.expires_at

        async def current() -> None:
            if self._clock.now() >= until:
                self._verified.pop(digest, None)
                raise NotAuthenticated("the token has expired; ask the provider for a new one")

        await current()
        return Identity(known.caller, current)

    async def _verify(self, provider: "Provider", shown: str) -> VerifiedToken:
        claims = await provider.verified(shown, self.audiences)
        caller = self._checked(self.rules.caller(claims))
        until = int(claims["exp"]) + self.settings.auth.oidc_leeway_seconds
        return VerifiedToken(caller, until * SECOND, monotonic())

    def _checked(self, caller: RequestCaller) -> RequestCaller:
        """Return a caller limited to what this server serves; refuse one of elsewhere."""
        pairs = list(zip(self._own.fields(), caller.scope.fields(), strict=True))
        if any(own and theirs and own != theirs for own, theirs in pairs):
            raise NotAllowed(
                f"{caller.name or 'this caller'} is of another tenant, project or user than this "
                "server serves"
            )
        scope = Scope(*(own or theirs for own, theirs in pairs))
        acts_in = scope if caller.acts_in is not None else None
        return replace(caller, scope=scope, acts_in=acts_in)

    def _token_mark(self) -> str:
        """Return what a login with the token keeps of it: it ends when the token changes."""
        return f"token-{key_digest(self._config.token)[:32]}"

    def _oidc(self) -> "tuple[Provider | None, ClaimRules | None]":
        auth = self.settings.auth
        if not auth.oidc_issuer:
            return None, None
        if not self.audiences:
            raise ConfigError(
                "auth.oidcIssuer is set, but not for whom its tokens are; set auth.oidcAudience, "
                "or auth.oidcClientId"
            )
        from seasoned.server.auth.provider import Provider  # late: its cryptography takes 8 MB

        provider = Provider(auth.oidc_issuer, auth.oidc_leeway_seconds)
        return provider, ClaimRules.of(auth)


def identities_of(connection: HTTPConnection) -> Identities:
    """Return what recognises callers, for a part that has credentials of its own to check."""
    return cast("Identities", connection.scope[IDENTITIES])
