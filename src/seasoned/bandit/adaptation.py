"""Chooses between variants by what they earned, and says why; what it learned stays.

A decision has a name (usually a skill's), its arms are the variants. What was earned stands in the
experiences; each strategy learns from those that came since it was last asked, in their order.
So every strategy knows every reward, whoever it was that chose, and a restart loses nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from seasoned.bandit.experience import Experience
from seasoned.bandit.experiences import Experiences
from seasoned.bandit.performance import Performance, PerformanceRecord
from seasoned.bandit.policy import Choice, Policy
from seasoned.bandit.strategies import policy_from, strategy_named
from seasoned.bandit.strategy_store import Kept, StrategyStore
from seasoned.core.clock import Clock
from seasoned.core.errors import BadInput
from seasoned.core.ids import new_id
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact

MOST_LEARNED = 50_000  # rewards that one call catches up on; of more, the newest
MOST_ARMS = 1000
MOST_BORROWED = 100  # tries that a record may stand for, before there are rewards
NOTHING_KNOWN = (
    "nothing is known of {name!r} yet: name its arms, or record calls and experiences of it"
)


@dataclass(frozen=True, slots=True)
class Adapted:
    """How it performs, what to take now, and why; no choice when nothing is known."""

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
    ) -> Adapted:
        """The records of `name` and the arm to take now.

        Arms that are not given are those that were chosen between before or earned something;
        else the records whose names begin with `name/`; else `name` alone. With no name, they are
        all skills (or all tools). `params` are the strategy's settings, kept until others are
        given. With a `seed`, the same rewards lead to the same choice.
        """
        strategy_named(strategy, dict(params or {}))  # before anything is done
        name = storable(name)
        given = _checked(arms)
        records = await self.performance.records(scope)
        own = tuple(one for one in records if _is_about(one, name))

        async def adapted(tx: Connection) -> Adapted:
            kept = await self.store.hold(tx, scope, name, strategy.lower())
            policy = await self._caught_up(tx, kept, strategy, params, name, scope)
            open_arms = given or _arms(policy, kept, own, name)
            if not open_arms:
                return Adapted(name, strategy, own, None, (NOTHING_KNOWN.format(name=name),))
            kept.state = policy.state()  # what is borrowed is looked up anew each time
            _borrow(policy, open_arms, records, name)
            rng = Random() if seed is None else Random(f"{seed}:{policy.arms.seen}")
            choice = policy.choose(open_arms, rng)
            kept.choices += 1
            kept.chosen[choice.arm] = choice.propensity
            await self.store.keep(tx, scope, name, strategy.lower(), kept, self.clock.now())
            return Adapted(name, strategy, own, choice, choice.reasons)

        return await transact(self.db, adapted)

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
        """Says what an arm earned; every strategy learns from it. False if it was told before.

        `propensity` and `policy` are those of the last time that the arm was chosen, unless given.
        """
        if not arm:
            raise BadInput(f"the reward of {name!r} needs the arm that earned it")
        action = {"skill": name, "arm": arm} if name else {"skill": arm}
        told = Experience(
            id=id or new_id(),
            state=context or {},
            action=action,
            reward=value,
            policy=policy or "",
            propensity=propensity,
            at=self.clock.now(),
        )

        async def rewarded(tx: Connection) -> bool:
            known = told
            if policy is None:
                chosen = await self.store.chosen(tx, scope, storable(name), storable(arm))
                if chosen is not None:
                    likely = propensity if propensity is not None else chosen[1]
                    known = replace(told, policy=chosen[0], propensity=likely)
            return await self.experiences.add_within(tx, [known], scope) == 1

        return await transact(self.db, rewarded)

    async def _caught_up(
        self,
        tx: Connection,
        kept: Kept,
        strategy: str,
        params: Mapping[str, Any] | None,
        name: str,
        scope: Scope,
    ) -> Policy:
        """The strategy as it is after all that was earned since it was last asked."""
        kept.params = dict(params) if params is not None else kept.params
        policy = policy_from(strategy, kept.params, kept.state)
        earned = await self.experiences.store.rewards(tx, scope, name, kept.learned, MOST_LEARNED)
        for one in earned:
            policy.learn(one.arm, one.reward)
        if earned:
            kept.learned = earned[-1].number
        return policy


def _checked(arms: Sequence[str] | None) -> list[str]:
    if arms is None:
        return []
    if isinstance(arms, str):
        raise BadInput(f"arms is {arms!r}; give a list of names")
    known = list(dict.fromkeys(storable(str(arm)) for arm in arms))
    if not known or not all(known):
        raise BadInput("an arm without a name, or no arm at all; name those to choose from")
    if len(known) > MOST_ARMS:
        raise BadInput(f"{len(known)} arms are too many; at most {MOST_ARMS} can be chosen from")
    return known


def _is_about(record: PerformanceRecord, name: str) -> bool:
    return not name or record.name == name or record.name.startswith(f"{name}/")


def _arms(policy: Policy, kept: Kept, own: Sequence[PerformanceRecord], name: str) -> list[str]:
    """The arms of a decision when nobody names them."""
    tried = dict.fromkeys((*policy.arms.known, *kept.chosen))
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
    """Lets the record of an arm that earned nothing yet stand for what it would have earned.

    A score is taken if there is one, else the share of calls that succeeded, both as 0 to 1.
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
