"""Picks the channel for notices that the settings ask for."""

from typing import TYPE_CHECKING, Protocol

from seasoned.core.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from seasoned.channels.notifier import Notifier


class NotifySettings(Protocol):
    """The section `notify` of the settings."""

    @property
    def channel(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def secret(self) -> str: ...


def notifier_from(settings: NotifySettings) -> "Notifier | None":
    """The way out for notices; None where the settings want none."""
    made = CHANNELS.get(settings.channel)
    if made is None:
        raise ConfigError(
            f"notify.channel is {settings.channel!r}; it must be one of {', '.join(CHANNELS)}"
        )
    return made(settings)


def _log(settings: NotifySettings) -> "Notifier":
    from seasoned.channels.log import LogNotifier

    return LogNotifier()


def _webhook(settings: NotifySettings) -> "Notifier":
    from seasoned.channels.webhook import WebhookNotifier

    return WebhookNotifier(settings.url, settings.secret)


def _none(settings: NotifySettings) -> None:
    return None


CHANNELS: "dict[str, Callable[[NotifySettings], Notifier | None]]" = {
    "log": _log,
    "webhook": _webhook,
    "none": _none,
}
