"""Notices that an arm no longer earns what it did: its latest rewards beside all before them."""

from math import log

BLOCK = 32  # of an arm's latest rewards are compared with those before
LOOKS = 8  # at every so many rewards of an arm
LEAST_BEFORE = 10
CAUTION = 4.0  # added to the logarithm of all rewards, so that many looks raise no more alarms


def has_changed(
    latest: float, latest_mean: float, before: float, before_mean: float, rewards: float
) -> bool:
    """Whether so many latest rewards and those before can hardly have the same mean.

    Means are on the scale 0…1. The likelihood of two means against that of one (Bernoulli, which
    errs on the careful side for any reward in that range) must beat ln(rewards) + 4.

    >>> has_changed(8, 0.1, 1000, 0.9, 1008), has_changed(8, 0.7, 1000, 0.9, 1008)
    (True, False)
    """
    if before < LEAST_BEFORE:
        return False
    both = (latest * latest_mean + before * before_mean) / (latest + before)
    evidence = latest * _divergence(latest_mean, both) + before * _divergence(before_mean, both)
    return evidence > CAUTION + log(1 + rewards)


def _divergence(one: float, other: float) -> float:
    """How badly the mean `other` explains rewards of the mean `one` (Kullback and Leibler)."""
    other = min(1 - 1e-12, max(1e-12, other))
    told = 0.0
    if one > 0:
        told += one * log(one / other)
    if one < 1:
        told += (1 - one) * log((1 - one) / (1 - other))
    return told
