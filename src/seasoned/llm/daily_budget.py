"""What an agent's own turns may cost in a day, in dollars and in tokens."""

import logging
from dataclasses import dataclass

from seasoned.core.clock import Clock
from seasoned.core.errors import BudgetSpent, DatabaseError
from seasoned.db.connection import Connection
from seasoned.db.database import Database
from seasoned.db.transact import transact
from seasoned.llm.model import Answer
from seasoned.llm.prices import Price
from seasoned.llm.spending import AGENT, SpendingStore, day_of

log = logging.getLogger("seasoned.llm")


@dataclass(frozen=True, slots=True)
class Reserved:
    """What was set aside for one call."""

    day: str
    model: str
    price: Price
    usd: float


class DailyBudget:
    """Counts every call in the database; 0 dollars or tokens mean that there is no limit.

    Before a call the most that it may cost is set aside, after it that is replaced by what it did
    cost, so that several processes together overshoot by the cost of one call at most. Tokens are
    looked at before a call, and counted after it.
    """

    def __init__(
        self, db: Database, clock: Clock, *, daily_usd: float = 0, daily_tokens: int = 0
    ) -> None:
        self._db = db
        self._clock = clock
        self._store = SpendingStore(db)
        self._daily_usd = daily_usd
        self._daily_tokens = daily_tokens

    async def reserve(
        self, model: str, price: Price, input_tokens: int, output_tokens: int
    ) -> Reserved:
        """Raises `BudgetSpent` when the day's budget is used up."""
        day = day_of(self._clock.now())
        limited = self._daily_usd > 0 and not price.free
        usd = price.usd(input_tokens, output_tokens) if limited else 0.0

        async def work(tx: Connection) -> None:
            if self._daily_tokens:
                await self._check_tokens(tx, day)
            if limited:
                await self._store.reserve(tx, day, AGENT, model, usd, self._daily_usd)

        if limited or self._daily_tokens:
            await self._db.run_async(transact(self._db, work))
        return Reserved(day, model, price, usd)

    async def settle(self, reserved: Reserved, input_tokens: int, output_tokens: int) -> None:
        """Counts what the call took; nothing at all, when it was refused."""
        price = reserved.price
        usd = price.usd(input_tokens, output_tokens) - reserved.usd
        took = Answer({}, input_tokens, output_tokens)

        async def work(tx: Connection) -> None:
            if input_tokens or output_tokens:
                await self._store.add(tx, reserved.day, AGENT, reserved.model, took, usd)
            else:
                await self._store.release(tx, reserved.day, AGENT, reserved.model, reserved.usd)

        if not (input_tokens or output_tokens or reserved.usd):
            return
        try:
            await self._db.run_async(transact(self._db, work))
        except DatabaseError as error:  # the answer is paid for, and what was set aside stays so
            log.warning("%s: a call could not be counted (%s)", reserved.model, error)

    async def _check_tokens(self, tx: Connection, day: str) -> None:
        used = await self._store.tokens(tx, day)
        if used >= self._daily_tokens:
            raise BudgetSpent(
                f"{used} of the {self._daily_tokens} tokens for the agent are used on {day} (UTC); "
                "tomorrow there are more"
            )
