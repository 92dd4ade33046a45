"""What models were asked, and what it cost, by day and purpose."""

from dataclasses import dataclass

from seasoned.core.clock import iso
from seasoned.core.errors import BudgetSpent
from seasoned.db.database import Connection, Database
from seasoned.llm.model import Answer


@dataclass(frozen=True, slots=True)
class Spending:
    """One row: what one model was asked for one purpose, on one day."""

    day: str
    purpose: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    usd: float


AGENT = "agent"  # the purpose that has a budget of its own; all others share one
SETTINGS = {True: "agent.dailyBudgetUsd", False: "llm.dailyBudgetUsd"}


def day_of(at: int) -> str:
    """
    >>> day_of(0)
    '1970-01-01'
    """
    return iso(at)[:10]


class SpendingStore:
    """Owns the table `model_spending`; its days are those of UTC."""

    def __init__(self, db: Database) -> None:
        # Two processes must not both see the last cent; on SQLite the transaction sees to it.
        self._locks = db.dialect == "postgres"

    async def reserve(
        self, tx: Connection, day: str, purpose: str, model: str, usd: float, budget_usd: float
    ) -> None:
        """Sets aside what a call may cost; refused when the day's budget is used up.

        What is in flight counts as spent, so that all processes together overshoot by the cost
        of one call at most.
        """
        if self._locks:
            await tx.execute("LOCK TABLE model_spending IN EXCLUSIVE MODE")
        agents = purpose == AGENT
        spent = await self.spent(tx, day, agents=agents)
        if spent >= budget_usd:
            raise BudgetSpent(
                f"${spent:.4f} of the ${budget_usd:g} for models are spent or in use on {day} "
                f"(UTC); what waits is done tomorrow, or raise {SETTINGS[agents]}"
            )
        await self._put(tx, day, purpose, model, (0, 0, 0, usd))

    async def add(
        self, tx: Connection, day: str, purpose: str, model: str, answer: Answer, usd: float
    ) -> None:
        """Counts a call; `usd` is its cost, less what was set aside for it."""
        counted = (1, answer.input_tokens, answer.output_tokens, usd)
        await self._put(tx, day, purpose, model, counted)

    async def release(self, tx: Connection, day: str, purpose: str, model: str, usd: float) -> None:
        """Gives back what was set aside for a call that cost nothing."""
        await self._put(tx, day, purpose, model, (0, 0, 0, -usd))

    async def spent(self, tx: Connection, day: str, *, agents: bool = False) -> float:
        """What the agent's own turns cost that day, or all that is learned in the background."""
        row = await tx.fetch_one(
            "SELECT coalesce(sum(usd), 0) FROM model_spending "
            f"WHERE day = ? AND purpose {'=' if agents else '<>'} ?",
            (day, AGENT),
        )
        return float(row[0]) if row else 0.0

    async def tokens(self, tx: Connection, day: str) -> int:
        """The tokens of the agent's own turns that day, in and out."""
        row = await tx.fetch_one(
            "SELECT coalesce(sum(input_tokens + output_tokens), 0) FROM model_spending "
            "WHERE day = ? AND purpose = ?",
            (day, AGENT),
        )
        return int(row[0]) if row else 0

    async def summary(self, tx: Connection, days: int) -> list[Spending]:
        """The last so many days on which models were asked, the latest first."""
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
