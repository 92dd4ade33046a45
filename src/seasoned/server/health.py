"""Health: is the process alive, is it ready for requests."""

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from seasoned.server.gateway import Gateway

OPEN = ("/health/live", "/health/ready")


def routes(gateway: Gateway) -> list[BaseRoute]:
    async def live(request: Request) -> JSONResponse:
        return JSONResponse({"status": "ok"})

    async def ready(request: Request) -> JSONResponse:
        trouble = "stopping" if gateway.draining else await gateway.host.database_trouble()
        state = {"status": "failing", "reason": trouble} if trouble else {"status": "ok"}
        return JSONResponse(state, 503 if trouble else 200)

    return [Route("/health/live", live), Route("/health/ready", ready)]
