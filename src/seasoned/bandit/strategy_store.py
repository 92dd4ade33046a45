"""Keeps what each strategy has learned about each decision."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from seasoned.core.ids import canonical
from seasoned.core.scope import Scope
from seasoned.db.database import Connection


@dataclass(slots=True)
class Kept:
    """One strategy's state for one decision, as the database has it."""

    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    state: Mapping[str, Any] = field(default_factory=dict[str, Any])
    learned: int = 0
    choices: int = 0
    chosen: dict[str, float] = field(default_factory=dict[str, float])


class StrategyStore:
    """Owns `strategies`."""

    async def hold(self, tx: Connection, scope: Scope, decision: str, strategy: str) -> Kept:
        """What is kept; others who would change it wait until this transaction ends."""
        row = await tx.fetch_one(
            "INSERT INTO strategies (tenant, project, decision, strategy, params, state, "
            "updated_at) VALUES (?, ?, ?, ?, '{}', '{}', 0) "
            "ON CONFLICT (tenant, project, decision, strategy) "
            "DO UPDATE SET choices = strategies.choices "
            "RETURNING params, state, learned, choices, chosen",
            (scope.tenant, scope.project, decision, strategy),
        )
        assert row is not None
        params, state, learned, choices, chosen = row
        return Kept(json.loads(params), json.loads(state), learned, choices, json.loads(chosen))

    async def keep(
        self, tx: Connection, scope: Scope, decision: str, strategy: str, kept: Kept, now: int
    ) -> None:
        await tx.execute(
            "UPDATE strategies SET params = ?, state = ?, learned = ?, choices = ?, chosen = ?, "
            "updated_at = ? WHERE tenant = ? AND project = ? AND decision = ? AND strategy = ?",
            (
                *(canonical(kept.params), canonical(kept.state), kept.learned, kept.choices),
                *(canonical(kept.chosen), now),
                *(scope.tenant, scope.project, decision, strategy),
            ),
        )

    async def chosen(
        self, tx: Connection, scope: Scope, decision: str, arm: str
    ) -> tuple[str, float] | None:
        """The strategy that chose this arm latest, and how likely that was."""
        rows: Sequence[tuple[str, str]] = await tx.fetch(
            "SELECT strategy, chosen FROM strategies WHERE tenant = ? AND project = ? "
            "AND decision = ? ORDER BY updated_at DESC",
            (scope.tenant, scope.project, decision),
        )
        for strategy, told in rows:
            propensity = json.loads(told).get(arm)
            if propensity is not None:
                return strategy, float(propensity)
        return None
