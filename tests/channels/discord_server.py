"""A Discord of a test's own: REST and gateway in the wire format that discord.py speaks, and what
people do there.

What people do is awaited (`write`, `press`, `react`, `drop_connections`, `replay`); what they see
is read at once (`messages`, `whispers`, `posts`).
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web
from tests.channels.discord_sessions import Frame, Sessions

from seasoned.channels.channel import Person

TOKEN = "MTIz.right-token.c2VjcmV0"
ME: Frame = {
    "id": "9000",
    "username": "seasoned",
    "discriminator": "0",
    "avatar": None,
    "bot": True,
}
MENTION = "<@9000>"
ROLE = "9002"  # the bot's in the server
APPLICATION = "9001"
ANA = Person("42", "ana", "Ana")
PRIVATE, GROUP, SERVER = "100", "200", "1"
LONGEST = 2000

ROUTES = (
    ("login", "GET", r"/users/@me"),
    ("user", "GET", r"/users/(\d+)"),
    ("gateway", "GET", r"/gateway/bot"),
    ("channel", "GET", r"/channels/(\d+)"),
    ("history", "GET", r"/channels/(\d+)/messages"),
    ("message", "GET", r"/channels/(\d+)/messages/(\d+)"),
    ("send", "POST", r"/channels/(\d+)/messages"),
    ("edit", "PATCH", r"/channels/(\d+)/messages/(\d+)"),
    ("typing", "POST", r"/channels/(\d+)/typing"),
    ("acknowledge", "POST", r"/interactions/(\d+)/([^/]+)/callback"),
    ("whisper", "POST", r"/webhooks/(\d+)/([^/]+)"),
)


@dataclass(frozen=True)
class Shown:
    """A message of the bot, as people see it now; buttons as pairs of label and data."""

    id: str
    text: str
    buttons: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class Post:
    """A call that the bot made; `method` is its name in ROUTES."""

    method: str
    path: str
    body: Any


@dataclass
class Failure:
    method: str
    status: int  # 0: the connection breaks
    retry_after: float = 0
    is_global: bool = False
    is_taken: bool = False  # only the answer is lost
    headers: dict[str, str] = field(default_factory=dict[str, str])


class Refused(Exception):
    def __init__(self, status: int, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.answer = _json({"message": message, "code": code}, status)


class DiscordServer:
    """With a private chat, a server's channel, and threads where somebody writes in one."""

    mention = MENTION

    def __init__(self) -> None:
        self.posts: list[Post] = []
        self.whispers: list[tuple[str, str]] = []  # texts for one person: their id, the text
        self.sessions_left = 1000
        self._people: dict[str, Frame] = {}
        self._channels: dict[str, Frame] = {
            PRIVATE: {"id": PRIVATE, "type": 1},
            GROUP: {"id": GROUP, "type": 0, "guild_id": SERVER},
        }
        role = {"id": ROLE, "name": "seasoned", "tags": {"bot_id": ME["id"]}}
        everyone = {"id": SERVER, "name": "@everyone"}
        channel = {"id": GROUP, "type": 0}
        there = {"id": SERVER, "roles": [everyone, role], "channels": [channel], "threads": []}
        self.sessions = Sessions(TOKEN, ME, there)
        self._messages: dict[str, Frame] = {}
        self._nonces: dict[str, str] = {}
        self._presses: dict[str, Frame] = {}  # by token
        self._failures: list[Failure] = []
        self._last_id = 1_000_000

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/gateway/", self.sessions.serve)
        app.router.add_get("/page/users/@me", _page)
        app.router.add_route("*", "/api/v10/{path:.*}", self._rest)
        self._runner = web.AppRunner(app, shutdown_timeout=0.5)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{port}/api/v10"
        self.page_url = f"http://127.0.0.1:{port}/page"  # where somebody else answers
        self.sessions.url = f"ws://127.0.0.1:{port}/gateway/"
        return self

    async def __aexit__(self, *_: object) -> None:
        self.sessions.drop()
        await self._runner.cleanup()

    # What people do

    def open_private(self, chat: str) -> None:
        """Open another private chat with the bot."""
        self._channels[chat] = {"id": chat, "type": 1}

    async def write(
        self,
        text: str,
        *,
        sender: Person = ANA,
        chat: str = PRIVATE,
        thread: str = "",
        reply_to: str = "",
        **more: Any,
    ) -> str:
        """Write a message; `more` are fields of Discord's message object."""
        channel = self._channel(chat, thread)
        message: Frame = {
            "id": self._new_id(),
            "channel_id": channel["id"],
            "type": 19 if reply_to else 0,
            "content": text,
            "author": self._user(sender),
            "mentions": [{"id": one} for one in re.findall(r"<@!?(\d+)>", text)],
            "mention_roles": re.findall(r"<@&(\d+)>", text),
            "attachments": [],
            "embeds": [],
            "components": [],
        }
        if reply_to:
            message["referenced_message"] = self._messages[reply_to]
        message.update(more)
        self._messages[message["id"]] = message
        await self.sessions.dispatch("MESSAGE_CREATE", {**message, **_place(channel)})
        return message["id"]

    async def press(self, message: str, data: str, sender: Person = ANA) -> str:
        """Press the button with this data; return the press's id."""
        shown = self._messages[message]
        assert data in [one[1] for one in _buttons(shown)], f"no button {data}"
        channel = self._channels[shown["channel_id"]]
        user = self._user(sender)
        interaction: Frame = {
            "id": self._new_id(),
            "application_id": APPLICATION,
            "type": 3,
            "token": f"aW50ZXJhY3Rpb24-{self._last_id}",
            "version": 1,
            "channel_id": channel["id"],
            "channel": channel,
            "message": shown,
            "data": {"component_type": 2, "custom_id": data},
            **_place(channel),
            **({"member": {"user": user}} if "guild_id" in channel else {"user": user}),
        }
        self._presses[interaction["token"]] = {**interaction, "answers": 0}
        await self.sessions.dispatch("INTERACTION_CREATE", interaction)
        return interaction["id"]

    async def react(
        self, message: str, emoji: str, sender: Person = ANA, *, is_removed: bool = False
    ) -> None:
        shown = self._messages[message]
        channel = self._channels[shown["channel_id"]]
        user = self._user(sender)
        reaction: Frame = {
            "user_id": sender.id,
            "channel_id": channel["id"],
            "message_id": message,
            "emoji": {"id": None, "name": emoji},
            "burst": False,
            "type": 0,
            **_place(channel),
        }
        if is_removed:
            await self.sessions.dispatch("MESSAGE_REACTION_REMOVE", reaction)
            return
        reaction["message_author_id"] = shown["author"]["id"]
        if "guild_id" in channel:
            reaction["member"] = {"user": user, "nick": None}
        await self.sessions.dispatch("MESSAGE_REACTION_ADD", reaction)

    def messages(self, chat: str = PRIVATE, thread: str = "") -> Sequence[Shown]:
        """Return the bot's messages in a chat or thread, after their edits."""
        return [
            Shown(one["id"], one["content"], _buttons(one))
            for one in self._messages.values()
            if one["channel_id"] == (thread or chat) and one["author"]["id"] == ME["id"]
        ]

    # What goes wrong

    def fail_next(self, method: str, status: int, *, times: int = 1, **more: Any) -> None:
        """Let the next calls of a method fail; `more` are fields of `Failure`."""
        self._failures += [Failure(method, status, **more) for _ in range(times)]

    async def drop_connections(self) -> None:
        self.sessions.drop()

    async def replay(self) -> None:
        """Deliver the last event again."""
        await self.sessions.replay()

    # REST

    async def _rest(self, request: web.Request) -> web.StreamResponse:
        path = "/" + request.match_info["path"]
        method, found = _route(request.method, path)
        body = None
        if request.can_read_body:
            assert request.headers["Content-Type"] == "application/json"
            body = await request.json()
        self.posts.append(Post(method, path, body))
        failure = next((one for one in self._failures if one.method == method), None)
        if failure is not None:
            self._failures.remove(failure)
            if not failure.is_taken:
                return _failed(failure, request)
        try:
            if request.headers.get("Authorization") != f"Bot {TOKEN}":
                raise Refused(401, "401: Unauthorized")
            answer = await self._answered(method, found, body, request)
        except Refused as refused:
            return refused.answer
        if failure is not None:
            return _failed(failure, request)
        if answer is None:
            return web.Response(status=204)
        limits = {"Limit": "50", "Remaining": "49", "Reset-After": "1.0", "Bucket": f"b-{method}"}
        headers = {f"X-RateLimit-{name}": value for name, value in limits.items()}
        return _json(answer, 200, headers)

    async def _answered(  # noqa: PLR0911 - a line a route
        self, method: str, found: Sequence[str], body: Any, request: web.Request
    ) -> Any:
        match method:
            case "login":
                return ME
            case "gateway":
                limit = {"total": 1000, "remaining": self.sessions_left, "reset_after": 400}
                limit["max_concurrency"] = 1
                return {"url": self.sessions.url, "shards": 1, "session_start_limit": limit}
            case "user":
                return _there(self._people, found[0], 10013, "Unknown User")
            case "acknowledge":
                return self._acknowledged(found[1], body)
            case "whisper":
                return self._whispered(found[1], body)
            case _:
                channel = _there(self._channels, found[0], 10003, "Unknown Channel")
        match method:
            case "channel":
                return channel
            case "history":
                return self._history(channel["id"], int(request.query["after"]))
            case "message":
                return _there(self._messages, found[1], 10008, "Unknown Message")
            case "send":
                return await self._sent(channel, body)
            case "edit":
                return await self._edited(channel, found[1], body)
            case _:
                return None

    async def _sent(self, channel: Frame, body: Frame) -> Frame:
        _check(body)
        known = self._nonces.get(body.get("nonce", ""))
        if known is not None and body.get("enforce_nonce"):
            return self._messages[known]
        message: Frame = {"id": self._new_id(), "channel_id": channel["id"], "type": 0, **body}
        message |= {"author": ME, "mentions": []}
        self._messages[message["id"]] = message
        self._nonces[body.get("nonce", "")] = message["id"]
        await self.sessions.dispatch("MESSAGE_CREATE", {**message, **_place(channel)})
        return message

    async def _edited(self, channel: Frame, key: str, body: Frame) -> Frame:
        _check(body)
        message = _there(self._messages, key, 10008, "Unknown Message")
        message.update(body)
        await self.sessions.dispatch("MESSAGE_UPDATE", {**message, **_place(channel)})
        return message

    def _history(self, channel: str, after: int) -> Sequence[Frame]:
        """Return the oldest 100 after a message, the newest of them first."""
        there = [one for one in self._messages.values() if one["channel_id"] == channel]
        return [one for one in there if int(one["id"]) > after][:100][::-1]

    def _acknowledged(self, token: str, body: Frame) -> None:
        press = _there(self._presses, token, 10062, "Unknown interaction")
        if press["answers"]:
            raise Refused(400, "Interaction has already been acknowledged.", 40060)
        assert body["type"] in (4, 6)
        press["answers"] += 1
        if body["type"] == 4:
            self._whispered(token, body["data"])

    def _whispered(self, token: str, body: Frame) -> Frame:
        press = self._presses.get(token)
        if press is None or not press["answers"]:
            raise Refused(404, "Unknown Webhook", 10015)
        assert body["flags"] == 64
        user = press.get("user") or press["member"]["user"]
        self.whispers.append((user["id"], body["content"]))
        return {"id": self._new_id(), "content": body["content"]}

    def _channel(self, chat: str, thread: str) -> Frame:
        if not thread:
            return self._channels[chat]
        new = {"id": thread, "type": 11, "guild_id": SERVER, "parent_id": chat}
        return self._channels.setdefault(thread, new)

    def _user(self, one: Person) -> Frame:
        user = {"id": one.id, "username": one.handle, "global_name": one.name, "avatar": None}
        self._people[one.id] = user
        return user

    def _new_id(self) -> str:
        self._last_id += 1
        return str(self._last_id)


