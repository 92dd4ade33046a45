"""Slack's wire format: signatures, and what a message is made of."""

import hashlib
import hmac
import time
from typing import Any

import httpx2

ME = "U0BOT"
SIGNING_SECRET = "s1gn1ngs3cret"
Json = dict[str, Any]


def signed(body: bytes, *, at: float | None = None, secret: str = SIGNING_SECRET) -> dict[str, str]:
    """Return the headers with which Slack proves that a request is its own."""
    when = str(int(time.time() if at is None else at))
    mac = hmac.new(secret.encode(), f"v0:{when}:".encode() + body, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": when, "X-Slack-Signature": f"v0={mac}"}


async def request(
    endpoint: Any, body: bytes, headers: dict[str, str], method: str = "POST"
) -> tuple[int, str]:
    transport = httpx2.ASGITransport(app=endpoint)
    async with httpx2.AsyncClient(transport=transport, base_url="http://gateway") as client:
        path = "/channels/slack/events"
        answer = await client.request(method, path, content=body, headers=headers)
    return answer.status_code, answer.text


def typed(text: str) -> str:
    """Escape what a person typed, as Slack's clients do; mentions were chosen from a list."""
    parts = text.split(f"<@{ME}>")
    made = [one.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for one in parts]
    return f"<@{ME}>".join(made)


def buttons(message: Json) -> list[Json]:
    blocks: list[Json] = message.get("blocks") or []
    return [one for block in blocks if block["type"] == "actions" for one in block["elements"]]


def shown_text(message: Json) -> str:
    blocks: list[Json] = message.get("blocks") or []
    sections = [block["text"]["text"] for block in blocks if block["type"] == "section"]
    return "\n".join(sections) or str(message["text"])


def wrong(arguments: Json) -> str:
    """Return Slack's word for what is wrong with a message; empty if it is taken."""
    if arguments.get("channel") == "C404":
        return "channel_not_found"
    if not str(arguments.get("text", "")).strip():
        return "no_text"
    if len(arguments["text"]) > 4000:
        return "msg_too_long"
    blocks: list[Json] = arguments.get("blocks") or []
    texts = [block["text"]["text"] for block in blocks if block["type"] == "section"]
    pressed = buttons(arguments)
    fits = all(0 < len(text) <= 3000 for text in texts) and len(blocks) <= 50
    labels = all(len(one["text"]["text"]) <= 75 and len(one["value"]) <= 2000 for one in pressed)
    unique = len({one["action_id"] for one in pressed}) == len(pressed)
    return "" if fits and labels and unique else "invalid_blocks"
