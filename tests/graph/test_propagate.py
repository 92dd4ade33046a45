"""Propagating a change: same direction, bounded by evidence, reversible."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from seasoned.graph.propagate import FixCounts, move_confidence, share

COUNTS = st.floats(0, 200)
SHIFTS = st.floats(-1, 1)
SHARES = st.floats(0, 1)


@st.composite
def standings(draw: st.DrawFn) -> FixCounts:
    """A fix with a prior of 1 : 1, its evidence, and an allowed amount of borrowed evidence."""
    worked, failed = draw(COUNTS), draw(COUNTS)
    seen = worked + failed
    return FixCounts(1 + worked, 1 + failed, seen, draw(st.floats(-1, 1)) * seen)


def test_the_share_of_a_change_is_rate_times_similarity_times_delta() -> None:
    assert share(0.1, 0.8, 0.3) == pytest.approx(0.024)


def test_a_worked_example() -> None:
    """The giver goes from 2 : 1 to 3 : 1; the receiver, similarity 0.8, is at 2 : 1."""
    before = FixCounts(2, 1, seen=1)
    after = move_confidence(before, share(3 / 4 - 2 / 3, 0.8, 0.3))
    assert after.confidence == pytest.approx(2 / 3 + 0.02)
    assert after.counts == (pytest.approx(2.1915, abs=1e-4), 1)


def test_a_fix_without_evidence_borrows_nothing() -> None:
    assert move_confidence(FixCounts(1, 1, seen=0), 0.2) == FixCounts(1, 1, seen=0)


@given(standings(), SHIFTS)
def test_confidence_stays_between_nought_and_one(standing: FixCounts, by: float) -> None:
    assert 0 <= move_confidence(standing, by).confidence <= 1
    assert all(count >= 0 for count in move_confidence(standing, by).counts)


@given(standings(), SHIFTS)
def test_nobody_borrows_more_than_they_have_seen(standing: FixCounts, by: float) -> None:
    after = move_confidence(standing, by)
    assert abs(after.borrowed) <= max(standing.seen, abs(standing.borrowed))
    worked, failed, seen = standing.worked, standing.failed, standing.seen
    highest = (worked + seen) / (worked + failed + seen)
    lowest = worked / (worked + failed + seen)
    assert lowest - 1e-9 <= after.confidence <= highest + 1e-9


@given(standings(), SHIFTS)
def test_it_moves_the_way_of_the_change_and_no_further(standing: FixCounts, by: float) -> None:
    change = move_confidence(standing, by).confidence - standing.confidence
    assert change * by >= -1e-12
    assert abs(change) <= abs(by) + 1e-9


@given(standings(), st.floats(-0.05, 0.05))
def test_it_moves_all_the_way_where_the_bounds_allow(standing: FixCounts, by: float) -> None:
    after = move_confidence(standing, by)
    assume(abs(after.borrowed) < standing.seen)
    assert after.confidence == pytest.approx(standing.confidence + by, abs=1e-9)


@given(standings(), SHIFTS, SHIFTS)
def test_a_greater_change_never_moves_it_less(standing: FixCounts, a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert (
        move_confidence(standing, low).confidence
        <= move_confidence(standing, high).confidence + 1e-9
    )


@given(standings(), SHARES, SHARES, SHARES, SHARES, SHARES)
def test_more_alike_or_a_higher_rate_never_moves_it_less(
    standing: FixCounts, delta: float, alike: float, more: float, rate: float, higher: float
) -> None:
    alike, more = sorted((alike, more))
    rate, higher = sorted((rate, higher))
    for sign in (1, -1):
        weak = move_confidence(standing, share(sign * delta, alike, rate)).confidence
        strong = move_confidence(standing, share(sign * delta, more, higher)).confidence
        assert sign * (strong - weak) >= -1e-9


@given(standings(), SHARES, SHARES)
def test_nothing_comes_of_nothing(standing: FixCounts, delta: float, other: float) -> None:
    for nothing in (share(0, delta, other), share(delta, 0, other), share(delta, other, 0)):
        assert move_confidence(standing, nothing) == standing


@given(standings(), st.floats(-0.1, 0.1))
def test_up_and_down_by_the_same_is_where_it_was(standing: FixCounts, by: float) -> None:
    there = move_confidence(standing, by)
    assume(abs(there.borrowed) < standing.seen)
    back = move_confidence(there, -by)
    assert math.isclose(back.confidence, standing.confidence, abs_tol=1e-9)
    assert math.isclose(back.borrowed, standing.borrowed, rel_tol=1e-4, abs_tol=1e-4)


@given(standings())
def test_what_is_borrowed_beyond_ones_own_evidence_is_told(standing: FixCounts) -> None:
    less = FixCounts(standing.worked, standing.failed, standing.seen / 2, standing.borrowed)
    settled = less.borrowed - less.surplus
    assert abs(settled) <= less.seen + 1e-9
    assert abs(settled) <= abs(less.borrowed) + 1e-9
    assert settled * less.borrowed >= 0
