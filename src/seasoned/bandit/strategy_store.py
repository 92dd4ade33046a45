"""Store the state of each strategy for each decision."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from seasoned.core.ids import canonical
from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.db.keyset import Place, following

LATEST = "updated_at DESC, decision, strategy"


@dataclass(slots=True)
class StrategyState:
    """Settings and state of one strategy for one decision."""

    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    state: Mapping[str, Any] = field(default_factory=dict[str, Any])
    learned: int = 0  # number of the last experience that it learned from
    choices: int = 0
    chosen: dict[str, float] = field(default_factory=dict[str, float])  # propensity by arm


class StrategyStore:
    """Owns `strategies`."""

    async def hold(
        self, tx: Connection, scope: Scope, decision: str, strategy: str
    ) -> StrategyState:
        """Return the state and lock it until this transaction ends."""
        row = await tx.fetch_one(
            "INSERT INTO strategies (tenant, project, decision, strategy, params, state, "
            "updated_at) VALUES (?, ?, ?, ?, '{}', '{}', 0) "
            "ON CONFLICT (tenant, project, decision, strategy) "
            "DO UPDATE SET choices = strategies.choices "
            "RETURNING params, state, learned, choices, chosen",
            (scope.tenant, scope.project, decision, strategy),
        )
        assert row is not None
        return _state(*row)

    async def list(
        self, tx: Connection, scope: Scope, limit: int, after: Place | None = None
    ) -> Sequence[tuple[str, str, int, StrategyState]]:
        """Return decision, strategy, time of the last choice and state, the latest first."""
        later, place = following(LATEST, after)
        rows = await tx.fetch(
            "SELECT decision, strategy, updated_at, params, state, learned, choices, chosen "
            "FROM strategies WHERE tenant = ? AND project = ? AND updated_at > 0 "
            f"AND {later} ORDER BY {LATEST} LIMIT ?",
            (scope.tenant, scope.project, *place, limit),
        )
        return [(name, strategy, int(at), _state(*rest)) for name, strategy, at, *rest in rows]

    async def update(
        self,
        tx: Connection,
        scope: Scope,
        decision: str,
        strategy: str,
        state: StrategyState,
        now: int,
    ) -> None:
        await tx.execute(
            "UPDATE strategies SET params = ?, state = ?, learned = ?, choices = ?, chosen = ?, "
            "updated_at = ? WHERE tenant = ? AND project = ? AND decision = ? AND strategy = ?",
            (
                *(canonical(state.params), canonical(state.state), state.learned, state.choices),
                *(canonical(state.chosen), now),
                *(scope.tenant, scope.project, decision, strategy),
            ),
        )

    async def chosen(
        self, tx: Connection, scope: Scope, decision: str, arm: str
    ) -> tuple[str, float] | None:
        """Return the strategy that chose this arm last, and with which probability."""
        rows: Sequence[tuple[str, str]] = await tx.fetch(
            "SELECT strategy, chosen FROM strategies WHERE tenant = ? AND project = ? "
            "AND decision = ? ORDER BY updated_at DESC",
            (scope.tenant, scope.project, decision),
        )
        for strategy, propensities in rows:
            propensity = json.loads(propensities).get(arm)
            if propensity is not None:
                return strategy, float(propensity)
        return None


def _state(params: str, state: str, learned: int, choices: int, chosen: str) -> StrategyState:
    return StrategyState(
        json.loads(params), json.loads(state), learned, choices, json.loads(chosen)
    )
