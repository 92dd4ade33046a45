"""Stop asking a model that keeps failing, and try it again after a pause."""

import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BreakerConfig:
    failures: int = 5  # in a row, until the breaker opens
    rest_seconds: float = 30


class Breaker:
    """Closed while a model answers, open while it rests, half-open while one request tests it.

    Times are seconds of any clock.

    >>> breaker = Breaker(BreakerConfig(failures=2, rest_seconds=30))
    >>> breaker.record_failure(0), breaker.record_failure(1), breaker.state(2)
    (None, None, 'open')
    >>> breaker.allows(10), breaker.allows(31), breaker.state(31), breaker.allows(31)
    (False, True, 'half-open', False)
    >>> breaker.record_success(), breaker.state(32)
    (None, 'closed')
    """

    def __init__(self, config: BreakerConfig | None = None) -> None:
        self.config = config or BreakerConfig()
        self._failures = 0
        self._until: float | None = None
        self._test_began: float | None = None
        self._turn = threading.Lock()

    def allows(self, now: float) -> bool:
        """Return whether the model may be asked; after a rest, one request may test it."""
        with self._turn:
            if self._until is None:
                return True
            if now < self._until or self._is_tested(now):
                return False
            self._test_began = now
            return True

    def record_success(self) -> None:
        with self._turn:
            self._failures, self._until, self._test_began = 0, None, None

    def record_failure(self, now: float, rest_seconds: float = 0) -> None:
        """Count a failure; open for `rest_seconds` if the model asked for that pause."""
        with self._turn:
            self._failures += 1
            if (
                self._test_began is not None
                or self._failures >= self.config.failures
                or rest_seconds
            ):
                self._until = now + (rest_seconds or self.config.rest_seconds)
            self._test_began = None

    def release(self) -> None:
        """End a test that showed nothing: the next request may test."""
        with self._turn:
            self._test_began = None

    def resting(self, now: float) -> float:
        """Return for how many more seconds the breaker stays open."""
        return max(0.0, (self._until or now) - now)

    def state(self, now: float) -> str:
        if self._until is None:
            return "closed"
        return "open" if now < self._until else "half-open"

    def _is_tested(self, now: float) -> bool:
        """Return whether a test is running; one that never ended doesn't block for good."""
        return self._test_began is not None and now - self._test_began < self.config.rest_seconds
