"""A Slack of a test's own: Web API, Socket Mode and signed requests, in Slack's wire format."""

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlencode
from uuid import uuid4

from aiohttp import WSMsgType, web
from tests.channels.slack_wire import ME, Json, buttons, request, shown_text, signed, typed, wrong

BOT_TOKEN, APP_TOKEN = "xoxb-1-b0ts3cret", "xapp-1-a99s3cret"
EMOJI = {"👍": "+1", "👎": "-1", "👍🏽": "+1::skin-tone-4"}


@dataclass(frozen=True)
class Shown:
    """A message as a person sees it now."""

    id: str
    text: str
    buttons: list[tuple[str, str]]  # label and data
    thread: str
    sender: str


@dataclass
class Call:
    method: str
    arguments: Json
    status: int = 200


@dataclass(eq=False)
class Link:
    """A Socket Mode connection."""

    socket: web.WebSocketResponse
    request: web.Request
    leaving: bool = False
    open: bool = True


@dataclass(eq=False)
class Update:
    """Something that happened, which is sent until the app acknowledges it."""

    kind: str  # events_api, interactive
    payload: Json
    tries: int = 0
    sent_at: float = 0


@dataclass
class Failure:
    status: int
    answer: Json
    headers: dict[str, str] = field(default_factory=dict[str, str])


