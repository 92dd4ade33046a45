"""Ask a JSON service over plain HTTP: kept-alive connections, few retries, one deadline.

The standard library is enough for it, and loads only when a service is used. Errors quote the
gist of the answer, never a key.
"""

import http.client
import json
import random
import re
import ssl
import time
import weakref
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any, cast

from seasoned.core.errors import SeasonedError
from seasoned.core.text import one_line
from seasoned.llm.embed.http_address import ServiceTerms, parse_address
from seasoned.security.redact import SECRET, redact

TRIES = 3
MOST_IDLE = 8
LARGEST_ANSWER = 256 * 2**20
FIRST_WAIT_SECONDS = 0.2
MARKUP = re.compile(r"(?s)<(script|style)\b.*?</\1>|<[^<>]{0,1000}>")
SIZE = ("context length", "too long", "too large", "too many tokens", "exceed", "maximum")
TOO_LONG = {  # by status: words in the message that mean a shorter request may work
    400: SIZE,
    413: ("",),
    422: SIZE,
    500: ("too large", "too long"),  # llama.cpp
}
STATUS_MEANS = {
    401: "the key was refused",
    403: "the key was refused",
    404: "there is no such model, or no such address",
}
Connections = deque[http.client.HTTPConnection]


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    status: int
    body: bytes
    retry_after: str | None = None
    location: str | None = None

    @property
    def well(self) -> bool:
        return 200 <= self.status < 300

    @property
    def busy(self) -> bool:
        """Whether trying again may work."""
        return self.status in (408, 429) or self.status >= 500

    @property
    def too_long(self) -> bool:
        said = self.message.lower()
        return any(words in said for words in TOO_LONG.get(self.status, ()))

    @property
    def message(self) -> str:
        return message_in(self.body[:20_000].decode("utf-8", "replace"))


