"""Bounds of numbers from outside: beyond them sums and means overflow, or a column refuses them."""

LARGEST_REWARD = 1e100  # its square must be finite
LEAST_PROPENSITY = 1e-12
LONGEST_DURATION_MS = 366 * 86_400_000.0  # a year
LATEST = 2**62  # microseconds since 1970
LARGEST_COUNT = 2**62


def is_within(value: object, least: float, most: float) -> bool:
    """Whether it is a number in these bounds; NaN is not, nor is a truth value.

    >>> is_within(0.5, 0, 1), is_within(10**400, 0, 1e100), is_within(float("nan"), 0, 1)
    (True, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return least <= value <= most


def shown(value: object) -> str:
    """Return a number for a message; of a huge one only that it is huge.

    >>> shown(1.5), shown(10**5000)
    ('1.5', 'a number of more than 4000 digits')
    """
    try:
        return f"{value!r:.40}"
    except ValueError:  # Python refuses to write so many digits
        return "a number of more than 4000 digits"
