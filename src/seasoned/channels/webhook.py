"""Post notices to a webhook, signed if there is a secret."""

import hashlib
import hmac
import json
from typing import Any

from seasoned.channels.notice import Notice
from seasoned.core.clock import iso
from seasoned.core.errors import ConfigError, NotifierError
from seasoned.core.ids import digest
from seasoned.llm.embed.http_address import ServiceTerms
from seasoned.llm.embed.http_json import Service
from seasoned.security.redact import redacted

SIGNATURE = "X-Seasoned-Signature"
TIMEOUT_SECONDS = 10
TERMS = ServiceTerms(
    url="notify.url",
    key="notify.secret",
    checked="notify.url",
    refused=NotifierError,
    unavailable=NotifierError,
    too_long=NotifierError,
    shows_path=False,
)


class WebhookNotifier:
    """Delivers by HTTP POST: any status from 200 to 299 is a success, with three tries in time.

    A notice whose response was lost may arrive twice, with the same `id`.
    """

    def __init__(
        self, url: str, secret: str = "", *, timeout_seconds: float = TIMEOUT_SECONDS
    ) -> None:
        if not url:
            raise ConfigError(
                "notify.channel is webhook, but notify.url is empty; set the address of the webhook"
            )
        self._secret = secret.encode()
        self._service = Service("the webhook", url, {}, timeout_seconds, secret, terms=TERMS)

    def notify(self, notice: Notice) -> None:
        payload = json.dumps(message(notice), ensure_ascii=False).encode()
        headers = {SIGNATURE: signature(payload, self._secret)} if self._secret else {}
        self._service.check(self._service.post(payload, headers))


def message(notice: Notice) -> dict[str, Any]:
    """Return the JSON body of a notice, with secrets masked."""
    body = {
        "kind": notice.kind,
        "at": iso(notice.at),
        "title": notice.title,
        "text": notice.text,
        "lesson": notice.lesson,
        "details": dict(notice.details),
    }
    return {"id": digest(str(notice.at), notice.kind, notice.lesson, notice.text), **redacted(body)}


def signature(payload: bytes, secret: bytes) -> str:
    """Sign the body; the receiver computes the same over the bytes and compares.

    >>> signature(b"{}", b"secret")[:15]
    'sha256=77325902'
    """
    return "sha256=" + hmac.new(secret, payload, hashlib.sha256).hexdigest()
