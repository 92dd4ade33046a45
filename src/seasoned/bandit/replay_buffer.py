"""Draws stored experiences for training: on-policy or off-policy, evenly or by priority."""

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
class Drawn:
    """An experience, how likely each draw was to be it, and how much it should count.

    `weight` is (size · probability) to the power of -beta, the largest of a draw being 1: it
    takes the bias out that drawing by priority brings in (Schaul et al., 2016).
    """

    experience: Experience
    probability: float
    weight: float


class ReplayBuffer:
    """Draws with replacement, as replay does; no draw reads more than a few hundred rows."""

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
    ) -> Sequence[Drawn]:
        there = await self.store.policies(tx, scope)
        if policy is not None:
            there = [one for one in there if (one.policy == policy) == on_policy]
        if not there or count == 0:
            return ()
        if prioritised:
            return await self._by_priority(tx, there, count, beta, rng)
        return await self._evenly(tx, there, count, rng)

    async def _evenly(
        self, tx: Connection, there: Sequence[PolicySize], count: int, rng: Random
    ) -> Sequence[Drawn]:
        ends = list(accumulate(one.size for one in there))
        drawn = [rng.randrange(ends[-1]) for _ in range(count)]
        placed = [(bisect_right(ends, point), point) for point in drawn]
        spots = [
            (there[group].id, point - ends[group] + there[group].size) for group, point in placed
        ]
        found = await self._found(tx, spots)
        return [Drawn(found[spot], 1 / ends[-1], 1.0) for spot in spots]

    async def _by_priority(
        self, tx: Connection, there: Sequence[PolicySize], count: int, beta: float, rng: Random
    ) -> Sequence[Drawn]:
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
            Drawn(found[spot], chance, weight / most)
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
