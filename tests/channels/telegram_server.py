"""A Telegram of a test's own: the Bot API over HTTP, and the people who write to the bot."""

import asyncio
import json
import re
from collections import deque
from dataclasses import dataclass, field
from html import unescape
from typing import Any, Self

from aiohttp import web

from seasoned.channels.channel import Person

TOKEN = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"
ME = {"id": 110201543, "is_bot": True, "first_name": "Seasoned", "username": "seasoned_bot"}
ANA = Person("42", "ana", "Ana Lima")
DATE = 1_700_000_000

TAGS = "b strong i em u ins s strike del a code pre blockquote tg-spoiler tg-emoji span".split()
MARKUP = re.compile(r"<(/?)([a-zA-Z-]*)([^<>]*)(>?)")
ENTITIES = re.compile(r"(?<!\S)(@\w+|/\w+(?:@\w+)?)")

Json = dict[str, Any]


@dataclass
class Shown:
    """A message of the bot, as people see it now."""

    id: str
    text: str  # without its formats
    html: str  # as it was sent
    buttons: list[tuple[str, str]]  # label and data
    thread: str
    chat: str
    markup: Json | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Failure:
    status: int
    description: str
    parameters: Json


class Refused(Exception):
    """The answer to a call that Telegram would not take."""

    def __init__(self, status: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.failure = Failure(status, description, parameters)


class TelegramServer:
    """Hands out updates until they are confirmed, and shows what the bot wrote.

    `posts` holds each call but getUpdates, `offsets` the offset of each getUpdates, `acknowledged`
    the answers to presses. Only Ana's chat is known until somebody writes.
    """

    def __init__(self) -> None:
        self.token = TOKEN
        self.posts: list[tuple[str, Json]] = []
        self.polls: list[Json] = []
        self.acknowledged: dict[str, str] = {}
        self.webhook = False
        self.moved: dict[str, str] = {}  # groups that became supergroups
        self._chats = {ANA.id}
        self._threads: set[tuple[str, str]] = set()
        self._shown: dict[str, Shown] = {}
        self._reactions: dict[tuple[str, str], list[Json]] = {}
        self._updates: deque[Json] = deque()
        self._again: deque[Json] = deque()  # delivered although they are confirmed
        self._last: Json = {}
        self._failures: dict[str, deque[Failure]] = {}
        self._changed = asyncio.Event()
        self._poll = 0
        self._transports: set[Any] = set()
        self._update_id = 5000
        self._message_id = 100

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/{bot:bot[^/]*}/{method}", self._called)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._poll = -1
        self._wake()
        await self._runner.cleanup()

    # What people do.

    async def write(
        self,
        text: str,
        *,
        sender: Person = ANA,
        chat: str = "",
        thread: str = "",
        reply_to: str = "",
        is_caption: bool = False,
        **more: Any,
    ) -> str:
        """Write to the bot: in private, or in a group if `chat` begins with a minus."""
        message = self.message(sender=sender, chat=chat, thread=thread)
        name = "caption" if is_caption else "text"
        message[name] = text
        entities = "caption_entities" if is_caption else "entities"
        message[entities] = [_entity(text, found) for found in ENTITIES.finditer(text)]
        if is_caption:
            message["photo"] = [
                {"file_id": "p", "file_unique_id": "p", "width": 9, "height": 9, "file_size": 99}
            ]
        if reply_to:
            quoted = self._shown.get(reply_to)
            original = self.message(sender=sender, chat=chat)
            mine: Json = {"from": ME, "text": quoted.text} if quoted else {"text": "…"}
            message["reply_to_message"] = {**original, **mine, "message_id": int(reply_to)}
        self.deliver(message={**message, **more})
        return str(message["message_id"])

    async def press(self, message: str, data: str, sender: Person = ANA) -> str:
        """Press a button that the message shows; return the id of the press."""
        shown = self._shown[message]
        assert data in [one for _, one in shown.buttons], shown.buttons
        query = f"q{self._update_id + 1}"
        self.acknowledged[query] = "(not yet)"
        self.deliver(
            callback_query={
                "id": query,
                "from": _user(sender),
                "chat_instance": "1",
                "data": data,
                "message": self._sent(shown),
            }
        )
        return query

    async def react(self, message: str, emoji: str, sender: Person = ANA) -> None:
        """React to one of the bot's messages; no emoji takes the reaction back."""
        old = self._reactions.get((message, sender.id), [])
        new = [{"type": "emoji", "emoji": emoji}] if emoji else []
        self._reactions[message, sender.id] = new
        chat = self._shown[message].chat
        self.deliver(
            message_reaction={
                "chat": _chat(chat),
                "message_id": int(message),
                "user": _user(sender),
                "date": DATE,
                "old_reaction": old,
                "new_reaction": new,
            }
        )

    def delete(self, message: str) -> None:
        """Delete one of the bot's messages, as people may do in their chat."""
        del self._shown[message]

    def messages(self, chat: str = ANA.id) -> list[Shown]:
        """Return what the bot wrote in a chat, as people see it now."""
        return [one for one in self._shown.values() if one.chat == chat]

    # What happens on the wire.

    async def replay(self) -> None:
        """Deliver the last update again."""
        self._again.append(self._last)
        self._wake()

    async def drop_connections(self) -> None:
        """Cut all connections without a farewell."""
        for transport in self._transports:
            transport.abort()
        self._transports.clear()

    def fail_next(
        self,
        method: str,
        status: int,
        description: str = "",
        *,
        retry_after: int | None = None,
        times: int = 1,
    ) -> None:
        parameters = {"retry_after": retry_after} if retry_after else {}
        failure = Failure(status, description or f"Error {status}", parameters)
        self._failures.setdefault(method, deque()).extend([failure] * times)

    def deliver(self, **content: Any) -> int:
        """Let the bot have an update of any kind; return its id."""
        self._update_id += 1
        self._last = {"update_id": self._update_id, **content}
        self._updates.append(self._last)
        self._wake()
        return self._update_id

    def begin_numbers_anew(self, first: int) -> None:
        """Number updates from here on, as Telegram does after a week without any."""
        self._update_id = first - 1

    def message(self, *, sender: Person = ANA, chat: str = "", thread: str = "") -> Json:
        """Return a message without content."""
        self._message_id += 1
        chat = chat or sender.id
        self._chats.add(chat)
        topic: Json = {}
        if thread:
            self._threads.add((chat, thread))
            topic = {"message_thread_id": int(thread), "is_topic_message": True}
        where = {"chat": _chat(chat, sender), "message_id": self._message_id, **topic}
        return {**where, "from": _user(sender), "date": DATE}

    def posted(self, method: str) -> list[Json]:
        return [body for name, body in self.posts if name == method]

    @property
    def unconfirmed(self) -> list[int]:
        return [one["update_id"] for one in self._updates]

    @property
    def is_polled(self) -> bool:
        return bool(self.polls)

    # The Bot API.

    async def _called(self, request: web.Request) -> web.Response:
        self._transports.add(request.transport)
        method, token = request.match_info["method"], request.match_info["bot"][3:]
        try:
            if not re.fullmatch(r"\d+:[\w-]{20,}", token):
                raise Refused(404, "Not Found")
            if token != self.token:
                raise Refused(401, "Unauthorized")
            body = await _body(request)
            if method != "getUpdates":
                self.posts.append((method, body))
            if failures := self._failures.get(method):
                failure = failures.popleft()
                raise Refused(failure.status, failure.description, **failure.parameters)
            call = getattr(self, f"_on_{method}", None)
            if call is None:
                raise Refused(404, "Not Found: method not found")
            result = await call(body)
        except Refused as refused:
            failed = refused.failure
            told: Json = {"ok": False, "error_code": failed.status}
            told["description"] = failed.description
            if failed.parameters:
                told["parameters"] = failed.parameters
            return web.json_response(told, status=failed.status)
        return web.json_response({"ok": True, "result": result})

    async def _on_getMe(self, body: Json) -> Json:  # noqa: N802
        return {**ME, "can_join_groups": True, "can_read_all_group_messages": False}

    async def _on_getUpdates(self, body: Json) -> list[Json]:  # noqa: N802
        self.polls.append(body)
        if self.webhook:
            raise Refused(
                409,
                "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook "
                "to delete the webhook first",
            )
        self._poll += 1
        mine = self._poll
        self._wake()  # the request before this one
        offset = int(body.get("offset") or 0)
        if offset > self._update_id + 1:  # a number of before the quiet week
            offset = 0
        while self._updates and self._updates[0]["update_id"] < offset:
            self._updates.popleft()
        limit = int(body.get("limit") or 100)
        ends = asyncio.get_running_loop().time() + float(body.get("timeout") or 0)
        while True:
            if self._poll != mine:
                raise Refused(
                    409,
                    "Conflict: terminated by other getUpdates request; make sure that only one "
                    "bot instance is running",
                )
            if self._again or self._updates:
                found = [*self._again, *self._updates][:limit]
                self._again.clear()
                return found
            left = ends - asyncio.get_running_loop().time()
            if left <= 0:
                return []
            try:
                async with asyncio.timeout(left):
                    await self._changed.wait()
            except TimeoutError:
                return []

    async def _on_sendMessage(self, body: Json) -> Json:  # noqa: N802
        chat, thread = self._known(body), str(body.get("message_thread_id") or "")
        if thread and (chat, thread) not in self._threads:
            raise Refused(400, "Bad Request: message thread not found")
        text = visible(body)
        self._message_id += 1
        shown = Shown(str(self._message_id), text, body["text"], [], thread, chat)
        _set_buttons(shown, body)
        self._shown[shown.id] = shown
        return self._sent(shown)

    async def _on_editMessageText(self, body: Json) -> Json:  # noqa: N802
        shown = self._shown.get(str(body.get("message_id")))
        if shown is None or shown.chat != self._known(body):
            raise Refused(400, "Bad Request: message to edit not found")
        text = visible(body)
        if (shown.html, shown.markup) == (body["text"], body.get("reply_markup")):
            raise Refused(
                400,
                "Bad Request: message is not modified: specified new message content and reply "
                "markup are exactly the same as a current content and reply markup of the message",
            )
        _set_buttons(shown, body)
        shown.text, shown.html = text, body["text"]
        return self._sent(shown)

    async def _on_sendChatAction(self, body: Json) -> bool:  # noqa: N802
        self._known(body)
        return True

    async def _on_answerCallbackQuery(self, body: Json) -> bool:  # noqa: N802
        query, text = body["callback_query_id"], body.get("text", "")
        if query not in self.acknowledged:
            raise Refused(
                400,
                "Bad Request: query is too old and response timeout expired or query ID is invalid",
            )
        if len(text) > 200:
            raise Refused(400, "Bad Request: MESSAGE_TOO_LONG")
        self.acknowledged[query] = text
        return True

    def _known(self, body: Json) -> str:
        chat = str(body.get("chat_id"))
        if chat in self.moved:
            self._chats.add(self.moved[chat])
            raise Refused(
                400,
                "Bad Request: group chat was upgraded to a supergroup chat",
                migrate_to_chat_id=int(self.moved[chat]),
            )
        if chat not in self._chats:
            raise Refused(400, "Bad Request: chat not found")
        return chat

    def _sent(self, shown: Shown) -> Json:
        topic: Json = (
            {"message_thread_id": int(shown.thread), "is_topic_message": True}
            if shown.thread
            else {}
        )
        markup = {"reply_markup": shown.markup} if shown.markup else {}
        what = {"message_id": int(shown.id), "text": shown.text, "date": DATE, **topic, **markup}
        return {**what, "chat": _chat(shown.chat), "from": ME}

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


async def _body(request: web.Request) -> Json:
    """Read a call's parameters: JSON, or a form whose nested values are JSON."""
    if request.content_type == "application/json":
        return await request.json()
    form = {**request.query, **await request.post()}
    nested = ("reply_markup", "allowed_updates", "link_preview_options")
    return {key: json.loads(str(one)) if key in nested else one for key, one in form.items()}


def visible(body: Json) -> str:
    """Return what people see of a text; refuse what Telegram refuses."""
    text = str(body.get("text", ""))
    if body.get("parse_mode") == "HTML":
        text = _without_tags(text)
    if not text.strip():
        raise Refused(400, "Bad Request: message text is empty")
    if len(text.encode("utf-16-le")) // 2 > 4096:
        raise Refused(400, "Bad Request: message is too long")
    return text


def _without_tags(html: str) -> str:
    wrong = "Bad Request: can't parse entities: "
    opened: list[str] = []
    for found in MARKUP.finditer(html):
        closing, name, _, end = found.groups()
        at = f"at byte offset {len(html[: found.start()].encode())}"
        if not end:
            raise Refused(400, f"{wrong}Unclosed start tag {at}")
        if not closing and name not in TAGS:
            raise Refused(400, f'{wrong}Unsupported start tag "{name}" {at}')
        if closing and (not opened or opened[-1] != name):
            raise Refused(400, f'{wrong}Unexpected end tag "{name}" {at}')
        if closing:
            opened.pop()
        elif name == "blockquote" and name in opened:
            raise Refused(400, f"{wrong}Nested blockquote {at}")
        else:
            opened.append(name)
    if opened:
        raise Refused(400, f'{wrong}Can\'t find end tag corresponding to start tag "{opened[-1]}"')
    return unescape(MARKUP.sub("", html))


def _set_buttons(shown: Shown, body: Json) -> None:
    markup: Json | None = body.get("reply_markup")
    rows: list[list[Json]] = (markup or {}).get("inline_keyboard", [])
    buttons = [(one["text"], one["callback_data"]) for row in rows for one in row]
    if any(not 1 <= len(data.encode()) <= 64 for _, data in buttons):
        raise Refused(400, "Bad Request: BUTTON_DATA_INVALID")
    shown.buttons, shown.markup = buttons, markup


def _user(person: Person) -> Json:
    first, _, last = person.name.partition(" ")
    user: Json = {"id": int(person.id), "is_bot": False, "first_name": first or "Somebody"}
    return (
        user
        | ({"username": person.handle} if person.handle else {})
        | ({"last_name": last} if last else {})
    )


def _chat(chat: str, sender: Person | None = None) -> Json:
    if chat.startswith("-"):
        return {"id": int(chat), "type": "supergroup", "title": "The team"}
    known: Json = {"id": int(chat), "type": "private"}
    return known | ({"first_name": sender.name} if sender else {})


def _entity(text: str, found: re.Match[str]) -> Json:
    def units(part: str) -> int:
        return len(part.encode("utf-16-le")) // 2

    kind = "mention" if found[0].startswith("@") else "bot_command"
    return {"type": kind, "offset": units(text[: found.start()]), "length": units(found[0])}


async def eventually(happened: Any, seconds: float = 8) -> Any:
    """Wait until it is true, and return it."""
    async with asyncio.timeout(seconds):
        while not (found := happened()):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        return found
