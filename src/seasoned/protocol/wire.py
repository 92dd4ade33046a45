"""Encode and decode messages: only finite numbers on the way in, ASCII on the way out."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, NoReturn, cast

from seasoned.core.text import storable

VERSION = "1.0"
CAPABILITY = "learning"
DEEPEST = 64  # levels of nesting; some databases cannot store more
LONGEST_ID = 200
KINDS: dict[type, str] = {
    list: "an array",
    str: "a text",
    bool: "true or false",
    type(None): "null",
}

# Escapes in the JSON text for characters that no database stores.
ODD_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
FIRST_ID = re.compile(r'\s*\{[^{}\[\]]*?"id"\s*:\s*"([^"\\]{1,200})"')


class BadMessage(Exception):
    """The bytes are not a valid message; the sender gets the reason."""

    def __init__(self, reason: str, req_id: str = "", detail: Mapping[str, Any] | None = None):
        super().__init__(reason)
        self.reason = reason
        self.req_id = req_id
        self.detail = dict(detail or {})


class NotFinite(ValueError):
    pass


def decode_message(raw: bytes) -> dict[str, Any]:
    """Decode one message.

    >>> decode_message(b'{"type":"ping","id":"1"}')
    {'type': 'ping', 'id': '1'}
    >>> decode_message(b'{"id":"7","score":NaN}')
    Traceback (most recent call last):
    seasoned.protocol.wire.BadMessage: NaN is no number that can be recorded; leave it out
    """
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadMessage(f"not UTF-8 at byte {error.start}; send JSON in UTF-8") from error
    try:
        value = DECODER.decode(text)
    except NotFinite as error:
        raise BadMessage(str(error), _first_id(text)) from error
    except RecursionError as error:
        raise _too_deep(text) from error
    except ValueError as error:
        raise BadMessage(f"not valid JSON: {error}", _first_id(text)) from error
    if not isinstance(value, dict):
        kind = KINDS.get(type(cast("object", value)), "a number")
        raise BadMessage(f"a message is a JSON object; this is {kind}")
    message = cast("dict[str, Any]", value)
    if raw.count(b"{") + raw.count(b"[") > DEEPEST and depth_of(message) > DEEPEST:
        raise _too_deep(text)
    return _clean(message) if ODD_ESCAPE.search(text) else message


def encode_message(message: Mapping[str, Any]) -> bytes:
    r"""Encode as JSON on one line of ASCII, because some readers end a line at U+2028.

    >>> encode_message({"note": "a\u2028b"})
    b'{"note":"a\\u2028b"}'
    """
    return ENCODER.encode(message).encode("ascii")


def messages_in(body: bytes) -> Sequence[bytes]:
    """Split a body into messages: usually one; several if each line is an object.

    >>> messages_in(b'{"a":1}\\n{"b":2}\\n')
    [b'{"a":1}', b'{"b":2}']
    >>> messages_in(b'{\\n"a":1\\n}')
    [b'{\\n"a":1\\n}']
    """
    if b"\n" not in body:
        return [body]
    lines = [line for each in body.split(b"\n") if (line := each.strip())]
    whole = all(line.startswith(b"{") and line.endswith(b"}") for line in lines)
    return lines if whole and len(lines) > 1 else [body]


def depth_of(value: Any) -> int:
    """Return how deep containers are nested."""
    depth = 0
    level: list[Any] = [value]
    while level:
        inner = (one for each in level for one in _within(each))
        level = [one for one in inner if type(one) in (dict, list)]
        depth += 1
    return depth


def _within(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value).values()
    return cast("list[Any]", value) if isinstance(value, list) else ()


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_clean(each) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return {storable(key): _clean(each) for key, each in pairs}
    return value


def _too_deep(text: str) -> BadMessage:
    reason = f"nested more than {DEEPEST} levels deep; flatten it"
    return BadMessage(reason, _first_id(text))


def _first_id(text: str) -> str:
    """Find the id in front of an unreadable message, because its sender waits for a reply."""
    found = FIRST_ID.match(text)
    return found[1] if found else ""


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise NotFinite(f"{text[:40]} is too large a number; it would be recorded as infinity")
    return value


def _constant(name: str) -> NoReturn:
    raise NotFinite(f"{name} is no number that can be recorded; leave it out")


DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_constant)
ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
