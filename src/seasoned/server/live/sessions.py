"""Live sessions: one turn at a time, its events in a log that any number of clients follow.

A session belongs to the scope of its caller, which is part of its key: whoever calls with another
scope finds another session, even under the same name.
"""

import asyncio
import logging
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from seasoned.agent.turn import AgentEvent
from seasoned.core.clock import Clock
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.scope import Scope
from seasoned.server.errors import STOPPING, Busy, Stopping
from seasoned.server.live.event_log import EventLog, LogConfig
from seasoned.server.live.frames import approval_content, content_of
from seasoned.tools.run import ApprovalDecision, ApprovalRequest

if TYPE_CHECKING:
    from seasoned.agent.turn import Turn
    from seasoned.server.live.agents import Agents

log = logging.getLogger("seasoned.server")

LONGEST_REFERENCE = 200
LEFT = "the client left, so the turn was stopped; what was said so far is kept"
ENDED = "the server stops, so the turn was stopped; what was said so far is kept"


@dataclass(frozen=True, slots=True)
class LiveConfig:
    log: LogConfig = field(default_factory=LogConfig)
    kept_seconds: float = 600  # a session's log after the end of its turn
    sessions: int = 1000  # in memory
    bytes: int = 64 * 2**20  # of all logs
    references: int = 32  # of a session's latest messages, so that none is taken twice


@dataclass(slots=True, eq=False)
class LiveSession:
    """A session that somebody talks in, or follows, or did a while ago."""

    scope: Scope
    log: EventLog
    turn: "Turn | None" = None
    running: asyncio.Task[None] | None = None
    used_at: float = 0.0
    waiting: dict[str, ApprovalRequest] = field(default_factory=dict[str, ApprovalRequest])
    references: OrderedDict[str, int] = field(default_factory=OrderedDict[str, int])

    @property
    def is_busy(self) -> bool:
        return self.turn is not None

    def state(self) -> dict[str, Any]:
        """Describe the session for somebody who comes to it."""
        open_now = [
            approval_content(one)
            for name, one in self.waiting.items()
            if self.turn is not None and self.turn.is_waiting(name)
        ]
        return {
            "session": self.scope.session,
            "busy": self.is_busy,
            "first": self.log.first,
            "last": self.log.last,
            "approvals": open_now,
        }

    def cancel(self, *, by_user: bool = True) -> bool:
        """Interrupt the running turn; what was said so far is kept. False if there is none."""
        if self.turn is None or self.turn.outcome is not None:
            return False
        self.turn.interrupt(by_user=by_user)
        return True

    def decide(self, request: str, decision: ApprovalDecision) -> None:
        """Answer a call that waits for approval."""
        asked = self.waiting.get(request)
        if self.turn is None or asked is None or not self.turn.is_waiting(request):
            raise NotFound(
                f"no approval {request[:200]!r} is waiting in {self.scope.session!r}; it was "
                "answered, or nobody answered in time"
            )
        if decision.answer == "always" and not asked.can_always:
            raise BadInput(f"{asked.tool} is asked for every time; answer allow or deny")
        self.turn.decide(request, decision)


