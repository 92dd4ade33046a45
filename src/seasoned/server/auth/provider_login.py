"""The browser login at an identity provider: authorization code with PKCE, state and nonce."""

import hashlib
import hmac
import html
from typing import TYPE_CHECKING, cast
from urllib.parse import urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from seasoned.core.clock import SECOND
from seasoned.core.errors import ConfigError, NotAllowed
from seasoned.server.auth.attempts import (
    ATTEMPT_SECONDS,
    LONGEST_RETURN,
    Attempts,
    encoded,
    safe_path,
)
from seasoned.server.auth.buckets import Buckets
from seasoned.server.auth.cookies import cookie, is_https, set_cookie, set_session
from seasoned.server.auth.identification import FAILURES, address_of
from seasoned.server.auth.identities import Identities, identities_of
from seasoned.server.callers import NotAuthenticated, RequestCaller
from seasoned.server.gateway import Gateway

if TYPE_CHECKING:
    from seasoned.server.auth.provider import Provider

CALLBACK = "/auth/callback"
ATTEMPT = "seasoned_login"  # cookie of a login that has begun
# A page and not a redirect: for a browser, what follows a redirect from the provider still comes
# from the provider, and the door refuses that.
PAGE = """<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0;url={there}">
<title>Seasoned</title>
<p>Logged in. <a href="{there}">Go on</a>.</p>
"""
PAGE_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"


class ProviderLogin:
    """Sends browsers to the provider and takes them back."""

    def __init__(self, gateway: Gateway) -> None:
        self._settings = gateway.settings
        self._auth = gateway.settings.auth
        self._clock = gateway.seasoned.app.clock
        self._attempts = Attempts(gateway.config.token)

    async def begin(self, request: Request, return_to: str) -> Response:
        """Redirect to the provider."""
        metadata = await self._provider(identities_of(request)).metadata()
        state, held = self._attempts.begin(safe_path(return_to), self._clock.now())
        challenge = hashlib.sha256(self._attempts.verifier(state).encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self._auth.oidc_client_id,
            "redirect_uri": self._callback(request),
            "scope": self._auth.oidc_scopes,
            "state": state,
            "nonce": self._attempts.nonce(state),
            "code_challenge": encoded(challenge),
            "code_challenge_method": "S256",
        }
        joint = "&" if urlsplit(metadata.authorization).query else "?"
        response = RedirectResponse(f"{metadata.authorization}{joint}{urlencode(asked)}", 302)
        self._remember(request, response, held, ATTEMPT_SECONDS)
        return response

    async def finish(self, request: Request, state: str, code: str, error: str) -> Response:
        """Redeem the code that the provider sent, and begin a session."""
        identities = identities_of(request)
        provider = self._provider(identities)
        held = cookie(request.scope, ATTEMPT, 4 * LONGEST_RETURN)
        return_to = self._attempts.resume(held, state, self._clock.now())
        if error or not code:
            raise NotAllowed(f"the provider refused the login ({error[:100] or 'no code'})")
        failures, address = failures_of(request)
        if failures.wait(address):
            raise NotAllowed("too many failed logins from this address; wait a minute")
        try:
            caller, subject = await self._redeemed(request, identities, provider, state, code)
            session, login = await identities.log_in_by_provider(caller, subject)
        except NotAuthenticated:
            failures.take(address)
            raise
        page = HTMLResponse(PAGE.format(there=html.escape(return_to)))
        page.headers["content-security-policy"] = PAGE_POLICY
        left = (login.expires_at - login.created_at) // SECOND
        set_session(page, request.scope, self._settings, session, left)
        self._remember(request, page, "", 0)
        return page

    async def _redeemed(
        self, request: Request, identities: Identities, provider: "Provider", state: str, code: str
    ) -> tuple[RequestCaller, str]:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._callback(request),
            "code_verifier": self._attempts.verifier(state),
        }
        client = self._auth.oidc_client_id
        token = await provider.redeem(form, client, self._auth.oidc_client_secret)
        claims = await provider.verified(token, [client])
        given = str(claims.get("nonce", ""))
        if not hmac.compare_digest(given.encode(), self._attempts.nonce(state).encode()):
            raise NotAuthenticated("the provider's token belongs to another login; log in again")
        return identities.rules.caller(claims), str(claims["sub"])[:200]

    def _provider(self, identities: Identities) -> "Provider":
        if identities.provider is None or not self._auth.oidc_client_id:
            raise ConfigError(
                "no identity provider is set up (auth.oidcIssuer, auth.oidcClientId); "
                "POST a key to /auth/login instead"
            )
        return identities.provider

    def _callback(self, request: Request) -> str:
        public = self._settings.server.public_url.rstrip("/")
        return (public or f"{request.url.scheme}://{request.url.netloc}") + CALLBACK

    def _remember(self, request: Request, response: Response, held: str, seconds: int) -> None:
        secure = is_https(request.scope, self._settings)
        set_cookie(response, ATTEMPT, held, seconds, secure=secure, path="/auth")


def failures_of(request: Request) -> tuple[Buckets, str]:
    """Return the buckets of wrong credentials, and the name of the caller's."""
    return cast("Buckets", request.scope[FAILURES]), address_of(request.scope)
