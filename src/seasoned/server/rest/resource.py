"""`Resource`: routes that read JSON safely, check the role, and describe themselves exactly."""

import re
from collections.abc import Callable, Collection, Coroutine
from inspect import signature
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Depends, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.exceptions import HTTPException

from seasoned.api import AsyncSeasoned
from seasoned.core import safe_json
from seasoned.core.errors import BadInput
from seasoned.server.callers import Role
from seasoned.server.gateway import Gateway
from seasoned.server.roles import check_role, requires

F = TypeVar("F", bound=Callable[..., Any])
Method = Literal["GET", "POST", "PATCH", "DELETE"]

JSON_TYPE = re.compile(r"application/(?:[\w.-]+\+)?json\s*(?:;|$)", re.IGNORECASE)
HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
MEANINGS = {
    400: "The input cannot be used; the message says why.",
    401: "No token, or a wrong one.",
    403: "It is somebody else's to change, or needs a higher role.",
    404: "There is no such thing, or it is somebody else's.",
    409: "This installation is not set up for it.",
    412: "It was changed since it was read: `If-Match` names an old version.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    422: "The input does not fit the schema; `faults` says where.",
    429: "Too many requests, or the budget for models is spent.",
    502: "A model, an embedder or a page gave no usable answer.",
    503: "The database or a model is busy; `Retry-After` says when to try again.",
}
ALWAYS = (400, 401, 403, 422, 429, 503)


class ErrorFault(BaseModel):
    """A part of the input that does not fit."""

    at: str
    fault: str


class ErrorDetail(BaseModel):
    """What happened, to which thing, and what to do next."""

    type: str
    message: str
    faults: list[ErrorFault] | None = None


class ErrorAnswer(BaseModel):
    """The body of every answer that is an error."""

    error: ErrorDetail


# By reference: a model of each answer's own would take FastAPI as long to build as all the rest.
ERROR_CONTENT = {
    "application/json": {"schema": {"$ref": "#/components/schemas/ErrorAnswer"}},
}


class SafeJsonRoute(APIRoute):
    """Reads the body before FastAPI does: its limits stay, and nothing in it does harm later."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handler(request: Request) -> Response:
            if request.method not in ("GET", "HEAD"):
                body = await request.body()
                if body:
                    # Starlette's own place for what `request.json()` returns.
                    request._json = _decoded(request, body)  # pyright: ignore[reportPrivateUsage]
            response = await handle(request)
            for name, value in HEADERS.items():
                response.headers.setdefault(name, value)
            return response

        return handler


class QuickRoute(SafeJsonRoute):
    """A route for the calls of every turn: the function takes Seasoned and a body, no more.

    FastAPI describes it; it is called here, without FastAPI's search for arguments, which would
    take longer than observing a call does.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        role: Role = (self.openapi_extra or {})["x-seasoned-role"]
        body_model: type[BaseModel] = signature(self.endpoint).parameters["body"].annotation
        answers: TypeAdapter[Any] = TypeAdapter(self.response_model)

        async def handler(request: Request) -> Response:
            check_role(request, role)
            s = await _seasoned_of(request)
            body = _validated(body_model, _decoded(request, await request.body()))
            answer = answers.validate_python(await self.endpoint(s, body), from_attributes=True)
            content = answers.dump_json(answer)
            return Response(content, media_type="application/json", headers=HEADERS)

        return handler


def _validated(model: type[BaseModel], body: Any) -> BaseModel:
    try:
        return model.model_validate(body)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        raise RequestValidationError(
            [{**one, "loc": ("body", *one["loc"])} for one in faults]
        ) from None


def _decoded(request: Request, body: bytes) -> Any:
    if not JSON_TYPE.match(request.headers.get("content-type", "")):
        raise HTTPException(415, "send JSON, with the header `Content-Type: application/json`")
    try:
        return safe_json.decode(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadInput("the body is not UTF-8; send JSON in UTF-8") from None
    except ValueError as fault:
        raise BadInput(f"the body is not JSON: {fault}") from None


class Resource(APIRouter):
    """The routes of one kind of thing, below `/v1`."""

    def __init__(self, tag: str) -> None:
        super().__init__(prefix="/v1", tags=[tag], route_class=SafeJsonRoute)

    def operation(
        self,
        method: Method,
        path: str,
        role: Role,
        answer: Any,
        *,
        status: int = 200,
        errors: Collection[int] = (),
        quick: bool = False,
    ) -> Callable[[F], F]:
        """Add a function as an operation; its name is the id, its docstring the description.

        `answer` is the model of the answer, `errors` the statuses beyond those of every operation.
        A `quick` one takes Seasoned and a body only.
        """
        possible = {*ALWAYS, *errors}
        possible |= {404} if "{" in path else set()
        possible |= {413, 415} if method in ("POST", "PATCH") else set()

        def add(function: F) -> F:
            summary, _, more = (function.__doc__ or "").partition("\n")
            self.add_api_route(
                path,
                function,
                methods=[method],
                response_model=answer,
                status_code=status,
                operation_id=function.__name__,
                summary=summary.strip().rstrip("."),
                description=" ".join(more.split()),
                dependencies=[Depends(requires(role))],
                responses={
                    code: {"description": MEANINGS[code], "content": ERROR_CONTENT}
                    for code in sorted(possible)
                },
                openapi_extra={"x-seasoned-role": role},
                route_class_override=QuickRoute if quick else None,
            )
            return function

        return add


async def _seasoned_of(request: Request) -> AsyncSeasoned:
    gateway: Gateway = request.app.state.gateway
    return await gateway.for_request(request)


CallersSeasoned = Annotated[AsyncSeasoned, Depends(_seasoned_of)]
"""Seasoned as the caller of the request sees it."""
