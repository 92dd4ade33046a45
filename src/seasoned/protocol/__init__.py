"""The learn protocol: any agent can teach Seasoned and ask it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seasoned.protocol.client.connect import AsyncClient, Client, connect, connect_async
    from seasoned.protocol.client.learn_api import AsyncLearnAPI, FeedbackAnswer, LearnAPI
    from seasoned.protocol.errors import (
        AuthFailed,
        HostSilent,
        HostUnreachable,
        ProtocolError,
        Refused,
    )
    from seasoned.protocol.plugin import LearnPlugin
    from seasoned.protocol.records import SkillPerformanceRecord

__all__ = [
    "AsyncClient",
    "AsyncLearnAPI",
    "AuthFailed",
    "Client",
    "FeedbackAnswer",
    "HostSilent",
    "HostUnreachable",
    "LearnAPI",
    "LearnPlugin",
    "ProtocolError",
    "Refused",
    "SkillPerformanceRecord",
    "connect",
    "connect_async",
]

# Loaded on first use: a client needs no web server, and a plugin needs no client.
_HOMES = {
    "client.learn_api": ("AsyncLearnAPI", "FeedbackAnswer", "LearnAPI"),
    "client.connect": ("AsyncClient", "Client", "connect", "connect_async"),
    "errors": ("AuthFailed", "HostSilent", "HostUnreachable", "ProtocolError", "Refused"),
    "plugin": ("LearnPlugin",),
    "records": ("SkillPerformanceRecord",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"seasoned.protocol.{home}"), name)
    raise AttributeError(f"module 'seasoned.protocol' has no attribute {name!r}")
