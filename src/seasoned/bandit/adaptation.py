"""Choose between variants by the rewards they earned, and explain the choice.

A decision has a name (usually a skill's) and arms, its variants. Rewards are stored as experiences;
each strategy learns from those that arrived since it was last asked, in their order. So every
strategy knows every reward, whichever strategy chose, and a restart loses nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from seasoned.bandit.experience import Experience
from seasoned.bandit.experiences import Experiences
from seasoned.bandit.performance import Performance, PerformanceRecord
from seasoned.bandit.policies.policy import Choice, Policy
from seasoned.bandit.policies.strategies import available, policy_from, strategy_named
from seasoned.bandit.standing import Standing, standings
from seasoned.bandit.strategy_store import StrategyState, StrategyStore
from seasoned.core.clock import Clock
from seasoned.core.errors import BadInput
from seasoned.core.ids import new_id
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.keyset import Place
from seasoned.db.unit import transact
from seasoned.security.stored import stored_name

MOST_LEARNED = 50_000  # rewards that one call catches up on; the newest, if there are more
MOST_ARMS = 1000
MOST_BORROWED = 100  # tries that a performance record may stand for
NOTHING_KNOWN = (
    "nothing is known of {name!r} yet: name its arms, or record calls and experiences of it"
)


@dataclass(frozen=True, slots=True)
class AdaptationResult:
    """Records, the arm to take now, and why; `choice` is None if nothing is known yet."""

    name: str
    strategy: str
    records: tuple[PerformanceRecord, ...]
    choice: Choice | None
    reasons: tuple[str, ...]


class Adaptation:
    def __init__(
        self, db: Database, performance: Performance, experiences: Experiences, clock: Clock
    ) -> None:
        self.db = db
        self.performance = performance
        self.experiences = experiences
        self.clock = clock
        self.store = StrategyStore()

    async def adapt(
        self,
        name: str,
        strategy: str,
        scope: Scope,
        *,
        arms: Sequence[str] | None = None,
        seed: int | str | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> AdaptationResult:
        """Return the records of `name` and choose the arm to take now.

        The arms default to those that were chosen or rewarded before, else to the records whose
        names begin with `name/`, else to `name` alone; without a name, to all skills (or tools).
        `params` are the strategy's settings, kept until others are given. With a `seed`, the same
        rewards lead to the same choice.
        """
        strategy_named(strategy, dict(params or {}))  # an unknown one is refused before any work
        asked, strategy = strategy.strip().lower(), available(strategy)
        instead = (f"{strategy} stands in for {asked}",) if strategy != asked else ()
        name = stored_name(name)
        given = _arm_names(arms)
        records = await self.performance.records(scope)
        own = tuple(one for one in records if _is_about(one, name))

        async def choose(tx: Connection) -> AdaptationResult:
            state = await self.store.hold(tx, scope, name, strategy)
            policy = await self._catch_up(tx, state, strategy, params, name, scope)
            open_arms = given or _arms(policy, state, own, name)
            if not open_arms:
                unknown = NOTHING_KNOWN.format(name=name)
                return AdaptationResult(name, strategy, own, None, (*instead, unknown))
            state.state = policy.state()  # before borrowing, which is done anew each time
            _borrow(policy, open_arms, records, name)
            rng = Random() if seed is None else Random(f"{seed}:{policy.arms.seen}")
            choice = policy.choose(open_arms, rng)
            state.choices += 1
            state.chosen[choice.arm] = choice.propensity
            await self.store.update(tx, scope, name, strategy, state, self.clock.now())
            return AdaptationResult(name, strategy, own, choice, (*instead, *choice.reasons))

        return await transact(self.db, choose)

    async def reward(
        self,
        name: str,
        arm: str,
        value: float,
        scope: Scope,
        *,
        id: str | None = None,  # noqa: A002 - as the experience calls it
        context: Mapping[str, Any] | None = None,
        propensity: float | None = None,
        policy: str | None = None,
    ) -> bool:
        """Record what an arm earned, for every strategy; return False if the id is known already.

        `propensity` and `policy` default to those of the last choice of this arm.
        """
        if not arm:
            raise BadInput(f"the reward of {name!r} needs the arm that earned it")
        action = {"skill": name, "arm": arm} if name else {"skill": arm}
        given = Experience(
            id=id or new_id(),
            state=context or {},
            action=action,
            reward=value,
            policy=policy or "",
            propensity=propensity,
            at=self.clock.now(),
        )

        async def add_reward(tx: Connection) -> bool:
            experience = given
            if policy is None:
                chosen = await self.store.chosen(tx, scope, stored_name(name), stored_name(arm))
                if chosen is not None:
                    likely = propensity if propensity is not None else chosen[1]
                    experience = replace(given, policy=chosen[0], propensity=likely)
            return await self.experiences.add_within(tx, [experience], scope) == 1

        return await transact(self.db, add_reward)

    async def standings(
        self, scope: Scope, limit: int, after: Place | None = None
    ) -> Sequence[Standing]:
        """Return what each strategy knows of each decision, the latest used first.

        Nothing is chosen and nothing is stored.
        """
        records = await self.performance.records(scope)
        async with self.db.read() as tx:
            return [
                await self._standing(tx, scope, records, *row)
                for row in await self.store.list(tx, scope, limit, after)
            ]

    async def _standing(
        self,
        tx: Connection,
        scope: Scope,
        records: Sequence[PerformanceRecord],
        name: str,
        strategy: str,
        at: int,
        state: StrategyState,
    ) -> Standing:
        try:
            policy = await self._catch_up(tx, state, strategy, None, name, scope)
        except BadInput as unknown:  # a strategy of the caller's own, not registered here
            return Standing(
                name, strategy, state.params, state.choices, 0, 0, at, note=str(unknown)
            )
        own = tuple(one for one in records if _is_about(one, name))
        arms = _arms(policy, state, own, name)
        rewards, restarts = policy.arms.seen, policy.arms.restarts
        _borrow(policy, arms, records, name)
        found = standings(policy, arms)
        return Standing(name, strategy, policy.params, state.choices, rewards, restarts, at, found)

    async def _catch_up(
        self,
        tx: Connection,
        state: StrategyState,
        strategy: str,
        params: Mapping[str, Any] | None,
        name: str,
        scope: Scope,
    ) -> Policy:
        """Restore the strategy and let it learn from the rewards since it was last asked."""
        state.params = dict(params) if params is not None else state.params
        policy = policy_from(strategy, state.params, state.state)
        earned = await self.experiences.store.rewards(tx, scope, name, state.learned, MOST_LEARNED)
        for one in earned:
            policy.learn(one.arm, one.reward)
        if earned:
            state.learned = earned[-1].number
        return policy


def _arm_names(arms: Sequence[str] | None) -> list[str]:
    if arms is None:
        return []
    if isinstance(arms, str):
        raise BadInput(f"arms is {arms!r}; give a list of names")
    known = list(dict.fromkeys(stored_name(str(arm)) for arm in arms))
    if not known or not all(known):
        raise BadInput("an arm without a name, or no arm at all; name those to choose from")
    if len(known) > MOST_ARMS:
        raise BadInput(f"{len(known)} arms are too many; at most {MOST_ARMS} can be chosen from")
    return known


def _is_about(record: PerformanceRecord, name: str) -> bool:
    return not name or record.name == name or record.name.startswith(f"{name}/")


def _arms(
    policy: Policy, state: StrategyState, own: Sequence[PerformanceRecord], name: str
) -> list[str]:
    """Return the arms of a decision that the caller did not name."""
    tried = dict.fromkeys((*policy.arms.known, *state.chosen))
    if name:
        variants = (one.name.removeprefix(f"{name}/") for one in own if one.name != name)
        found = list(dict.fromkeys((*tried, *variants))) or [one.name for one in own][:1]
    else:
        kind = "skill" if any(one.kind == "skill" for one in own) else "tool"
        found = list(dict.fromkeys((*tried, *(one.name for one in own if one.kind == kind))))
    return sorted(found)[:MOST_ARMS]


def _borrow(
    policy: Policy, arms: Sequence[str], records: Sequence[PerformanceRecord], name: str
) -> None:
    """Use the performance record of an arm that has no reward yet in place of rewards.

    Its mean score counts if it has one, else its success rate; both on the scale 0…1.
    """
    by_name = {one.name: one for one in reversed(records)}
    for arm in arms:
        record = by_name.get(f"{name}/{arm}") or by_name.get(arm)
        if policy.arms.of(arm).tries or record is None:
            continue
        rate = record.success_rate
        if record.avg_score is not None:
            value, times = (min(1.0, max(-1.0, record.avg_score)) + 1) / 2, record.scores
        elif rate is not None:
            value, times = rate, record.calls_success + record.calls_failed
        else:
            continue
        policy.arms.put(arm, min(times, MOST_BORROWED), value, value * (1 - value))
