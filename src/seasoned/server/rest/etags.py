"""ETags: the version of a thing as it was read, which `If-Match` names when it is changed."""

import re
from typing import Annotated

from fastapi import Header, Response

from seasoned.core.errors import BadInput, Changed

TAG = re.compile(r'\s*"([\x21\x23-\x7e]{1,200})"\s*')

IfMatch = Annotated[
    str | None,
    Header(description="The `ETag` of the thing as it was read; 412 if it was changed since."),
]


def tag(response: Response, version: str) -> None:
    """Show the version of the thing in an answer."""
    response.headers["etag"] = f'"{version}"'


def expected(if_match: str | None) -> str | None:
    """Return the version that a request expects; None if any will do.

    >>> expected('"k3x"'), expected("*"), expected(None)
    ('k3x', None, None)
    """
    if if_match is None or if_match.strip() == "*":
        return None
    found = TAG.fullmatch(if_match)
    if found is None:
        raise BadInput('If-Match must be one ETag, in quotes as it was sent: If-Match: "…"')
    return found[1]


def check(if_match: str | None, version: str, what: str) -> None:
    """Raise `Changed` if a request expects another version than this."""
    wanted = expected(if_match)
    if wanted is not None and wanted != version:
        raise Changed(f"{what} was changed meanwhile; read it again")
