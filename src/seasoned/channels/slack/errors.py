"""Say what Slack refused, what to do about it, and whether a later try may work."""

from collections.abc import Mapping
from typing import Any

from seasoned.channels.channel import ChannelDown, ChannelError
from seasoned.channels.reconnection import Pauses

RETRY_SECONDS = 5.0
LONGEST_PAUSE = 48  # 60 seconds with its spread

BOT_TOKEN = (
    "slack.botToken",
    "the Bot User OAuth Token (xoxb-…) under OAuth & Permissions at api.slack.com/apps",
)
APP_TOKEN = (
    "slack.appToken",
    "an App-Level Token (xapp-…) with the scope connections:write, under Basic Information at "
    "api.slack.com/apps",
)
BAD_TOKENS = (
    *("invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"),
    *("not_allowed_token_type", "invalid_token"),
)
BUSY = (
    *("ratelimited", "rate_limited", "internal_error", "fatal_error", "service_unavailable"),
    *("request_timeout", "team_added_to_org"),
)
REMEDIES = {
    "channel_not_found": "the bot is not in that conversation, or it is gone; invite the bot",
    "not_in_channel": "invite the bot to the channel",
    "is_archived": "the channel is archived",
    "msg_too_long": "the message is too long",
    "message_not_found": "the message is gone",
    "restricted_action": "the workspace's settings do not let the bot post there",
    "access_denied": "the workspace does not let the bot do this",
    "link_disabled": "switch on Socket Mode for the app at api.slack.com/apps",
}


class AskedToWait(ChannelError):
    """Slack itself said for how long."""


def refused(
    method: str, code: str, answer: Mapping[str, Any], status: int, retry_after: str
) -> ChannelError:
    """Return the error for an answer of Slack that is not ok; `code` is its own word for it."""
    if status == 429 or code in BUSY or status >= 500:
        said = code or f"HTTP {status}"
        if retry_after.isdigit():
            wait = float(retry_after)
            return AskedToWait(f"Slack asks to wait {wait:.0f} s ({method})", retry_seconds=wait)
        return ChannelError(f"Slack failed ({method}: {said})", retry_seconds=RETRY_SECONDS)
    if code in BAD_TOKENS:
        setting, kind = APP_TOKEN if method == "apps.connections.open" else BOT_TOKEN
        return ChannelDown(f"Slack does not accept {setting} ({code}); set it to {kind}")
    if code == "missing_scope":
        setting, _ = APP_TOKEN if method == "apps.connections.open" else BOT_TOKEN
        scope = answer.get("needed") or "one more scope"
        return ChannelError(
            f"{setting} lacks the scope {scope}, which {method} needs; add it to the app at "
            "api.slack.com/apps and install the app again"
        )
    said = code or f"HTTP {status}"
    remedy = f"; {REMEDIES[code]}" if code in REMEDIES else ""
    return ChannelError(f"Slack refused {method}: {said}{remedy}")


def unreachable(method: str, error: Exception) -> ChannelError:
    """Return the error for a call without an answer; the library's words may hold a token."""
    return ChannelError(
        f"Slack cannot be reached ({method}: {type(error).__name__}); check the network",
        retry_seconds=RETRY_SECONDS,
    )


def connection_pauses(first_seconds: float) -> Pauses:
    return Pauses(first_seconds, most_seconds=LONGEST_PAUSE)


def pause_after(error: ChannelError, pauses: Pauses) -> float:
    """Return how long to wait with a connection: as Slack asks, else ever longer."""
    asked = error.retry_seconds if isinstance(error, AskedToWait) else 0
    return max(pauses.next(), asked or 0)
