"""Leaves a model alone that fails again and again, and tries it once more after a while."""

import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BreakerConfig:
    failures: int = 5  # in a row, until it is left alone
    rest_seconds: float = 30


class Breaker:
    """Closed while a model answers; open while it rests; half-open while one question tries it out.

    Times are seconds of any clock, handed in.

    >>> breaker = Breaker(BreakerConfig(failures=2, rest_seconds=30))
    >>> breaker.failed(0), breaker.failed(1), breaker.state(2)
    (None, None, 'open')
    >>> breaker.allows(10), breaker.allows(31), breaker.state(31), breaker.allows(31)
    (False, True, 'half-open', False)
    >>> breaker.succeeded(), breaker.state(32)
    (None, 'closed')
    """

    def __init__(self, config: BreakerConfig | None = None) -> None:
        self.config = config or BreakerConfig()
        self._failures = 0
        self._until: float | None = None
        self._trying: float | None = None
        self._turn = threading.Lock()

    def allows(self, now: float) -> bool:
        """Whether the model may be asked; when it was resting, one question is let through."""
        with self._turn:
            if self._until is None:
                return True
            if now < self._until or self._is_tried(now):
                return False
            self._trying = now
            return True

    def succeeded(self) -> None:
        with self._turn:
            self._failures, self._until, self._trying = 0, None, None

    def failed(self, now: float, rest_seconds: float = 0) -> None:
        """Counts a failure; a model that says how long it will not answer rests for so long."""
        with self._turn:
            self._failures += 1
            if self._trying is not None or self._failures >= self.config.failures or rest_seconds:
                self._until = now + (rest_seconds or self.config.rest_seconds)
            self._trying = None

    def passed(self) -> None:
        """What tried it out ended without a word on whether it works: the next may try."""
        with self._turn:
            self._trying = None

    def resting(self, now: float) -> float:
        """For how many seconds it is left alone still."""
        return max(0.0, (self._until or now) - now)

    def state(self, now: float) -> str:
        if self._until is None:
            return "closed"
        return "open" if now < self._until else "half-open"

    def _is_tried(self, now: float) -> bool:
        """Someone tries it out; one who never came back must not keep it shut for good."""
        return self._trying is not None and now - self._trying < self.config.rest_seconds
