"""Serve the desk: one page, its scripts and its style sheet, from this package alone.

The page is a client of the public API under its user's own login, so nothing here reads the
database. What it may load is said in its policy: only files of this server, no inline script.
"""

import hashlib
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Scope as RouteScope

from seasoned.server.gateway import Gateway

PAGES = (
    *("/", "/inbox", "/lessons", "/behavioral-rules", "/sessions", "/chat", "/tools"),
    *("/choices", "/memory", "/graph", "/jobs", "/health", "/audit", "/settings", "/keys"),
)
DETAILS = ("/lessons/{name}", "/sessions/{name:path}")
OPEN = (*PAGES, "/assets")  # the page asks who is logged in, and then the API as that user
VISITED = (*PAGES, "/lessons/", "/sessions/")  # a link to them may stand anywhere

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-cache",  # a browser asks whether it changed; the answer is 304 if not
}
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class PageRoute(Route):
    """Matches browsers only: a program that asks for `/health` gets figures, not a page."""

    def matches(self, scope: RouteScope) -> tuple[Match, RouteScope]:
        if scope["type"] == "http" and not _wants_page(scope):
            return Match.NONE, {}
        return super().matches(scope)


def _wants_page(scope: RouteScope) -> bool:
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    return any(name == b"accept" and b"text/html" in value for name, value in headers)


def routes(gateway: Gateway) -> list[BaseRoute]:
    async def page(request: Request) -> Response:
        return _answer(request, "index.html")

    async def asset(request: Request) -> Response:
        return _answer(request, request.path_params["name"])

    return [
        *(PageRoute(path, page) for path in (*PAGES, *DETAILS)),
        Route("/assets/{name:path}", asset),
    ]


def _answer(request: Request, name: str) -> Response:
    found = _assets().get(name)
    if found is None:
        raise HTTPException(404, f"the desk has no file {name!r}")
    content, tag = found
    headers = {**HEADERS, "etag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=TYPES[_suffix(name)])


@cache
def _assets() -> dict[str, tuple[bytes, str]]:
    """Read all files of the desk with their versions, by name; nothing else can be asked for."""
    folder = files("seasoned.server.desk") / "assets"
    found = {one.name: one for one in folder.iterdir() if one.is_file()}
    inner = {f"pages/{one.name}": one for one in (folder / "pages").iterdir() if one.is_file()}
    wanted = {name: one for name, one in (found | inner).items() if _suffix(name) in TYPES}
    return {name: _versioned(one.read_bytes()) for name, one in wanted.items()}


def _versioned(content: bytes) -> tuple[bytes, str]:
    return content, f'"{hashlib.sha256(content).hexdigest()[:20]}"'


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix
