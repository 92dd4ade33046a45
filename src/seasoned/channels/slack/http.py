"""Receive Slack's events and button presses by HTTP, as a plain ASGI application."""

import json
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, cast
from urllib.parse import parse_qs

log = logging.getLogger("seasoned.channels.slack")

LARGEST_BYTES = 1_000_000

Message = MutableMapping[str, Any]
Read = Callable[[], Awaitable[Message]]
Write = Callable[[Message], Awaitable[None]]


class Refused(Exception):
    """The request gets this status, and nothing of it is taken."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class SlackEvents:
    """Answers 200 once `take` returned; Slack sends again whatever got another answer.

    One instance serves the address of events and the address of interactivity.
    """

    def __init__(
        self, signing_secret: str, take: Callable[[dict[str, Any]], Awaitable[None]]
    ) -> None:
        from slack_sdk.signature import SignatureVerifier

        self._verifier = SignatureVerifier(signing_secret)
        self._take = take

    async def __call__(self, scope: Message, receive: Read, send: Write) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"Slack's events come by HTTP, not by {scope['type']}")
        try:
            status, text = 200, await self._answer(scope, receive)
        except Refused as refused:
            log.info("a request to Slack's address is refused: %s", refused)
            status, text = refused.status, str(refused)
        except Exception as error:  # noqa: BLE001 - logged; Slack sends it again
            log.warning(
                "an event of Slack was not taken, it will come again: %s: %s",
                type(error).__name__,
                error,
            )
            status, text = 500, "not taken; send it again"
        headers = [(b"content-type", b"text/plain; charset=utf-8")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": text.encode()})

    async def _answer(self, scope: Message, receive: Read) -> str:
        if scope["method"] != "POST":
            raise Refused(405, "use POST")
        headers = {name.decode("latin-1").lower(): value for name, value in scope["headers"]}
        body = await _body(headers, receive)
        if not self._signed(headers, body):
            raise Refused(401, "the signature is wrong or too old; check slack.signingSecret")
        payload = _payload(headers, body)
        if payload.get("type") == "url_verification":
            return str(payload.get("challenge", ""))
        await self._take(payload)
        return ""

    def _signed(self, headers: dict[str, bytes], body: bytes) -> bool:
        given = {name: value.decode("latin-1") for name, value in headers.items()}
        try:
            return self._verifier.is_valid_request(body, given)
        except (TypeError, ValueError):  # a time that is no number, text that is not UTF-8
            return False


async def _body(headers: dict[str, bytes], receive: Read) -> bytes:
    length = headers.get("content-length", b"")
    if length.isdigit() and int(length) > LARGEST_BYTES:
        raise Refused(413, "the request is too large")
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refused(400, "the request was not finished")
        body += message.get("body", b"")
        if len(body) > LARGEST_BYTES:
            raise Refused(413, "the request is too large")
        if not message.get("more_body"):
            return bytes(body)


def _payload(headers: dict[str, bytes], body: bytes) -> dict[str, Any]:
    """Read JSON, or the field `payload` of a form, as which presses come."""
    text = body.decode()
    if headers.get("content-type", b"").startswith(b"application/x-www-form-urlencoded"):
        text = parse_qs(text).get("payload", ["{}"])[0]  # without it, Slack tests the connection
    try:
        payload: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused(400, "the request is not JSON") from error
    if not isinstance(payload, dict):
        raise Refused(400, "the request is not an object of JSON")
    return cast("dict[str, Any]", payload)
