"""Browser logins: by a pasted key, or at the identity provider (authorization code with PKCE).

POST /auth/login      {"key": …}: sets the session cookie
GET  /auth/login      sends the browser to the provider; ?return_to=/path says where to end
GET  /auth/callback   where the provider sends it back
GET  /auth/session    who is logged in, and the CSRF token
POST /auth/logout     ends the login
"""

from typing import cast

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute

from seasoned.core.clock import SECOND
from seasoned.server.auth.cookies import csrf_token, session_cookie, set_session
from seasoned.server.auth.identities import NotKnownYet, identities_of
from seasoned.server.auth.provider_login import CALLBACK, ProviderLogin, failures_of
from seasoned.server.callers import CALLER, NotAuthenticated, RequestCaller
from seasoned.server.errors import error_response
from seasoned.server.gateway import Gateway

OPEN = ("/auth/login", CALLBACK, "/auth/logout", "/auth/session")
VISITED = ("/auth/login", CALLBACK)


class PastedKey(BaseModel):
    model_config = ConfigDict(extra="forbid")

    key: str = Field(min_length=1, max_length=1000, repr=False)


def routes(gateway: Gateway) -> list[BaseRoute]:
    router = APIRouter(prefix="/auth", include_in_schema=False)  # for browsers
    at_provider = ProviderLogin(gateway)
    settings = gateway.settings

    @router.post("/login", operation_id="log_in_with_key")
    async def log_in_with_key(request: Request, given: PastedKey) -> Response:
        """Log in with a key, or the server's token."""
        failures, address = failures_of(request)
        try:
            held, login = await identities_of(request).log_in(
                given.key.strip(), only_known=bool(failures.wait(address))
            )
        except NotKnownYet as refused:
            wait = {"retry-after": str(max(1, failures.wait(address)))}
            return error_response(429, "TooMany", str(refused), wait)
        except NotAuthenticated:
            failures.take(address)
            raise
        response = JSONResponse({"name": login.name, "role": login.role, "csrf": csrf_token(held)})
        left = (login.expires_at - login.created_at) // SECOND
        set_session(response, request.scope, settings, held, left)
        return response

    @router.get(
        "/login",
        operation_id="log_in_at_provider",
        status_code=302,
        response_class=RedirectResponse,
    )
    async def log_in_at_provider(request: Request, return_to: str = "/") -> Response:
        """Send the browser to the identity provider."""
        return await at_provider.begin(request, return_to)

    @router.get(
        "/callback",
        operation_id="finish_login",
        response_class=HTMLResponse,
    )
    async def finish_login(
        request: Request, state: str = "", code: str = "", error: str = ""
    ) -> Response:
        """Finish a login that the provider sends back."""
        return await at_provider.finish(request, state, code, error)

    @router.get("/session", operation_id="who_is_logged_in")
    async def who(request: Request) -> Response:
        """Say who is logged in."""
        caller = cast("RequestCaller | None", request.scope.get(CALLER))
        if caller is None:
            can = identities_of(request).provider is not None
            return JSONResponse({"logged_in": False, "provider": can})
        held = session_cookie(request.scope, settings)
        tenant, project, user, _ = caller.scope.fields()
        shape: dict[str, object] = {
            "logged_in": True,
            "name": caller.name,
            "role": caller.role,
            "tenant": tenant,
            "project": project,
            "user": user,
            "csrf": csrf_token(held) if held else None,
        }
        return JSONResponse(shape)

    @router.post("/logout", operation_id="log_out")
    async def log_out(request: Request) -> Response:
        """End the login."""
        held = session_cookie(request.scope, settings)
        if held:
            logins = identities_of(request).logins
            await gateway.seasoned.app.unit.run(logins.remove(held))
        response = JSONResponse({"logged_in": False})
        set_session(response, request.scope, settings, "", 0)
        return response

    return list(router.routes)
