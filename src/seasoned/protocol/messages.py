"""The messages of the learn protocol, in both revisions; needs the extra `server`.

Revision A has `skill_name`, `tool_name`, `skills`, `tools`; revision B has `component_name` and
`components`. Requests may use either, replies contain both. Unknown fields are ignored, enums are
accepted in any case, NaN and infinity are refused.
"""

from collections.abc import Sequence
from typing import Annotated, Any, cast

from seasoned.bandit.experience import Experience
from seasoned.core.clock import SECOND
from seasoned.core.extras import missing_extra
from seasoned.core.ids import canonical, digest
from seasoned.feedback.feedback import (
    SCORES,
    Dimension,
    Feedback,
    Giver,
    Polarity,
    RatedTurn,
    valid_feedback,
)
from seasoned.protocol.wire import VERSION

try:
    from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
except ImportError as missing:
    raise missing_extra("server", "the learn host needs pydantic") from missing

__all__ = ["REPLIES", "REQUESTS", "ValidationError"]

MOST_ITEMS = 10_000  # in one message
LATEST_SECONDS = 1e11  # the year 5138; a larger number is in milliseconds


def _lowered(value: Any) -> Any:
    return value.strip().lower() if isinstance(value, str) else value


def _or_empty(value: Any) -> Any:
    return "" if value is None else value


def _or_object(value: Any) -> Any:
    return {} if value is None else value


def _span(value: Any) -> Any:
    """Accept an object as well, as in the protocol's documentation."""
    if not isinstance(value, dict):
        return value
    given = cast("dict[str, Any]", value)
    return given.get("start"), given.get("end")


Text = Annotated[str, BeforeValidator(_or_empty)]
Object = Annotated[dict[str, Any], BeforeValidator(_or_object)]
AnyCase = BeforeValidator(_lowered)
Name = Annotated[str, BeforeValidator(_or_empty), Field(max_length=1000)]
Seconds = Annotated[float, Field(ge=0, le=LATEST_SECONDS)]
Place = Annotated[int, Field(ge=0, le=2**53)]


class WireModel(BaseModel):
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False, hide_input_in_errors=True)


class Envelope(WireModel):
    """The fields of every message."""

    type: str
    id: Text = ""
    version: Any = VERSION
    ts: Any = None


class Reply(Envelope):
    req_id: str = ""


class HandshakeRequest(Envelope):
    agent_id: Name = ""
    agent_caps: list[Any] = Field(default_factory=list[Any])
    auth_token: Text = ""


class AcceptedCapability(WireModel):
    capability: str
    enabled: bool = True
    metadata: dict[str, Any] = Field(default_factory=dict[str, Any])


class HandshakeResponse(Reply):
    type: str = "handshake/resp"
    session_id: str = ""
    accepted_caps: list[AcceptedCapability] = Field(default_factory=list[AcceptedCapability])
    max_parallel: int = 4
    ok: bool = True
    reason: str = ""


class Ping(Envelope):
    pass


class Pong(Reply):
    type: str = "pong"
    uptime_seconds: float = 0.0


class Shutdown(Envelope):
    timeout: Any = 10


class ErrorMessage(Reply):
    type: str = "error"
    code: str
    message: str
    detail: dict[str, Any] = Field(default_factory=dict[str, Any])
    retryable: bool = False
    capability_name: str = "learning"


class RatedTurnItem(WireModel):
    prompt: Text = ""
    response: Text = ""
    model: Text = ""
    environment: dict[str, Any] | None = None
    version: str | None = None


class FeedbackItem(WireModel):
    feedback_id: Name = ""
    correlation_id: Name = ""
    session_id: Name = ""
    rated_turn: RatedTurnItem | None = None
    polarity: Annotated[Polarity, AnyCase]
    score: float | None = None
    dimension: Annotated[Dimension, AnyCase] = "helpfulness"
    confidence: float = 1.0
    comment: Text = ""
    correction: Text = ""
    correction_span: Annotated[tuple[Place, Place] | None, BeforeValidator(_span)] = None
    source: Annotated[Giver, AnyCase] = "human"
    annotator_id: Name = ""
    ts: Seconds | None = None

    def feedback(self, now: int, *place: str) -> Feedback:
        """Build valid feedback; an item without an id gets one from its place in the request."""
        turn = self.rated_turn
        given = Feedback(
            id=self.feedback_id or digest(*place, canonical(self.model_dump())),
            polarity=self.polarity,
            # Clients send 0 when their caller gives no score.
            score=self.score or SCORES[self.polarity],
            dimension=self.dimension,
            confidence=self.confidence,
            comment=self.comment,
            correction=self.correction,
            correction_span=self.correction_span,
            source=self.source,
            annotator_id=self.annotator_id,
            correlation_id=self.correlation_id,
            session_id=self.session_id,
            turn=turn
            and RatedTurn(turn.prompt, turn.response, turn.model, turn.environment, turn.version),
            at=now if self.ts is None else int(self.ts * SECOND),
        )
        return valid_feedback(given)


