"""Answer each kind of request by asking the plugins; turn failures into error replies."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from inspect import isawaitable, iscoroutinefunction
from typing import Any, cast

from seasoned.core.clock import Clock
from seasoned.core.errors import BadInput, DatabaseError, NotFound, SeasonedError, Unsupported
from seasoned.core.text import one_line
from seasoned.core.threads import wait_for
from seasoned.feedback.feedback import Feedback
from seasoned.protocol.host.host_config import HostConfig
from seasoned.protocol.host.sessions import AgentSession, AgentSessions
from seasoned.protocol.messages import (
    AcceptedCapability,
    Envelope,
    ErrorMessage,
    HandshakeRequest,
    HandshakeResponse,
    LearnAdaptRequest,
    LearnAdaptResponse,
    LearnExperienceRequest,
    LearnExperienceResponse,
    LearnFeedbackRequest,
    LearnFeedbackResponse,
    LearnStatsRequest,
    LearnStatsResponse,
    Ping,
    Pong,
    Reply,
    ValidationError,
)
from seasoned.protocol.plugin import LearnPlugin
from seasoned.protocol.records import SkillPerformanceRecord, records_of
from seasoned.protocol.wire import CAPABILITY, BadMessage

MOST_SHOWN = 10  # faults of one message
NOT_A_PERSON = "source human counts as env: this host asks for no token"


class NotAuthenticated(SeasonedError):
    """The session has not shown the token."""


# The first match counts: code, and whether the same message may succeed later.
CODES: tuple[tuple[tuple[type[Exception], ...], str, bool], ...] = (
    ((BadMessage, ValidationError, BadInput, NotFound), "invalid_message", False),
    ((NotAuthenticated,), "auth_failed", False),
    ((Unsupported,), "unsupported", False),
    ((DatabaseError,), "unavailable", True),
    ((TimeoutError,), "timeout", True),
    ((SeasonedError,), "refused", False),
)


class Answers:
    """Validates what a request needs, asks the plugins and builds the reply."""

    def __init__(
        self,
        plugins: Iterable[LearnPlugin],
        sessions: AgentSessions,
        config: HostConfig,
        clock: Clock,
        started: float,
    ) -> None:
        self._sessions = sessions
        self._plugins = PluginChain(plugins, config)
        self._config = config
        self._clock = clock
        self._started = started  # on the monotonic clock
        self._open: dict[type[Envelope], Callable[[AgentSession, Any], Reply]] = {
            HandshakeRequest: self._handshake,
            Ping: self._ping,
        }
        self._learn: dict[type[Envelope], Callable[[AgentSession, Any], Awaitable[Reply]]] = {
            LearnFeedbackRequest: self._feedback,
            LearnExperienceRequest: self._experience,
            LearnAdaptRequest: self._adapt,
            LearnStatsRequest: self._stats,
        }

    async def answer(self, session: AgentSession, request: Envelope) -> Reply:
        needs_no_token = self._open.get(type(request))
        if needs_no_token is not None:
            return needs_no_token(session, request)
        if not self._sessions.is_member(session):
            raise NotAuthenticated(
                "this session has not shown the host's token; send handshake/req with auth_token"
                + self._token_place
            )
        return await self._learn[type(request)](session, request)

    def close(self) -> None:
        self._plugins.close()

    @property
    def _token_place(self) -> str:
        place = self._config.token_place
        return f"; the token is in {place}" if place else ""

    def _handshake(self, session: AgentSession, request: HandshakeRequest) -> Reply:
        session.agent = request.agent_id
        if request.auth_token or not self._sessions.is_member(session):
            accepted = self._sessions.show(session, request.auth_token)
        else:
            accepted = True  # it showed the token in a header
        session.changed = True
        if not accepted:
            # A program compares the bare code; the author of an agent without a token reads more.
            more = "" if request.auth_token else f": send the host's token{self._token_place}"
            reason = f"auth_failed{more}"
            return HandshakeResponse(session_id=session.id, ok=False, reason=reason)
        # Clients know a closed set of capabilities, and hang on any other.
        return HandshakeResponse(
            session_id=session.id,
            accepted_caps=[AcceptedCapability(capability=CAPABILITY)],
            max_parallel=self._config.max_parallel,
        )

    def _ping(self, session: AgentSession, request: Ping) -> Reply:
        return Pong(uptime_seconds=time.monotonic() - self._started)

    async def _feedback(self, session: AgentSession, request: LearnFeedbackRequest) -> Reply:
        items = request.items(self._clock.now(), session.id)
        if not self._config.trusts_people:
            items = [_of_environment(item) for item in items]
        recorded, scores = await self._plugins.call("_record_feedback", items)
        return LearnFeedbackResponse(recorded=recorded, **_scores(scores))

    async def _experience(self, session: AgentSession, request: LearnExperienceRequest) -> Reply:
        items = request.items(self._clock.now(), session.id)
        return LearnExperienceResponse(stored=await self._plugins.call("_store_experiences", items))

    async def _adapt(self, session: AgentSession, request: LearnAdaptRequest) -> Reply:
        updated = records_of(await self._plugins.call("_adapt", request.name, request.strategy))
        return LearnAdaptResponse(
            updated=[each.on_wire() for each in updated],
            message=f"Adapted {len(updated)} skills using {_used(updated, request.strategy)}",
        )

    async def _stats(self, session: AgentSession, request: LearnStatsRequest) -> Reply:
        found: Mapping[str, Any] = await self._plugins.call("_get_stats", *request.names)
        skills, tools = (
            [each.on_wire() for each in records_of(found.get(kind))] for kind in ("skills", "tools")
        )
        return LearnStatsResponse(skills=skills, tools=tools, components=skills + tools)


def _of_environment(item: Feedback) -> Feedback:
    """Take feedback of a person for the environment's: whoever sent it showed no token."""
    if item.source != "human":
        return item
    return replace(item, source="env", flags=(*item.flags, NOT_A_PERSON))


