"""What Discord's refusals mean: whether trying again helps, and what to do about them."""

from typing import Any

from seasoned.channels.channel import ChannelDown, ChannelError

RETRY_SECONDS = 5.0  # when Discord does not say how long

WRONG_TOKEN = (
    "Discord does not accept discord.token; copy the bot's token from the developer portal "
    "(Bot, Reset Token), without the word Bot before it"
)

WRONG_URL = (
    "what answers at discord.url is not Discord's interface; leave it empty for Discord itself"
)

# Close codes of the gateway that a new connection would meet again.
FATAL = {
    4004: WRONG_TOKEN,
    4010: "Discord refused the shard of this connection; update discord.py",
    4011: "the bot is in too many servers for one connection; remove it from some",
    4012: "Discord no longer speaks this version of its gateway; update discord.py",
    4013: "Discord does not know an intent that the bot asks for; update discord.py",
    4014: 'Discord does not let the bot read messages; switch on "Message Content Intent" in the '
    "developer portal, under Bot, and start again",
}
SESSION_LOST = (4007, 4009)  # close codes after which a session cannot be resumed

ADVICE = {
    403: "give the bot's role the permission in that server",
    404: "the channel or message is gone, or the bot cannot see it",
}


class DiscordRefusal(ChannelDown):
    """Discord does not let the bot in until a setting changes."""


class DiscordThrottled(ChannelError):
    """Discord says how long to wait."""


class ConnectionLost(Exception):
    """The connection to the gateway ended; its session can be resumed."""


class SessionLost(ConnectionLost):
    """The session cannot be resumed."""


class NotStored(ConnectionLost):
    """An event could not be stored; the session's resume brings it again."""


def closed_with(code: int | None) -> Exception:
    """Return the error for a close code of the gateway."""
    if code in FATAL:
        return DiscordRefusal(FATAL[code])
    lost = SessionLost if code in SESSION_LOST else ConnectionLost
    return lost(f"closed with code {code}")


def channel_error(request: str, error: Exception) -> ChannelError:
    """Say what Discord refused or why it was not reached, and when to try again."""
    status = getattr(error, "status", None)
    if status == 401 and not getattr(error, "code", 0):  # with a code, it is about another token
        return DiscordRefusal(WRONG_TOKEN)
    wait = asked_wait(error)
    if wait is not None:
        return DiscordThrottled(
            f"Discord asks to wait {wait:.0f} s before {request}", retry_seconds=wait
        )
    if status is not None and status < 500:
        advice = ADVICE.get(status, "change the message before trying again")
        return ChannelError(f"Discord refused {request}: {error}; {advice}")
    reason = str(error) or type(error).__name__
    return ChannelError(
        f"Discord failed at {request}: {reason}; a later try may work", retry_seconds=RETRY_SECONDS
    )


def asked_wait(error: Any) -> float | None:
    """Return the seconds that a rate limit asks to wait; None for other errors."""
    if (asked := getattr(error, "retry_after", None)) is not None:
        return float(asked)
    if getattr(error, "status", None) != 429:
        return None
    try:
        return float(error.response.headers.get("Retry-After", RETRY_SECONDS))
    except ValueError:  # a date
        return RETRY_SECONDS
