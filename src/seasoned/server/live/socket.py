"""WebSocket `/ws`: talk to the agent, follow sessions and facts, catch up after a lost connection.

A client sends `message`, `resume`, `cancel`, `approve`, `subscribe`, `unsubscribe`, `follow` and
`ping`; it gets the events of the sessions it follows, each with its number, and answers to its own
frames. A frame that cannot be used is answered by `refused`; the connection stays.
"""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from seasoned.core.authority import Caller
from seasoned.core.errors import BadInput, NotAllowed, SeasonedError
from seasoned.core.ids import new_id
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.security.stored import stored_name
from seasoned.server.asgi import AsgiScope, Receive, Send
from seasoned.server.callers import Role, caller_of
from seasoned.server.errors import STOPPING, Stopping, response_to
from seasoned.server.gateway import Gateway
from seasoned.server.identification import SUBPROTOCOL
from seasoned.server.live.connection import abort
from seasoned.server.live.decisions import Decision
from seasoned.server.live.event_log import EventLog
from seasoned.server.live.facts import Follower
from seasoned.server.live.frames import error_content
from seasoned.server.live.live import Live
from seasoned.server.roles import check_role, includes

OWN_PROTOCOL = "seasoned"  # a browser that offers a token as a subprotocol offers this one, too
MOST_SESSIONS = 64  # that one connection follows
MOST_ANSWERS = 256  # and facts, that wait for a slow reader
ANSWER_BYTES = 2**20
SEND_SECONDS = 20.0  # for one frame to leave
CLOSE_SECONDS = 2.0
TOO_SLOW = 1013  # close code: try again later
LONGEST_MESSAGE = 1_000_000
FULL = "the server has as many WebSockets as it holds; close some, or try again later"


class Frame(BaseModel):
    id: str = Field("", max_length=200)  # returned with the answer


class InSession(Frame):
    session: str = Field("", max_length=500)


class MessageFrame(InSession):
    type: Literal["message"]
    text: str = Field(max_length=LONGEST_MESSAGE)
    model: str | None = Field(None, max_length=200)


class ResumeFrame(InSession):
    type: Literal["resume"]
    model: str | None = Field(None, max_length=200)


class CancelFrame(InSession):
    type: Literal["cancel"]


class ApproveFrame(InSession, Decision):
    type: Literal["approve"]
    request: str = Field(max_length=500)


class SubscribeFrame(InSession):
    type: Literal["subscribe"]
    after: int | None = Field(None, ge=0)


class UnsubscribeFrame(InSession):
    type: Literal["unsubscribe"]


class FollowFrame(Frame):
    type: Literal["follow"]
    facts: bool = True


class PingFrame(Frame):
    type: Literal["ping"]


AnyFrame = (
    MessageFrame
    | ResumeFrame
    | CancelFrame
    | ApproveFrame
    | SubscribeFrame
    | UnsubscribeFrame
    | FollowFrame
    | PingFrame
)
# The role that a frame needs, beyond reading.
NEEDED: dict[str, Role] = {
    **dict.fromkeys(("message", "resume", "cancel"), "learn"),
    "approve": "operate",
}
FRAMES: TypeAdapter[AnyFrame] = TypeAdapter(Annotated[AnyFrame, Field(discriminator="type")])


class TooSlow(Exception):
    """The client does not take what it asked for."""


@asynccontextmanager
async def lifespan(gateway: Gateway) -> AsyncGenerator[None]:
    try:
        yield
    finally:
        await gateway.shared(Live).close()


def routes(gateway: Gateway) -> list[BaseRoute]:
    return [WebSocketRoute("/ws", SocketEndpoint(gateway))]