class PluginChain:
    """Asks the plugin of highest priority, then the next one if it returns `NotImplemented`."""

    def __init__(self, plugins: Iterable[LearnPlugin], config: HostConfig) -> None:
        self._plugins = sorted(plugins, key=lambda each: -each.priority)
        self._seconds = config.hook_seconds
        self._timed = config.concurrent
        self._threads: dict[int, ThreadPoolExecutor] = {}

    async def call(self, hook: str, *args: Any) -> Any:
        for plugin in self._plugins:
            method = getattr(plugin, hook)
            if not iscoroutinefunction(method):
                answer = await self._in_thread(plugin, method, *args)
            elif self._timed:
                async with asyncio.timeout(self._seconds):
                    answer = await method(*args)
            else:
                answer = await method(*args)
            if answer is not NotImplemented:
                return answer
        raise Unsupported(f"no plugin of this host does {hook.strip('_').replace('_', ' ')}")

    async def _in_thread(self, plugin: LearnPlugin, method: Any, *args: Any) -> Any:
        """Call a synchronous hook in the plugin's own thread.

        A slow hook delays no other plugin, and a plugin's state sees one thread only.
        """
        thread = self._threads.get(id(plugin))
        if thread is None:
            thread = self._threads[id(plugin)] = ThreadPoolExecutor(1, f"plugin-{plugin.name}")
        answer = await wait_for(thread.submit(method, *args), self._seconds)
        return await answer if isawaitable(answer) else answer

    def close(self) -> None:
        for thread in self._threads.values():
            thread.shutdown(wait=False, cancel_futures=True)
        self._threads.clear()


def error_reply(error: Exception, message: Mapping[str, Any] | None = None) -> ErrorMessage:
    """Build the error message: what happened, to which message, whether to try again."""
    code, retryable = next(
        ((code, again) for kinds, code, again in CODES if isinstance(error, kinds)),
        ("internal_error", False),
    )
    kind = (message or {}).get("type")
    detail: dict[str, Any] = {"type": kind[:200]} if isinstance(kind, str) else {}
    text = str(error)
    if isinstance(error, BadMessage):
        text, detail = error.reason, detail | error.detail
    elif isinstance(error, ValidationError):
        faults = [
            {"at": ".".join(map(str, each["loc"])), "fault": one_line(each["msg"])}
            for each in error.errors(include_url=False, include_context=False, include_input=False)
        ]
        few = faults[:MOST_SHOWN]
        more = len(faults) - len(few)
        text = "; ".join(f"{each['at']}: {each['fault']}" for each in few)
        text += f"; and {more} more" if more else ""
        detail |= {"errors": few}
    elif isinstance(error, TimeoutError):
        text = "it took too long; try again"
    elif code == "internal_error":
        text = f"the host failed on it ({type(error).__name__}); its log says where"
    return ErrorMessage(code=code, message=text, detail=detail, retryable=retryable)


def _used(updated: Iterable[SkillPerformanceRecord], asked: str) -> str:
    """Name the strategy that chose, and the one it stood in for.

    >>> _used([SkillPerformanceRecord("grep", policy={"strategy": "softmax"})], "ppo")
    'softmax, which stands in for ppo'
    """
    used = next((each.policy.get("strategy") for each in updated), None) or asked
    return asked if used == asked else f"{used}, which stands in for {asked}"


def _scores(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the reply fields for scores; a plugin may return only scores by dimension.

    >>> _scores({"tone": 0.5, "safety": 1.0})
    {'new_score': 0.75, 'scores_by_dimension': {'tone': 0.5, 'safety': 1.0}}
    >>> _scores({"new_score": 0.2, "note": "fine"})
    {'new_score': 0.2, 'note': 'fine'}
    """
    scores = dict(given or {})
    named = {
        name: scores.pop(name)
        for name in ("new_score", "scores_by_dimension", "note")
        if name in scores
    }
    if named or not scores:
        return named
    values = cast("dict[str, float]", scores)
    return {"new_score": sum(values.values()) / len(values), "scores_by_dimension": values}
