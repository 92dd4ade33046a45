"""Limit what models may cost in a day: reserve before each call, settle after it."""

import logging
from dataclasses import dataclass

from seasoned.core.clock import Clock
from seasoned.core.errors import BudgetSpent, DatabaseError
from seasoned.db.connection import Connection
from seasoned.db.database import Database
from seasoned.db.unit import transact
from seasoned.llm.cost.prices import Price
from seasoned.llm.cost.spending import AGENT, SpendingStore, day_of

log = logging.getLogger("seasoned.llm")


@dataclass(frozen=True, slots=True)
class Reservation:
    """The amount reserved for one call."""

    day: str
    model: str
    price: Price
    usd: float


class DailyBudget:
    """Count every call in the database under one purpose, and refuse calls beyond the limit.

    Before a call the most that it may cost is reserved; after it that is replaced by the true cost.
    So several processes together overshoot by the cost of one call at most. A process that dies in
    between leaves its reservation: the call may have been billed. Free models are counted and never
    refused. `daily_usd` None means no limit, 0 no call that costs anything; `daily_tokens` 0 means
    no limit, and tokens are checked before a call and counted after it.
    """

    def __init__(
        self,
        db: Database,
        clock: Clock,
        *,
        purpose: str = AGENT,
        daily_usd: float | None = None,
        daily_tokens: int = 0,
    ) -> None:
        self._db = db
        self._clock = clock
        self._purpose = purpose
        self._store = SpendingStore(db)
        self._daily_usd = daily_usd
        self._daily_tokens = daily_tokens

    async def reserve(
        self, model: str, price: Price, input_tokens: int, output_tokens: int
    ) -> Reservation:
        """Raise `BudgetSpent` if the day's budget is used up."""
        day = day_of(self._clock.now())
        limit = None if price.free else self._daily_usd
        usd = price.usd(input_tokens, output_tokens) if limit is not None else 0.0

        async def work(tx: Connection) -> None:
            if self._daily_tokens:
                await self._check_tokens(tx, day)
            if limit is not None:
                await self._store.reserve(tx, day, self._purpose, model, usd, limit)

        if limit is not None or self._daily_tokens:
            await self._db.run_async(transact(self._db, work))
        return Reservation(day, model, price, usd)

    async def settle(self, reserved: Reservation, input_tokens: int, output_tokens: int) -> None:
        """Book the tokens that the call took; none if it was refused."""
        day, model = reserved.day, reserved.model
        usd = reserved.price.usd(input_tokens, output_tokens) - reserved.usd
        tokens = (input_tokens, output_tokens)

        async def work(tx: Connection) -> None:
            if any(tokens):
                await self._store.add(tx, day, self._purpose, model, tokens, usd)
            else:
                await self._store.release(tx, day, self._purpose, model, reserved.usd)

        if not (any(tokens) or reserved.usd):
            return
        try:
            await self._db.run_async(transact(self._db, work))
        except DatabaseError as error:  # the answer is paid for, and its reservation stays
            log.warning("%s: a call could not be counted (%s)", model, error)

    async def _check_tokens(self, tx: Connection, day: str) -> None:
        used = await self._store.tokens(tx, day, self._purpose)
        if used >= self._daily_tokens:
            raise BudgetSpent(
                f"{used} of the {self._daily_tokens} tokens for {self._purpose} are used on {day} "
                "(UTC); tomorrow there are more"
            )
