"""Cookies of browser logins, and the checks that keep other web pages from using them.

A browser adds cookies to requests that any page causes. So a request that shows only a cookie must
come from this server's own pages (`Origin`, `Sec-Fetch-Site`), and one that changes something must
also send the login's CSRF token, which only those pages can read.
"""

import hashlib
import hmac
from http.cookies import CookieError, SimpleCookie
from typing import Literal

from starlette.responses import Response

from seasoned.config.settings import Settings
from seasoned.core.errors import NotAllowed
from seasoned.protocol.host.callers import is_same_origin
from seasoned.server.asgi import AsgiScope, header

SECURE_NAME, PLAIN_NAME = "__Host-seasoned", "seasoned_session"
CSRF_HEADER = b"x-seasoned-csrf"
SAFE = ("GET", "HEAD", "OPTIONS")
LONGEST_COOKIE = 200


def is_https(scope: AsgiScope, settings: Settings) -> bool:
    """Whether browsers reach this server by https, itself or through a proxy."""
    public = settings.server.public_url
    return public.startswith("https:") if public else scope.get("scheme") in ("https", "wss")


def session_cookie(scope: AsgiScope, settings: Settings) -> str:
    """Return the session cookie of a request; empty if it has none."""
    return cookie(scope, SECURE_NAME if is_https(scope, settings) else PLAIN_NAME)


def cookie(scope: AsgiScope, name: str, longest: int = LONGEST_COOKIE) -> str:
    raw = header(scope, b"cookie")
    if name not in raw:
        return ""
    try:
        found = SimpleCookie(raw).get(name)
    except CookieError:
        return ""
    return found.value if found is not None and len(found.value) <= longest else ""


def set_session(
    response: Response, scope: AsgiScope, settings: Settings, value: str, seconds: int
) -> None:
    secure = is_https(scope, settings)
    set_cookie(response, SECURE_NAME if secure else PLAIN_NAME, value, seconds, secure=secure)


def set_cookie(
    response: Response,
    name: str,
    value: str,
    seconds: int,
    *,
    secure: bool,
    path: str = "/",
    same_site: Literal["lax", "strict"] = "lax",
) -> None:
    """Set a cookie that scripts cannot read; 0 seconds delete it."""
    response.set_cookie(
        name, value, seconds, path=path, secure=secure, httponly=True, samesite=same_site
    )


def csrf_token(session: str) -> str:
    """Return the CSRF token of a login: known to whoever may read its pages.

    >>> csrf_token("a") != csrf_token("b")
    True
    """
    return hashlib.sha256(f"csrf {session}".encode(errors="replace")).hexdigest()


def check_page(scope: AsgiScope, session: str) -> None:
    """Raise `NotAllowed` unless a request that shows a cookie comes from our own pages."""
    origin, site = header(scope, b"origin"), header(scope, b"sec-fetch-site")
    host = header(scope, b"host").encode("latin-1")
    same = not origin or is_same_origin(origin.encode("latin-1"), host)
    if not same or site not in ("", "none", "same-origin"):
        raise NotAllowed("a login is for this server's own pages; others send a key")
    is_socket = scope["type"] == "websocket"
    if is_socket and not origin:
        raise NotAllowed("a WebSocket that shows a login must say its origin, as browsers do")
    if is_socket or scope["method"] in SAFE:
        return
    shown = header(scope, CSRF_HEADER)
    if not hmac.compare_digest(shown.encode(), csrf_token(session).encode()):
        raise NotAllowed(
            "a change by a login needs its CSRF token; send the `csrf` of GET /auth/session as "
            "X-Seasoned-Csrf"
        )
    if not origin and not site:
        raise NotAllowed("a change by a login must say its origin, as browsers do")
