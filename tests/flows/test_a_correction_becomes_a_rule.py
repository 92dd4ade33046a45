"""A user says that the agent is wrong, and never has to say it twice."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from seasoned import AsyncSeasoned, Seasoned
from seasoned.core.clock import FixedClock
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.scope import Scope

PODMAN = "• [preference] Use podman, not docker."
DOCKER = "• [preference] Use docker, not podman."


def corrected(s: Seasoned, session: str = "s1", said: str = "no, use podman, not docker") -> None:
    talk = s.conversation(session)
    talk.user("start the database in a container")
    talk.assistant("Done: I ran `docker run postgres`.")
    talk.user(said)
    talk.assistant("Sorry, I changed that.")


def test_it_holds_at_once_then_lasts_and_is_given_only_where_it_matters(seasoned: Seasoned) -> None:
    talk = seasoned.conversation("s1")
    assert talk.user("start the database in a container").text == ""
    talk.assistant("Done: I ran `docker run postgres`.")

    context = talk.user("no, use podman, not docker")  # in the same turn
    assert PODMAN in context.stable
    assert talk.noticed.rule is not None
    assert talk.noticed.rule.scope.session == "s1"
    assert seasoned.recall("start the database container", session="s2").text == ""

    (learned,) = seasoned.corrections.learn()
    assert (learned.outcome, learned.by) == ("learned", "grammar")
    block = seasoned.recall("start the database container", session="s2")
    assert block.text.startswith(f"[LEARNED BEHAVIORAL RULES]\n{PODMAN}\n  ✗ not: docker")
    assert seasoned.recall("what is the capital of France?", session="s2").text == ""
    assert talk.user("and now the cache").text.count("podman") == 1  # once per session


def test_who_said_it_and_when_can_be_asked(seasoned: Seasoned) -> None:
    corrected(seasoned)
    seasoned.corrections.learn()
    (rule,) = seasoned.rules.list()
    assert "“no, use podman, not docker”" in seasoned.why(rule.id).text
    (analysed,) = seasoned.corrections.history()
    assert (analysed.outcome, analysed.lesson) == ("learned", rule.id)
    assert analysed.case is not None
    assert "docker run postgres" in analysed.case.reply
    (example,) = seasoned.examples.list(polarity="negative")
    assert example.example is not None
    assert example.example.rule == rule.id


def test_the_later_statement_wins_and_both_stay_visible(
    seasoned: Seasoned, clock: FixedClock
) -> None:
    corrected(seasoned)
    seasoned.corrections.learn()
    clock.advance(seconds=60)
    corrected(seasoned, "s2", "no, use docker, not podman")
    assert DOCKER in seasoned.recall("containers", session="s2").text
    assert PODMAN not in seasoned.recall("start the container", session="s2").text
    seasoned.corrections.learn()

    block = seasoned.recall("start the database container", session="s3").text
    assert DOCKER in block
    assert "podman, not docker" not in block
    later, earlier = seasoned.rules.list()
    assert (later.status, earlier.status) == ("active", "superseded")
    assert earlier.superseded_by == later.id
    ((conflict, one, two),) = seasoned.rules.conflicts()
    assert (one.id, two.id, conflict.winner) == (earlier.id, later.id, later.id)


@pytest.mark.parametrize(
    ("keep", "statuses"),
    [
        ("earlier", ("superseded", "active")),
        ("later", ("active", "superseded")),
        ("both", ("active", "active")),
    ],
)
def test_a_person_decides_a_contradiction(
    seasoned: Seasoned, clock: FixedClock, keep: str, statuses: tuple[str, str]
) -> None:
    corrected(seasoned)
    seasoned.corrections.learn()
    clock.advance(seconds=60)
    corrected(seasoned, "s2", "no, use docker, not podman")
    seasoned.corrections.learn()
    ((conflict, _, _),) = seasoned.rules.conflicts()
    seasoned.rules.resolve(conflict.id, keep)
    assert seasoned.rules.conflicts() == []
    later, earlier = seasoned.rules.list()
    assert (later.status, earlier.status) == statuses
    with pytest.raises(BadInput, match="earlier, later, both"):
        seasoned.rules.resolve(conflict.id, "none")
    with pytest.raises(NotFound, match="no conflict"):
        seasoned.rules.resolve("zzzzzz", "both")


def test_the_same_correction_twice_adds_evidence_and_no_row(
    seasoned: Seasoned, clock: FixedClock
) -> None:
    corrected(seasoned)
    clock.advance(seconds=60)
    corrected(seasoned, "s2", "I said use podman, not docker!")
    outcomes = [one.outcome for one in seasoned.corrections.learn()]
    assert outcomes == ["learned", "strengthened"]
    (rule,) = seasoned.rules.list()
    assert rule.confidence > 0.9
    assert len(seasoned.why(rule.id).evidence) == 2


def test_a_message_reported_twice_is_one_correction(seasoned: Seasoned) -> None:
    for _ in range(2):
        seasoned.turn("start it", "I ran docker", session="s1")
        seasoned.turn("no, use podman, not docker", session="s1")
    assert seasoned.corrections.status()["pending"] == 1


def test_rules_of_one_user_are_not_another_users(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    ana = opened(database_url, project="web", user="ana")
    bob = opened(database_url, project="web", user="bob")
    corrected(ana)
    ana.corrections.learn()
    assert PODMAN in ana.recall("start the database container", session="x").text
    assert bob.recall("start the database container", session="x").text == ""
    assert bob.rules.list() == []
    web = opened(database_url, project="web")
    web.rules.add("Use podman, not docker.", when="container", reach="project")
    assert PODMAN in bob.recall("start the container", session="x").text


def test_what_was_said_for_now_is_forgotten_with_its_session(seasoned: Seasoned) -> None:
    corrected(seasoned, "s1", "no, use podman this time, not docker")
    (learned,) = seasoned.corrections.learn()
    assert learned.outcome == "no rule"
    assert seasoned.rules.list() == []
    assert "podman" in seasoned.recall("go on", session="s1").stable
    assert seasoned.recall("start the container", session="s2").text == ""


@pytest.mark.parametrize(
    "said",
    [
        "my teacher told me that's wrong, can you check?",
        "thanks, and now list the volumes",
        "is that wrong?",
        "no problem",
    ],
)
def test_what_only_sounds_like_a_correction_changes_nothing(seasoned: Seasoned, said: str) -> None:
    corrected(seasoned, "s1", said)
    assert seasoned.corrections.status()["pending"] == 0
    assert seasoned.rules.list(provisional=True) == []


@pytest.mark.parametrize(
    "said",
    [
        "",
        "   ",
        "🙃🙃🙃",
        "x" * 1_000_000,
        "no " * 300_000,
        "שלום עולם, לא נכון",
        "a\x00b\x1b[31m\ud800",
    ],
)
def test_no_message_is_too_strange(seasoned: Seasoned, said: str) -> None:
    seasoned.turn("start it", said, session="s1")
    seasoned.turn(said, said, session="s1", edited=said + "!")
    seasoned.corrections.learn()
    assert seasoned.status()["listener_failures"] == {}


def test_deeds_correct_without_words(seasoned: Seasoned) -> None:
    talk = seasoned.conversation("s1")
    talk.user("write the greeting")
    talk.assistant("Dear Sir, run it in docker please.")
    assert talk.edited("Dear Sir, run it in podman please.").correction is not None
    talk.user("deploy it")
    talk.assistant("I will run the shell now.")
    denied = talk.denied("shell", "never run deploy scripts, use the pipeline")
    assert denied.rule is not None
    talk.user("tell me a very long story")
    assert talk.interrupted().correction is not None
    kinds = [one.case.kind for one in seasoned.corrections.learn()]
    assert kinds == ["edited", "denied", "interrupted"]


def test_praise_makes_a_good_example_which_comes_as_messages(seasoned: Seasoned) -> None:
    talk = seasoned.conversation("s1")
    talk.user("write a haiku about the sea")
    talk.assistant("Grey waves come and go.")
    talk.user("perfect, thanks!")
    context = seasoned.recall("write a haiku about the mountains", session="s2")
    assert context.messages == [
        {"role": "user", "content": "write a haiku about the sea"},
        {"role": "assistant", "content": "Grey waves come and go."},
    ]
    talk.assistant("You are welcome.")
    talk.user("that doesn't work")
    assert talk.noticed.approval == "negative" or talk.noticed.correction is not None


def test_how_often_a_rule_was_given_is_counted(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    s = opened(database_url)
    rule = s.rules.add("Answer in German.")
    for _ in range(3):
        s.recall("hello")
    s.recall("hello", given=False)
    s.close()
    assert opened(database_url).rules.get(rule.id).times_given == 3


def test_an_operator_edits_and_switches_rules(seasoned: Seasoned) -> None:
    rule = seasoned.rules.add("Answer in German.", rule_type="preference")
    assert seasoned.rules.add("Please answer in German.").id == rule.id  # a duplicate
    seasoned.rules.edit(rule.id, description="Answer in French.", poison="Guten Tag")
    assert "• [preference] Answer in French.\n  ✗ not: Guten Tag" in seasoned.recall("hi").stable
    seasoned.rules.deactivate(rule.id)
    assert seasoned.recall("hi").text == ""
    seasoned.rules.activate(rule.id)
    assert [hit.lesson.id for hit in seasoned.rules.search("French")] == [rule.id]
    seasoned.rules.delete(rule.id)
    assert seasoned.rules.list() == []
    with pytest.raises(NotFound):
        seasoned.rules.get(rule.id)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"description": ""}, "empty"),
        ({"description": "x" * 700}, "at most"),
        ({"description": "Be kind.", "rule_type": "mood"}, "not a type of rule"),
        ({"description": "Be kind.", "reach": "world"}, "session, user, project, tenant"),
    ],
)
def test_an_invalid_rule_is_refused(seasoned: Seasoned, wrong: dict[str, str], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        seasoned.rules.add(**wrong)  # pyright: ignore[reportArgumentType]


def test_a_guard_is_set_by_an_operator_and_checked_in_time(seasoned: Seasoned) -> None:
    rule = seasoned.rules.add("Never promise a refund.")
    assert seasoned.rules.check("You will get a REFUND today") == []
    seasoned.rules.edit(rule.id, guard="get a refund")
    (hit,) = seasoned.rules.check("You will get a  REFUND today")
    assert hit.rule.id == rule.id
    seasoned.rules.edit(rule.id, guard=r"\brefund of \d+", guard_kind="pattern")
    (hit,) = seasoned.rules.check("a refund of 20 euros")
    assert hit.found == "refund of 20"
    for bad in ("(a+)+$", "x*", "("):
        with pytest.raises(BadInput):
            seasoned.rules.edit(rule.id, guard=bad, guard_kind="pattern")
    seasoned.rules.edit(rule.id, guard="")
    assert seasoned.rules.check("a refund of 20 euros") == []


def test_an_erased_rule_leaves_no_text_behind(seasoned: Seasoned) -> None:
    corrected(seasoned)
    seasoned.corrections.learn()
    (rule,) = seasoned.rules.list()
    seasoned.forget(rule.id, erase=True)
    (analysed,) = seasoned.corrections.history()
    assert (analysed.message, analysed.case) == ("", None)
    assert seasoned.verify_audit().intact


def test_the_example_of_a_rule_goes_with_it(seasoned: Seasoned) -> None:
    corrected(seasoned)
    (learned,) = seasoned.corrections.learn()
    assert learned.rule is not None
    asked = "start the database in a container"
    seasoned.rules.deactivate(learned.rule.id)
    assert seasoned.recall(asked, session="s2").text == ""
    seasoned.rules.activate(learned.rule.id)
    assert len(seasoned.examples.list()) == 1
    seasoned.forget(learned.rule.id)
    assert seasoned.recall(asked, session="s2").text == ""
    assert seasoned.examples.list() == []


def test_async_code_learns_rules_too(database_url: str) -> None:
    async def talked() -> None:
        async with AsyncSeasoned(database_url) as s:
            talk = s.conversation("s1")
            await talk.user("start it")
            await talk.assistant("I ran docker.")
            context = await talk.user("no, use podman, not docker")
            assert PODMAN in context.text
            (learned,) = await s.corrections.learn()
            assert learned.outcome == "learned"
            assert len(await s.rules.list()) == 1

    asyncio.run(talked())


def test_nothing_is_noticed_while_it_is_switched_off(
    database_url: str, opened: Callable[..., Seasoned], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEASONED_BEHAVIORAL__ENABLED", "false")
    s = opened(database_url)
    corrected(s)
    assert s.corrections.status()["pending"] == 0


def test_a_learned_rule_takes_the_place_of_the_provisional_one(
    seasoned: Seasoned, clock: FixedClock
) -> None:
    talk = seasoned.conversation("s1")
    talk.user("start the database in a container")
    talk.assistant("Done: I ran `docker run postgres`.")
    talk.user("no, use podman, not docker")
    noticed = talk.noticed.rule
    assert noticed is not None
    learner = seasoned.inner.app.learner
    assert learner.work(10) == 1
    (rule,) = seasoned.rules.list(provisional=True)
    assert rule.id == noticed.id  # people know it by this id
    assert (rule.scope.session, rule.trigger != "") == ("", True)
    assert PODMAN in seasoned.recall("go on", session="s1").stable  # its session keeps it
    assert seasoned.recall("go on", session="s2").stable == ""
    clock.advance(days=8)
    assert learner.work(10) == 0
    assert seasoned.recall("go on", session="s1").stable == ""
    assert seasoned.verify_audit().intact


def test_a_rule_keeps_the_exchange_that_it_comes_from(seasoned: Seasoned) -> None:
    talk = seasoned.conversation("s1")
    talk.user("start the database, the password is password=hunter2hunter2")
    talk.assistant("Done: I ran `docker run postgres`. " + "x" * 5000)
    talk.user("no, use podman, not docker")
    seasoned.corrections.learn()
    (rule,) = seasoned.rules.list()
    assert rule.rule is not None
    told = json.loads(rule.rule.source_exchange or "")
    assert told["correction"] == "no, use podman, not docker"
    assert told["reply"].startswith("Done: I ran")
    assert (told["session"], "hunter2" in told["request"]) == ("s1", False)
    assert len(rule.rule.source_exchange or "") < 4000
    seasoned.forget(rule.id, erase=True)
    assert seasoned.lesson(rule.id).rule == replace(rule.rule, source_exchange=None, poison=None)


def test_the_audience_of_a_rule_can_be_chosen(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    web = Scope("acme", "web")
    ana = opened(database_url, tenant="acme", project="web", user="ana", acts_in=web)
    bob = opened(database_url, tenant="acme", project="web", user="bob")
    eve = opened(database_url, tenant="evil", project="web", user="eve")
    talk = ana.conversation("s1", reach="project")
    talk.user("start the database in a container")
    talk.assistant("I ran docker.")
    talk.user("no, use podman, not docker")
    assert [len(one.corrections.pending()) for one in (ana, bob, eve)] == [1, 0, 0]
    assert eve.corrections.clear() == 0
    eve.corrections.learn()  # the rule keeps the scope of the correction
    assert PODMAN in bob.recall("start the container", session="x").text
    assert eve.recall("start the container", session="x").text == ""
    with pytest.raises(BadInput, match="session, user, project, tenant"):
        ana.correct("use tabs", reach="world")


def test_rules_of_different_situations_do_not_replace_each_other(
    seasoned: Seasoned, clock: FixedClock
) -> None:
    seasoned.rules.add("Indent with tabs.", when="writing a Makefile")
    clock.advance(seconds=1)
    seasoned.rules.add("Indent with spaces.", when="writing Python modules")
    assert [rule.status for rule in seasoned.rules.list()] == ["active", "active"]
    assert len(seasoned.rules.conflicts()) == 1  # for a person to review
    assert "Indent with tabs." in seasoned.recall("writing a Makefile").text


def test_mere_displeasure_is_noticed_and_teaches_nothing_by_itself(seasoned: Seasoned) -> None:
    seasoned.turn("suggest a film", "How about Inception?", session="s1")
    noticed = seasoned.turn("no, I don't like that one", session="s1")
    assert noticed.correction is not None
    assert (noticed.case, noticed.rule) == (None, None)
    assert seasoned.corrections.status()["pending"] == 0
