"""Logins at the identity provider that have begun: nobody can finish what another began."""

import base64
import hashlib
import hmac
import json
import secrets
from typing import Any, cast
from urllib.parse import urlsplit

from seasoned.core.clock import SECOND
from seasoned.core.errors import BadInput, NotAllowed

ATTEMPT_SECONDS = 600
LONGEST_RETURN = 1000


class Attempts:
    """Logins at the provider that have begun; the browser keeps them, and this signs them.

    PKCE's verifier and the nonce are derived from the state, so that no cookie holds them.
    """

    def __init__(self, token: str) -> None:
        seed = token.encode() if token else secrets.token_bytes(32)
        self._key = hashlib.sha256(b"seasoned login " + seed).digest()

    def begin(self, return_to: str, now: int) -> tuple[str, str]:
        """Return a new state and the cookie that remembers it."""
        state = secrets.token_urlsafe(24)
        raw = json.dumps([state, return_to, now]).encode()
        return state, f"{encoded(raw)}.{self._sign('cookie', raw)}"

    def resume(self, held: str, state: str, now: int) -> str:
        """Return where a login shall end; raise unless this browser began it."""
        body, _, signature = held.partition(".")
        try:
            raw = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
            began, return_to, at = cast("list[Any]", json.loads(raw))
            genuine = hmac.compare_digest(signature, self._sign("cookie", raw))
            genuine = genuine and hmac.compare_digest(str(began).encode(), state.encode())
        except (ValueError, TypeError):
            genuine, return_to, at = False, "/", 0
        if not genuine or now - at > ATTEMPT_SECONDS * SECOND:
            raise NotAllowed("this login was not begun in this browser, or long ago; begin again")
        return str(return_to)

    def verifier(self, state: str) -> str:
        return self._sign("verifier", state.encode())

    def nonce(self, state: str) -> str:
        return self._sign("nonce", state.encode())

    def _sign(self, use: str, what: bytes) -> str:
        made = hmac.new(self._key, use.encode() + b"\0" + what, hashlib.sha256).digest()
        return encoded(made)


def safe_path(text: str) -> str:
    """Return a path on this server; refuse what a browser could take for another host.

    >>> safe_path("/lessons?page=2")
    '/lessons?page=2'
    >>> safe_path("//evil.example")
    Traceback (most recent call last):
    seasoned.core.errors.BadInput: return_to must be a path on this server, such as /
    """
    parts = urlsplit(text) if len(text) <= LONGEST_RETURN else None
    plain = text.isascii() and all(" " < one != "\\" for one in text)
    if (
        parts is None
        or not plain
        or not text.startswith("/")
        or text.startswith("//")
        or parts.netloc
        or parts.scheme
    ):
        raise BadInput("return_to must be a path on this server, such as /")
    return text


def encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")
