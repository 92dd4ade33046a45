"""What a prompt gets of a session's memory, beside its summary: what fits the request, and asks.

The summary stands at the head of the history and changes seldom. Here is what it has no room for,
chosen anew for each request; messages that are still shown need no reminder.
"""

from collections.abc import Sequence

from seasoned.core.scope import Scope
from seasoned.core.similarity import telling_words
from seasoned.core.stems import stem
from seasoned.core.text import one_line
from seasoned.core.tokens import within
from seasoned.db.database import Connection
from seasoned.memory.inquiry_store import InquiryStore
from seasoned.memory.memory_store import MemoryStore

LOOKED_AT = 400  # of the latest observations
LEAST_COVERED = 0.3  # of the request's words: what shares less is beside the point
LONGEST_LINE = 600
BUDGET = 4000


class MemoryContext:
    """Its methods are called at each recall, in its transaction."""

    def __init__(self, store: MemoryStore, inquiries: InquiryStore, tokens: int = BUDGET) -> None:
        self.store = store
        self.inquiries = inquiries
        self.tokens = tokens

    async def observations(
        self, tx: Connection, query: str, scope: Scope, most: int
    ) -> Sequence[str]:
        """What was said of this before, in this session, and is no longer shown."""
        if not scope.session:
            return ()
        summary, found = await self.store.out_of_sight(tx, scope, LOOKED_AT)
        return self._few(
            fitting(query, [one.text for one in found if one.text not in summary]), most
        )

    async def reflections(
        self, tx: Connection, query: str, scope: Scope, most: int
    ) -> Sequence[str]:
        """What the librarian would like to know, and what the session amounts to."""
        pending = await self.inquiries.pending(tx, scope, most)
        summary, found = await self.store.reflected(tx, scope, LOOKED_AT)
        lines = [line for one in found for line in one.text.splitlines()]
        asked = [f"Find out when it fits: {one.question}" for one in pending]
        fit = fitting(query, [line for line in lines if line not in summary])
        return self._few([*asked, *fit], most)

    def _few(self, lines: Sequence[str], most: int) -> list[str]:
        cut = [one_line(line, LONGEST_LINE) for line in lines[:most]]
        return list(within(self.tokens, [(line, line) for line in cut]))


def fitting(query: str, lines: Sequence[str]) -> list[str]:
    """The lines that speak of a request, the best first; of equals, the first one.

    >>> fitting("when is the launch?", ["User: The launch is on May 3.", "User: I like tea."])
    ['User: The launch is on May 3.']
    """
    wanted = {stem(word) for word in telling_words(query)}
    covered = [
        (len(wanted & {stem(word) for word in telling_words(line)}) / max(1, len(wanted)), line)
        for line in lines
    ]
    best = sorted(covered, key=lambda pair: -pair[0])
    return [line for share, line in best if share >= LEAST_COVERED]
