"""Corrections that people give as feedback: queued with it, in one transaction."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.db.unit import Change
from seasoned.feedback.attribution import NOTHING
from seasoned.feedback.feedback import Feedback, corrected_response
from seasoned.feedback.feedback_store import FeedbackStore
from seasoned.rules.exchanges import Exchange, ExchangeStore

if TYPE_CHECKING:
    from seasoned.corrections import Correction
    from seasoned.rules.case import Case
    from seasoned.rules.turns import Turns

log = logging.getLogger("seasoned.feedback")

CORRECTION = "correction:"  # prefix of a correction's id in `feedback_links`


class Corrective:
    """`turns`, or a function that returns it, queues the corrections."""

    def __init__(self, turns: "Turns | Callable[[], Turns] | None", store: FeedbackStore) -> None:
        self._turns = turns
        self.store = store
        self.exchanges = ExchangeStore()

    @property
    def turns(self) -> "Turns | None":
        return self._turns() if callable(self._turns) else self._turns

    def read(self, items: Iterable[Feedback], scope: Scope, now: int) -> "Mapping[str, Case]":
        """Return the cases of those that correct, by their ids.

        What cannot be read is logged and stored as feedback only.
        """
        cases: dict[str, Case] = {}
        for item in items:
            if item.polarity != "corrective" or item.source != "human":
                continue
            try:
                case = self._case_of(item, scope, now)
            except Exception:
                log.exception("the correction in feedback %s was not queued", item.id)
            else:
                cases |= {item.id: case} if case else {}
        return cases

    def _case_of(self, item: Feedback, scope: Scope, now: int) -> "Case | None":
        if self.turns is None or not self.turns.config.enabled:
            return None
        from seasoned.rules.turns import case_of  # late: loads the language tables

        read = read_correction(item)
        if read is None:
            return None
        message, found, exchange = read
        return case_of(message, found, scope.within(item.session_id), exchange, now)

    async def prepare(self, cases: "Mapping[str, Case]") -> None:
        """Get ready for a transaction that queues these."""
        if cases and self.turns is not None:
            await self.turns.rules.prepare()

    async def queue(self, change: Change, cases: "Sequence[Case]", scope: Scope) -> int:
        """Queue corrections; return how many cases the cap evicted, for `forward`."""
        turns, evicted = self.turns if cases else None, 0
        if turns is None:
            return 0
        for case in cases:
            own = await self._in_own_session(change, case)
            evicted += (await turns.correct_within(change, own))[1]
        # An export with corrections leaves out those that were given as feedback.
        links = {f"{CORRECTION}{case.id}": NOTHING for case in cases}
        await self.store.link(change, scope, links, change.at)
        return evicted

    async def _in_own_session(self, tx: Connection, case: "Case") -> "Case":
        """Return the case without its session if that is somebody else's: no rule holds there."""
        scope = case.scope
        if not scope.session or not await self.exchanges.is_of_others(tx, scope):
            return case
        return replace(case, scope=scope.within(""))

    async def forward(self, cases: "Mapping[str, Case]", evicted: int, now: int) -> None:
        """Finish after the commit."""
        if cases and self.turns is not None:
            await self.turns.pending.forward(evicted, now)


def read_correction(given: Feedback) -> "tuple[str, Correction, Exchange] | None":
    """Return the correcting message, the correction in it and the corrected exchange.

    None if it changes nothing. The feedback's correction may be an instruction or the response
    as it should read.

    >>> from seasoned.feedback.feedback import RatedTurn
    >>> turn = RatedTurn("List them", "Run docker ps.")
    >>> given = Feedback("f1", "corrective", correction="Run podman ps.", turn=turn)
    >>> message, found, _ = read_correction(given)
    >>> found.kind.value, found.unwanted, found.wanted
    ('edited', 'docker', 'podman')
    """
    # Late: loads the language tables.
    from seasoned.corrections import Correction, CorrectionKind, edited, find_correction

    exchange = Exchange(given.turn.prompt, given.turn.response) if given.turn else Exchange()
    message = given.correction
    found = None
    if given.correction_span is None:
        found = find_correction(message, previous_reply=exchange.reply or None)
    if found is None and exchange.reply:
        message = corrected_response(exchange.reply, message, given.correction_span)
        found = edited(exchange.reply, message)
        if found is None:
            return None
    # The person said it outright, so the score is the confidence that was given.
    sure = found or Correction(CorrectionKind.INSTRUCTION, 1.0, (0, len(message)))
    return message, replace(sure, score=given.confidence), exchange
