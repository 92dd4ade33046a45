"""Store experiences, each once, numbered without gaps so that any can be sampled by number."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from seasoned.bandit.experience import Experience, arm_of, decision_of
from seasoned.bandit.sum_tree import SumTree
from seasoned.core.ids import canonical
from seasoned.core.limits import LARGEST_REWARD, LEAST_PROPENSITY
from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.security.stored import stored_name

ASKED_AT_ONCE = 500
COLUMNS = (
    "e.id, e.body, e.reward, e.done, e.episode_id, e.step, e.at, p.policy, e.propensity, e.number"
)
INSERTED = (
    *("tenant", "project", "user_id", "id", "number", "policy_id", "place", "decision", "arm"),
    *("reward", "propensity", "priority", "done", "episode_id", "step", "at", "body"),
)
SELECT = f"SELECT {COLUMNS} FROM experiences e JOIN experience_policies p ON p.id = e.policy_id"


@dataclass(frozen=True, slots=True)
class PolicySize:
    """A policy version and its number of experiences."""

    id: int
    policy: str
    size: int


@dataclass(frozen=True, slots=True)
class Reward:
    """The arm that was taken and its reward, for a strategy to learn from."""

    number: int
    arm: str
    reward: float
    propensity: float | None


class ExperienceStore:
    """Owns `experiences`, `experience_scopes` and `experience_policies`."""

    def __init__(self) -> None:
        self.sums = SumTree()

    async def hold(self, tx: Connection, scope: Scope) -> int:
        """Lock the experiences of this scope against other writers; return how many there are."""
        row = await tx.fetch_one(
            "INSERT INTO experience_scopes (tenant, project) VALUES (?, ?) "
            "ON CONFLICT (tenant, project) DO UPDATE SET size = experience_scopes.size "
            "RETURNING size",
            (scope.tenant, scope.project),
        )
        return int(row[0]) if row else 0

    async def add(
        self, tx: Connection, items: Sequence[Experience], scope: Scope, now: int
    ) -> Sequence[Experience]:
        """Store and return the experiences that are new."""
        size = await self.hold(tx, scope)
        unique = {stored_name(item.id): item for item in reversed(items)}
        known = await self._known(tx, scope, list(unique))
        new = [item for name, item in reversed(unique.items()) if name not in known]
        if not new:
            return ()
        by_policy: defaultdict[str, list[tuple[int, Experience]]] = defaultdict(list)
        for number, item in enumerate(new, start=size + 1):
            by_policy[stored_name(item.policy)].append((number, item))
        for policy, numbered in sorted(by_policy.items()):
            await self._append(tx, scope, policy, numbered, now)
        await tx.execute(
            "UPDATE experience_scopes SET size = ? WHERE tenant = ? AND project = ?",
            (size + len(new), scope.tenant, scope.project),
        )
        return new

    async def _append(
        self,
        tx: Connection,
        scope: Scope,
        policy: str,
        numbered: Sequence[tuple[int, Experience]],
        now: int,
    ) -> None:
        row = await tx.fetch_one(
            "INSERT INTO experience_policies (tenant, project, policy, size) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (tenant, project, policy) DO UPDATE "
            "SET size = experience_policies.size + excluded.size RETURNING id, size, highest",
            (scope.tenant, scope.project, policy, len(numbered)),
        )
        assert row is not None
        policy_id, first, priority = int(row[0]), int(row[1]) - len(numbered), float(row[2])
        await tx.insert(
            "experiences",
            INSERTED,
            [
                (
                    *(scope.tenant, scope.project, scope.user, stored_name(item.id), number),
                    *(policy_id, place, stored_name(decision_of(item.action))),
                    *(
                        stored_name(arm_of(item.action)),
                        float(item.reward),
                        item.propensity,
                        priority,
                    ),
                    *(int(item.done), stored_name(item.episode_id), item.step, item.at or now),
                    canonical([item.state, item.action, item.next_state]),
                )
                for place, (number, item) in enumerate(numbered, start=first)
            ],
        )
        await self.sums.grow(tx, policy_id, first, [priority] * len(numbered))

    async def _known(self, tx: Connection, scope: Scope, ids: Sequence[str]) -> set[str]:
        known: set[str] = set()
        for start in range(0, len(ids), ASKED_AT_ONCE):
            some = ids[start : start + ASKED_AT_ONCE]
            rows = await tx.fetch(
                "SELECT id FROM experiences WHERE tenant = ? AND project = ? "
                f"AND id IN ({_marks(some)})",
                (scope.tenant, scope.project, *some),
            )
            known.update(row[0] for row in rows)
        return known

    async def count(self, tx: Connection, scope: Scope) -> int:
        """Count the project's experiences, or those of the user that the scope names."""
        if scope.user:
            row = await tx.fetch_one(
                "SELECT count(*) FROM experiences WHERE tenant = ? AND project = ? AND user_id = ?",
                scope.fields()[:3],
            )
            return int(row[0]) if row else 0
        row = await tx.fetch_one(
            "SELECT size FROM experience_scopes WHERE tenant = ? AND project = ?",
            (scope.tenant, scope.project),
        )
        return int(row[0]) if row else 0

    async def policies(self, tx: Connection, scope: Scope) -> Sequence[PolicySize]:
        rows = await tx.fetch(
            "SELECT id, policy, size FROM experience_policies "
            "WHERE tenant = ? AND project = ? AND size > 0 ORDER BY id",
            (scope.tenant, scope.project),
        )
        return [PolicySize(*row) for row in rows]

    async def spots(
        self, tx: Connection, scope: Scope, policies: Sequence[int]
    ) -> Sequence[tuple[int, int, float]]:
        """Return policy, place and priority of a user's experiences of these policies, in order."""
        rows = await tx.fetch(
            "SELECT policy_id, place, priority FROM experiences WHERE tenant = ? AND project = ? "
            f"AND user_id = ? AND policy_id IN ({_marks(policies)}) ORDER BY policy_id, place",
            (scope.tenant, scope.project, scope.user, *policies),
        )
        return [(int(row[0]), int(row[1]), float(row[2])) for row in rows]

    async def at_places(
        self, tx: Connection, policy_id: int, places: Iterable[int]
    ) -> dict[int, Experience]:
        """Return the experiences at these places of a policy, by place."""
        found: dict[int, Experience] = {}
        wanted = sorted(set(places))
        for start in range(0, len(wanted), ASKED_AT_ONCE):
            some = wanted[start : start + ASKED_AT_ONCE]
            rows = await tx.fetch(
                f"SELECT e.place, {COLUMNS} FROM experiences e "
                "JOIN experience_policies p ON p.id = e.policy_id "
                f"WHERE e.policy_id = ? AND e.place IN ({_marks(some)})",
                (policy_id, *some),
            )
            found.update((int(row[0]), experience_from(row[1:])) for row in rows)
        return found

    async def latest(
        self,
        tx: Connection,
        scope: Scope,
        decision: str | None,
        limit: int,
        before: str | None = None,
    ) -> Sequence[Experience]:
        """Return the experiences of one decision or of all, newest first.

        `before` is the id of the last one of the page before.
        """
        whose, user = _of_user(scope, "e.")
        own, values = ("AND e.decision = ? ", (decision,)) if decision is not None else ("", ())
        order = "e.number" if own else "e.key"
        if before is not None:
            column = order.removeprefix("e.")
            own += (
                f"AND {order} < (SELECT b.{column} FROM experiences b "
                "WHERE b.tenant = ? AND b.project = ? AND b.id = ?) "
            )
            values = (*values, scope.tenant, scope.project, before)
        rows = await tx.fetch(
            f"{SELECT} WHERE e.tenant = ? AND e.project = ? {whose}{own}"
            f"ORDER BY {order} DESC LIMIT ?",
            (scope.tenant, scope.project, *user, *values, limit),
        )
        return [experience_from(row) for row in rows]

    async def named(
        self, tx: Connection, scope: Scope, ids: Sequence[str]
    ) -> dict[str, Experience]:
        """Return the experiences that exist under these ids, by id."""
        found: dict[str, Experience] = {}
        whose, user = _of_user(scope, "e.")
        for start in range(0, len(ids), ASKED_AT_ONCE):
            some = ids[start : start + ASKED_AT_ONCE]
            rows = await tx.fetch(
                f"{SELECT} WHERE e.tenant = ? AND e.project = ? {whose}"
                f"AND e.id IN ({_marks(some)})",
                (scope.tenant, scope.project, *user, *some),
            )
            found.update((str(row[0]), experience_from(row)) for row in rows)
        return found

    async def rewards(
        self, tx: Connection, scope: Scope, decision: str, after: int, limit: int
    ) -> Sequence[Reward]:
        """Return the newest rewards of a decision after a number, oldest first.

        Earlier versions stored rewards without bounds; those do not count.
        """
        rows = await tx.fetch(
            "SELECT number, arm, reward, propensity FROM experiences "
            "WHERE tenant = ? AND project = ? AND decision = ? AND number > ? "
            "AND abs(reward) <= ? ORDER BY number DESC LIMIT ?",
            (scope.tenant, scope.project, decision, after, LARGEST_REWARD, limit),
        )
        return [
            Reward(number, arm, reward, _propensity(propensity))
            for number, arm, reward, propensity in reversed(rows)
        ]

    async def prioritise(self, tx: Connection, scope: Scope, priorities: dict[str, float]) -> int:
        """Set the priorities of experiences by id; return how many were found."""
        await self.hold(tx, scope)
        changed: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
        ids = list(priorities)
        whose, user = _of_user(scope)
        for start in range(0, len(ids), ASKED_AT_ONCE):
            some = ids[start : start + ASKED_AT_ONCE]
            rows = await tx.fetch(
                "SELECT id, policy_id, place FROM experiences "
                f"WHERE tenant = ? AND project = ? {whose}AND id IN ({_marks(some)})",
                (scope.tenant, scope.project, *user, *some),
            )
            for name, policy_id, place in rows:
                changed[policy_id].append((place, priorities[name]))
        for policy_id, places in sorted(changed.items()):
            await tx.execute_many(
                "UPDATE experiences SET priority = ? WHERE policy_id = ? AND place = ?",
                [(priority, policy_id, place) for place, priority in sorted(places)],
            )
            await self.sums.refresh(tx, policy_id, [place for place, _ in places])
            highest = max(priority for _, priority in places)
            await tx.execute(
                "UPDATE experience_policies SET highest = ? WHERE id = ? AND highest < ?",
                (highest, policy_id, highest),
            )
        return sum(map(len, changed.values()))


def experience_from(row: Sequence[object]) -> Experience:
    name, body, reward, done, episode, step, at, policy, propensity, _ = row
    state, action, next_state = json.loads(str(body))
    return Experience(
        id=str(name),
        state=state,
        action=action,
        reward=min(LARGEST_REWARD, max(-LARGEST_REWARD, float(str(reward)))),
        next_state=next_state,
        done=bool(done),
        episode_id=str(episode),
        step=int(str(step)),
        at=int(str(at)),
        policy=str(policy),
        propensity=_propensity(None if propensity is None else float(str(propensity))),
    )


def _propensity(stored: float | None) -> float | None:
    """Return a stored propensity; one too small to divide by counts as unknown."""
    return stored if stored is not None and stored >= LEAST_PROPENSITY else None


def _of_user(scope: Scope, table: str = "") -> tuple[str, tuple[str, ...]]:
    """Return the condition for what a caller may read: without a user, the whole project's."""
    return (f"AND {table}user_id = ? ", (scope.user,)) if scope.user else ("", ())


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" for _ in values)
