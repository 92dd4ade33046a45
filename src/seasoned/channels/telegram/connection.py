"""The connection to Telegram's Bot API: python-telegram-bot, which never sees the bot's token."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast
from urllib.parse import quote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx
from telegram import Bot, Update
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    TelegramError,
)
from telegram.request import HTTPXRequest

from seasoned.channels.channel import ChannelDown, ChannelError
from seasoned.core.text import one_line

OWN_SERVER = "https://api.telegram.org"
HIDDEN = "HIDDEN"  # stands for the token in every address that is logged
READ_SECONDS = 20.0  # generous: after a timeout nobody knows whether a message was sent
# What the library raises on answers of an odd shape.
UNREADABLE = (LookupError, TypeError, ValueError, AttributeError)


class TokenRefused(ChannelDown):
    """Telegram does not know the token."""

    def __init__(self) -> None:
        super().__init__(
            "Telegram does not know the token in telegram.token; copy it from @BotFather "
            "(/mybots, the bot, API Token), and check telegram.url if you have set it"
        )


class GroupMoved(ChannelError):
    """A group became a supergroup, which has another id; a second try goes there."""

    def __init__(self, chat: str) -> None:
        super().__init__(f"the Telegram group is now a supergroup with id {chat}", retry_seconds=0)
        self.chat = chat


class Connection:
    """A bot and the HTTP client that it uses."""

    def __init__(self, token: str, url: str) -> None:
        base = (url or OWN_SERVER).rstrip("/").removesuffix("/bot")
        transport = TokenTransport(token, _proxy(base))
        self._request = _Request(
            read_timeout=READ_SECONDS, connect_timeout=10, httpx_kwargs={"transport": transport}
        )
        self.bot = Bot(
            HIDDEN,
            base_url=f"{base}/bot",
            base_file_url=f"{base}/file/bot",
            request=self._request,
            get_updates_request=self._request,
        )

    async def close(self) -> None:
        await self._request.shutdown()


class TokenTransport(httpx.AsyncBaseTransport):
    """Puts the token into the address below all that logs addresses or shows them in errors."""

    def __init__(self, token: str, proxy: str | None = None) -> None:
        self._path = f"/bot{quote(token, safe=':')}/".encode()
        self._below = httpx.AsyncHTTPTransport(proxy=proxy)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.raw_path.replace(f"/bot{HIDDEN}/".encode(), self._path, 1)
        real = httpx.Request(
            request.method,
            request.url.copy_with(raw_path=path),
            headers=request.headers,
            stream=request.stream,
            extensions=request.extensions,
        )
        return await self._below.handle_async_request(real)

    async def aclose(self) -> None:
        await self._below.aclose()


class _Request(HTTPXRequest):
    """Reads answers so that one odd update does not hold up those behind it."""

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        answer: Any = HTTPXRequest.parse_json_payload(payload)
        if not isinstance(answer, dict):
            raise TelegramError("the answer is not from a Bot API")
        answer = cast("dict[str, Any]", answer)
        parameters: dict[str, Any] = answer.get("parameters") or {}
        if wait := parameters.get("retry_after"):  # the library's own error for it is deprecated
            raise ChannelError(f"Telegram is busy for {wait} s", retry_seconds=float(wait))
        result = answer.get("result")
        if isinstance(result, list):
            answer["result"] = [_readable(one) for one in cast("list[Any]", result)]
        return answer


def _readable(update: Any) -> Any:
    """Empty an update that the library cannot read; its number is left, to confirm it."""
    if not (isinstance(update, dict) and "update_id" in update):
        return cast("Any", update)
    update = cast("dict[str, Any]", update)
    try:
        Update.de_json(update, None)
    except UNREADABLE:
        return {"update_id": update["update_id"]}
    return update


@contextmanager
def channel_errors(doing: str, retry_seconds: float) -> Generator[None]:
    """Raise the library's errors as `ChannelError`; those that may pass ask for `retry_seconds`."""
    try:
        yield
    except InvalidToken as error:  # 401, or 404 if the token does not even look like one
        raise TokenRefused from error
    except ChatMigrated as error:
        raise GroupMoved(str(error.new_chat_id)) from error
    except Conflict as error:
        raise ChannelError(
            f"Telegram hands the updates to somebody else ({error.message}); let only one process "
            "use this bot's token, and delete its webhook (deleteWebhook) if it has one",
            retry_seconds=retry_seconds,
        ) from error
    except (BadRequest, Forbidden) as error:
        raise ChannelError(f"Telegram refused {doing}: {one_line(error.message)}") from error
    except (TelegramError, *UNREADABLE) as error:
        raise ChannelError(
            f"Telegram did not answer {doing}: {one_line(str(error)) or type(error).__name__}",
            retry_seconds=retry_seconds,
        ) from error


def _proxy(url: str) -> str | None:
    """Return the proxy that the environment names for an address."""
    parts = urlsplit(url)
    if not parts.hostname or proxy_bypass(parts.hostname):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")
