"""The rules in a session's system prompt: they stay as they were, so that the prompt does too."""

from collections.abc import Sequence

from seasoned.recall.context import Context
from seasoned.recall.layers import HOLDS
from seasoned.recall.prompt_block import RULES


class StandingRules:
    """The rules in a session's system prompt, kept as they were as long as all of them hold.

    A rule learned during the session goes beside the messages. It moves up into the system prompt
    in the next session, or when one of the others no longer holds: until then, the provider's
    prompt cache keeps working.
    """

    def __init__(self, lines: Sequence[str] | None = None) -> None:
        self.lines = lines  # None before the first turn

    def blocks(self, context: Context) -> tuple[str, str]:
        """Return the block for the system prompt, and the block of rules learned since."""
        now = [entry.line for entry in context.entries if entry.why == HOLDS]
        if self.lines is None or not set(self.lines) <= set(now):
            self.lines = now
        newer = [line for line in now if line not in self.lines]
        return rules_block(self.lines), rules_block(newer)


def rules_block(lines: Sequence[str]) -> str:
    return "\n".join([RULES, *lines]) if lines else ""
