"""The errors that operations of this room may answer with, for the OpenAPI document."""

from typing import Any

MEANINGS = {
    400: "The input cannot be used; the message says why.",
    401: "No key, or a wrong one.",
    403: "It needs another role, or a page of this server.",
    404: "There is no such key, or it is somebody else's.",
    409: "This installation is not set up for it.",
    413: "The body is too large.",
    422: "The input does not fit the schema.",
    429: "Too many requests, or wrong keys; `Retry-After` says when to try again.",
    503: "The database or the identity provider cannot be asked; try again later.",
}
SHAPE = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["type", "message"],
            "properties": {"type": {"type": "string"}, "message": {"type": "string"}},
        }
    },
}


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe these errors, besides those that every operation may answer with."""
    content = {"application/json": {"schema": SHAPE}}
    return {
        one: {"description": MEANINGS[one], "content": content}
        for one in sorted({400, 401, 403, 422, 429, 503, *statuses})
    }
