"""Store what model calls cost, by day, purpose and model."""

from dataclasses import dataclass

from seasoned.core.clock import iso
from seasoned.core.errors import BudgetSpent
from seasoned.db.database import Connection, Database


@dataclass(frozen=True, slots=True)
class Spending:
    """One row: the calls to one model for one purpose on one day."""

    day: str
    purpose: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    usd: float


AGENT = "agent"  # this purpose has its own budget; all others share one
BUDGET_SETTINGS = {True: "agent.dailyBudgetUsd", False: "llm.dailyBudgetUsd"}


def day_of(at: int) -> str:
    """
    >>> day_of(0)
    '1970-01-01'
    """
    return iso(at)[:10]


class SpendingStore:
    """Own the table `model_spending`; days are UTC."""

    def __init__(self, db: Database) -> None:
        # Two processes must not both see the last cent; SQLite transactions ensure that.
        self._locks = db.dialect == "postgres"

    async def reserve(
        self, tx: Connection, day: str, purpose: str, model: str, usd: float, budget_usd: float
    ) -> None:
        """Reserve what a call may cost; raise `BudgetSpent` if the day's budget is used up.

        Calls in flight count as spent, so that all processes together overshoot by the cost of
        one call at most.
        """
        if self._locks:
            await tx.execute("LOCK TABLE model_spending IN EXCLUSIVE MODE")
        agents = purpose == AGENT
        spent = await self.spent(tx, day, agents=agents)
        if spent >= budget_usd:
            raise BudgetSpent(
                f"${spent:.4f} of the ${budget_usd:g} for models are spent or reserved on {day} "
                f"(UTC); the rest waits until tomorrow, or raise {BUDGET_SETTINGS[agents]}"
            )
        await self._put(tx, day, purpose, model, (0, 0, 0, usd))

    async def add(
        self,
        tx: Connection,
        day: str,
        purpose: str,
        model: str,
        tokens: tuple[int, int],
        usd: float,
    ) -> None:
        """Count a call with its tokens, in and out; `usd` is its cost less its reservation."""
        await self._put(tx, day, purpose, model, (1, *tokens, usd))

    async def release(self, tx: Connection, day: str, purpose: str, model: str, usd: float) -> None:
        """Give back the reservation of a call that cost nothing."""
        await self._put(tx, day, purpose, model, (0, 0, 0, -usd))

    async def spent(self, tx: Connection, day: str, *, agents: bool = False) -> float:
        """Return that day's cost of the agent's turns, or else of all background learning."""
        row = await tx.fetch_one(
            "SELECT coalesce(sum(usd), 0) FROM model_spending "
            f"WHERE day = ? AND purpose {'=' if agents else '<>'} ?",
            (day, AGENT),
        )
        return float(row[0]) if row else 0.0

    async def tokens(self, tx: Connection, day: str, purpose: str) -> int:
        """Return the tokens of one purpose on that day, in and out."""
        row = await tx.fetch_one(
            "SELECT coalesce(sum(input_tokens + output_tokens), 0) FROM model_spending "
            "WHERE day = ? AND purpose = ?",
            (day, purpose),
        )
        return int(row[0]) if row else 0

    async def summary(self, tx: Connection, days: int) -> list[Spending]:
        """Return the last `days` days that have calls, the latest first."""
        rows = await tx.fetch(
            "SELECT day, purpose, model, calls, input_tokens, output_tokens, usd "
            "FROM model_spending WHERE day IN "
            "(SELECT DISTINCT day FROM model_spending ORDER BY day DESC LIMIT ?) "
            "ORDER BY day DESC, usd DESC, purpose, model",
            (days,),
        )
        return [Spending(*row) for row in rows]

    async def _put(
        self,
        tx: Connection,
        day: str,
        purpose: str,
        model: str,
        counts: tuple[int, int, int, float],
    ) -> None:
        await tx.execute(
            "INSERT INTO model_spending "
            "(day, purpose, model, calls, input_tokens, output_tokens, usd) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (day, purpose, model) DO UPDATE SET "
            "calls = model_spending.calls + excluded.calls, "
            "input_tokens = model_spending.input_tokens + excluded.input_tokens, "
            "output_tokens = model_spending.output_tokens + excluded.output_tokens, "
            "usd = model_spending.usd + excluded.usd",
            (day, purpose, model, *counts),
        )
