"""How long to wait before a model is asked again: longer each time, and as long as it asks for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits double from `first_seconds`; they vary by `jitter`, so that askers do not come in step.

    >>> [Backoff(0.5).wait(tries, spread=0.5) for tries in (1, 2, 3)]
    [0.5, 1.0, 2.0]
    >>> Backoff(0.5, most_seconds=3).wait(9, spread=0.5)
    3.0
    """

    first_seconds: float = 0.5
    most_seconds: float = 20.0
    jitter: float = 0.5

    def wait(self, tries: int, asked: float | None = None, *, spread: float) -> float:
        """Seconds to wait after so many tries; `spread` is a random number from 0 to 1.

        What a service asks for is a floor, and the jitter is added to it.

        >>> Backoff(0.5).wait(1, asked=7, spread=1.0)
        7.25
        """
        own = min(self.first_seconds * 2 ** (tries - 1), self.most_seconds)
        if asked is not None and asked > own:
            return asked + self.first_seconds * self.jitter * spread
        return own * (1 + self.jitter * (2 * spread - 1))
