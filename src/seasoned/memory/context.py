"""Choose the memories of a session that fit a request, besides its summary, and open inquiries.

The summary at the head of the history changes seldom. These memories are chosen for each request,
only from messages that are no longer shown.
"""

from collections.abc import Sequence

from seasoned.core.scope import Scope
from seasoned.core.text import one_line, within_budget
from seasoned.core.words import stem, telling_words
from seasoned.db.database import Connection
from seasoned.memory.inquiries import InquiryStore
from seasoned.memory.memory_store import MemoryStore

MOST_READ = 400  # latest observations and reflections
LEAST_COVERED = 0.3  # share of the request's words from which a line fits
LONGEST_LINE = 600
BUDGET = 4000


class MemoryContext:
    """Sources of prompt lines; recall calls them in its transaction."""

    def __init__(self, store: MemoryStore, inquiries: InquiryStore, tokens: int = BUDGET) -> None:
        self.store = store
        self.inquiries = inquiries
        self.tokens = tokens

    async def observations(
        self, tx: Connection, query: str, scope: Scope, most: int
    ) -> Sequence[str]:
        """Return observations that fit the request, from messages no longer shown."""
        if not scope.session:
            return ()
        summary, found = await self.store.hidden_observations(tx, scope, MOST_READ)
        return self._few(
            lines_for(query, [one.text for one in found if one.text not in summary]), most
        )

    async def reflections(
        self, tx: Connection, query: str, scope: Scope, most: int
    ) -> Sequence[str]:
        """Return pending inquiries, and reflections that fit the request."""
        pending = await self.inquiries.pending(tx, scope, most)
        summary, found = await self.store.latest_reflections(tx, scope, MOST_READ)
        lines = [line for one in found for line in one.text.splitlines()]
        asked = [f"Find out when it fits: {one.question}" for one in pending]
        fit = lines_for(query, [line for line in lines if line not in summary])
        return self._few([*asked, *fit], most)

    def _few(self, lines: Sequence[str], most: int) -> list[str]:
        cut = [one_line(line, LONGEST_LINE) for line in lines[:most]]
        return list(within_budget(self.tokens, [(line, line) for line in cut]))


def lines_for(query: str, lines: Sequence[str]) -> list[str]:
    """Return the lines that fit a request, best first; ties keep their order.

    >>> lines_for("when is the launch?", ["User: The launch is on May 3.", "User: I like tea."])
    ['User: The launch is on May 3.']
    """
    wanted = {stem(word) for word in telling_words(query)}
    covered = [
        (len(wanted & {stem(word) for word in telling_words(line)}) / max(1, len(wanted)), line)
        for line in lines
    ]
    best = sorted(covered, key=lambda pair: -pair[0])
    return [line for share, line in best if share >= LEAST_COVERED]
