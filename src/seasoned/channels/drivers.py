"""The channels that the settings turn on, each with whom it serves. Libraries load on first use."""

from collections.abc import Mapping
from typing import Protocol

from seasoned.channels.channel import Channel
from seasoned.channels.guests import GuestList
from seasoned.channels.inbox import Inbox
from seasoned.core.extras import missing_extra


class SectionSettings(Protocol):
    @property
    def url(self) -> str: ...
    @property
    def users(self) -> str: ...
    @property
    def operators(self) -> str: ...


class PlatformSettings(SectionSettings, Protocol):
    @property
    def token(self) -> str: ...


class SlackSettings(SectionSettings, Protocol):
    @property
    def bot_token(self) -> str: ...
    @property
    def app_token(self) -> str: ...
    @property
    def signing_secret(self) -> str: ...


class HookSettings(SectionSettings, Protocol):
    @property
    def secret(self) -> str: ...


class ChannelSettings(Protocol):
    """The sections of the settings that turn channels on."""

    @property
    def telegram(self) -> PlatformSettings: ...
    @property
    def discord(self) -> PlatformSettings: ...
    @property
    def slack(self) -> SlackSettings: ...
    @property
    def hook(self) -> HookSettings: ...


def turned_on(settings: ChannelSettings) -> Mapping[str, GuestList]:
    """Return the channels that the settings turn on, with whom they serve."""
    on = {
        "telegram": settings.telegram.token,
        "discord": settings.discord.token,
        "slack": settings.slack.bot_token,
        "hook": settings.hook.url,
    }
    return {name: guests for name, guests in _guests(settings).items() if on[name]}


def counts_for_others(user: str, settings: ChannelSettings) -> bool:
    """Tell whether what a user says may become the project's once another one says it, too.

    In a chat that is open to everybody, two people may be one with two accounts.
    """
    guests = _guests(settings).get(user.partition("-")[0])
    return guests is None or not guests.is_open or guests.names(user)


def _guests(settings: ChannelSettings) -> Mapping[str, GuestList]:
    sections: Mapping[str, SectionSettings] = {
        "telegram": settings.telegram,
        "discord": settings.discord,
        "slack": settings.slack,
        "hook": settings.hook,
    }
    return {name: GuestList(name, one.users, one.operators) for name, one in sections.items()}


def driver_of(name: str, settings: ChannelSettings, inbox: Inbox) -> Channel:
    """Build the driver of a channel that is on."""
    try:
        return _build(name, settings, inbox)
    except ImportError as missing:
        raise missing_extra("channels", f"{name} needs its client library") from missing


def _build(name: str, settings: ChannelSettings, inbox: Inbox) -> Channel:
    if name == "telegram":
        from seasoned.channels.telegram.driver import TelegramDriver

        return TelegramDriver(settings.telegram.token, settings.telegram.url)
    if name == "discord":
        from seasoned.channels.discord.driver import DiscordDriver

        # Discord keeps nothing for a bot that is away: it must ask for what it missed.
        return DiscordDriver(
            *(settings.discord.token, settings.discord.url),
            last_seen=lambda: inbox.last_seen(name),
        )
    if name == "slack":
        from seasoned.channels.slack.driver import SlackDriver

        slack = settings.slack
        return SlackDriver(
            *(slack.bot_token, slack.app_token, slack.signing_secret, slack.url),
            threads=lambda: inbox.threads(name),
        )
    from seasoned.channels.hook import HookDriver

    return HookDriver(settings.hook.url, settings.hook.secret)