def _route(method: str, path: str) -> tuple[str, Sequence[str]]:
    for name, verb, pattern in ROUTES:
        if verb == method and (found := re.fullmatch(pattern, path)):
            return name, found.groups()
    raise AssertionError(f"the bot calls {method} {path}")


def _failed(failure: Failure, request: web.Request) -> web.Response:
    if not failure.status:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()
    if failure.status != 429:
        code = {403: 50001, 404: 10003}.get(failure.status, 0)
        return _json({"message": "Failed", "code": code}, failure.status)
    wait, is_global = failure.retry_after, failure.is_global
    told = {"message": "You are being rate limited.", "retry_after": wait, "global": is_global}
    headers = {"Via": "1.1 google", "Retry-After": str(wait), **failure.headers}
    if is_global:
        headers["X-RateLimit-Global"] = "true"
    return _json(told, 429, headers)


async def _page(_: web.Request) -> web.Response:
    return web.Response(text="<h1>It works</h1>")


def _json(answer: Any, status: int, headers: dict[str, str] | None = None) -> web.Response:
    """Answer as Discord does, whose content type has no charset."""
    kind = {"Content-Type": "application/json"}
    body = json.dumps(answer).encode()
    return web.Response(body=body, status=status, headers={**(headers or {}), **kind})


def _there(things: dict[str, Frame], key: str, code: int, message: str) -> Frame:
    if key not in things:
        raise Refused(404, message, code)
    return things[key]


def _place(channel: Frame) -> Frame:
    return {"guild_id": channel["guild_id"]} if "guild_id" in channel else {}


def _buttons(message: Frame) -> Sequence[tuple[str, str]]:
    rows = message["components"]
    return [(one["label"], one["custom_id"]) for row in rows for one in row["components"]]


def _check(body: Frame) -> None:
    """Refuse what Discord refuses."""
    if not body["content"].strip():
        raise Refused(400, "Cannot send an empty message", 50006)
    too_long = len(body["content"]) > LONGEST or len(body["components"]) > 5
    for row in body["components"]:
        too_long = too_long or len(row["components"]) > 5
        too_long = too_long or any(len(one["custom_id"]) > 100 for one in row["components"])
    if too_long:
        raise Refused(400, "Invalid Form Body", 50035)
