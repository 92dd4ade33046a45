"""The face of anything that gives hints for failed tool calls."""

from collections.abc import Sequence
from typing import Protocol

from sessions_data import Event
from sessions_score import Advice


class System(Protocol):
    def observe(self, event: Event) -> Advice | None:
        """Take in one tool call; advise if it failed."""
        ...

    def end_session(self, events: Sequence[Event]) -> None: ...

    def close(self) -> None: ...
