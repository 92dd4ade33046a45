"""Errors as JSON, in one place: `{"error": {"type": …, "message": …}}` with a fitting status."""

import logging
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from seasoned.core.errors import (
    BadInput,
    BudgetSpent,
    Changed,
    ConfigError,
    DatabaseBusy,
    DatabaseError,
    EmbedderError,
    ModelError,
    ModelUnavailable,
    NotAllowed,
    NotFound,
    SeasonedError,
    TurnFailed,
    Unreachable,
    Unsupported,
)
from seasoned.core.text import one_line
from seasoned.server.callers import NotAuthenticated

log = logging.getLogger("seasoned.server")

MOST_FAULTS = 10


class TooLarge(SeasonedError):
    """The body has more bytes than are accepted."""


class TooSlow(SeasonedError):
    """The body did not arrive in time."""


# The first match counts. What this installation is not set up for is a conflict (409), not a
# failure of the server: asking again does not help, and an operator can change it.
STATUSES: tuple[tuple[type[SeasonedError], int], ...] = (
    (NotAuthenticated, 401),
    (BadInput, 400),
    (NotFound, 404),
    (NotAllowed, 403),
    (TooSlow, 408),
    (Changed, 412),
    (TooLarge, 413),
    (ConfigError, 409),
    (Unsupported, 409),
    (BudgetSpent, 429),
    (DatabaseBusy, 503),
    (DatabaseError, 503),
    (ModelUnavailable, 503),
    (ModelError, 502),
    (TurnFailed, 502),
    (EmbedderError, 502),
    (Unreachable, 502),
)
RETRY_AFTER = {429: "60", 503: "1"}


def status_of(error: SeasonedError) -> int:
    """Return the HTTP status of an error.

    >>> status_of(NotFound("no rule")), status_of(SeasonedError("else"))
    (404, 400)
    """
    return next((status for kind, status in STATUSES if isinstance(error, kind)), 400)


def error_body(kind: str, message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"type": kind, "message": message, **more}}


def error_response(
    status: int, kind: str, message: str, headers: Mapping[str, str] | None = None, **more: Any
) -> JSONResponse:
    given = dict(headers or {})
    if status in RETRY_AFTER:
        given.setdefault("retry-after", RETRY_AFTER[status])
    if status == 401:
        given.setdefault("www-authenticate", "Bearer")
    return JSONResponse(error_body(kind, message, **more), status, given)


def response_to(error: SeasonedError) -> JSONResponse:
    # The rest of a body that is refused is not read.
    headers = {"connection": "close"} if isinstance(error, TooLarge | TooSlow) else None
    return error_response(status_of(error), type(error).__name__, str(error), headers)


def add_handlers(app: FastAPI) -> None:
    """Let an application answer every error in the one shape."""

    async def known(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, SeasonedError)
        return response_to(error)

    async def refused(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        return error_response(
            error.status_code, "HTTPError", str(error.detail), dict(error.headers or {})
        )

    async def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        faults = [
            {"at": ".".join(map(str, one["loc"])), "fault": one_line(str(one["msg"]))}
            for one in error.errors()
        ]
        text = "; ".join(f"{one['at']}: {one['fault']}" for one in faults[:MOST_FAULTS])
        return error_response(422, "BadInput", text, faults=faults[:MOST_FAULTS])

    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        return unexpected_response(request.method, request.url.path, error)

    app.add_exception_handler(SeasonedError, known)
    app.add_exception_handler(HTTPException, refused)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(Exception, unexpected)


def unexpected_response(method: str, path: str, error: Exception) -> JSONResponse:
    """Answer a bug: the log has the trace, the caller gets no more than its kind."""
    log.error("%s %.200s failed", method, path, exc_info=error)
    message = f"the server failed on it ({type(error).__name__}); its log says where"
    return error_response(500, "InternalError", message)
