"""Read the events of a stream (SSE) from its recorded bytes."""

import json
from collections.abc import Iterator
from typing import Any

from seasoned.transcripts.formats.shapes import mapping

DONE = "[DONE]"


def events_of(body: bytes) -> Iterator[dict[str, Any]]:
    r"""Yield the JSON objects in the data of events; others (pings, comments) are left out.

    >>> list(events_of(b'event: a\ndata: {"n": 1}\n\n: ping\n\ndata: [DONE]\n\n'))
    [{'n': 1}]
    """
    data: list[str] = []
    for line in [*body.decode("utf-8", "replace").splitlines(), ""]:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            joined, data = "\n".join(data), []
            if joined.strip() != DONE:
                yield from _object(joined)


def _object(text: str) -> Iterator[dict[str, Any]]:
    try:
        found = mapping(json.loads(text))
    except (ValueError, RecursionError):
        return  # the stream broke off within it
    if found:
        yield dict(found)


def json_body(body: bytes) -> Any:
    """Decode a body; None if it is not JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
