"""`s.review` and `s.known_scopes` on both databases: what waits, for whom, and the decision."""

from pathlib import Path

import pytest

from seasoned import Seasoned
from seasoned.core.errors import Changed, NotFound
from seasoned.core.scope import Scope


def fail_and_repair(s: Seasoned, lane: str) -> None:
    s.observe("sync", {"parcel": "p1"}, error="no free lane for p1", session=lane)
    s.observe("sync", {"parcel": "p1", "lane": lane}, "sent", session=lane)


def test_a_candidate_waits_and_is_accepted(seasoned: Seasoned) -> None:
    fail_and_repair(seasoned, "slow")
    (item,) = seasoned.review.list()
    assert (item.kind, item.witnesses, item.lesson.status) == ("fix", 1, "candidate")
    assert item.repairs[0].worked == ("sync", {"parcel": "p1", "lane": "slow"})
    lesson = seasoned.review.accept(item.id)
    assert (lesson.status, lesson.confidence, lesson.trust) == ("active", 0.9, "operator")
    assert seasoned.review.list() == []
    assert seasoned.verify_audit().intact


def test_an_adopted_lesson_stays_active_when_it_fails_once(seasoned: Seasoned) -> None:
    fail_and_repair(seasoned, "slow")
    (item,) = seasoned.review.list()
    seasoned.review.edit(item.id, "Name a lane.")
    failed = {"parcel": "p9"}
    hint = seasoned.observe("sync", failed, error="no free lane for p9", session="n")
    assert hint is not None
    assert (hint.text, hint.params) == ("Name a lane.", None)
    seasoned.observe("sync", failed, error="no free lane for p9", session="n")
    assert seasoned.lesson(item.id).status == "active"


def test_a_rejected_lesson_is_retired(seasoned: Seasoned) -> None:
    fail_and_repair(seasoned, "slow")
    (item,) = seasoned.review.list()
    assert seasoned.review.reject(item.id).status == "retired"
    fail_and_repair(seasoned, "slow")
    assert seasoned.review.list() == []


def test_a_conflict_waits_until_it_is_resolved(seasoned: Seasoned) -> None:
    older = seasoned.rules.add("Deploy with docker, not podman.")
    newer = seasoned.rules.add("Deploy with podman, not docker.")
    (item,) = seasoned.review.list()
    assert (item.kind, item.earlier and item.earlier.id) == ("conflict", older.id)
    assert seasoned.review.accept(item.id).id == newer.id
    assert seasoned.review.list() == []


def test_a_decision_can_be_taken_back(seasoned: Seasoned) -> None:
    fail_and_repair(seasoned, "slow")
    (item,) = seasoned.review.list()
    for decide in (
        lambda: seasoned.review.accept(item.id),
        lambda: seasoned.review.reject(item.id),
        lambda: seasoned.review.edit(item.id, "Name a lane."),
    ):
        decide()
        assert seasoned.review.list() == []
        assert seasoned.review.undo(item.id) == seasoned.review.get(item.id)
        (again,) = seasoned.review.list()
        assert again.lesson.content == item.lesson.content
        assert (again.lesson.belief, again.lesson.status) == (item.lesson.belief, "candidate")
        assert (again.reason, again.witnesses, again.version) == (item.reason, 1, item.version)
    with pytest.raises(NotFound, match="no decision"):
        seasoned.review.undo(item.id)
    hint = seasoned.observe("sync", {"parcel": "p9"}, error="no free lane for p9", session="n")
    assert hint is None
    assert seasoned.verify_audit().intact


def test_what_was_learned_since_a_decision_stays(seasoned: Seasoned) -> None:
    fail_and_repair(seasoned, "slow")
    (item,) = seasoned.review.list()
    seasoned.review.accept(item.id)
    before = seasoned.lesson(item.id).belief
    failed = {"parcel": "p9"}
    assert seasoned.observe("sync", failed, error="no free lane for p9", session="n")
    seasoned.observe("sync", {**failed, "lane": "slow"}, "sent", session="n")
    gained = seasoned.lesson(item.id).belief.worked - before.worked
    assert gained > 0
    seasoned.review.undo(item.id)
    kept = seasoned.lesson(item.id).belief.worked
    assert kept == pytest.approx(item.lesson.belief.worked + gained)


def test_a_lesson_that_was_changed_since_is_left_alone(seasoned: Seasoned) -> None:
    fail_and_repair(seasoned, "slow")
    (item,) = seasoned.review.list()
    seasoned.review.accept(item.id)
    seasoned.forget(item.id)
    with pytest.raises(Changed, match="changed since"):
        seasoned.review.undo(item.id)
    assert seasoned.lesson(item.id).status == "retired"


def test_a_resolved_conflict_can_be_reopened(seasoned: Seasoned) -> None:
    older = seasoned.rules.add("Deploy with docker, not podman.")
    newer = seasoned.rules.add("Deploy with podman, not docker.")
    (item,) = seasoned.review.list()
    before = [seasoned.lesson(one.id).status for one in (older, newer)]
    for keep in ("earlier", "later", "both"):
        seasoned.review.accept(item.id, keep=keep)
        assert seasoned.review.list() == []
        seasoned.review.undo(item.id)
        assert [seasoned.lesson(one.id).status for one in (older, newer)] == before
        assert [one.id for one in seasoned.review.list()] == [item.id]
        assert "podman, not docker" in seasoned.recall("deploy the app").text


def test_the_store_knows_its_projects_and_users(seasoned: Seasoned, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text('{"tool": "ping", "result": "ok", "project": "shop", "user": "ana"}\n')
    seasoned.learn([path])
    seasoned.teach(rule="Be kind.", scope=Scope(project="blog", user="bob"))
    known = seasoned.known_scopes()
    assert known.projects == ("blog", "shop")
    assert known.users == ("bob",)
    assert [one.content for one in seasoned.lessons(scope=Scope(project="blog", user="bob"))] == [
        "Be kind."
    ]
