"""`/openapi.json` and `/docs`: open to everybody who reaches the server, as they hold no data."""

from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from seasoned.server.docs.document import openapi_document
from seasoned.server.docs.page import docs_page
from seasoned.server.gateway import Gateway

OPEN = ("/openapi.json", "/docs")
HERE = Path(__file__).parent
TYPES = {"page.css": "text/css", "page.js": "text/javascript"}
SAFE = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


def routes(gateway: Gateway) -> list[BaseRoute]:
    async def document(request: Request) -> Response:
        return JSONResponse(openapi_document(request.app), headers=SAFE)

    async def page(request: Request) -> Response:
        html = docs_page(openapi_document(request.app))
        return Response(html, media_type="text/html", headers=SAFE)

    async def asset(request: Request) -> Response:
        name = request.url.path.rsplit("/", 1)[-1]
        return Response(_read(name), media_type=TYPES[name], headers=SAFE)

    return [
        Route("/openapi.json", document),
        Route("/docs", page),
        *(Route(f"/docs/{name}", asset) for name in TYPES),
    ]


@cache
def _read(name: str) -> bytes:
    return (HERE / name).read_bytes()
