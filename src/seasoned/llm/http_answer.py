"""Reads what a service says when it does not do what it was asked."""

import json
import random
import re
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, cast

FIRST_WAIT_SECONDS = 0.2
MARKUP = re.compile(r"(?s)<(script|style)\b.*?</\1>|<[^<>]{0,1000}>")
SIZE = ("context length", "too long", "too large", "too many tokens", "exceed", "maximum")
TOO_LONG = {  # what the message of a status must say, when asking for less may help
    400: SIZE,
    413: ("",),
    422: SIZE,
    500: ("too large", "too long"),  # llama.cpp
}
MEANT = {
    401: "the key was refused",
    403: "the key was refused",
    404: "there is no such model, or no such address",
}


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes
    retry_after: str | None = None
    location: str | None = None

    @property
    def well(self) -> bool:
        return 200 <= self.status < 300

    @property
    def busy(self) -> bool:
        """Asking again may help."""
        return self.status in (408, 429) or self.status >= 500

    @property
    def too_long(self) -> bool:
        said = self.message.lower()
        return any(words in said for words in TOO_LONG.get(self.status, ()))

    @property
    def message(self) -> str:
        return message_in(self.body[:20_000].decode("utf-8", "replace"))


def wait_seconds(tries: int, retry_after: str | None = None) -> float:
    """How long to wait before the next try: longer each time, and as long as the service asks."""
    own = FIRST_WAIT_SECONDS * 2 ** (tries - 1) * random.uniform(0.75, 1.25)
    return max(own, seconds_asked(retry_after))


def seconds_asked(retry_after: str | None) -> float:
    """What a Retry-After header asks for: seconds, or a date.

    >>> seconds_asked("7"), seconds_asked(None), seconds_asked("soon")
    (7.0, 0.0, 0.0)
    """
    given = (retry_after or "").strip()
    if re.fullmatch(r"\d{1,9}(?:\.\d+)?", given):
        return float(given)
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0.0


def message_in(text: str) -> str:
    """What a service says went wrong: its own message where there is one, else the bare text.

    >>> message_in('{"error": {"message": "no such model", "code": 404}}')
    'no such model'
    >>> message_in("<html><title>502</title><h1>Bad gateway</h1></html>").split()
    ['502', 'Bad', 'gateway']
    """
    try:
        said: Any = json.loads(text)
    except ValueError:
        return MARKUP.sub(" ", text)
    for name in ("error", "message", "detail"):
        if isinstance(said, dict):
            said = cast("dict[str, Any]", said).get(name, said)
    return said if isinstance(said, str) else json.dumps(said)
