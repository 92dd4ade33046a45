"""`LearnAPI`: the calls of an agent to a learn host, written once as async code.

client = connect("http://127.0.0.1:8420", token="…")
learn = LearnAPI(client)
learn.feedback(polarity="POSITIVE", score=0.9, prompt="What is 2+2?", response="4")
"""

import functools
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, TypeVar

from seasoned.core.errors import BadInput
from seasoned.core.ids import new_id
from seasoned.feedback.feedback import SCORES
from seasoned.protocol.client.connect import AsyncClient, Client
from seasoned.protocol.records import SkillPerformanceRecord, records_of

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FeedbackAnswer:
    """How many pieces of feedback were new, and the current scores."""

    recorded: int
    new_score: float = 0.0
    scores_by_dimension: Mapping[str, float] = field(default_factory=dict[str, float])
    note: str = ""


class AsyncLearnAPI:
    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def feedback(
        self,
        polarity: str | Sequence[Mapping[str, Any]] = "",
        score: float | None = None,
        dimension: str = "helpfulness",
        confidence: float = 1.0,
        prompt: str | None = None,
        response: str | None = None,
        source: str = "human",
        comment: str = "",
        correction: str = "",
        correction_span: tuple[int, int] | None = None,
        correlation_id: str = "",
        session_id: str = "",
        annotator_id: str = "",
        model: str = "",
        environment: Mapping[str, Any] | None = None,
        version: str | None = None,
        skill_name: str = "",
        tool_name: str = "",
    ) -> FeedbackAnswer:
        """Send feedback on an answer; enums in any case. The polarity implies the score.

        To send many at once, pass a list of mappings with these names as keys as `polarity`.
        """
        if isinstance(polarity, str):
            items = [
                feedback_item(
                    polarity=polarity,
                    score=score,
                    dimension=dimension,
                    confidence=confidence,
                    prompt=prompt,
                    response=response,
                    source=source,
                    comment=comment,
                    correction=correction,
                    correction_span=correction_span,
                    correlation_id=correlation_id,
                    session_id=session_id,
                    annotator_id=annotator_id,
                    model=model,
                    environment=environment,
                    version=version,
                    skill_name=skill_name,
                    tool_name=tool_name,
                )
            ]
        else:
            items = [_item(feedback_item, one, "feedback") for one in polarity]
        answer = await self._client.ask("learn/feedback/req", {"feedbacks": items})
        return FeedbackAnswer(
            int(answer.get("recorded") or 0),
            float(answer.get("new_score") or 0.0),
            answer.get("scores_by_dimension") or {},
            str(answer.get("note") or ""),
        )

    async def experience(self, experiences: Sequence[Mapping[str, Any]]) -> int:
        """Send steps (state, action, reward, next_state, done); return how many were new."""
        items = [_item(experience_item, one, "experience") for one in experiences]
        answer = await self._client.ask("learn/experience/req", {"experiences": items})
        return int(answer.get("stored") or 0)

    async def adapt(
        self, skill_name: str = "", strategy: str = "ucb1", *, component_name: str = ""
    ) -> list[SkillPerformanceRecord]:
        """Adapt a skill to the rewards of its variants; return the records."""
        name = skill_name or component_name
        fields = {"skill_name": name, "component_name": name, "strategy": strategy.lower()}
        return records_of((await self._client.ask("learn/adapt/req", fields)).get("updated"))

    async def stats(
        self, skill_name: str = "", tool_name: str = "", *, component_name: str = ""
    ) -> tuple[list[SkillPerformanceRecord], list[SkillPerformanceRecord]]:
        """Return performance records of skills and of tools: all, or those named."""
        fields = {
            "skill_name": skill_name,
            "tool_name": tool_name,
            "component_name": component_name,
        }
        answer = await self._client.ask("learn/stats/req", fields)
        return records_of(answer.get("skills")), records_of(answer.get("tools"))

    async def reward(
        self, skill_name: str = "", value: float = 0.0, correlation_id: str = ""
    ) -> FeedbackAnswer:
        """Send feedback of the environment for a skill, as one number."""
        polarity = "positive" if value > 0 else "negative" if value < 0 else "neutral"
        return await self.feedback(
            polarity=polarity,
            score=value,
            source="env",
            correlation_id=correlation_id,
            skill_name=skill_name,
        )


def _sync(
    method: Callable[Concatenate[AsyncLearnAPI, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate["LearnAPI", P], T]:
    @functools.wraps(method)
    def call(self: "LearnAPI", *args: P.args, **kwargs: P.kwargs) -> T:
        return self.client.drive(method(self.inner, *args, **kwargs))

    return call


class LearnAPI:
    """`AsyncLearnAPI` for synchronous code."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.inner = AsyncLearnAPI(client.inner)

    feedback = _sync(AsyncLearnAPI.feedback)
    experience = _sync(AsyncLearnAPI.experience)
    adapt = _sync(AsyncLearnAPI.adapt)
    stats = _sync(AsyncLearnAPI.stats)
    reward = _sync(AsyncLearnAPI.reward)


def feedback_item(
    *,
    polarity: str,
    prompt: str | None = None,
    response: str | None = None,
    model: str = "",
    environment: Mapping[str, Any] | None = None,
    version: str | None = None,
    skill_name: str = "",
    tool_name: str = "",
    correction_span: Sequence[int] | None = None,
    feedback_id: str = "",
    **rest: Any,
) -> dict[str, Any]:
    """Build one piece of feedback for the wire.

    It has no field for a skill; the environment of the rated turn names it.
    """
    about = {"skill": skill_name, "tool": tool_name}
    named = {**(environment or {}), **{kind: name for kind, name in about.items() if name}}
    turn = None
    if prompt is not None or response is not None or model or named or version:
        turn = {
            "prompt": prompt or "",
            "response": response or "",
            "model": model,
            "environment": named or None,
            "version": version or skill_name or None,
        }
    values = {**FEEDBACK, **rest}
    kind: Any = polarity.strip().lower()
    if unknown := values.keys() - FEEDBACK.keys():
        raise BadInput(f"feedback has no {', '.join(sorted(unknown))}; see LearnAPI.feedback")
    return {
        "feedback_id": feedback_id or new_id(),
        "rated_turn": turn,
        "polarity": kind,
        "correction_span": None if correction_span is None else list(correction_span),
        "ts": time.time(),
        **values,
        "score": SCORES.get(kind, 0.0) if values["score"] is None else values["score"],
        "dimension": str(values["dimension"]).lower(),
        "source": str(values["source"]).lower(),
    }


FEEDBACK: dict[str, Any] = {
    "correlation_id": "",
    "session_id": "",
    "score": None,
    "dimension": "helpfulness",
    "confidence": 1.0,
    "comment": "",
    "correction": "",
    "source": "human",
    "annotator_id": "",
}


def experience_item(**given: Any) -> dict[str, Any]:
    """Build one step for the wire; further keys are passed on."""
    return {
        "experience_id": given.get("experience_id") or new_id(),
        "state": {},
        "action": {},
        "reward": 0.0,
        "next_state": {},
        "done": False,
        "episode_id": "",
        "step": 0,
        "ts": time.time(),
        **{name: value for name, value in given.items() if name != "experience_id"},
    }


def _item(build: Callable[..., dict[str, Any]], given: Mapping[str, Any], what: str) -> Any:
    try:
        return build(**given)
    except TypeError as error:
        raise BadInput(f"a piece of {what} cannot be used: {error}") from error
