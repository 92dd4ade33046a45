"""Let an SDK's HTTP client learn: a transport that adds to requests and watches responses.

The SDK gets a client whose transport sends through the one that it had, so that its pool, proxies
and hooks stay in use. `httpx2` and `httpx` have the same shape; the SDK decides which it is.
"""

from collections.abc import AsyncIterator, Iterator
from importlib import import_module
from typing import Any, TypeVar

from seasoned.api.async_seasoned import AsyncSeasoned
from seasoned.api.seasoned import Seasoned
from seasoned.core.errors import BadInput
from seasoned.wire.companion import Companion, CompanionConfig, Passage
from seasoned.wire.formats import format_of
from seasoned.wire.response_copy import ResponseCopy, readable_encodings

SESSION = "x-seasoned-session"
OFF = "x-seasoned-off"

Client = TypeVar("Client")


class Watch:
    """Learns from the requests of one client."""

    def __init__(self, seasoned: AsyncSeasoned, provider: str, session: str) -> None:
        self.seasoned = seasoned
        self.companion = Companion(
            CompanionConfig(seasoned.app.config.settings.proxy.deadline_seconds)
        )
        self._provider = provider
        self._session = session

    async def before(self, library: Any, request: Any) -> tuple[Any, Passage | None]:
        """Return the request as it goes on, and what `after` needs."""
        session, off = request.headers.get(SESSION) or self._session, OFF in request.headers
        for name in (SESSION, OFF):
            if name in request.headers:
                del request.headers[name]
        wire = format_of(self._provider, request.url.path)
        if wire is None or off or request.method != "POST":
            return request, None
        body: bytes = request.content
        passage = await self.companion.before(self.seasoned, wire, body, session)
        if passage.state is None:
            return request, None
        accepted = request.headers.get("accept-encoding", "identity").encode("latin-1")
        request.headers["accept-encoding"] = readable_encodings(accepted).decode("latin-1")
        headers = [pair for pair in request.headers.raw if pair[0].lower() != b"content-length"]
        edited = library.Request(
            request.method,
            request.url,
            headers=headers,
            content=passage.body,
            extensions=request.extensions,
        )
        return edited, passage

    async def after(self, passage: Passage, response: Any, copy: ResponseCopy) -> None:
        body = copy.body(response.headers.get("content-encoding", ""))
        if body is not None:
            streamed = response.headers.get("content-type", "").startswith("text/event-stream")
            await self.companion.after(passage, body, streamed=streamed)


def learning_client(
    client: Client, s: Seasoned | AsyncSeasoned, provider: str, session: str
) -> Client:
    """Return a copy of an SDK's client that learns; the SDK's own client stays as it is."""
    sdk: Any = client
    inner: Any = sdk._client
    library = import_module(_library(inner))
    is_async = isinstance(inner, library.AsyncClient)
    if not is_async and isinstance(s, AsyncSeasoned):
        raise BadInput(
            f"{type(client).__name__} is synchronous and AsyncSeasoned is not; use Seasoned, or "
            f"Async{type(client).__name__}"
        )
    watch = Watch(s if isinstance(s, AsyncSeasoned) else s.inner, provider, session)
    if is_async:
        transport = _async_transport(library, inner, watch)
        outer = library.AsyncClient(transport=transport, timeout=inner.timeout)
    else:
        outer = library.Client(transport=_transport(library, inner, watch), timeout=inner.timeout)
    return sdk.copy(http_client=outer)


def _library(inner: object) -> str:
    """Return the name of the library that a client, or the class that it extends, is from."""
    homes = (kind.__module__.partition(".")[0] for kind in type(inner).__mro__)
    found = next((one for one in homes if one in ("httpx2", "httpx")), "")
    if not found:
        raise BadInput(f"the HTTP client of this SDK is a {type(inner).__name__}, not one of httpx")
    return found


def _transport(library: Any, inner: Any, watch: Watch) -> Any:
    drive = watch.seasoned.app.unit.drive

    class Stream(library.SyncByteStream):
        """Passes a response on, and learns from it when it has come to its end."""

        def __init__(self, response: Any, passage: Passage | None) -> None:
            self._response = response
            self._passage = passage

        def __iter__(self) -> Iterator[bytes]:
            copy = ResponseCopy(wanted=self._passage is not None)
            for chunk in self._response.iter_raw():
                copy.add(chunk)
                yield chunk
            if self._passage is not None:
                drive(watch.after(self._passage, self._response, copy))

        def close(self) -> None:
            self._response.close()

    class Transport(library.BaseTransport):
        def handle_request(self, request: Any) -> Any:
            request.read()
            request, passage = drive(watch.before(library, request))
            response = inner.send(request, stream=True, follow_redirects=False)
            passage = passage if response.status_code == 200 else None
            return library.Response(
                response.status_code,
                headers=response.headers,
                stream=Stream(response, passage),
                extensions=response.extensions,
            )

        def close(self) -> None:
            inner.close()

    return Transport()


def _async_transport(library: Any, inner: Any, watch: Watch) -> Any:
    class Stream(library.AsyncByteStream):
        """Passes a response on, and learns from it when it has come to its end."""

        def __init__(self, response: Any, passage: Passage | None) -> None:
            self._response = response
            self._passage = passage

        async def __aiter__(self) -> AsyncIterator[bytes]:
            copy = ResponseCopy(wanted=self._passage is not None)
            async for chunk in self._response.aiter_raw():
                copy.add(chunk)
                yield chunk
            if self._passage is not None:
                await watch.after(self._passage, self._response, copy)

        async def aclose(self) -> None:
            await self._response.aclose()

    class Transport(library.AsyncBaseTransport):
        async def handle_async_request(self, request: Any) -> Any:
            await request.aread()
            request, passage = await watch.before(library, request)
            response = await inner.send(request, stream=True, follow_redirects=False)
            passage = passage if response.status_code == 200 else None
            return library.Response(
                response.status_code,
                headers=response.headers,
                stream=Stream(response, passage),
                extensions=response.extensions,
            )

        async def aclose(self) -> None:
            await inner.aclose()

    return Transport()
