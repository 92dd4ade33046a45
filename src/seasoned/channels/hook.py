"""A channel for everything that has no driver: signed JSON in, signed JSON out.

A bridge posts each message to the gateway, and gets answers posted to its own address.
"""

import asyncio
import hashlib
import hmac
import json
import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

from seasoned.channels.channel import (
    Address,
    Button,
    ChannelError,
    ChannelEvent,
    Incoming,
    Person,
    Press,
    Reaction,
    Receive,
)
from seasoned.core.errors import BadInput, ConfigError, NotAllowed, SeasonedError
from seasoned.core.ids import new_id
from seasoned.core.safe_json import decode
from seasoned.core.text import one_line

log = logging.getLogger("seasoned.channels")

NAME = "hook"
SIGNATURE, TIMESTAMP = "x-seasoned-signature", "x-seasoned-timestamp"
OLDEST_SECONDS = 300  # a request that was signed earlier is refused
SEND_SECONDS = 10.0
RETRY_SECONDS = 2.0
LONGEST = 16_000
LONGEST_TEXT = 64_000
LARGEST_BYTES = 1_000_000  # of a request
LONGEST_NAME = 200


def signed(secret: str, timestamp: str, body: bytes) -> str:
    """Return the signature of a request.

    >>> signed("secret", "1", b"{}")[:15]
    'sha256=1122767b'
    """
    mac = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256)
    return f"sha256={mac.hexdigest()}"


class HookDriver:
    """`take` is called by the gateway with each request; answers are posted to `url`."""

    name = NAME
    longest = LONGEST
    edit_seconds = 0.0  # bridges get whole answers

    def __init__(self, url: str, secret: str, *, retry_seconds: float = RETRY_SECONDS) -> None:
        if not secret:
            raise ConfigError(
                "hook.url is set, but hook.secret is not; set the secret that signs both ways"
            )
        if not url.startswith(("http://", "https://")):
            raise ConfigError(f"hook.url is {one_line(url, 80)!r}; it must begin with https://")
        self._url = url
        self._secret = secret
        self._retry_seconds = retry_seconds
        self._receive: Receive | None = None

    def __repr__(self) -> str:
        return "HookDriver()"

    def measure(self, text: str) -> int:
        return len(text)

    async def run(self, receive: Receive) -> None:
        self._receive = receive
        try:
            await asyncio.Event().wait()
        finally:
            self._receive = None

    async def take(self, headers: Mapping[str, str], body: bytes) -> None:
        """Take a signed request; when this returns, its event is stored."""
        self._check(headers, body)
        event = event_of(body)
        if self._receive is None:
            raise SeasonedError("the hook is not running yet; post this again")
        await self._receive(event)

    async def send(self, to: Address, text: str, buttons: Sequence[Button] = ()) -> str:
        message = new_id()
        shown = [{"label": one.label, "data": one.data} for one in buttons]
        await self._post(
            {**_place(to), "type": "message", "message": message, "text": text, "buttons": shown}
        )
        return message

    async def edit(
        self, to: Address, message: str, text: str, buttons: Sequence[Button] = ()
    ) -> None:
        raise ChannelError("messages of a hook cannot be edited")

    async def typing(self, to: Address) -> None:
        """Bridges are not told; a post every few seconds would say little."""

    async def acknowledge(self, press: Press, text: str = "") -> None:
        if text:
            await self._post({**_place(press.at), "type": "notice", "text": text})

    def _check(self, headers: Mapping[str, str], body: bytes) -> None:
        given, timestamp = headers.get(SIGNATURE, ""), headers.get(TIMESTAMP, "")
        fresh = timestamp.isdecimal() and len(timestamp) < 12
        if not fresh or abs(time.time() - int(timestamp)) > OLDEST_SECONDS:
            raise NotAllowed(f"{TIMESTAMP} is missing or too old; sign with the current second")
        wanted = signed(self._secret, timestamp, body)
        if not hmac.compare_digest(given.encode(), wanted.encode()):
            raise NotAllowed(f"{SIGNATURE} does not fit; sign the second, a dot and the body")

    async def _post(self, content: Mapping[str, Any]) -> None:
        import httpx2 as httpx

        body = json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
        timestamp = str(int(time.time()))
        headers = {
            "content-type": "application/json",
            TIMESTAMP: timestamp,
            SIGNATURE: signed(self._secret, timestamp, body),
        }
        try:
            async with httpx.AsyncClient(timeout=SEND_SECONDS) as client:
                answer = await client.post(self._url, content=body, headers=headers)
        except httpx.HTTPError as error:
            raise ChannelError(
                f"the hook cannot be reached ({type(error).__name__})",
                retry_seconds=self._retry_seconds,
            ) from error
        if answer.status_code == 429 or answer.status_code >= 500:
            raise ChannelError(
                f"the hook answered {answer.status_code}", retry_seconds=self._retry_seconds
            )
        if not answer.is_success:
            raise ChannelError(f"the hook refused a message with {answer.status_code}")


def event_of(body: bytes) -> ChannelEvent:
    """Read an event: a message, a press of a button, or a thumb."""
    try:
        read: Any = decode(body.decode())
    except ValueError as error:
        raise BadInput(f"the body is no JSON ({error})") from error
    if not isinstance(read, dict):
        raise BadInput("the body is no event; send a JSON object")
    content = cast("dict[str, Any]", read)
    sender: Any = content.get("sender")
    named = cast("dict[str, Any]", sender) if isinstance(sender, dict) else {"id": sender}
    name = _text(content, "id")
    at = Address(NAME, _text(content, "chat"), _text(content, "thread", needed=False))
    person = Person(_text(named, "id"), _text(named, "handle", needed=False))
    kind = content.get("type", "message")
    if kind == "message":
        text = content.get("text")
        if not isinstance(text, str) or not text.strip():
            raise BadInput("`text` is missing; say something")
        if len(text) > LONGEST_TEXT:
            raise BadInput(f"`text` has {len(text)} characters; {LONGEST_TEXT} are taken, split it")
        return Incoming(name, at, person, text, is_direct=not content.get("group"))
    message = _text(content, "message")
    if kind == "press":
        return Press(name, at, person, message, _text(content, "data"))
    thumb = content.get("thumb")
    if kind != "thumb" or thumb not in ("up", "down", "none"):
        raise BadInput("`type` must be message, press, or thumb with `thumb` up, down or none")
    return Reaction(name, at, person, message, thumb)


def _text(content: Mapping[str, Any], name: str, *, needed: bool = True) -> str:
    found = content.get(name, "")
    if isinstance(found, int):
        found = str(found)
    if not isinstance(found, str) or len(found) > LONGEST_NAME or (needed and not found):
        raise BadInput(f"`{name}` must be a text of at most {LONGEST_NAME} characters")
    return found


def _place(at: Address) -> dict[str, str]:
    return {"chat": at.chat, "thread": at.thread}