class LiveSessions:
    """All live sessions of a gateway."""

    def __init__(self, agents: "Agents", clock: Clock, config: LiveConfig | None = None) -> None:
        self.agents = agents
        self.config = config or LiveConfig()
        self.draining = False
        self.turns = 0  # begun since the start
        self._clock = clock
        self._sessions: OrderedDict[Scope, LiveSession] = OrderedDict()
        self._running: set[asyncio.Task[None]] = set()

    @property
    def running(self) -> int:
        """The number of turns in progress."""
        return len(self._running)

    def open(self, scope: Scope) -> LiveSession:
        """Return the session of this scope; one that nobody uses yet begins with an empty log."""
        session = self._sessions.get(scope)
        if session is None:
            if self.draining:
                raise Stopping(STOPPING)
            record = EventLog(scope.session, self._clock.now(), self.config.log)
            session = self._sessions[scope] = LiveSession(scope, record)
        self._touch(session)
        self._relieve()
        return session

    def find(self, scope: Scope) -> LiveSession:
        """Return a session that is in memory."""
        session = self._sessions.get(scope)
        if session is None:
            raise NotFound(
                f"nothing happens in session {scope.session!r}; what was said in it is stored"
            )
        return session

    async def begin(
        self, session: LiveSession, message: str, model: str | None = None, reference: str = ""
    ) -> int:
        """Begin a turn and return the number of the event before its first.

        A message with a reference that is known is not taken again: its sender did not hear that
        it was accepted.
        """
        reference = reference[:LONGEST_REFERENCE]
        if reference in session.references:
            return session.references[reference]
        if not message.strip():
            raise BadInput("the message is empty; say something")
        agent = await self._free(session, model)
        turn = agent.turn(message, session.scope)
        return self._start(session, turn, {"text": message, "id": reference}, reference)

    async def resume(self, session: LiveSession, model: str | None = None) -> int:
        """Go on with the turn that a crash cut off."""
        agent = await self._free(session, model)
        return self._start(session, agent.resume(session.scope), {"text": "", "resumed": True}, "")

    async def drain(self, seconds: float) -> None:
        """Begin nothing new; let running turns end, and interrupt those that take longer."""
        self.draining = True
        if self._running:
            await asyncio.wait(tuple(self._running), timeout=seconds)
        for session in self._sessions.values():
            session.cancel(by_user=False)
        if self._running:
            await asyncio.wait(tuple(self._running))
        for session in self._sessions.values():
            session.log.close()

    async def _free(self, session: LiveSession, model: str | None) -> Any:
        """Return the agent, once the session may begin a turn."""
        agent = await self.agents.get(model)
        if session.running is not None and session.turn is not None:
            if session.turn.outcome is None and not session.turn.interrupted:
                raise Busy(
                    f"session {session.scope.session!r} answers a message already; wait for its "
                    "`done`, cancel it, or use another session"
                )
            await asyncio.wait([session.running])  # it only stores its end
        if self.draining:
            raise Stopping(STOPPING)
        if session.is_busy:
            raise Busy(f"session {session.scope.session!r} has just begun to answer another")
        return agent

    def _start(
        self, session: LiveSession, turn: "Turn", said: dict[str, Any], reference: str
    ) -> int:
        before = session.log.last
        session.turn = turn
        self.turns += 1
        if reference:
            session.references[reference] = before
            while len(session.references) > self.config.references:
                session.references.popitem(last=False)
        session.log.add(
            "message", {name: one for name, one in said.items() if one or name == "text"}
        )
        session.running = asyncio.create_task(self._follow(session, turn))
        self._running.add(session.running)
        session.running.add_done_callback(self._running.discard)
        return before

    async def _follow(self, session: LiveSession, turn: "Turn") -> None:
        """Write the events of a turn into the log, until it has ended."""
        try:
            async for event in turn:
                self._tell(session, event)
        except Exception:
            log.exception("a turn of session %s broke", session.scope.session)
            if turn.outcome is None:
                failure = "the server failed on it; its log says where"
                self._tell(session, AgentEvent("error", failure))
        finally:
            session.turn, session.running = None, None
            session.waiting.clear()
            self._touch(session)
            self._relieve()

    def _tell(self, session: LiveSession, event: AgentEvent) -> None:
        if event.tool is not None and event.tool.request is not None:
            session.waiting[event.tool.id] = event.tool.request
        turn = session.turn
        if event.kind == "error" and turn and turn.interrupted and not turn.disapproved:
            event = replace(event, text=ENDED if self.draining else LEFT)
        session.log.add(event.kind, content_of(event))

    def _touch(self, session: LiveSession) -> None:
        session.used_at = asyncio.get_running_loop().time()
        self._sessions.move_to_end(session.scope)

    def _relieve(self) -> None:
        """Forget logs that nobody follows: old ones, and the oldest beyond the limits."""
        now = asyncio.get_running_loop().time()
        size = sum(one.log.size for one in self._sessions.values())
        for scope, session in tuple(self._sessions.items()):
            over = len(self._sessions) > self.config.sessions or size > self.config.bytes
            if not over and now - session.used_at < self.config.kept_seconds:
                return
            if (
                not session.is_busy
                and not session.log.wakers
                and scope != next(reversed(self._sessions))
            ):
                size -= session.log.size
                del self._sessions[scope]