class SocketEndpoint:
    """Lets a known caller in, and serves it until it leaves. Plain ASGI, to cost little memory."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._live = gateway.shared(Live)

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        socket = WebSocket(scope, receive, send)
        try:
            check_role(socket, "read")
            role = caller_of(socket).role
            caller = (await self._gateway.for_request(socket)).caller
            if self._gateway.draining or self._live.sockets.is_full:
                raise Stopping(STOPPING if self._gateway.draining else FULL)
        except SeasonedError as error:
            await socket.receive()  # the opening
            await socket.send_denial_response(response_to(error))
            return
        await socket.accept(chosen_protocol(scope["subprotocols"]))
        with self._live.sockets.counted():
            await LiveSocket(self._live, socket, caller, role).run()


def chosen_protocol(offered: list[str]) -> str | None:
    """Choose a subprotocol: a browser closes a connection that takes none of those it offers.

    >>> chosen_protocol(["seasoned.token.abc", "seasoned"]), chosen_protocol([])
    ('seasoned', None)
    """
    if OWN_PROTOCOL in offered:
        return OWN_PROTOCOL
    return next((one for one in offered if one.startswith(SUBPROTOCOL)), None)


@dataclass(slots=True)
class Subscription:
    """A session that a connection follows, and the number of the last event it was sent."""

    log: EventLog
    sent: int


class LiveSocket:
    """One connection: reads frames, and writes what they ask for in a task that runs on demand."""

    __slots__ = (
        "_answers", "_broken", "_caller", "_facts", "_following", "_live", "_role", "_size",
        "_socket", "_writing",
    )  # fmt: skip

    def __init__(self, live: Live, socket: WebSocket, caller: Caller, role: Role) -> None:
        self._live = live
        self._socket = socket
        self._caller = caller
        self._role: Role = role
        self._following: dict[Scope, Subscription] = {}
        self._answers: list[str] = []
        self._size = 0  # of the answers
        self._facts: Follower | None = None
        self._writing: asyncio.Task[None] | None = None
        self._broken = False

    async def run(self) -> None:
        try:
            while True:
                message = await self._socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                await self._take(message.get("text") or message.get("bytes") or "")
        except WebSocketDisconnect:
            return
        finally:
            self._leave()

    async def _take(self, raw: str | bytes) -> None:
        """Do what a frame asks for."""
        reference = session = ""
        try:
            frame = _read(raw)
            reference = frame.id
            session = frame.session if isinstance(frame, InSession) else ""
            await self._do(frame)
        except SeasonedError as error:
            refused = {"type": "refused", "error": error_content(error)}
            self._answer(refused, reference, session)

    async def _do(self, frame: AnyFrame) -> None:
        wanted = NEEDED.get(frame.type, "read")
        if not includes(self._role, wanted):
            raise NotAllowed(
                f"{frame.type!r} needs the role {wanted!r}, but the caller has {self._role!r}; use "
                "a key with that role"
            )
        match frame:
            case MessageFrame():
                await self._message(frame)
            case ResumeFrame():
                await self._resume(frame)
            case CancelFrame():
                self._cancel(frame)
            case ApproveFrame():
                self._approve(frame)
            case SubscribeFrame():
                self._subscribe(frame)
            case UnsubscribeFrame():
                self._unsubscribe(frame)
            case FollowFrame():
                self._follow(frame)
            case PingFrame():
                self._answer({"type": "pong"}, frame.id, "")

    async def _message(self, frame: MessageFrame) -> None:
        scope = self._scope(frame.session or f"chat-{new_id()}")
        sessions = self._live.sessions
        session = sessions.open(scope)
        before = await sessions.begin(session, frame.text, frame.model, frame.id)
        self._accept(scope, session.log, before, frame.id)

    async def _resume(self, frame: ResumeFrame) -> None:
        scope = self._scope(frame.session)
        session = self._live.sessions.open(scope)
        before = await self._live.sessions.resume(session, frame.model)
        self._accept(scope, session.log, before, frame.id)

    def _accept(self, scope: Scope, log: EventLog, before: int, reference: str) -> None:
        """Say that a turn has begun; whoever begins one follows it."""
        self._answer({"type": "accepted", "after": before}, reference, scope.session)
        if scope not in self._following:
            self._subscribe_to(scope, log, before)
        self._wake()

    def _cancel(self, frame: CancelFrame) -> None:
        done = self._live.sessions.find(self._scope(frame.session)).cancel()
        self._answer({"type": "cancelled", "stopped": done}, frame.id, frame.session)

    def _approve(self, frame: ApproveFrame) -> None:
        session = self._live.sessions.find(self._scope(frame.session))
        session.decide(frame.request, frame.decision())
        self._answer({"type": "decided", "request": frame.request}, frame.id, frame.session)

    def _subscribe(self, frame: SubscribeFrame) -> None:
        scope = self._scope(frame.session)
        if scope not in self._following and len(self._following) >= MOST_SESSIONS:
            raise BadInput(
                f"this connection follows {MOST_SESSIONS} sessions; unsubscribe from one, or open "
                "another connection"
            )
        session = self._live.sessions.open(scope)
        log = session.log
        after = log.last if frame.after is None else frame.after
        state = session.state()
        if not log.holds(after):
            after = log.first - 1
            # Some events are gone: the client reads the stored messages, and goes on from here.
            state["gap"] = {"after": frame.after, "from": log.first}
        self._answer({"type": "subscribed", "after": after, **state}, frame.id, frame.session)
        self._subscribe_to(scope, log, after)

    def _subscribe_to(self, scope: Scope, log: EventLog, after: int) -> None:
        self._following[scope] = Subscription(log, after)
        log.wakers.add(self._wake)
        self._wake()

    def _unsubscribe(self, frame: UnsubscribeFrame) -> None:
        scope = self._scope(frame.session)
        followed = self._following.pop(scope, None)
        if followed is not None:
            followed.log.wakers.discard(self._wake)
        self._answer({"type": "unsubscribed"}, frame.id, frame.session)

    def _follow(self, frame: FollowFrame) -> None:
        facts = self._live.facts
        if self._facts is not None:
            facts.leave(self._facts)
            self._facts = None
        if frame.facts:
            # An operator who works for one user hears what that user would.
            self._facts = Follower(Caller(self._caller.scope), self._queue)
            facts.follow(self._facts)
        self._answer({"type": "following", "facts": frame.facts}, frame.id, "")

    def _scope(self, session: str) -> Scope:
        if not session.strip():
            raise BadInput("this needs the name of a session; add `session`")
        return self._caller.scope.within(stored_name(session))

    def _answer(self, content: dict[str, Any], reference: str, session: str) -> None:
        named = {"id": reference} if reference else {}
        where = {"session": session} if session else {}
        self._queue(json.dumps({**content, **named, **where}, ensure_ascii=False))

    def _queue(self, text: str) -> None:
        """Put an answer or a fact before the reader; drop a reader that takes none of them."""
        if self._broken:
            return
        self._answers.append(text)
        self._size += len(text)
        if len(self._answers) > MOST_ANSWERS or self._size > ANSWER_BYTES:
            self._drop()
        self._wake()

    def _wake(self) -> None:
        if not self._broken and (self._writing is None or self._writing.done()):
            self._writing = asyncio.create_task(self._write())

    async def _write(self) -> None:
        """Send everything that waits: answers first, because a subscription begins with its own."""
        try:
            while self._answers or self._is_behind():
                while self._answers:
                    text = self._answers.pop(0)
                    self._size -= len(text)
                    await self._send(text)
                for scope, followed in tuple(self._following.items()):
                    await self._send_events(scope, followed)
        except TooSlow:
            await self._close()
        except (WebSocketDisconnect, RuntimeError, OSError):
            self._broken = True  # the connection is gone; the reader ends with it

    def _is_behind(self) -> bool:
        return any(one.log.last > one.sent for one in self._following.values())

    async def _send_events(self, scope: Scope, followed: "Subscription") -> None:
        log = followed.log
        while self._following.get(scope) is followed and log.last > followed.sent:
            if not log.holds(followed.sent):
                raise TooSlow
            for event in log.after(followed.sent):
                if self._following.get(scope) is not followed:
                    return
                await self._send(event.text)
                followed.sent = event.number
            if self._answers:
                return

    async def _send(self, text: str) -> None:
        try:
            async with asyncio.timeout(SEND_SECONDS):
                await self._socket.send({"type": "websocket.send", "text": text})
        except TimeoutError:
            raise TooSlow from None

    def _drop(self) -> None:
        """End a connection whose reader is too slow, without waiting for it."""
        if not self._broken:
            self._broken = True
            if self._writing is not None:
                self._writing.cancel()
            self._writing = asyncio.create_task(self._close())

    async def _close(self) -> None:
        self._broken = True
        self._live.sockets.dropped += 1
        self._leave()
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._socket.close(TOO_SLOW, "too slow; connect again and subscribe")
        except (TimeoutError, WebSocketDisconnect, RuntimeError, OSError):
            abort(self._socket)

    def _leave(self) -> None:
        for followed in self._following.values():
            followed.log.wakers.discard(self._wake)
        self._following.clear()
        if self._facts is not None:
            self._live.facts.leave(self._facts)
            self._facts = None


def _read(raw: str | bytes) -> AnyFrame:
    try:
        return FRAMES.validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(one) for one in first["loc"])
        raise BadInput(
            f"this frame cannot be used: {one_line(f'{where}: ' if where else '', 100)}"
            f"{one_line(first['msg'], 300)}"
        ) from None
