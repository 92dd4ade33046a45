"""Draws from Beta distributions quickly: a choice draws one for each arm (Cheng, 1978)."""

from collections.abc import Callable
from math import exp, log, sqrt

LOG4 = log(4)
SQUEEZE = 1 + log(5)
LARGEST_EXPONENT = 700.0


def drawn_beta(a: float, b: float, uniform: Callable[[], float]) -> float:
    """One value of Beta(a, b), both 1 or more; `uniform` is `Random.random`.

    >>> from random import Random
    >>> rng = Random(0)
    >>> mean = sum(drawn_beta(30, 10, rng.random) for _ in range(2000)) / 2000
    >>> 0.74 < mean < 0.76
    True
    """
    if a <= 1.0:
        return 1 - (1 - uniform()) ** (1 / b)
    if b <= 1.0:
        return (1 - uniform()) ** (1 / a)
    small, large = (a, b) if a < b else (b, a)
    both = a + b
    steep = sqrt((both - 2) / (2 * a * b - both))
    lean = small + 1 / steep
    while True:
        one, other = uniform(), uniform()
        if not (one and other):
            continue  # once in 10^16: it has no logarithm
        odds = steep * log(one / (1 - one))
        weight = small * exp(min(odds, LARGEST_EXPONENT))
        product = one * one * other
        bend = lean * odds - LOG4
        gap = small + bend - weight
        if gap + SQUEEZE >= 5 * product or gap >= (log_product := log(product)):
            break
        if bend + both * log(both / (large + weight)) >= log_product:
            break
    return (weight if small == a else large) / (large + weight)
