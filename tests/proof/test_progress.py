"""Whether an agent gets better, counted by day."""

from collections.abc import Callable

import pytest

from seasoned import Scope, Seasoned
from seasoned.core.clock import FixedClock
from seasoned.core.errors import BadInput
from seasoned.proof.progress import DayOfProgress

Opened = Callable[..., Seasoned]

ERROR = "day must be YYYY-MM-DD, e.g. 2027-01-31"


def today(s: Seasoned) -> DayOfProgress:
    return s.progress(days=1)[0]


def book(s: Seasoned, session: str, day: str, error: str | None = None) -> None:
    s.observe("book", {"day": day}, None if error else "booked", error, session=session)


def test_a_mistake_counts_as_repeated_from_its_second_session_on(seasoned: Seasoned) -> None:
    book(seasoned, "one", "30 May 2027", ERROR)
    book(seasoned, "one", "30. May 2027", ERROR)  # another try, not another mistake
    book(seasoned, "one", "2027-05-30")
    assert (today(seasoned).calls, today(seasoned).repeated) == (3, 0)
    book(seasoned, "two", "1 June 2027", ERROR)
    shown = today(seasoned)
    assert (shown.repeated, shown.hints) == (1, 1)
    assert shown.failures == {"misuse": 3}
    assert shown.learned == {"fix": 1}


def test_only_the_first_call_of_a_tool_in_a_session_is_a_first_call(seasoned: Seasoned) -> None:
    book(seasoned, "one", "30 May 2027", ERROR)
    book(seasoned, "one", "2027-05-30")
    book(seasoned, "two", "2027-06-01")
    book(seasoned, "two", "2 June 2027", ERROR)
    assert (today(seasoned).first_calls, today(seasoned).first_failed) == (2, 1)


def test_a_failing_test_is_no_mistake(seasoned: Seasoned) -> None:
    failed = "Exit code 1\nFAILED tests/test_a.py::test_one - assert 1 == 2\n1 failed in 0.1s"
    for session in ("one", "two"):
        seasoned.observe("shell", {"command": "pytest"}, error=failed, session=session)
    seasoned.observe("shell", {"command": "rm x"}, error="no", session="three", refused=True)
    shown = today(seasoned)
    assert shown.failures == {"check": 2, "refused": 1}
    assert (shown.repeated, shown.first_calls, shown.first_failed) == (0, 2, 0)


def test_turns_and_corrections_are_counted(seasoned: Seasoned) -> None:
    chat = seasoned.conversation("one")
    chat.user("Book a table.")
    chat.assistant("Booked.")
    chat.user("No. Always answer in German.")
    chat.assistant("Gebucht.")
    shown = today(seasoned)
    assert (shown.turns, shown.corrections) == (2, 1)
    assert not shown.learned  # the provisional rule ends with its session
    seasoned.corrections.learn()
    assert today(seasoned).learned == {"rule": 1, "example": 1}  # the reply is a bad example


def test_days_are_kept_apart_and_survive_a_restart(
    database_url: str, opened: Opened, clock: FixedClock
) -> None:
    s = opened(database_url, clock=clock)
    book(s, "one", "2027-05-30")
    clock.advance(days=2)
    book(s, "two", "2027-05-30")
    book(s, "two", "2027-05-31")
    s.close()
    s = opened(database_url, clock=clock)
    shown = s.progress(days=3)
    assert [day.calls for day in shown] == [1, 0, 2]
    assert [day.at for day in shown] == sorted(day.at for day in shown)
    with pytest.raises(BadInput, match="days is 0"):
        s.progress(days=0)


def test_a_project_sees_its_own_figures(database_url: str, opened: Opened) -> None:
    web = opened(database_url, tenant="acme", project="web", user="ana")
    book(web, "one", "2027-05-30")
    others = {
        "another project": {"tenant": "acme", "project": "api"},
        "another tenant": {"tenant": "evil"},
        "no tenant": {"project": "web"},
        "a user of no project": {"tenant": "acme", "user": "bob"},
        "a user of no tenant": {"user": "ana"},
    }
    web.close()
    for who, names in others.items():
        assert today(opened(database_url, **names)).calls == 0, who
    for names in ({"tenant": "acme"}, {}, {"tenant": "acme", "project": "web"}):
        assert today(opened(database_url, **names)).calls == 1, names
    narrow = opened(database_url, project="web", acts_in=Scope())
    assert today(narrow).calls == 0  # of no tenant's web
