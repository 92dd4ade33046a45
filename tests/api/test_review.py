"""`s.review` and `s.known_scopes` on both databases: what waits, for whom, and the decision."""

from pathlib import Path

from seasoned import Seasoned
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
