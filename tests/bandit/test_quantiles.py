"""Quantiles in bounded memory: close to the exact ones, independent of merge order."""

import json
from math import ceil, inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.bandit.quantiles import ACCURACY, MOST_BUCKETS, Quantiles
from seasoned.core.errors import BadInput

VALUES = st.lists(st.one_of(st.floats(0.5, 10_000), st.just(0.0)), min_size=1, max_size=200)
WILD = st.lists(st.floats(0, 1e12), max_size=200)


@given(values=VALUES, share=st.floats(0, 1))
def test_a_quantile_is_within_one_percent_of_the_exact_one(
    values: list[float], share: float
) -> None:
    exact = sorted(values)[max(0, ceil(share * len(values)) - 1)]
    found = Quantiles(values).quantile(share)
    assert found is not None
    assert abs(found - exact) <= ACCURACY * exact * (1 + 1e-9)


@given(one=WILD, other=WILD, third=WILD)
def test_merged_is_the_same_as_added_in_any_order(
    one: list[float], other: list[float], third: list[float]
) -> None:
    merged = Quantiles(third)
    left = Quantiles(one)
    left.merge(Quantiles(other))
    merged.merge(left)
    assert merged == Quantiles([*one, *other, *third])
    assert merged.count == len(one) + len(other) + len(third)


@given(values=WILD)
def test_it_survives_json(values: list[float]) -> None:
    sketch = Quantiles(values)
    assert Quantiles.from_state(json.loads(json.dumps(sketch.state()))) == sketch


def test_memory_stays_bounded_and_the_upper_quantiles_right() -> None:
    values = [10 ** (-6 + 18 * n / 5000) for n in range(5000)]
    sketch = Quantiles(values)
    assert len(sketch.state()["counts"]) <= MOST_BUCKETS
    assert len(json.dumps(sketch.state())) < 8000
    for share in (0.9, 0.95, 0.99, 1.0):
        exact = values[ceil(share * 5000) - 1]
        found = sketch.quantile(share)
        assert found is not None
        assert abs(found / exact - 1) <= ACCURACY * 1.001


def test_empty_quantiles_have_no_value() -> None:
    assert Quantiles().quantile(0.5) is None


@pytest.mark.parametrize("value", [-1.0, nan, inf])
def test_an_invalid_duration_is_refused(value: float) -> None:
    with pytest.raises(BadInput):
        Quantiles().add(value)
