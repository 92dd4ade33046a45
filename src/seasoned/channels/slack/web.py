"""Call Slack's Web API with slack_sdk, so that no token gets into a log or an error."""

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from seasoned.channels.slack.errors import refused, unreachable
from seasoned.core.extras import missing_extra

if TYPE_CHECKING:
    import aiohttp
    from slack_sdk.web.async_client import AsyncWebClient

SLACK = "https://slack.com/api/"
TIMEOUT_SECONDS = 30


class SlackWeb:
    """One HTTP session for all calls and WebSockets, opened on first use."""

    def __init__(self, bot_token: str, url: str = "") -> None:
        try:
            import aiohttp  # pyright: ignore[reportUnusedImport]
            import slack_sdk  # noqa: F401  # pyright: ignore[reportUnusedImport]
        except ImportError as missing:
            raise missing_extra("channels", "Slack needs slack_sdk and aiohttp") from missing
        self._bot_token = bot_token
        self._url = url or SLACK
        self._session: aiohttp.ClientSession | None = None
        self._client: AsyncWebClient | None = None

    @property
    def session(self) -> "aiohttp.ClientSession":
        import aiohttp

        if self._session is None or self._session.closed:
            limit = aiohttp.ClientTimeout(total=TIMEOUT_SECONDS)
            self._session = aiohttp.ClientSession(timeout=limit, trust_env=True)
            self._client = None
        return self._session

    async def call(
        self, method: str, arguments: Mapping[str, Any] | None = None, *, token: str = ""
    ) -> dict[str, Any]:
        """Call a method with the bot's token, or with another one; return its answer."""
        import aiohttp
        from slack_sdk.errors import SlackApiError, SlackClientError

        given = {"token": token} if token else {}
        sent = {name: value for name, value in (arguments or {}).items() if value is not None}
        try:
            answer: Any = await self._web().api_call(method, json={**sent, **given})
            return dict(answer.data)
        except SlackApiError as error:
            failure = _refused(method, error.response)
        except (
            *(SlackClientError, aiohttp.ClientError, OSError, TimeoutError),
            *(AttributeError, ValueError),  # of slack_sdk, when a proxy answers with a page
        ) as error:
            failure = unreachable(method, error)
        # Raised here, because the library's errors hold the request with its token.
        raise failure

    async def close(self) -> None:
        """Close the session; it opens again by itself."""
        session, self._session, self._client = self._session, None, None
        if session is not None:
            await session.close()

    def _web(self) -> Any:
        from slack_sdk.web.async_client import AsyncWebClient

        session = self.session
        if self._client is None:
            # Its debug log would show the address of the WebSocket, which has a ticket in it;
            # its own retries could post a message twice.
            quiet = logging.Logger("seasoned.channels.slack.sdk", logging.WARNING)
            self._client = AsyncWebClient(
                self._bot_token, self._url, session=session, logger=quiet, retry_handlers=[]
            )
            self._client.proxy = None  # the session knows the proxy, and what goes without it
        return self._client


def _refused(method: str, response: Any) -> Exception:
    """Read the library's response, or the bare one of aiohttp if it was not JSON."""
    status = int(getattr(response, "status_code", 0) or getattr(response, "status", 0) or 0)
    headers: Mapping[str, str] = getattr(response, "headers", None) or {}
    data: Any = getattr(response, "data", None)
    answer = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    code = str(answer.get("error") or "")
    if status == 200 and not code:  # a page instead of an answer
        status = 502
    return refused(method, code, answer, status, headers.get("Retry-After", ""))
