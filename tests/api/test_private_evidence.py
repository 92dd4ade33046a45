"""What a lesson comes from belongs to those who said it: another user reads the lesson alone."""

from collections.abc import Callable

import pytest

from seasoned import Seasoned

pytestmark = pytest.mark.sqlite_only

DAY = "day must be YYYY-MM-DD, e.g. 2027-01-31"
PRIVATE = "guest of room 4711"
Opened = Callable[..., Seasoned]


@pytest.fixture
def fix(opened: Opened, database_url: str) -> str:
    """A fix of everybody, that a user of another tenant was hinted."""
    everybody = opened(database_url)
    for session in ("mine1", "mine2"):
        everybody.observe("rx", {"day": "30 May 2027"}, error=DAY, session=session)
        everybody.observe("rx", {"day": "2027-05-30"}, "ok", session=session)
    (lesson,) = everybody.lessons(kind="fix")
    ana = opened(database_url, tenant="acme", project="a", user="ana")
    given = {"day": "30 May 2027", "note": PRIVATE}
    assert ana.observe("rx", given, error=f"{DAY}, {PRIVATE}", session="ana-doctor") is not None
    ana.observe("rx", given | {"day": "2027-05-30"}, "ok", session="ana-doctor")
    return lesson.id


@pytest.mark.parametrize(
    "other",
    [
        {"tenant": "evil"},
        {"tenant": "acme", "project": "b"},
        {"tenant": "acme", "project": "a", "user": "bob"},
    ],
    ids=["tenant", "project", "user"],
)
def test_calls_sessions_and_words_of_others_are_not_told(
    opened: Opened, database_url: str, fix: str, other: dict[str, str]
) -> None:
    s = opened(database_url, **other)
    told = s.why(fix)
    assert told.lesson.id == fix
    assert told.evidence  # how often it worked is no secret
    shown = f"{told} {told.text} {s.history(fix)}"
    for secret in (PRIVATE, "ana-doctor", "mine1"):
        assert secret not in shown
    for error in s.errors():
        assert PRIVATE not in str(s.error(error.id))


def test_whoever_acts_for_everybody_reads_all_of_it(
    opened: Opened, database_url: str, fix: str
) -> None:
    told = opened(database_url).why(fix)
    assert "mine1" in str(told.evidence)
    assert "mine1" in told.text
    assert any(PRIVATE in one.detail for one in told.events)