class LearnFeedbackRequest(Envelope):
    feedbacks: list[FeedbackItem] = Field(max_length=MOST_ITEMS)

    def items(self, now: int, session: str) -> Sequence[Feedback]:
        return [
            item.feedback(now, session, self.id, str(place))
            for place, item in enumerate(self.feedbacks)
        ]


class LearnFeedbackResponse(Reply):
    type: str = "learn/feedback/resp"
    recorded: int
    new_score: float = 0.0
    scores_by_dimension: dict[str, float] = Field(default_factory=dict[str, float])
    note: str = ""


class ExperienceItem(WireModel):
    experience_id: Name = ""
    state: Object = Field(default_factory=dict[str, Any])
    action: Object = Field(default_factory=dict[str, Any])
    reward: float = 0.0
    next_state: Object = Field(default_factory=dict[str, Any])
    done: bool = False
    episode_id: Name = ""
    step: Place = 0
    ts: Seconds | None = None
    policy: Name = ""
    propensity: float | None = Field(default=None, gt=0, le=1)

    def experience(self, now: int, *place: str) -> Experience:
        return Experience(
            id=self.experience_id or digest(*place, canonical(self.model_dump())),
            state=self.state,
            action=self.action,
            reward=self.reward,
            next_state=self.next_state,
            done=self.done,
            episode_id=self.episode_id,
            step=self.step,
            at=now if self.ts is None else int(self.ts * SECOND),
            policy=self.policy,
            propensity=self.propensity,
        )


class LearnExperienceRequest(Envelope):
    experiences: list[ExperienceItem] = Field(max_length=MOST_ITEMS)

    def items(self, now: int, session: str) -> Sequence[Experience]:
        return [
            item.experience(now, session, self.id, str(place))
            for place, item in enumerate(self.experiences)
        ]


class LearnExperienceResponse(Reply):
    type: str = "learn/experience/resp"
    stored: int


class LearnAdaptRequest(Envelope):
    skill_name: Name = ""
    tool_name: Name = ""
    component_name: Name = ""
    strategy: Annotated[str, AnyCase, Field(max_length=1000)] = "ucb1"

    @property
    def name(self) -> str:
        return self.skill_name or self.component_name or self.tool_name


class LearnAdaptResponse(Reply):
    type: str = "learn/adapt/resp"
    updated: list[dict[str, Any]]
    message: str = ""


class LearnStatsRequest(Envelope):
    skill_name: Name = ""
    tool_name: Name = ""
    component_name: Name = ""

    @property
    def names(self) -> tuple[str, str]:
        """Name of the skill and of the tool; a component may be either."""
        return self.skill_name or self.component_name, self.tool_name or self.component_name


class LearnStatsResponse(Reply):
    type: str = "learn/stats/resp"
    skills: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    components: list[dict[str, Any]]


REQUESTS: dict[str, type[Envelope]] = {
    "handshake/req": HandshakeRequest,
    "ping": Ping,
    "shutdown": Shutdown,
    "learn/feedback/req": LearnFeedbackRequest,
    "learn/experience/req": LearnExperienceRequest,
    "learn/adapt/req": LearnAdaptRequest,
    "learn/stats/req": LearnStatsRequest,
}
REPLIES: dict[str, type[Reply]] = {
    "handshake/resp": HandshakeResponse,
    "pong": Pong,
    "error": ErrorMessage,
    "learn/feedback/resp": LearnFeedbackResponse,
    "learn/experience/resp": LearnExperienceResponse,
    "learn/adapt/resp": LearnAdaptResponse,
    "learn/stats/resp": LearnStatsResponse,
}
