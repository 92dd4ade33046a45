"""Choosing by reward: decisions, rewards, the performance of skills and tools; experiences."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from seasoned.api.feedback import moment
from seasoned.bandit.adaptation import AdaptationResult
from seasoned.bandit.call import Kind
from seasoned.bandit.experience import Experience
from seasoned.bandit.performance import DailyRecord, PerformanceRecord
from seasoned.core.ids import new_id
from seasoned.core.limits import LARGEST_REWARD, LEAST_PROPENSITY
from seasoned.server.rest.paging import After, Cursor, Limit, Page
from seasoned.server.rest.resource import CallersSeasoned, Resource
from seasoned.server.rest.views import Body, Count, GivenObject, Name, Time, Values, View

resource = Resource("adaptation")
CURSOR = Cursor("experiences", (str,))
STANDINGS = Cursor("standings", (int, str, str))
RewardValue = Annotated[float, Field(ge=-LARGEST_REWARD, le=LARGEST_REWARD)]
Propensity = Annotated[float, Field(ge=LEAST_PROPENSITY, le=1)]
SomeName = Annotated[str, Field(min_length=1, max_length=500)]


class Decision(Body):
    """A decision between arms; they default to those known from rewards and records."""

    name: Name = ""
    strategy: Annotated[
        str,
        Field(max_length=500, description="ucb1, epsilon_greedy, softmax, thompson or your own."),
    ] = "ucb1"
    arms: Annotated[list[SomeName], Field(min_length=1, max_length=1000)] | None = None
    seed: int | Name | None = None
    params: dict[str, Any] | None = None


class PerformanceView(View):
    """How a skill or tool performs."""

    name: str
    kind: Kind
    calls_total: int
    calls_success: int
    calls_failed: int
    success_rate: float | None
    avg_duration_ms: float | None
    p95_duration_ms: float | None
    avg_score: float | None
    scores: int
    last_called: Time | None


class ChoiceView(View):
    """The arm to take, and its probability of being chosen."""

    arm: str
    propensity: float
    reasons: list[str]


class AdaptationView(View):
    """The choice and its reasons; no choice if nothing is known yet."""

    name: str
    strategy: str
    choice: ChoiceView | None
    reasons: list[str]
    records: list[PerformanceView]


@resource.operation("POST", "/adapt", "learn", AdaptationView)
async def adapt(s: CallersSeasoned, body: Decision) -> AdaptationResult:
    """Choose between variants by the rewards they earned."""
    return await s.adapt(
        body.name, body.strategy, arms=body.arms, seed=body.seed, params=body.params
    )


class ArmView(View):
    """What an arm earned: its mean with the 95 % interval, and its probability now."""

    name: str
    tries: Annotated[float, Field(description="Rewards that still count.")]
    mean: float | None
    low: float | None
    high: float | None
    probability: float


class StandingView(View):
    """A strategy's view of a decision; `note` says why it has no arms, if it cannot be read."""

    name: str
    strategy: str
    params: Values
    choices: int
    rewards: int
    restarts: Annotated[int, Field(description="Detected changes of the rewards.")]
    chosen_at: Time
    arms: list[ArmView]
    note: str


class StandingPage(Page[StandingView]):
    """Some decisions with their strategies, the latest used first."""


@resource.operation("GET", "/adapt", "read", StandingPage)
async def list_standings(
    s: CallersSeasoned, limit: Limit = 50, cursor: After = None
) -> Mapping[str, Any]:
    """List the arms of each decision as each strategy sees them; nothing is chosen."""
    place = STANDINGS.read(cursor)
    return STANDINGS.page(await s.adaptation.standings(limit=limit + 1, after=place), limit)


class Reward(Body):
    """What an arm of a decision earned."""

    name: Name
    arm: SomeName
    value: RewardValue
    id: SomeName | None = None
    context: dict[str, Any] | None = None
    propensity: Propensity | None = None
    policy: Name | None = None


class RewardReceipt(View):
    """Whether the reward is new; an id counts once."""

    new: bool


@resource.operation("POST", "/reward", "learn", RewardReceipt, status=201)
async def reward(s: CallersSeasoned, body: Reward) -> Mapping[str, bool]:
    """Record what an arm earned, for every strategy."""
    new = await s.reward(
        body.name,
        body.arm,
        body.value,
        id=body.id,
        context=body.context,
        propensity=body.propensity,
        policy=body.policy,
    )
    return {"new": new}


