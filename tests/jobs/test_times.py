"""Schedules run at the right times, also when the clocks change or the machine was off."""

import itertools
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from croniter import croniter
from hypothesis import given
from hypothesis import strategies as st

from seasoned.core.clock import iso
from seasoned.core.errors import BadInput
from seasoned.jobs.times import SECOND, Rule, missed

HOUR = 3600 * SECOND
ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])
MOMENTS = st.integers(1_700_000_000, 1_900_000_000).map(lambda second: second * SECOND)


def at(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp()) * SECOND


def following(rule: Rule, start: str, count: int) -> list[str]:
    found, now = list[str](), at(start)
    for _ in range(count):
        now = rule.after(now) or 0
        found.append(iso(now)[:16])
    return found


def test_a_time_that_the_clocks_skip_runs_once_when_they_move_on() -> None:
    nightly = Rule("cron", "30 2 * * *", "Europe/Berlin")
    assert following(nightly, "2026-03-28T12:00+00:00", 2) == [
        "2026-03-29T01:00",
        "2026-03-30T00:30",
    ]


def test_a_time_that_comes_twice_runs_the_first_time_only() -> None:
    nightly = Rule("cron", "30 2 * * *", "Europe/Berlin")
    assert following(nightly, "2026-10-24T12:00+00:00", 2) == [
        "2026-10-25T00:30",
        "2026-10-26T01:30",
    ]


def test_a_rule_for_every_half_hour_follows_real_time_when_the_clocks_change() -> None:
    half = Rule("cron", "*/30 * * * *", "Europe/Berlin")
    for start in ("2026-10-24T23:45+00:00", "2026-03-29T00:15+00:00"):
        times = [at(f"{one}+00:00") for one in following(half, start, 8)]
        gaps = {later - sooner for sooner, later in itertools.pairwise(times)}
        assert gaps == {HOUR // 2}


@pytest.mark.parametrize(
    ("zone", "day"),
    [
        *(("Australia/Lord_Howe", day) for day in ("2026-04-04", "2026-10-03")),  # half an hour
        *(("Europe/Berlin", day) for day in ("2026-03-28", "2026-10-24")),
        *(("America/New_York", day) for day in ("2026-03-07", "2026-10-31")),
        ("Pacific/Apia", "2011-12-29"),  # a whole day that never was
    ],
)
@pytest.mark.parametrize("text", ["0 * * * *", "*/15 * * * *", "45 */2 * * *", "30 * * * *"])
def test_a_rule_for_every_hour_runs_whenever_the_clock_shows_its_time(
    text: str, zone: str, day: str
) -> None:
    rule, start, minutes = Rule("cron", text, zone), at(f"{day}T00:00+00:00"), range(60 * 60)
    shown = [start + minute * 60 * SECOND for minute in minutes]
    expected = [one for one in shown if croniter.match(text, wall_clock(one, zone))]
    found, now = list[int](), start - SECOND
    while (now := rule.after(now) or 0) <= shown[-1]:
        found.append(now)
    assert found == expected


def wall_clock(now: int, zone: str) -> datetime:
    return datetime.fromtimestamp(now // SECOND, ZoneInfo(zone)).replace(tzinfo=None, fold=0)


@given(st.integers(0, 59), st.integers(0, 23), ZONES, MOMENTS)
def test_a_daily_rule_runs_once_on_every_day(minute: int, hour: int, zone: str, now: int) -> None:
    rule = Rule("cron", f"{minute} {hour} * * *", zone)
    first = rule.after(now)
    assert first is not None
    second = rule.after(first)
    assert second is not None
    assert now < first <= now + 26 * HOUR
    assert 22 * HOUR <= second - first <= 26 * HOUR


@given(st.integers(1, 100_000), MOMENTS, st.integers(0, 10_000_000))
def test_a_rhythm_is_kept_from_its_beginning(seconds: int, made: int, later: int) -> None:
    after = Rule("every", f"{seconds}s", made_at=made).after(made + later * SECOND)
    assert after is not None
    assert (after - made) % (seconds * SECOND) == 0
    assert 0 < after - (made + later * SECOND) <= seconds * SECOND


@pytest.mark.parametrize(("policy", "runs"), [("skip", 0), ("once", 1), ("all", 3)])
def test_what_was_missed_follows_the_policy(policy: str, runs: int) -> None:
    rule = Rule("cron", "0 9 * * *")
    due, upcoming = missed(rule, at("2026-05-01T09:00+00:00"), at("2026-05-03T18:00+00:00"), policy)  # pyright: ignore[reportArgumentType]
    assert len(due) == runs
    assert upcoming == at("2026-05-04T09:00+00:00")


def test_months_of_missed_minutes_are_bounded() -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    first, now = at(start.isoformat()), at((start + timedelta(days=90)).isoformat())
    due, upcoming = missed(Rule("cron", "* * * * *"), first, now, "all")
    assert len(due) == 100
    assert due[-1] == now
    assert upcoming == now + 60 * SECOND


def test_a_zone_named_by_its_city_is_suggested() -> None:
    for name, meant in (("Berlin", "Europe/Berlin"), ("america/new york", "America/New_York")):
        with pytest.raises(BadInput, match=f"did you mean {meant}"):
            Rule("every", "1h", name).check()


@pytest.mark.parametrize(
    "rule",
    [
        Rule("cron", "* * * *"),
        Rule("cron", "61 * * * *"),
        Rule("every", "soon"),
        Rule("at", "tomorrow"),
        Rule("cron", "0 9 * * *", "Mars/Olympus"),
        Rule("cron", "R R * * *"),  # a random time, another one at each question
        Rule("at", "0001-01-01T00:00", "Europe/Berlin"),
        Rule("at", "9999-12-31T23:59:59-23:00"),
    ],
)
def test_what_cannot_be_computed_is_refused(rule: Rule) -> None:
    with pytest.raises(BadInput):
        rule.check()
