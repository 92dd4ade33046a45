"""Stable ids for sessions, calls and messages, however often and wherever a file is read."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

_RANDOM = re.compile(r"[0-9a-zA-Z]{16,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_LONGEST_ID = 200


def json_digest(*parts: object) -> str:
    """Digest JSON values; the order of object members does not matter.

    >>> json_digest({"a": 1, "b": 2}) == json_digest({"b": 2, "a": 1})
    True
    """
    canonical = json.dumps(parts, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]


def is_unique(call_id: str | None) -> bool:
    """Whether this call id is globally unique.

    A provider's id (`toolu_…`, `call_…`, a UUID) is; `call_1` is not.

    >>> is_unique("toolu_01A09q90qw90lq917835lq9"), is_unique("call_1")
    (True, False)
    """
    given = call_id or ""
    runs: list[str] = _RANDOM.findall(given) if len(given) <= _LONGEST_ID else []
    return any(_is_random(run) for run in runs)


def _is_random(run: str) -> bool:
    mixed = any(sign.isdigit() for sign in run) and any(sign.isalpha() for sign in run)
    return mixed and len(set(run)) >= 6


def call_key(
    session: str, call_id: str | None, tool: str, params: Mapping[str, Any], position: object
) -> str:
    """Return the identity of a call.

    A globally unique call id is enough, so a history repeated in a resumed session or in the next
    request of a log is learned once. Otherwise the position in the session is part of it.

    >>> one = call_key("s1", "toolu_01A09q90qw90lq917835lq9", "ls", {}, 1)
    >>> one == call_key("s2", "toolu_01A09q90qw90lq917835lq9", "ls", {}, 9)
    True
    >>> call_key("s1", "call_1", "ls", {}, 1) == call_key("s2", "call_1", "ls", {}, 1)
    False
    """
    where = () if is_unique(call_id) else (session, position)
    return json_digest("call", call_id, tool, params, *where)


def message_key(session: str, position: object, role: str, said: str) -> str:
    """Return the identity of a message."""
    return json_digest("message", session, position, role, said)
