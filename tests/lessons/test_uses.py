"""In which sessions a lesson was given: by recall, as a hint, in a note; for its caller's eyes."""

from collections.abc import Callable

import pytest
from tests.server.live.scripts import wait_until

from seasoned import Seasoned
from seasoned.core.clock import SECOND, FixedClock
from seasoned.lessons.uses import MOST_KEPT

RULE = "Deploy to staging before production."


def sessions_of(s: Seasoned, lesson: str) -> dict[str, int]:
    return {one.scope.session: one.times for one in s.why(lesson).uses}


def test_recall_a_hint_and_a_note_are_counted_in_their_sessions(seasoned: Seasoned) -> None:
    rule = seasoned.teach(rule=RULE).id
    fix = seasoned.teach("the gate is shut", fix="Open the gate first.", tool="walk").id
    for _ in range(2):
        seasoned.recall("deploy the new version", session="monday")
    seasoned.observe("walk", {"to": "park"}, error="the gate is shut", session="tuesday")
    seasoned.tool_notes("walk", session="wednesday")
    wait_until(lambda: sessions_of(seasoned, rule).get("monday") == 2)
    wait_until(lambda: {*sessions_of(seasoned, fix)} >= {"tuesday", "wednesday"})
    assert "in session monday, 2 times" in seasoned.why(rule).text


def test_the_nightly_tidying_keeps_the_latest_sessions(
    seasoned: Seasoned, clock: FixedClock
) -> None:
    fix = seasoned.teach("the gate is shut", fix="Open the gate first.", tool="walk").id
    for number in range(MOST_KEPT + 5):
        seasoned.observe("walk", {"to": "park"}, error="the gate is shut", session=f"s{number}")
        clock.advance(seconds=1)
    app = seasoned.inner.app
    app.db.run(app.unit.run(app.unit.change(lambda tx: app.lessons.uses.forget_old(tx, None))))
    kept = sessions_of(seasoned, fix)
    assert len(kept) == MOST_KEPT
    assert f"s{MOST_KEPT + 4}" in kept
    assert "s0" not in kept
    assert seasoned.lesson(fix).times_given == MOST_KEPT + 5
    before = clock.now() - 3 * SECOND
    app.db.run(app.unit.run(app.unit.change(lambda tx: app.lessons.uses.forget_old(tx, before))))
    assert len(sessions_of(seasoned, fix)) == 3


@pytest.mark.sqlite_only
def test_another_users_sessions_are_not_shown_and_an_operator_sees_all(
    opened: Callable[..., Seasoned], database_url: str
) -> None:
    operator = opened(database_url)
    fix = operator.teach("the gate is shut", fix="Open the gate first.", tool="walk").id
    for user in ("ana", "bob"):
        opened(database_url, user=user).observe(
            "walk", {"to": "park"}, error="the gate is shut", session=f"of {user}"
        )
    assert {*sessions_of(opened(database_url, user="ana"), fix)} == {"of ana"}
    assert {*sessions_of(operator, fix)} == {"of ana", "of bob"}


def test_a_session_that_is_deleted_is_named_no_more(seasoned: Seasoned) -> None:
    fix = seasoned.teach("the gate is shut", fix="Open the gate first.", tool="walk").id
    for name in ("secret", "other"):
        seasoned.turn(user="Walk to the park.", reply="I will.", session=name)
        seasoned.observe("walk", {"to": "park"}, error="the gate is shut", session=name)
    seasoned.sessions.delete("secret")
    assert {*sessions_of(seasoned, fix)} == {"other"}
