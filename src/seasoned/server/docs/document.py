"""The OpenAPI document of the whole server, made from the routes of all its parts."""

from typing import Any, cast

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from seasoned.server.rest.resource import ErrorAnswer

DESCRIPTION = """\
Everything that Seasoned does, as JSON. Requests show the server's token. Headers say whose lessons
they work on. Lists have pages: pass on `next` as `cursor`. Changes take the `ETag` of what was read
as `If-Match`."""
SCOPE_HEADERS = {
    "Tenant": "The tenant whose lessons the request works on.",
    "Project": "The project.",
    "User": "The user.",
    "Session": "The session, where the request names none itself.",
}
LONGEST_NAME = 200
SECURITY = {
    "token": {"type": "http", "scheme": "bearer", "description": "The server's token, or a key."},
    "tokenHeader": {"type": "apiKey", "in": "header", "name": "X-Seasoned-Token"},
}
METHODS = ("get", "post", "put", "patch", "delete")


def openapi_document(app: FastAPI) -> dict[str, Any]:
    """Return the document of an application; it is made once."""
    if app.openapi_schema is None:
        app.openapi_schema = _made(app)
    return app.openapi_schema


def _made(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title=app.title, version=app.version, description=DESCRIPTION, routes=app.routes
    )
    parts: dict[str, Any] = document.setdefault("components", {})
    parts["securitySchemes"] = SECURITY
    parts["parameters"] = {
        name: {
            "name": f"X-Seasoned-{name}",
            "in": "header",
            "required": False,
            "description": description,
            "schema": {"type": "string", "maxLength": LONGEST_NAME, "pattern": "^[!-~]*$"},
        }
        for name, description in SCOPE_HEADERS.items()
    }
    for _, _, operation in operations(document):
        operation["security"] = [{name: []} for name in SECURITY]
        if "x-seasoned-role" in operation:
            given = [{"$ref": f"#/components/parameters/{name}"} for name in SCOPE_HEADERS]
            operation.setdefault("parameters", []).extend(given)
    _complete(parts.setdefault("schemas", {}))
    return document


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Return the path, the method and the description of each operation."""
    paths = cast("dict[str, dict[str, Any]]", document.get("paths", {}))
    return [
        (path, method, item[method])
        for path, item in paths.items()
        for method in METHODS
        if method in item
    ]


def _complete(schemas: dict[str, Any]) -> None:
    """Put our shape of errors in the place of FastAPI's."""
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    shape = ErrorAnswer.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(shape.pop("$defs", {}))
    schemas[ErrorAnswer.__name__] = shape
