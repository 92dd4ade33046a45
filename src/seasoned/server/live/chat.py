"""`POST /v1/chat`: one message, one reply, as JSON or as server-sent events.

The routes beside it answer approvals, cancel a turn, and follow a session again after a lost
connection.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Annotated, Any

from fastapi import Depends, Header, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute

from seasoned.core.errors import BadInput
from seasoned.core.ids import new_id
from seasoned.core.scope import Scope
from seasoned.security.stored import stored_name
from seasoned.server.errors import error_response
from seasoned.server.gateway import Gateway
from seasoned.server.live.decisions import Decision
from seasoned.server.live.event_log import EventLog, LoggedEvent
from seasoned.server.live.following import ENDS, followed
from seasoned.server.live.live import Live
from seasoned.server.live.sessions import LiveSession
from seasoned.server.live.socket import LONGEST_MESSAGE
from seasoned.server.rest.resource import Resource
from seasoned.server.roles import requires

EVENT_STREAM = "text/event-stream"
SHORT = ("chunk", "thinking", "message", "done")  # events that a plain answer does not repeat
STREAM_HEADERS = {"cache-control": "no-cache", "x-accel-buffering": "no"}


class ChatRequest(BaseModel):
    """A message to the agent; without `session` a new one begins."""

    message: str = Field("", max_length=LONGEST_MESSAGE)
    session: str = Field("", max_length=500)
    model: str | None = Field(
        None, max_length=200, description="one of the server's models (server.models)"
    )
    stream: bool = Field(False, description="answer with server-sent events")
    background: bool = Field(False, description="go on when the client disconnects")
    resume: bool = Field(False, description="go on with the turn that a crash cut off")
    id: str = Field("", max_length=200, description="a second message with this id is not taken")


class ChatReply(BaseModel):
    """The reply, and what happened on the way: tool calls, approvals, corrections noticed."""

    session: str
    reply: str
    used: dict[str, Any]
    events: list[dict[str, Any]]
    seq: int = Field(description="number of the last event, to follow the session from")


class SessionState(BaseModel):
    """A session that is in memory: whether a turn runs, and which calls wait for approval."""

    session: str
    busy: bool
    first: int
    last: int
    approvals: list[dict[str, Any]]


class Cancelled(BaseModel):
    session: str
    stopped: bool


class Decided(BaseModel):
    session: str
    request: str
    answer: str


def routes(gateway: Gateway) -> list[BaseRoute]:
    resource = Resource("chat")
    live = gateway.shared(Live).sessions

    async def scope_of(request: Request, name: str = "") -> Scope:
        seasoned = await gateway.for_request(request)
        in_header = "x-seasoned-session" in request.headers
        named = name.strip() or (seasoned.default_session if in_header else "")
        return seasoned.scope.within(stored_name(named) if named else f"chat-{new_id()}")

    @resource.operation("POST", "/chat", "learn", ChatReply, errors=[409, 502])
    async def send_message(
        body: ChatRequest, request: Request, accept: Annotated[str, Header()] = ""
    ) -> Response:
        """Send the agent a message; the answer is its reply.

        With `stream`, or `Accept: text/event-stream`, it is the events of the turn.
        """
        session = live.open(await scope_of(request, body.session))
        if body.resume:
            if not body.session:
                raise BadInput("to resume a turn, give its session")
            before = await live.resume(session, body.model)
        else:
            before = await live.begin(session, body.message, body.model, body.id)
        if body.stream or EVENT_STREAM in accept:
            events = _stream(session, before, keep=body.background)
            return StreamingResponse(events, media_type=EVENT_STREAM, headers=STREAM_HEADERS)
        return await _whole(session, before, request, keep=body.background)

    @resource.operation("POST", "/chat/{session:path}/approvals/{approval}", "operate", Decided)
    async def decide_approval(
        session: str, approval: str, body: Decision, request: Request
    ) -> Decided:
        """Answer a tool call that waits for approval."""
        live.find(await scope_of(request, session)).decide(approval, body.decision())
        return Decided(session=session, request=approval, answer=body.answer)

    @resource.operation("POST", "/chat/{session:path}/cancel", "learn", Cancelled)
    async def cancel_turn(session: str, request: Request) -> Cancelled:
        """Stop the running turn of a session."""
        stopped = live.find(await scope_of(request, session)).cancel()
        return Cancelled(session=session, stopped=stopped)

    @resource.get(  # endless, and no JSON: not in the document
        "/chat/{session:path}/events",
        include_in_schema=False,
        dependencies=[Depends(requires("read"))],
    )
    async def follow(
        session: str,
        request: Request,
        after: Annotated[int | None, Query(ge=0)] = None,
        last_event_id: Annotated[str, Header()] = "",
    ) -> StreamingResponse:
        found = live.open(await scope_of(request, session))
        if last_event_id.isdecimal() and len(last_event_id) < 20:
            after = int(last_event_id)
        start = found.log.last if after is None else after
        events = _follow(found.log, start)
        return StreamingResponse(events, media_type=EVENT_STREAM, headers=STREAM_HEADERS)

    @resource.operation("GET", "/chat/{session:path}", "read", SessionState)
    async def get_chat_state(session: str, request: Request) -> SessionState:
        """Return how a session in memory stands: whether a turn runs, which calls wait."""
        return SessionState(**live.find(await scope_of(request, session)).state())

    return list(resource.routes)


async def _whole(session: LiveSession, before: int, request: Request, *, keep: bool) -> Response:
    """Wait for the end of a turn; a client that leaves interrupts it, unless it may go on."""
    reading = asyncio.create_task(_read_turn(session.log, before))
    leaving = asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait({reading, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not reading.done() and keep:
            return JSONResponse({})  # nobody reads it
        if not reading.done():
            session.cancel(by_user=False)
        events = await reading
    finally:
        reading.cancel()
        leaving.cancel()
    return _reply(session.scope.session, events)


def _reply(session: str, events: list[LoggedEvent]) -> Response:
    contents = [one.content() for one in events]
    last = contents[-1]
    told = [one for one in contents if one["type"] not in (*SHORT, "error")]
    if last["type"] == "done":
        body = ChatReply(
            session=session,
            reply=last["text"],
            used=last.get("used", {}),
            events=told,
            seq=last["seq"],
        )
        return JSONResponse(body.model_dump())
    said = "".join(one["text"] for one in contents if one["type"] == "chunk")
    more: dict[str, Any] = {"session": session, "said": said, "events": told, "seq": last["seq"]}
    return error_response(502, "TurnFailed", last["text"], **more)


async def _read_turn(log: EventLog, before: int) -> list[LoggedEvent]:
    events: list[LoggedEvent] = []
    async for event in followed(log, before):
        if event is not None:
            events.append(event)
            if event.kind in ENDS:
                break
    return events


async def _stream(session: LiveSession, before: int, *, keep: bool) -> AsyncGenerator[bytes]:
    """Send the events of one turn; a client that leaves interrupts it, unless it may go on."""
    ended = False
    try:
        async for event in followed(session.log, before):
            yield _sse(event)
            if event is not None and event.kind in ENDS:
                ended = True
                return
    finally:
        if not ended and not keep:
            session.cancel(by_user=False)


async def _follow(log: EventLog, after: int) -> AsyncGenerator[bytes]:
    """Send what happens in a session until the client leaves."""
    if not log.holds(after):
        gap = f'{{"after":{after},"from":{log.first}}}'
        yield f"event: gap\ndata: {gap}\n\n".encode()
        after = log.first - 1
    async for event in followed(log, after):
        yield _sse(event)


def _sse(event: LoggedEvent | None) -> bytes:
    if event is None:
        return b": still here\n\n"
    return f"id: {event.number}\nevent: {event.kind}\ndata: {event.text}\n\n".encode()


async def _disconnected(request: Request) -> None:
    with suppress(RuntimeError):
        while (await request.receive())["type"] != "http.disconnect":
            pass