class Service:
    """One address that takes and returns JSON. Threads share its idle connections.

    `terms` holds the errors that it raises, and the settings that their messages name.
    """

    def __init__(
        self,
        name: str,
        url: str,
        headers: Mapping[str, str],
        timeout_seconds: float,
        key: str = "",
        *,
        terms: ServiceTerms,
    ) -> None:
        self.name = name
        self._terms = terms
        self._url = parse_address(url, terms)
        self._headers = {"Content-Type": "application/json", **headers}
        self._timeout = timeout_seconds
        self._key = key
        self._idle: Connections = deque()
        weakref.finalize(self, _close, self._idle)

    def ask(self, body: Any) -> Any:
        """Post a body and return the decoded answer."""
        return self.read(self.post(json.dumps(body).encode()))

    def post(
        self,
        payload: bytes,
        headers: Mapping[str, str] | None = None,
        *,
        deadline: float | None = None,
    ) -> HttpAnswer:
        """Return the final answer, good or bad; retry while the service is busy.

        Several requests may share a deadline (of the monotonic clock).
        """
        deadline = deadline or self.deadline()
        for tries in range(1, TRIES + 1):
            try:
                answer = self._send(payload, headers or {}, deadline)
            except (OSError, http.client.HTTPException) as error:
                failure, wait = self._unreachable(error), wait_seconds(tries)
            else:
                if answer.well or answer.too_long or not answer.busy:
                    return answer
                failure = self._terms.unavailable(self._said(answer))
                wait = wait_seconds(tries, answer.retry_after)
            if tries == TRIES or time.monotonic() + wait >= deadline:
                raise failure
            time.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def deadline(self) -> float:
        """Return the deadline of a request that starts now."""
        return time.monotonic() + self._timeout

    def read(self, answer: HttpAnswer) -> Any:
        """Decode an answer; anything but JSON is an error."""
        self.check(answer)
        try:
            return json.loads(answer.body)
        except (ValueError, RecursionError):
            raise self._terms.refused(
                f"{self.name} at {self._shown} did not answer with JSON: "
                f"{self._gist(answer)!r}; is {self._terms.url} right?"
            ) from None

    def check(self, answer: HttpAnswer) -> None:
        """Raise if the answer is a refusal."""
        if answer.too_long:
            raise self._terms.too_long(self._said(answer))
        if not answer.well:
            raise self._terms.refused(self._refusal(answer))

    def _send(self, payload: bytes, headers: Mapping[str, str], deadline: float) -> HttpAnswer:
        reused = bool(self._idle)
        try:
            return self._exchange(payload, headers, deadline)
        except (ConnectionError, http.client.BadStatusLine):
            if not reused:  # the other side may close an idle connection at any time
                raise
            _close(self._idle)
            return self._exchange(payload, headers, deadline)

    def _exchange(self, payload: bytes, headers: Mapping[str, str], deadline: float) -> HttpAnswer:
        connection = self._connection()
        try:
            self._give_until(connection, deadline)
            path = (self._url.path or "/") + (f"?{self._url.query}" if self._url.query else "")
            connection.request("POST", path, payload, {**self._headers, **headers})
            response = connection.getresponse()
            body = self._body(connection, response, deadline)
        except BaseException:
            connection.close()
            raise
        if response.will_close or len(self._idle) >= MOST_IDLE:
            connection.close()
        else:
            self._idle.append(connection)
        header = response.getheader
        return HttpAnswer(response.status, body, header("Retry-After"), header("Location"))

    def _connection(self) -> http.client.HTTPConnection:
        try:
            return self._idle.pop()
        except IndexError:
            host, port = self._url.hostname or "", self._url.port
        if self._url.scheme == "https":
            return http.client.HTTPSConnection(host, port, context=tls())
        return http.client.HTTPConnection(host, port)

    def _body(
        self,
        connection: http.client.HTTPConnection,
        response: http.client.HTTPResponse,
        deadline: float,
    ) -> bytes:
        parts: list[bytes] = []
        size = 0
        while part := response.read1(2**16):
            size += len(part)
            if size > LARGEST_ANSWER:
                raise self._terms.refused(
                    f"{self.name} sends an endless answer; look at {self._shown}"
                )
            parts.append(part)
            self._give_until(connection, deadline)
        if response.length:  # read1 does not report missing bytes
            raise http.client.IncompleteRead(b"", response.length)
        response.close()  # or the connection cannot be reused: read1 does not notice the end
        return b"".join(parts)

    def _give_until(self, connection: http.client.HTTPConnection, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"no complete answer within {self._timeout:g} s")
        connection.timeout = left
        if connection.sock is not None:
            connection.sock.settimeout(left)

    def _refusal(self, answer: HttpAnswer) -> str:
        said = self._said(answer)
        if answer.location:
            said += f"; it redirects to {self._clean(answer.location)}"
        if meant := STATUS_MEANS.get(answer.status):
            said += f"; {meant}: check {self._terms.checked}"
        return said

    def _said(self, answer: HttpAnswer) -> str:
        return f"{self.name} at {self._shown} answered {answer.status}: {self._gist(answer)!r}"

    def _unreachable(self, error: Exception) -> SeasonedError:
        what = str(error) or type(error).__name__
        failure = self._terms.unavailable(
            f"{self.name} at {self._shown} cannot be reached ({self._clean(what)}); "
            f"is it running, and is {self._terms.url} right?"
        )
        failure.__cause__ = error
        return failure

    def _gist(self, answer: HttpAnswer) -> str:
        return one_line(self._clean(answer.message))

    def _clean(self, text: str) -> str:
        return redact(text.replace(self._key, SECRET) if self._key else text)

    @property
    def _shown(self) -> str:
        path = self._url.path if self._terms.shows_path else "/…"
        return f"{self._url.scheme}://{self._url.netloc}{path}"


@cache
def tls() -> ssl.SSLContext:
    return ssl.create_default_context()  # slow: it reads all trusted certificates


def _close(connections: Connections) -> None:
    while connections:
        connections.pop().close()


def wait_seconds(tries: int, retry_after: str | None = None) -> float:
    """Return the pause before the next try: doubled each time, at least what the service asks."""
    own = FIRST_WAIT_SECONDS * 2 ** (tries - 1) * random.uniform(0.75, 1.25)
    return max(own, retry_after_seconds(retry_after))


def retry_after_seconds(retry_after: str | None) -> float:
    """Read a Retry-After header: seconds, or a date.

    >>> retry_after_seconds("7"), retry_after_seconds(None), retry_after_seconds("soon")
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
    """Return the error message in an answer: the service's own if there is one, else the bare text.

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