class PerformanceRecords(View):
    """Records, most calls first."""

    items: list[PerformanceView]


@resource.operation("GET", "/performance", "read", PerformanceRecords)
async def list_performance(
    s: CallersSeasoned,
    name: Annotated[str | None, Query(max_length=500)] = None,
    kind: Kind | None = None,
    days: Annotated[int | None, Query(ge=1, le=400)] = None,
) -> Mapping[str, Sequence[PerformanceRecord]]:
    """Return how skills and tools perform, of all time or of the last days."""
    return {"items": await s.stats(name, kind=kind, days=days)}


class DailyView(View):
    """Calls and failures of each day, the oldest first; the last is today (UTC)."""

    name: str
    kind: Kind
    calls: list[int]
    failed: list[int]


class DailyRecords(View):
    """Records by day, most calls first."""

    items: list[DailyView]


@resource.operation("GET", "/performance/days", "read", DailyRecords)
async def list_daily_performance(
    s: CallersSeasoned,
    days: Annotated[int, Query(ge=1, le=400)] = 30,
    kind: Kind | None = None,
) -> Mapping[str, Sequence[DailyRecord]]:
    """Return how often skills and tools were called and failed on each of the last days."""
    return {"items": await s.adaptation.daily(days, kind=kind)}


class NewExperience(Body):
    """A step of an episode: the state, the action taken, the reward that followed."""

    id: Annotated[
        SomeName | None, Field(description="An id counts once: sending twice is safe.")
    ] = None
    state: GivenObject
    action: GivenObject
    reward: RewardValue = 0.0
    next_state: GivenObject
    done: bool = False
    episode_id: Name = ""
    step: Annotated[int, Field(ge=0, le=2**53)] = 0
    policy: Name = ""
    propensity: Propensity | None = None
    at: datetime | None = None


class NewExperiences(Body):
    """Experiences to store, all or nothing."""

    experiences: Annotated[list[NewExperience], Field(min_length=1, max_length=10_000)]


class ExperienceView(View):
    """An experience as it is stored."""

    id: str
    state: Values
    action: Values
    reward: float
    next_state: Values
    done: bool
    episode_id: str
    step: int
    at: Time
    policy: str
    propensity: float | None


class ExperiencePage(Page[ExperienceView]):
    """Some experiences, newest first."""


@resource.operation("POST", "/experiences", "learn", Count, status=201)
async def add_experiences(s: CallersSeasoned, body: NewExperiences) -> Mapping[str, int]:
    """Store experiences; the count is of those that are new."""
    items = [
        Experience(
            **one.model_dump(exclude={"id", "at"}),
            id=one.id or new_id(),
            at=moment("at", one.at) or 0,
        )
        for one in body.experiences
    ]
    return {"count": await s.experiences.add(items)}


@resource.operation("GET", "/experiences", "read", ExperiencePage)
async def list_experiences(
    s: CallersSeasoned,
    name: Annotated[str | None, Query(max_length=500, description="Of this decision.")] = None,
    limit: Limit = 50,
    cursor: After = None,
) -> Mapping[str, Any]:
    """List experiences, newest first."""
    place = CURSOR.read(cursor)
    rows = await s.experiences.list(name=name, limit=limit + 1, before=place[0] if place else None)
    return CURSOR.page(rows, limit, lambda one: (one.id,))


class ReplaySampleView(View):
    """A drawn experience, its probability, and its weight in training."""

    experience: ExperienceView
    probability: float
    weight: float


class ReplaySamples(View):
    """Drawn experiences, with replacement."""

    items: list[ReplaySampleView]


class Draw(Body):
    """How to draw experiences."""

    count: Annotated[int, Field(ge=1, le=1000)] = 32
    policy: Name | None = None
    on_policy: bool = True
    prioritised: bool = False
    beta: Annotated[float, Field(ge=0, le=10)] = 0.4
    seed: int | None = None


@resource.operation("POST", "/experiences/sample", "read", ReplaySamples)
async def sample_experiences(s: CallersSeasoned, body: Draw | None = None) -> Mapping[str, Any]:
    """Draw experiences for training, evenly or by priority."""
    chosen = body or Draw()
    drawn = await s.experiences.sample(**chosen.model_dump())
    return {"items": [asdict(one) for one in drawn]}
