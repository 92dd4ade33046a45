"""Recognise an event that arrives twice.

Several assistants read Claude Code's settings beside their own, so one event may come once for each
of them, at the same moment. What it says must be learned once, and its answer given once.
"""

from collections import OrderedDict
from collections.abc import Callable

from seasoned.assistants.event import HookEvent
from seasoned.core.ids import canonical, digest
from seasoned.transcripts.identity import is_unique

NAMED_SECONDS = 600.0  # for events that carry an id
ALIKE_SECONDS = 3.0  # for those that are only alike: a person may say the same again
MOST = 5_000


class SeenEvents:
    """The events of the last minutes."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen: OrderedDict[str, float] = OrderedDict()  # until when each is remembered

    def is_known(self, event: HookEvent) -> bool:
        """Tell whether an event was seen before, and remember it."""
        now = self._clock()
        key, seconds = _identity(event)
        known = self._seen.get(key, 0.0) > now
        if not known:
            self._seen[key] = now + seconds
            self._seen.move_to_end(key)
            while len(self._seen) > MOST:
                self._seen.popitem(last=False)
        return known

    def forget(self, event: HookEvent) -> None:
        """Let an event count again whose handling failed."""
        self._seen.pop(_identity(event)[0], None)


def _identity(event: HookEvent) -> tuple[str, float]:
    if event.call:
        session = "" if is_unique(event.call) else event.session
        return digest(event.kind, session, event.call), NAMED_SECONDS
    if event.turn and event.kind == "prompt":
        return digest(event.kind, event.session, event.turn, event.text), NAMED_SECONDS
    said = canonical((event.text, event.params, event.output, event.agent))
    return digest(event.kind, event.session, event.tool, said), ALIKE_SECONDS
