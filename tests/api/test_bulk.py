"""`s.bulk` and `s.adaptation.standings`, on both databases."""

import pytest

from seasoned import Seasoned
from seasoned.core.errors import BadInput, Changed, NotFound

DENIED = "E: Could not open lock file, are you root? Permission denied"


def statuses(s: Seasoned) -> list[str]:
    return sorted(one.status for one in s.lessons())


def test_lessons_and_rules_are_forgotten_together_and_come_back_together(
    seasoned: Seasoned,
) -> None:
    s = seasoned
    fact = s.teach(fact="The cafeteria closes at 14:00.")
    rule = s.rules.add("Answer in German.")
    decision = s.bulk.forget([fact.id, rule.id, fact.id])
    assert (decision.changed, statuses(s)) == (2, ["retired", "retired"])
    assert {one.status for one in s.bulk.undo(decision.id)} == {"active"}
    assert statuses(s) == ["active", "active"]
    with pytest.raises(NotFound, match="can be taken back"):
        s.bulk.undo(decision.id)
    assert s.verify_audit().intact


def test_a_rule_that_held_again_is_superseded_again_after_the_undo(seasoned: Seasoned) -> None:
    s = seasoned
    earlier = s.rules.add("Deploy with docker, not podman.")
    later = s.rules.add("Deploy with podman, not docker.")
    s.rules.resolve(s.rules.conflicts()[0][0].id, "later")
    assert s.lesson(earlier.id).status == "superseded"
    decision = s.bulk.forget([later.id])
    assert s.lesson(earlier.id).status == "active"
    s.bulk.undo(decision.id)
    assert (s.lesson(earlier.id).status, s.lesson(later.id).status) == ("superseded", "active")


def test_what_was_switched_off_is_switched_on_and_a_fix_that_waits_goes_on_waiting(
    seasoned: Seasoned,
) -> None:
    s = seasoned
    fact = s.teach(fact="The cafeteria closes at 14:00.")
    for day in ("monday", "tuesday"):
        s.observe("shell", {"command": f"apt install {day}"}, error=DENIED, session=day)
        s.observe("shell", {"command": f"sudo apt install {day}"}, "done", session=day)
    (fix,) = (one.lesson for one in s.review.list())
    assert fix.fix is not None
    assert fix.fix.waits
    s.bulk.suspend([fact.id, fix.id])
    assert statuses(s) == ["suspended", "suspended"]
    decision = s.bulk.resume([fact.id, fix.id])
    assert decision.changed == 2
    assert (s.lesson(fact.id).status, s.lesson(fix.id).status) == ("active", "candidate")
    s.bulk.undo(decision.id)
    assert statuses(s) == ["suspended", "suspended"]


def test_nothing_is_taken_back_if_one_lesson_was_changed_since(seasoned: Seasoned) -> None:
    s = seasoned
    rules = [s.rules.add("Answer in German."), s.rules.add("Sign with initials.")]
    decision = s.bulk.suspend([one.id for one in rules])
    assert statuses(s) == ["suspended", "suspended"]
    s.rules.activate(rules[0].id)
    s.rules.edit(rules[0].id, description="Answer in Danish.")
    with pytest.raises(Changed):
        s.bulk.undo(decision.id)
    assert statuses(s) == ["active", "suspended"]


def test_an_unknown_lesson_leaves_all_as_they_were(seasoned: Seasoned) -> None:
    fact = seasoned.teach(fact="The cafeteria closes at 14:00.")
    with pytest.raises(NotFound):
        seasoned.bulk.forget([fact.id, "nobody"])
    assert statuses(seasoned) == ["active"]
    with pytest.raises(BadInput, match="name 1 to"):
        seasoned.bulk.forget([])
