"""Keeps the system prompt of a session as it was, as long as what it says still holds.

A rule that is learned in the middle of a session is told beside the messages from then on; it
moves up into the system prompt when the next session begins, or when one of the others is gone.
"""

from collections.abc import Sequence

from seasoned.recall.context import Context
from seasoned.recall.prompt_block import RULES
from seasoned.recall.retriever import HOLDS


class Standing:
    """The lines that stand in the system prompt of one session; None before its first turn."""

    def __init__(self, lines: Sequence[str] | None = None) -> None:
        self.lines = lines

    def told(self, context: Context) -> tuple[str, str]:
        """What stands in the system prompt, and what is told beside it since it changed."""
        now = [entry.line for entry in context.entries if entry.why == HOLDS]
        if self.lines is None or not set(self.lines) <= set(now):
            self.lines = now
        return block_of(self.lines), block_of([line for line in now if line not in self.lines])


def block_of(lines: Sequence[str]) -> str:
    return "\n".join([RULES, *lines]) if lines else ""
