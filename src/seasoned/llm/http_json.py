"""Asks a JSON service over plain HTTP: kept-alive connections, few retries, one deadline.

The standard library is enough for it, and loads only when a service is used. What goes wrong is
told with the gist of the answer; no key ever stands in it.
"""

import http.client
import json
import ssl
import time
import weakref
from collections import deque
from collections.abc import Mapping
from functools import cache
from typing import Any

from seasoned.core.errors import SeasonedError
from seasoned.core.text import one_line
from seasoned.llm.http_address import Terms, parsed
from seasoned.llm.http_answer import MEANT, Answer, wait_seconds
from seasoned.security.redact import SECRET, redact

TRIES = 3
MOST_IDLE = 8
LARGEST_ANSWER = 256 * 2**20
Connections = deque[http.client.HTTPConnection]


class Service:
    """One address that takes JSON and answers JSON. Threads share its idle connections.

    `terms` are the errors that it raises, and the settings that they tell one to look at.
    """

    def __init__(
        self,
        name: str,
        url: str,
        headers: Mapping[str, str],
        timeout_seconds: float,
        key: str = "",
        *,
        terms: Terms,
    ) -> None:
        self.name = name
        self._terms = terms
        self._url = parsed(url, terms)
        self._headers = {"Content-Type": "application/json", **headers}
        self._timeout = timeout_seconds
        self._key = key
        self._idle: Connections = deque()
        weakref.finalize(self, _close, self._idle)

    def ask(self, body: Any) -> Any:
        """The answer, read; tried again while there is time and it may help."""
        return self.read(self.post(json.dumps(body).encode()))

    def post(
        self,
        payload: bytes,
        headers: Mapping[str, str] | None = None,
        *,
        deadline: float | None = None,
    ) -> Answer:
        """What it says for good: well or badly, but not that it is busy.

        A deadline (of the monotonic clock) may be shared by several questions.
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
        """When a question that is asked now must be answered."""
        return time.monotonic() + self._timeout

    def read(self, answer: Answer) -> Any:
        """The JSON that was answered; anything else is an error."""
        self.check(answer)
        try:
            return json.loads(answer.body)
        except (ValueError, RecursionError):
            raise self._terms.refused(
                f"{self.name} at {self._shown} did not answer with JSON: "
                f"{self._gist(answer)!r}; is {self._terms.url} right?"
            ) from None

    def check(self, answer: Answer) -> None:
        """An answer that is a refusal is an error."""
        if answer.too_long:
            raise self._terms.too_long(self._said(answer))
        if not answer.well:
            raise self._terms.refused(self._refusal(answer))

    def _send(self, payload: bytes, headers: Mapping[str, str], deadline: float) -> Answer:
        reused = bool(self._idle)
        try:
            return self._exchange(payload, headers, deadline)
        except (ConnectionError, http.client.BadStatusLine):
            if not reused:  # an idle connection may have been closed by the other side meanwhile
                raise
            _close(self._idle)
            return self._exchange(payload, headers, deadline)

    def _exchange(self, payload: bytes, headers: Mapping[str, str], deadline: float) -> Answer:
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
        return Answer(response.status, body, header("Retry-After"), header("Location"))

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
                raise self._terms.refused(f"{self.name} answers without end; look at {self._shown}")
            parts.append(part)
            self._give_until(connection, deadline)
        if response.length:  # read1 does not say that some is missing
            raise http.client.IncompleteRead(b"", response.length)
        response.close()  # nor that all was read: without this the connection cannot be used again
        return b"".join(parts)

    def _give_until(self, connection: http.client.HTTPConnection, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"no whole answer within {self._timeout:g} s")
        connection.timeout = left
        if connection.sock is not None:
            connection.sock.settimeout(left)

    def _refusal(self, answer: Answer) -> str:
        said = self._said(answer)
        if answer.location:
            said += f"; it points to {self._clean(answer.location)}"
        if meant := MEANT.get(answer.status):
            said += f"; {meant}: check {self._terms.checked}"
        return said

    def _said(self, answer: Answer) -> str:
        return f"{self.name} at {self._shown} answered {answer.status}: {self._gist(answer)!r}"

    def _unreachable(self, error: Exception) -> SeasonedError:
        what = str(error) or type(error).__name__
        failure = self._terms.unavailable(
            f"{self.name} at {self._shown} cannot be asked ({self._clean(what)}); "
            f"is it running, and is {self._terms.url} right?"
        )
        failure.__cause__ = error
        return failure

    def _gist(self, answer: Answer) -> str:
        return one_line(self._clean(answer.message))

    def _clean(self, text: str) -> str:
        return redact(text.replace(self._key, SECRET) if self._key else text)

    @property
    def _shown(self) -> str:
        path = self._url.path if self._terms.shows_path else "/…"
        return f"{self._url.scheme}://{self._url.netloc}{path}"


@cache
def tls() -> ssl.SSLContext:
    return ssl.create_default_context()  # reads all the certificates that are trusted


def _close(connections: Connections) -> None:
    while connections:
        connections.pop().close()
