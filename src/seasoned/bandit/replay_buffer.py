"""Sample stored experiences for training: on- or off-policy, uniformly or by priority."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from seasoned.bandit.experience import Experience
from seasoned.bandit.experience_store import ExperienceStore, PolicySize
from seasoned.core.scope import Scope
from seasoned.db.database import Connection


@dataclass(frozen=True, slots=True)
class ReplaySample:
    """A sampled experience, its probability of being sampled, and its weight in training.

    `weight` is (size · probability) to the power of -beta, scaled to a maximum of 1. It corrects
    the bias that sampling by priority introduces (Schaul et al., 2016).
    """

    experience: Experience
    probability: float
    weight: float


class ReplayBuffer:
    """Samples with replacement; one sample reads a few hundred rows at most."""

    def __init__(self, store: ExperienceStore) -> None:
        self.store = store

    async def draw(
        self,
        tx: Connection,
        scope: Scope,
        count: int,
        *,
        policy: str | None,
        on_policy: bool,
        prioritised: bool,
        beta: float,
        rng: Random,
    ) -> Sequence[ReplaySample]:
        there = await self.store.policies(tx, scope)
        if policy is not None:
            there = [one for one in there if (one.policy == policy) == on_policy]
        if not there or count == 0:
            return ()
        if scope.user:
            return await self._of_user(tx, scope, there, count, beta if prioritised else None, rng)
        if prioritised:
            return await self._by_priority(tx, there, count, beta, rng)
        return await self._evenly(tx, there, count, rng)

    async def _of_user(
        self,
        tx: Connection,
        scope: Scope,
        there: Sequence[PolicySize],
        count: int,
        beta: float | None,
        rng: Random,
    ) -> Sequence[ReplaySample]:
        """Draw from a user's own experiences only; with `beta`, by priority."""
        own = await self.store.spots(tx, scope, [one.id for one in there])
        chances = [1.0 if beta is None else priority for _, _, priority in own]
        whole = sum(chances)
        if not own or whole <= 0:
            return ()
        drawn = rng.choices(range(len(own)), chances, k=count)
        found = await self._found(tx, [own[number][:2] for number in drawn])
        weights = [(len(own) * chances[number] / whole) ** -(beta or 0.0) for number in drawn]
        most = max(weights)
        return [
            ReplaySample(found[own[number][:2]], chances[number] / whole, weight / most)
            for number, weight in zip(drawn, weights, strict=True)
        ]

    async def _evenly(
        self, tx: Connection, there: Sequence[PolicySize], count: int, rng: Random
    ) -> Sequence[ReplaySample]:
        ends = list(accumulate(one.size for one in there))
        drawn = [rng.randrange(ends[-1]) for _ in range(count)]
        placed = [(bisect_right(ends, point), point) for point in drawn]
        spots = [
            (there[group].id, point - ends[group] + there[group].size) for group, point in placed
        ]
        found = await self._found(tx, spots)
        return [ReplaySample(found[spot], 1 / ends[-1], 1.0) for spot in spots]

    async def _by_priority(
        self, tx: Connection, there: Sequence[PolicySize], count: int, beta: float, rng: Random
    ) -> Sequence[ReplaySample]:
        totals = await self.store.sums.totals(tx, [one.id for one in there])
        ends = list(accumulate(totals.get(one.id, 0.0) for one in there))
        whole, size = ends[-1], sum(one.size for one in there)
        if whole <= 0:
            return await self._evenly(tx, there, count, rng)
        points: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
        for index in range(count):
            point = rng.random() * whole
            group = min(bisect_right(ends, point), len(there) - 1)
            start = ends[group] - totals.get(there[group].id, 0.0)
            points[there[group].id].append((index, point - start))
        spots: list[tuple[int, int]] = [(0, 0)] * count
        chances = [0.0] * count
        for policy_id, within in points.items():
            places = await self.store.sums.draw(tx, policy_id, [point for _, point in within])
            for (index, _), (place, priority) in zip(within, places, strict=True):
                spots[index], chances[index] = (policy_id, place), priority / whole
        found = await self._found(tx, spots)
        weights = [(size * chance) ** -beta for chance in chances]
        most = max(weights)
        return [
            ReplaySample(found[spot], chance, weight / most)
            for spot, chance, weight in zip(spots, chances, weights, strict=True)
        ]

    async def _found(
        self, tx: Connection, spots: Sequence[tuple[int, int]]
    ) -> dict[tuple[int, int], Experience]:
        places: defaultdict[int, set[int]] = defaultdict(set)
        for policy_id, place in spots:
            places[policy_id].add(place)
        found: dict[tuple[int, int], Experience] = {}
        for policy_id, wanted in places.items():
            there = await self.store.at_places(tx, policy_id, wanted)
            found.update(((policy_id, place), one) for place, one in there.items())
        return found
