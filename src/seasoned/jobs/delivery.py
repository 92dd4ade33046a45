"""Deliver results: to the log, to a webhook, or to a channel that was handed in."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping

from seasoned.core.errors import BadInput, NotifierError
from seasoned.core.text import one_line
from seasoned.jobs.job import Deliver
from seasoned.llm.embed.http_address import ServiceTerms
from seasoned.llm.embed.http_json import Service
from seasoned.security.redact import redacted

log = logging.getLogger("seasoned.jobs")

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


class Delivery:
    """`deliver` of a job is NAME or NAME:ADDRESS; `channels` maps names to those who deliver."""

    def __init__(self, channels: Mapping[str, Deliver] | None = None, webhook: str = "") -> None:
        self.channels = dict(channels or {})
        self.webhook = webhook

    def check(self, target: str) -> str:
        """Refuse a target that nobody delivers to, before a job is stored."""
        name, _, address = target.partition(":")
        if name == "webhook" and not (address or self.webhook):
            raise BadInput(
                "deliver is webhook, but no address is known; "
                "write webhook:https://…, or set notify.url"
            )
        if name not in ("log", "none", "webhook", *self.channels):
            known = ", ".join(["log", "none", "webhook:URL", *sorted(self.channels)])
            raise BadInput(f"nothing delivers to {target!r}; choose from {known}")
        return target

    async def __call__(self, target: str, text: str) -> None:
        name, _, address = self.check(target).partition(":")
        if name == "log":
            log.info("%s", one_line(text, 500))
        elif name == "webhook":
            await asyncio.to_thread(self._post, address or self.webhook, text)
        elif name != "none":
            await self.channels[name](address, text)

    def _post(self, url: str, text: str) -> None:
        service = Service("the webhook", url, {}, WEBHOOK_SECONDS, "", terms=TERMS)
        body = json.dumps(redacted({"kind": "job", "text": text}), ensure_ascii=False)
        service.check(service.post(body.encode(), {}))