class SlackServer:
    """People write, press and react here; `posts` has each call of the app.

    Events go to the newest connection, or to `endpoint` (an ASGI application) if there is one.
    """

    def __init__(self, *, resend_seconds: float = 0.15) -> None:
        self.posts: list[Call] = []
        self.links: list[Link] = []  # all that ever were
        self.acknowledged: list[str] = []
        self.attempts: list[int] = []  # the retry number of each envelope or request
        self.endpoint: Callable[..., Awaitable[None]] | None = None
        self.statuses: list[int] = []  # the endpoint's answers
        self.answers_pings = True
        self.refuses_links = False
        self._resend_seconds = resend_seconds
        self._history: dict[str, dict[str, Json]] = defaultdict(dict)
        self._pending: list[Update] = []
        self._envelopes: dict[str, Update] = {}
        self._last: list[Update] = []
        self._failures: dict[str, list[Failure]] = defaultdict(list)
        self._number = 0

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/api/{method}", self._api)
        app.router.add_get("/link", self._link)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{port}/api/"
        self._link_url = f"ws://127.0.0.1:{port}/link?ticket=t1cket-s3cret"
        self._resending = asyncio.create_task(self._resend())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._resending.cancel()
        await asyncio.gather(self._resending, return_exceptions=True)
        await self.drop_connections()
        await self._runner.cleanup()

    # What a person does and sees.

    async def write(
        self, text: str, *, sender: str = "U42", chat: str = "D100", thread: str = "", **more: Any
    ) -> str:
        """Write a message; with the bot's mention in a channel, Slack tells of it twice."""
        message: Json = {"type": "message", "user": sender, "ts": self._ts(), "team": "T1"}
        message |= {"text": typed(text), "channel": chat, **more}
        if thread:
            root = self._history[chat].get(thread, {})
            message |= {"thread_ts": thread, "parent_user_id": root.get("user", "U77")}
        self._history[chat][message["ts"]] = message
        kind = "im" if chat.startswith("D") else "channel"
        told = [{**message, "channel_type": kind}]
        if kind == "channel" and f"<@{ME}>" in text:
            told.insert(0, {**message, "type": "app_mention"})
        await self._happened(*(self._event(one) for one in told))
        return str(message["ts"])

    async def press(self, message: str, data: str, sender: str = "U42") -> None:
        chat, found = self._find(message)
        (button,) = [one for one in buttons(found) if one["value"] == data]
        place: Json = {"type": "message", "message_ts": message, "channel_id": chat}
        if found.get("thread_ts"):
            place["thread_ts"] = found["thread_ts"]
        action = {**button, "block_id": "b1", "action_ts": self._ts()}
        payload: Json = {
            "type": "block_actions",
            "user": {"id": sender, "username": "ana", "name": "ana", "team_id": "T1"},
            "container": place,
            "channel": {"id": chat, "name": "directmessage"},
            "message": found,
            "actions": [action],
            "trigger_id": "1.2.abc",
            "response_url": f"{self.url}respond",
        }
        await self._happened(Update("interactive", payload))

    async def react(self, message: str, emoji: str, sender: str = "U42") -> None:
        await self._reaction("reaction_added", message, emoji, sender)

    async def unreact(self, message: str, emoji: str, sender: str = "U42") -> None:
        await self._reaction("reaction_removed", message, emoji, sender)

    def messages(self, chat: str = "D100") -> list[Shown]:
        return [
            Shown(
                ts,
                shown_text(one),
                [(button["text"]["text"], button["value"]) for button in buttons(one)],
                str(one.get("thread_ts", "")),
                str(one["user"]),
            )
            for ts, one in self._history[chat].items()
        ]

    # What goes wrong.

    def fail_next(
        self,
        method: str,
        status: int = 200,
        error: str = "",
        *,
        retry_after: int | None = None,
        times: int = 1,
        **answer: Any,
    ) -> None:
        """Answer the next calls so; status 0 breaks the connection."""
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        told = {"ok": False, "error": error, **answer} if error else {}
        self._failures[method].extend([Failure(status, told, headers)] * times)

    async def drop_connections(self) -> None:
        """Cut all connections without a farewell."""
        for link in self.links:
            if link.open and link.request.transport is not None:
                link.request.transport.abort()
            link.open = False

    async def disconnect(self, reason: str) -> Link:
        """Announce the end of the newest connection, as Slack does; `hang_up` ends it."""
        link = self._open_links()[-1]
        link.leaving = True
        await link.socket.send_json({"type": "disconnect", "reason": reason})
        return link

    async def replay(self) -> None:
        """Deliver the last update again, though it was acknowledged."""
        for update in self._last:
            self._pending.append(update)
            await self._offer(update)

    async def tell(self, event: Json) -> None:
        """Send an event of any kind."""
        await self._happened(self._event(event))

    # Delivery.

    def _event(self, event: Json) -> Update:
        self._number += 1
        payload: Json = {"type": "event_callback", "team_id": "T1", "api_app_id": "A1"}
        payload |= {"event": event, "event_id": f"Ev{self._number}", "event_time": 1_700_000_000}
        return Update("events_api", payload)

    async def _reaction(self, kind: str, message: str, emoji: str, sender: str) -> None:
        chat, found = self._find(message)
        item = {"type": "message", "channel": chat, "ts": message}
        name = EMOJI.get(emoji, emoji)
        event: Json = {"type": kind, "user": sender, "reaction": name, "item": item}
        await self.tell({**event, "item_user": found["user"], "event_ts": self._ts()})

    async def _happened(self, *updates: Update) -> None:
        self._last = list(updates)
        self._pending.extend(updates)
        for update in updates:
            await self._offer(update)

    async def _offer(self, update: Update) -> None:
        if self.endpoint is not None:
            await self._post(update)
        elif links := [one for one in self._open_links() if not one.leaving]:
            envelope: Json = {"envelope_id": str(uuid4()), "type": update.kind}
            envelope |= {"payload": update.payload, "accepts_response_payload": False}
            if update.kind == "events_api":
                reason = "timeout" if update.tries else ""
                envelope |= {"retry_attempt": update.tries, "retry_reason": reason}
            self._envelopes[envelope["envelope_id"]] = update
            await self._send(links[-1], envelope)
            self._offered(update)

    async def send_over(self, link: Link, event: Json) -> None:
        """Send an event over one connection, and only once."""
        await self._send(link, {"envelope_id": str(uuid4()), **vars(self._event(event))})

    async def _send(self, link: Link, envelope: Json) -> None:
        kind = envelope.pop("kind", None)
        try:
            await link.socket.send_json(envelope | ({"type": kind} if kind else {}))
        except ConnectionError:  # it is sent again
            link.open = False

    def _offered(self, update: Update) -> None:
        self.attempts.append(update.tries)
        update.tries += 1
        update.sent_at = time.monotonic()

    async def _resend(self) -> None:
        while True:
            await asyncio.sleep(self._resend_seconds / 3)
            late = time.monotonic() - self._resend_seconds
            for update in [one for one in self._pending if one.sent_at < late]:
                await self._offer(update)

    async def _post(self, update: Update) -> None:
        if update.kind == "interactive":
            body, kind = urlencode({"payload": json.dumps(update.payload)}), "x-www-form-urlencoded"
        else:
            body, kind = json.dumps(update.payload), "json"
        headers = signed(body.encode()) | {"Content-Type": f"application/{kind}"}
        if update.tries:
            headers |= {
                "X-Slack-Retry-Num": str(update.tries),
                "X-Slack-Retry-Reason": "http_error",
            }
        self._offered(update)
        assert self.endpoint is not None
        status, _ = await request(self.endpoint, body.encode(), headers)
        self.statuses.append(status)
        if status == 200 and update in self._pending:
            self._pending.remove(update)

    # The Web API and Socket Mode.

    async def _api(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        is_json = request.content_type == "application/json"
        arguments: Json = await request.json() if is_json else dict(await request.post())
        call = Call(method, arguments)
        self.posts.append(call)
        if self._failures[method]:
            failure = self._failures[method].pop(0)
            call.status = failure.status
            if not failure.status:
                assert request.transport is not None
                request.transport.abort()
                return web.Response()
            if not failure.answer:
                page = "<html>Bad gateway</html>"
                headers = failure.headers
                status = failure.status
                return web.Response(
                    text=page, content_type="text/html", status=status, headers=headers
                )
            return web.json_response(failure.answer, status=failure.status, headers=failure.headers)
        needed = APP_TOKEN if method == "apps.connections.open" else BOT_TOKEN
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token != needed:
            other = token in (APP_TOKEN, BOT_TOKEN)
            error = "not_allowed_token_type" if other else "invalid_auth"
            return web.json_response({"ok": False, "error": error})
        return web.json_response(self._answer(method, arguments))

    def _answer(self, method: str, arguments: Json) -> Json:  # noqa: PLR0911 - a line a method
        if method == "auth.test":
            return {"ok": True, "user_id": ME, "bot_id": "B0BOT", "user": "bot", "team_id": "T1"}
        if method == "apps.connections.open":
            return {"ok": True, "url": self._link_url}
        chat, ts = str(arguments.get("channel")), str(arguments.get("ts", ""))
        refusal = wrong(arguments) if method.startswith("chat.") else ""
        if refusal:
            return {"ok": False, "error": refusal}
        content = {key: arguments[key] for key in ("text", "blocks") if key in arguments}
        if method == "chat.postMessage":
            ts = self._ts()
            place = {"thread_ts": arguments["thread_ts"]} if "thread_ts" in arguments else {}
            message = {"user": ME, "bot_id": "B0BOT", "ts": ts, **place, **content}
            self._history[chat][ts] = message
            return {"ok": True, "channel": chat, "ts": ts, "message": message}
        if method == "chat.update":
            if ts not in self._history[chat]:
                return {"ok": False, "error": "message_not_found"}
            self._history[chat][ts] |= content
            return {"ok": True, "channel": chat, "ts": ts}
        return {"ok": True}

    async def _link(self, request: web.Request) -> web.WebSocketResponse:
        assert request.query["ticket"] == "t1cket-s3cret"
        if self.refuses_links:
            raise web.HTTPForbidden
        socket = web.WebSocketResponse(autoping=self.answers_pings)
        await socket.prepare(request)
        link = Link(socket, request)
        hello = {"type": "hello", "num_connections": 1, "connection_info": {"app_id": "A1"}}
        await socket.send_json(hello)
        self.links.append(link)
        for update in list(self._pending):
            await self._offer(update)
        async for frame in socket:
            if frame.type is WSMsgType.TEXT:
                self._said(json.loads(frame.data)["envelope_id"])
        link.open = False
        return socket

    def _said(self, envelope: str) -> None:
        self.acknowledged.append(envelope)
        update = self._envelopes.get(envelope)
        if update in self._pending:
            self._pending.remove(update)

    def _open_links(self) -> list[Link]:
        return [link for link in self.links if link.open]

    def _find(self, message: str) -> tuple[str, Json]:
        return next(
            (chat, all_[message]) for chat, all_ in self._history.items() if message in all_
        )

    def _ts(self) -> str:
        self._number += 1
        return f"1700000000.{self._number:06d}"
