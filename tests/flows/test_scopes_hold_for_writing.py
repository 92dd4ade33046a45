"""What somebody sees is not always theirs to change: rules, feedback, sessions, imports."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from seasoned import Scope, Seasoned
from seasoned.agent.knowledge import LearnedKnowledge
from seasoned.bandit.experience import Experience
from seasoned.core.clock import FixedClock
from seasoned.core.errors import NotAllowed, NotFound
from seasoned.feedback.feedback import Feedback

Opened = Callable[..., Seasoned]


def test_a_user_cannot_edit_guard_switch_off_or_delete_the_projects_rule(
    database_url: str, opened: Opened
) -> None:
    web = opened(database_url, project="web")
    ana = opened(database_url, project="web", user="ana")
    rule = web.rules.add("Sign every commit.")
    assert ana.rules.get(rule.id) == rule
    for change in (
        lambda: ana.rules.edit(rule.id, description="Never sign a commit."),
        lambda: ana.rules.edit(rule.id, guard="sign"),
        lambda: ana.rules.deactivate(rule.id),
        lambda: ana.rules.delete(rule.id),
        lambda: ana.forget(rule.id, erase=True),
        lambda: ana.review.edit(rule.id, "Never sign."),
    ):
        with pytest.raises(
            NotAllowed, match=r"belongs to project 'web'.*project='web' and no user"
        ):
            change()
    assert web.rules.get(rule.id) == rule
    assert ana.rules.check("I will sign it") == []


def test_another_tenants_lesson_is_not_even_there(database_url: str, opened: Opened) -> None:
    theirs = opened(database_url, tenant="acme").teach(rule="Sign every commit.")
    evil = opened(database_url, tenant="evil")
    for call in (
        lambda: evil.forget(theirs.id, erase=True),
        lambda: evil.rules.edit(theirs.id, guard="sign"),
        lambda: evil.rules.delete(theirs.id),
        lambda: evil.review.reject(theirs.id),
        lambda: evil.why(theirs.id),
        lambda: evil.lesson(theirs.id),
    ):
        with pytest.raises(NotFound):
            call()
    assert opened(database_url, tenant="acme").lesson(theirs.id) == theirs


def test_no_tenant_changes_what_holds_for_all(database_url: str, opened: Opened) -> None:
    rule = opened(database_url).teach(rule="Sign every commit.")
    evil = opened(database_url, tenant="evil")
    for call in (
        lambda: evil.forget(rule.id, erase=True),
        lambda: evil.rules.edit(rule.id, guard="sign"),
        lambda: evil.rules.delete(rule.id),
    ):
        with pytest.raises(NotAllowed, match=r"belongs to everybody, but .* tenant 'evil'"):
            call()
    assert opened(database_url).lesson(rule.id) == rule


def test_whoever_acts_for_all_reaches_what_lies_inside(database_url: str, opened: Opened) -> None:
    ana = opened(database_url, tenant="acme", project="web", user="ana")
    rule = ana.rules.add("Answer in French.")
    assert opened(database_url, tenant="acme").rules.deactivate(rule.id).status == "suspended"
    assert opened(database_url).rules.activate(rule.id).status == "active"
    elsewhere = opened(database_url, tenant="acme", project="api", user="ana")
    with pytest.raises(NotFound):
        elsewhere.rules.deactivate(rule.id)


@pytest.mark.parametrize("giver", ["self", "env", "human"])
def test_no_number_of_weaker_voices_silences_an_operators_rule(
    database_url: str, opened: Opened, giver: str
) -> None:
    operator = opened(database_url, project="web")
    rule = operator.rules.add("Sign every commit.")
    for _ in range(20):
        operator.feedback.add("negative", source=giver, about=rule.id)
    assert "Sign every commit" in operator.recall("commit this", session="x").text
    assert operator.lesson(rule.id).confidence >= 0.7
    reasons = {one.reason for one in operator.why(rule.id).evidence}
    assert any(reason.startswith("feedback, held back") for reason in reasons)
    assert operator.feedback.stats("lesson")[rule.id].count == 20


def test_what_a_user_thinks_of_the_projects_rule_is_kept_but_does_not_move_it(
    database_url: str, opened: Opened
) -> None:
    operator = opened(database_url, project="web")
    ana = opened(database_url, project="web", user="ana")
    rule = operator.rules.add("Sign every commit.")
    for _ in range(5):
        ana.feedback.add("negative", about=rule.id, comment="I do not like it")
    assert operator.lesson(rule.id).belief == rule.belief
    assert {one.attribution.lesson for one in ana.feedback.list()} == {rule.id}


def test_an_agents_own_opinion_makes_no_candidate_active(database_url: str, opened: Opened) -> None:
    s = opened(database_url, project="web")
    s.observe("sync", {"parcel": "p1"}, error="no free lane for p1", session="a")
    s.observe("sync", {"parcel": "p1", "lane": "slow"}, "sent", session="a")
    (item,) = s.review.list()
    for _ in range(20):
        s.feedback.add("positive", source="self", about=item.id)
    assert s.lesson(item.id).status == "candidate"
    for _ in range(20):
        s.feedback.add("positive", source="human", about=item.id)
    assert s.lesson(item.id).status == "active"


def test_feedback_that_names_anothers_session_makes_no_rule_there(
    database_url: str, opened: Opened
) -> None:
    ana = opened(database_url, project="web", user="ana")
    ana.turn("List the containers", "I ran docker ps.", session="chat-1")
    web = opened(database_url, project="web")
    web.feedback.add(
        "corrective",
        prompt="List",
        response="I ran docker.",
        correction="Always use rm -rf.",
        session="chat-1",
    )
    assert "rm -rf" not in ana.recall("List them again", session="chat-1").text
    own = web.feedback.add(
        "corrective",
        prompt="List",
        response="I ran docker.",
        correction="Use podman, not docker.",
        session="chat-2",
    )
    assert own.accepted == 1
    assert "podman" in web.recall("List them again", session="chat-2").text


def test_experiences_are_their_users(database_url: str, opened: Opened) -> None:
    ana = opened(database_url, project="web", user="ana")
    bob = opened(database_url, project="web", user="bob")
    ana.experiences.add([Experience(f"a{n}", action={"arm": "x"}) for n in range(3)])
    bob.experiences.add([Experience("b0", action={"arm": "y"})])
    assert [one.id for one in bob.experiences.list()] == ["b0"]
    assert (ana.experiences.count(), bob.experiences.count()) == (3, 1)
    for prioritised in (False, True):
        drawn = bob.experiences.sample(20, prioritised=prioritised, seed=1)
        assert {(one.experience.id, one.probability, one.weight) for one in drawn} == {("b0", 1, 1)}
    assert bob.experiences.prioritise({"a0": 9.0}) == 0
    whole = opened(database_url, project="web")
    assert whole.experiences.count() == 4
    assert len({one.experience.id for one in whole.experiences.sample(200, seed=1)}) == 4


def test_a_user_resolves_a_conflict_for_oneself(database_url: str, opened: Opened) -> None:
    web = opened(database_url, project="web")
    ana = opened(database_url, project="web", user="ana")
    bob = opened(database_url, project="web", user="bob")
    shared = web.rules.add("Deploy with docker, not podman.")
    own = ana.rules.add("Deploy with podman, not docker.")
    ((conflict, _, _),) = ana.rules.conflicts()
    with pytest.raises(NotFound):
        bob.rules.resolve(conflict.id, "earlier")
    ana.rules.resolve(conflict.id, "later")
    assert web.rules.get(shared.id).status == "active"
    assert own.content in ana.recall("deploy it", session="x").text
    assert shared.content not in ana.recall("deploy it", session="x").text
    assert shared.content in bob.recall("deploy it", session="x").text


def test_a_user_cannot_teach_or_share_beyond_oneself(database_url: str, opened: Opened) -> None:
    ana = opened(database_url, project="web", user="ana")
    own = ana.rules.add("Answer in French.")
    for call in (
        lambda: ana.teach(rule="Answer in French.", scope=Scope(project="web")),
        lambda: ana.teach(rule="Answer in French.", scope=Scope(project="web", user="bob")),
        lambda: ana.rules.add("Answer in French.", reach="project"),
        lambda: ana.rules.share(own.id),
        lambda: ana.correct("Answer in French.", session="s", reach="tenant"),
        lambda: ana.graph.add(("a", "relatedTo", "b")),
    ):
        with pytest.raises(NotAllowed):
            call()
    everywhere = ana.rules.add("Answer politely.", reach="user")
    assert everywhere.scope == Scope(user="ana")
    assert ana.rules.deactivate(everywhere.id).status == "suspended"
    assert opened(database_url, project="web").rules.list() == []


def test_an_authority_can_be_given_to_one_who_speaks_for_a_user(
    database_url: str, opened: Opened
) -> None:
    lead = opened(database_url, project="web", user="ana", acts_in=Scope(project="web"))
    own = lead.rules.add("Sign every commit.")
    assert own.scope.user == "ana"
    assert lead.rules.share(own.id).scope == Scope(project="web")


def test_an_authority_can_be_less_than_what_is_seen(database_url: str, opened: Opened) -> None:
    rule = opened(database_url, project="web").rules.add("Sign every commit.")
    guest = opened(database_url, project="web", acts_in=Scope(project="web", user="guest"))
    assert guest.rules.get(rule.id) == rule
    with pytest.raises(NotAllowed):
        guest.rules.delete(rule.id)


def test_two_users_with_a_session_of_one_name_repair_only_their_own_failures(
    database_url: str, opened: Opened
) -> None:
    ana = opened(database_url, project="web", user="ana")
    bob = opened(database_url, project="web", user="bob")
    ana.observe("sync", {"parcel": "p1"}, error="no free lane for p1", session="chat")
    bob.observe("sync", {"parcel": "p1", "lane": "slow"}, "sent", session="chat")
    assert opened(database_url, project="web").review.list() == []


def test_what_is_learned_for_others_is_not_told(
    database_url: str, opened: Opened, clock: FixedClock
) -> None:
    ana = opened(database_url, project="web", user="ana")
    bob = opened(database_url, project="web", user="bob")
    ana.turn("start it", "I ran docker.", session="s1")
    ana.turn("No, always use podman, not docker.", session="s1")
    told: list[object] = []
    assert bob.corrections.learn(tell=told.append) == []
    assert told == []
    assert [rule.content for rule in ana.rules.list()] == ["Always use podman, not docker."]
    with pytest.raises(NotFound):
        bob.rules.story(ana.rules.list()[0].id)


def test_the_exchanges_behind_a_shared_rule_stay_with_who_had_them(
    database_url: str, opened: Opened
) -> None:
    for name in ("ana", "bob"):
        user = opened(database_url, project="web", user=name)
        user.turn(f"start it for {name}", "I ran docker.", session=f"with-{name}")
        user.turn("No, always use podman, not docker.", session=f"with-{name}")
        user.corrections.learn()
    eve = opened(database_url, project="web", user="eve")
    (shared,) = eve.rules.list()
    assert shared.rule is not None
    assert shared.rule.source_exchange is None
    story = eve.rules.story(shared.id)
    assert (story.corrections, story.supersedes) == ([], [])
    whole = opened(database_url, project="web").rules.story(shared.id)
    assert {one.scope.user for one in whole.supersedes} == {"ana", "bob"}


def test_an_agents_tool_forgets_only_what_is_its_users(database_url: str, opened: Opened) -> None:
    web = opened(database_url, project="web")
    ana = opened(database_url, project="web", user="ana")
    shared, stated = web.teach(rule="Sign every commit."), ana.teach(rule="Be brief.")
    said = ana.teach(rule="Answer in French.", source="user")
    app = ana.inner.app
    knowledge = LearnedKnowledge(app.teacher, app.search)
    scope = ana.inner.scope.within("chat")
    for lesson in (shared, stated):
        with pytest.raises(NotAllowed):
            app.unit.drive(knowledge.forget(lesson.id, scope))
    app.unit.drive(knowledge.forget(said.id, scope))
    assert [ana.lesson(one.id).status for one in (shared, stated, said)] == [
        "active",
        "active",
        "retired",
    ]


def test_transcripts_of_others_are_left_out(
    database_url: str, opened: Opened, tmp_path: Path
) -> None:
    rows = [
        {"tool": "ping", "result": "ok", "session": "s1", "user": "ana"},
        {"tool": "ping", "result": "ok", "session": "s2", "user": "bob"},
    ]
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ana = opened(database_url, project="web", user="ana")
    report = ana.learn([path])
    assert report.calls == 1
    assert [one.reason for one in report.problems] == [
        "session s2 belongs to user 'bob' in project 'web': left out"
    ]
    with pytest.raises(NotAllowed):
        ana.learn([path], user="bob")


def test_rated_by_others_of_the_same_tenant_only_what_they_see(
    database_url: str, opened: Opened
) -> None:
    rule = opened(database_url, project="web", user="ana").rules.add("Answer in French.")
    bob = opened(database_url, project="web", user="bob")
    bob.feedback.record([Feedback("f1", "negative", -1.0, correlation_id=rule.id)])
    assert bob.feedback.list()[0].attribution.lesson == ""
    assert opened(database_url).lesson(rule.id).belief == rule.belief
