"""Deliver results: the name before the colon of a target decides who hands a text over."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Sequence

from seasoned.core.errors import BadInput, NotAllowed, NotifierError
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.llm.embed.http_address import ServiceTerms
from seasoned.llm.embed.http_json import Service
from seasoned.security.redact import redacted

log = logging.getLogger("seasoned.jobs")

Deliver = Callable[[str, str], Awaitable[None]]  # to whom, and the text; raises if it fails
ToSession = Callable[[Scope, str], Awaitable[None]]

# Delivered by the process that runs the channel, which need not be the one that plans a job.
CHANNELS = ("telegram", "discord", "slack", "hook")
BUILT_IN = ("log", "none", "webhook")
LONGEST_TARGET = 2000
WEBHOOK = re.compile(r"https?://[^/?#\s]+\S*$", re.IGNORECASE)
NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
WEBHOOK_SECONDS = 10
TERMS = ServiceTerms(
    url="deliver",
    key="deliver",
    checked="deliver",
    refused=NotifierError,
    unavailable=NotifierError,
    too_long=NotifierError,
    shows_path=False,
)


class Deliverers:
    """Who delivers to which targets: `log`, `none`, `webhook:URL`, `session:ID`, `telegram:CHAT`…

    A channel registers itself under its name, and gets what stands behind the colon. It belongs to
    a tenant: jobs of other tenants reach none of its chats.
    """

    def __init__(self, webhook: str = "", to_session: ToSession | None = None) -> None:
        self.webhook = webhook
        self.to_session = to_session
        self._registered: dict[str, Deliver] = {
            "log": self._log,
            "none": self._nowhere,
            "webhook": self._post,
        }
        self._tenants: dict[str, str] = {}

    def register(self, name: str, deliver: Deliver, tenant: str = "") -> None:
        """Let `deliver` have the texts for targets that begin with `name` and a colon."""
        if not NAME.fullmatch(name) or name == "session":
            raise BadInput(f"{name!r} is no name for a channel; write one like telegram")
        self._registered[name] = deliver
        self._tenants[name] = tenant

    def leave(self, name: str) -> None:
        """Deliver there no more: results for it wait until somebody does again."""
        self._registered.pop(name, None)
        self._tenants.pop(name, None)

    @property
    def names(self) -> Sequence[str]:
        """The targets that this process delivers to."""
        return (*self._registered, *(["session"] if self.to_session else []))

    def reach(self, target: str) -> bool:
        """Tell whether this process delivers to a target."""
        return name_of(target) in self.names

    def check(self, target: str) -> str:
        """Refuse a target that nobody delivers to, before a job is stored."""
        name, _, address = target.partition(":")
        if len(target) > LONGEST_TARGET or not target.isprintable():
            raise BadInput(
                f"deliver is longer than {LONGEST_TARGET} characters, or has some that cannot be "
                "printed; write log, none, webhook:URL or telegram:CHAT"
            )
        if name == "webhook" and not (address or self.webhook):
            raise BadInput(
                "deliver is webhook, but no address is known; "
                "write webhook:https://…, or set notify.url"
            )
        if name == "webhook" and address and not WEBHOOK.match(address):
            raise BadInput(
                f"deliver is {target!r}, which is no web address; write webhook:https://…"
            )
        if name in (*CHANNELS, "session") and not address:
            raise BadInput(f"deliver is {name}, but not whose; write {name}:ID")
        if name not in (*self._registered, *CHANNELS, "session"):
            known = sorted({"webhook:URL", "session:ID", *(f"{one}:CHAT" for one in CHANNELS)})
            raise BadInput(
                f"nothing delivers to {target!r}; choose from log, none, {', '.join(known)}"
            )
        return target

    def home_of(self, scope: Scope) -> str:
        """Return the target that reaches a session: its channel, or the session itself.

        A session may have any name. Only one of somebody who writes in a channel is a chat there.

        >>> Deliverers().home_of(Scope(user="telegram-7", session="telegram:42"))
        'telegram:42'
        >>> Deliverers().home_of(Scope(user="eve", session="telegram:42"))
        'session:telegram:42'
        """
        name, colon, _ = scope.session.partition(":")
        is_chat = colon and name not in BUILT_IN and scope.user.startswith(f"{name}-")
        known = name in (*CHANNELS, *self._registered)
        return scope.session if is_chat and known else f"session:{scope.session}"

    async def __call__(self, target: str, text: str, scope: Scope) -> None:
        """Hand a text over; `scope` is the owner's, whose sessions alone are reached."""
        name, _, address = self.check(target).partition(":")
        if name == "session" and self.to_session is not None:
            await self.to_session(scope.within(address), text)
            return
        deliver = self._registered.get(name)
        if deliver is None:
            raise NotifierError(f"{name} is not connected here; start it with `seasoned serve`")
        if name not in BUILT_IN and scope.tenant not in ("", self._tenants.get(name, "")):
            raise NotAllowed(
                f"the channel {name} does not belong to tenant {scope.tenant!r}; "
                "deliver to a session, or run the channel in a `seasoned serve` of that tenant"
            )
        await deliver(address, text)

    async def _log(self, address: str, text: str) -> None:
        log.info("%s", one_line(text, 500))

    async def _nowhere(self, address: str, text: str) -> None:
        """Whoever asks for nothing gets nothing."""

    async def _post(self, address: str, text: str) -> None:
        await asyncio.to_thread(_post, address or self.webhook, text)


def is_guest(user: str) -> bool:
    """Whether a user is somebody who writes in a channel, as its guest list names them.

    >>> is_guest("telegram-42"), is_guest("ana"), is_guest("slack")
    (True, False, False)
    """
    return user.partition("-")[0] in CHANNELS and "-" in user


def name_of(target: str) -> str:
    return target.partition(":")[0]


def _post(url: str, text: str) -> None:
    service = Service("the webhook", url, {}, WEBHOOK_SECONDS, "", terms=TERMS)
    body = json.dumps(redacted({"kind": "job", "text": text}), ensure_ascii=False)
    service.check(service.post(body.encode(), {}))
