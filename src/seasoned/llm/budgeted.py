"""A model that stops when the day's budget is used up, and counts what it costs."""

import logging

from seasoned.core.clock import Clock
from seasoned.core.errors import DatabaseError, ModelError
from seasoned.db.connection import Connection
from seasoned.db.database import Database
from seasoned.db.transact import transact
from seasoned.llm.model import Answer, Model, Question, estimated_tokens
from seasoned.llm.prices import Price
from seasoned.llm.spending import SpendingStore, day_of

log = logging.getLogger("seasoned.llm")


class Budgeted:
    """Wraps a model; to be asked from a worker thread, never from the database's own.

    Before a call, the most it may cost is set aside in the database; after it, that is replaced
    by what it did cost. A process that dies in between leaves it set aside: it may have been
    billed. A model that is free is counted, and never refused.
    """

    def __init__(
        self,
        model: Model,
        *,
        db: Database,
        clock: Clock,
        price: Price,
        daily_usd: float,
        purpose: str,
    ) -> None:
        self.name = model.name
        self.price = price
        self._model = model
        self._db = db
        self._store = SpendingStore(db)
        self._clock = clock
        self._daily_usd = daily_usd
        self._purpose = purpose

    def answer(self, question: Question) -> Answer:
        """As the model answers; raises `BudgetSpent` when it may not be asked any more today."""
        day = day_of(self._clock.now())
        most = self._reserved(day, question)
        try:
            answer = self._model.answer(question)
        except ModelError as error:
            self._count(day, Answer({}, error.input_tokens, error.output_tokens), most)
            raise
        self._count(day, answer, most)
        return answer

    def _reserved(self, day: str, question: Question) -> float:
        if self.price.free:
            return 0.0
        asked = estimated_tokens(question.system + question.prompt)
        most = self.price.usd(asked, question.most_tokens)

        async def reserve(tx: Connection) -> None:
            await self._store.reserve(tx, day, self._purpose, self.name, most, self._daily_usd)

        self._db.run(transact(self._db, reserve))
        return most

    def _count(self, day: str, answer: Answer, reserved: float) -> None:
        usd = self.price.usd(answer.input_tokens, answer.output_tokens) - reserved

        async def add(tx: Connection) -> None:
            await self._store.add(tx, day, self._purpose, self.name, answer, usd)

        try:
            self._db.run(transact(self._db, add))
        except DatabaseError as error:  # the answer is paid for, and what was set aside stays so
            log.warning("%s: a call could not be counted (%s)", self.name, error)
