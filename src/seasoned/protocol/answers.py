"""What each kind of request is answered with."""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from seasoned.core.clock import Clock
from seasoned.learning.feedback import checked
from seasoned.protocol.complaints import NotProven
from seasoned.protocol.host_config import HostConfig
from seasoned.protocol.messages import (
    AcceptedCapability,
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
    Message,
    Ping,
    Pong,
    Reply,
)
from seasoned.protocol.plugins import Plugins
from seasoned.protocol.records import records_of
from seasoned.protocol.session import Session, fingerprint, same_token
from seasoned.protocol.wire import CAPABILITY


class Answers:
    """Has the plugins do what is asked, and puts it into a reply."""

    def __init__(self, plugins: Plugins, config: HostConfig, clock: Clock, started: float) -> None:
        self._plugins = plugins
        self._config = config
        self._clock = clock
        self._started = started  # of the monotonic clock
        self._open: dict[type[Message], Callable[[Session, Any], Reply]] = {
            HandshakeRequest: self._handshake,
            Ping: self._ping,
        }
        self._learn: dict[type[Message], Callable[[Session, Any], Awaitable[Reply]]] = {
            LearnFeedbackRequest: self._feedback,
            LearnExperienceRequest: self._experience,
            LearnAdaptRequest: self._adapt,
            LearnStatsRequest: self._stats,
        }

    async def answer(self, session: Session, request: Message) -> Reply:
        at_once = self._open.get(type(request))
        if at_once is not None:
            return at_once(session, request)
        if not self._is_proven(session):
            raise NotProven(
                "this session has not shown the host's token; send handshake/req with auth_token"
            )
        return await self._learn[type(request)](session, request)

    def _is_proven(self, session: Session) -> bool:
        token = self._config.token
        return not token or same_token(session.proof, fingerprint(token, session.id))

    def _handshake(self, session: Session, request: HandshakeRequest) -> Reply:
        session.agent = request.agent_id
        token = self._config.token
        if token and not same_token(request.auth_token, token):
            session.proof = ""
            return HandshakeResponse(session_id=session.id, ok=False, reason="auth_failed")
        session.proof = fingerprint(token, session.id) if token else ""
        # Clients know a closed set of capabilities, and hang on any other.
        return HandshakeResponse(
            session_id=session.id,
            accepted_caps=[AcceptedCapability(capability=CAPABILITY)],
            max_parallel=self._config.max_parallel,
        )

    def _ping(self, session: Session, request: Ping) -> Reply:
        return Pong(uptime_seconds=time.monotonic() - self._started)

    async def _feedback(self, session: Session, request: LearnFeedbackRequest) -> Reply:
        items = [checked(each) for each in request.items(self._clock.now(), session.id)]
        recorded, scores = await self._call("_record_feedback", items)
        return LearnFeedbackResponse(recorded=recorded, **_scores(scores))

    async def _experience(self, session: Session, request: LearnExperienceRequest) -> Reply:
        items = request.items(self._clock.now(), session.id)
        return LearnExperienceResponse(stored=await self._call("_store_experiences", items))

    async def _adapt(self, session: Session, request: LearnAdaptRequest) -> Reply:
        updated = records_of(await self._call("_adapt", request.name, request.strategy))
        return LearnAdaptResponse(
            updated=[each.on_wire() for each in updated],
            message=f"Adapted {len(updated)} skills using {request.strategy}",
        )

    async def _stats(self, session: Session, request: LearnStatsRequest) -> Reply:
        found: Mapping[str, Any] = await self._call("_get_stats", *request.names)
        skills, tools = (
            [each.on_wire() for each in records_of(found.get(kind))] for kind in ("skills", "tools")
        )
        return LearnStatsResponse(skills=skills, tools=tools, components=skills + tools)

    async def _call(self, hook: str, *args: Any) -> Any:
        return await self._plugins.call(hook, *args, timed=self._config.concurrent)


def _scores(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The part of a reply that tells scores; a plugin may return just those by dimension.

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
