"""Distilling: a model words what was learned, and never makes it believed or loses it."""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.conversations.talks import Told

from seasoned import Seasoned
from seasoned.core.errors import BudgetSpent, ConfigError, ModelError, ModelUnavailable
from seasoned.fixes.distiller import NOTHING, FixDistiller
from seasoned.lessons.lesson import Lesson
from seasoned.llm.chat.background import BackgroundModel
from seasoned.llm.chat.scripted import Scripted
from seasoned.llm.chat.supervisor import Supervised

pytestmark = pytest.mark.sqlite_only

PLAIN = "Add `region=eu-west`."
GOOD = "Give every deployment a `region`, which is `eu-west` here."


def deploy(s: Seasoned, app: str, session: str, **more: str) -> None:
    """Let a deployment fail for want of a region, and then work."""
    failed = {"app": app} | more
    s.observe("deploy", failed, error=f"no region for app '{app}'", session=session)
    s.observe("deploy", failed | {"region": "eu-west"}, "ok", session=session)


def learned(s: Seasoned) -> Lesson:
    """Let two sessions teach a fix."""
    deploy(s, "shop", "one")
    deploy(s, "till", "two")
    (fix,) = s.lessons(kind="fix")
    assert (fix.status, fix.content) == ("active", PLAIN)
    return fix


def entry(sentence: str | None = GOOD, number: int = 1, **fields: Any) -> dict[str, Any]:
    usual = {
        "number": number,
        "quote": "no region for app",
        "nothing": sentence is None,
        "sentence": sentence,
        "when": "before a deployment",
        "why": "There is no default region.",
    }
    return usual | fields


def said(*entries: Mapping[str, Any]) -> dict[str, Any]:
    return {"lessons": list(entries)}


def distiller(s: Seasoned, *answers: Mapping[str, Any] | Exception) -> FixDistiller:
    return s.inner.app.build_fix_distiller(Told(*answers))


def now(s: Seasoned, lesson: Lesson) -> Lesson:
    return s.lesson(lesson.id)


@pytest.mark.both_dialects
def test_a_model_words_a_fix_and_hints_still_apply_it(seasoned: Seasoned) -> None:
    fix = learned(seasoned)
    (one,) = distiller(seasoned, said(entry())).distill()
    assert (one.outcome, one.before, one.lesson.content) == ("worded", PLAIN, GOOD)
    after = now(seasoned, fix)
    assert after.content == GOOD
    assert (after.belief, after.status, after.source) == (fix.belief, "active", "episode")
    hint = seasoned.observe("deploy", {"app": "bar"}, error="no region for app 'bar'", session="x")
    assert hint is not None
    assert (hint.text, hint.params) == (GOOD, {"app": "bar", "region": "eu-west"})
    assert GOOD.removesuffix(".") in seasoned.tool_notes("deploy").text


def test_the_audit_and_the_evidence_tell_who_worded_it_and_why(seasoned: Seasoned) -> None:
    fix = learned(seasoned)
    distiller(seasoned, said(entry())).distill()
    found = seasoned.why(fix.id)
    assert "worded by told:model" in found.text
    assert "before a deployment; There is no default region." in found.text
    assert "worded by told:model" in found.events[-1].detail
    assert seasoned.verify_audit().intact

    async def versions() -> list[str]:
        async with seasoned.inner.app.db.read() as tx:
            return [row[0] for row in await tx.fetch("SELECT content FROM lesson_versions")]

    assert {PLAIN, GOOD} <= set(seasoned.inner.app.db.run(versions()))


def test_the_model_sees_the_evidence_as_data(seasoned: Seasoned) -> None:
    learned(seasoned)
    model = Told(said(entry()))
    seasoned.inner.app.build_fix_distiller(model).distill()
    (question,) = model.questions
    for shown in (
        "tool: deploy",
        "error: no region for app '<value>'",
        f"plain sentence: {PLAIN}",
        "sessions for it: 2, against it: 0",
        'failed: {"app": "till"}',
        "with: no region for app 'shop'",
        'worked: {"app": "shop", "region": "eu-west"}',
    ):
        assert shown in question.prompt


@pytest.mark.both_dialects
def test_nothing_is_distilled_twice(seasoned: Seasoned) -> None:
    learned(seasoned)
    model = Told(said(entry()))
    for _ in range(2):
        seasoned.inner.app.build_fix_distiller(model).distill()
    deploy(seasoned, "cafe", "three")
    seasoned.inner.app.build_fix_distiller(model).work(8)
    assert len(model.questions) == 1
    assert [fix.content for fix in seasoned.lessons(kind="fix")] == [GOOD]


def test_candidates_and_what_people_taught_are_not_distilled(seasoned: Seasoned) -> None:
    deploy(seasoned, "shop", "one")
    seasoned.teach("podman: command not found", fix="use docker", tool="shell")
    model = Told()
    assert seasoned.inner.app.build_fix_distiller(model).distill() == []
    assert model.questions == []


@pytest.mark.both_dialects
def test_a_veto_takes_a_fix_back_until_an_operator_accepts_it(seasoned: Seasoned) -> None:
    fix = learned(seasoned)
    nothing = entry(None, when=None, why="It was chance.")
    (one,) = distiller(seasoned, said(nothing)).distill()
    assert one.outcome == "vetoed"
    for app in ("cafe", "kiosk", "bakery"):
        deploy(seasoned, app, app)
    after = now(seasoned, fix)
    assert (after.status, after.content) == ("candidate", PLAIN)
    assert after.belief.worked > fix.belief.worked
    assert not seasoned.observe("deploy", {"app": "a"}, error="no region for app 'a'", session="x")
    (item,) = seasoned.review.list()
    assert (item.id, item.reason) == (fix.id, f"{NOTHING}: It was chance.")
    assert seasoned.review.accept(fix.id).status == "active"
    assert seasoned.observe("deploy", {"app": "b"}, error="no region for app 'b'", session="y")
    assert distiller(seasoned).distill() == []


@pytest.mark.parametrize("vetoed", ["ops", "labs"])
def test_a_veto_outlives_the_merging_of_two_errors(seasoned: Seasoned, vetoed: str) -> None:
    def fail(team: str, session: str) -> None:
        params, error = {"team": team}, f"deploy: no region given for {team}"
        seasoned.observe("deploy", params, error=error, session=session)
        seasoned.observe("deploy", params | {"region": "eu-west"}, "ok", session=session)

    for team in ("ops", "labs"):
        fail(team, f"{team} one")
        fail(team, f"{team} two")
    fixes = sorted(seasoned.lessons(kind="fix"), key=lambda fix: fix.id)
    quote = "no region given"
    worded = [
        entry(None if vetoed in fix.trigger else GOOD, number, quote=quote)
        for number, fix in enumerate(fixes, 1)
    ]
    assert len(distiller(seasoned, said(*worded)).distill()) == 2
    fail("web", "three")
    (one,) = seasoned.lessons(kind="fix")
    assert (one.status, one.belief.worked) == ("candidate", 6)


@pytest.mark.parametrize(
    ("sentence", "flaw"),
    [
        ("Set `region` to `eu-west` for the app `shop`.", "a value"),
        ("Set `region` to `eu-west`, as in /srv/deploy/eu.", "a value"),
        ("Set `region` to `eu-west` for order 48213.", "a value"),
        ("Ask ana@example.com which `region` to set.", "personal data"),
        ("Run `sudo deploy` with a `region`.", "another user"),
        ("Add `region=<value>`.", "placeholder"),
        ("Give the day in the usual order.", "names nothing"),
        ("add a region", "begin like a sentence"),
        ("Set a region " + "again and " * 30 + "again.", "too long"),
    ],
)
def test_a_sentence_that_must_not_be_told_leaves_the_plain_one(
    seasoned: Seasoned, sentence: str, flaw: str
) -> None:
    fix = learned(seasoned)
    (one,) = distiller(seasoned, said(entry(sentence))).distill()
    assert one.outcome == "plain"
    assert flaw in one.reason
    assert now(seasoned, fix).content == PLAIN
    assert distiller(seasoned).distill() == []


def test_a_value_of_every_pair_is_told_only_if_several_people_share_it(
    seasoned: Seasoned, opened: Callable[..., Seasoned]
) -> None:
    learned(seasoned)
    shared = "Set `region` to `eu-west` where `stage` is `blue-7`."
    (one,) = distiller(seasoned, said(entry(shared))).distill()
    assert one.outcome == "plain"
    other = opened(":memory:", session="s")
    for app in ("shop", "till"):
        deploy(other, app, app, stage="blue-7")
    (one,) = distiller(other, said(entry(shared))).distill()
    assert one.lesson.content == shared
    ana = opened(":memory:", session="s", user="ana")
    for app in ("shop", "till"):
        deploy(ana, app, app, stage="blue-7")
    (one,) = distiller(ana, said(entry(shared))).distill()
    assert one.outcome == ("worded" if one.lesson.scope.user else "plain")


def test_a_remark_that_tells_a_value_is_left_out(seasoned: Seasoned) -> None:
    fix = learned(seasoned)
    distiller(seasoned, said(entry(why="Order 48213 needed it."))).distill()
    assert "48213" not in seasoned.why(fix.id).text


def test_a_fix_that_is_generalised_is_distilled_again(seasoned: Seasoned) -> None:
    def limited(wanted: int, most: int) -> None:
        error, session = f"limit must be at most {most}", f"for {wanted}"
        seasoned.observe("search", {"limit": wanted}, error=error, session=session)
        seasoned.observe("search", {"limit": most}, "ok", session=session)

    words = [f"Keep `limit` at or below the most that `search` allows{end}" for end in (".", "!")]
    quote = "limit must be at most"
    limited(500, 100)
    (fix,) = seasoned.lessons(kind="fix")
    distiller(seasoned, said(entry(words[0], quote=quote))).distill()
    assert now(seasoned, fix).content == words[0]
    limited(700, 200)
    reduced = now(seasoned, fix)
    assert reduced.fix != fix.fix
    assert reduced.content == fix.content
    distiller(seasoned, said(*(entry(words[1], n, quote=quote) for n in (1, 2, 3)))).distill()
    assert now(seasoned, fix).content == words[1]


def test_several_fixes_are_one_question_and_each_has_its_answer(seasoned: Seasoned) -> None:
    learned(seasoned)
    for session, day in (("a", "31.12.2030"), ("b", "17.03.2031")):
        seasoned.observe("book", {"day": day}, error=f"bad day {day}", session=session)
        iso = "-".join(reversed(day.split(".")))
        seasoned.observe("book", {"day": iso}, "ok", session=session)
    model = Told()
    worker = seasoned.inner.app.build_fix_distiller(model)
    words = {"deploy": GOOD, "book": "Give `day` as `YYYY-MM-DD`."}
    fixes = {fix.fix.tool: fix for fix in seasoned.lessons(kind="fix") if fix.fix}
    order = sorted(fixes.values(), key=lambda fix: fix.id)
    tools = [fix.fix.tool for fix in order if fix.fix]
    quotes = {"deploy": "no region", "book": "bad day"}
    model.answers.append(
        said(*(entry(words[t], n, quote=quotes[t]) for n, t in reversed([*enumerate(tools, 1)])))
    )
    assert len(worker.distill()) == 2
    assert {tool: now(seasoned, fix).content for tool, fix in fixes.items()} == words
    assert len(model.questions) == 1


def test_fixes_of_two_projects_are_not_in_one_question(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    models = Told(said(entry()), said(entry()))
    for project in ("red", "blue"):
        s = opened(database_url, session="s", project=project)
        deploy(s, f"{project}1", "one")
        deploy(s, f"{project}2", "two")
    s.inner.app.build_fix_distiller(models).distill()
    first, second = (question.prompt for question in models.questions)
    assert ("red1" in first) != ("blue1" in first)
    assert ("red1" in second) != ("blue1" in second)


def scripted(*answers: Mapping[str, Any] | str) -> tuple[BackgroundModel, Scripted]:
    texts = [one if isinstance(one, str) else json.dumps(one) for one in answers]
    model = Scripted(*texts)
    return BackgroundModel("scripted:test", lambda: Supervised([model])), model


def test_a_broken_answer_is_repaired(seasoned: Seasoned) -> None:
    fix = learned(seasoned)
    broken = json.dumps(said(entry()))[:-9]
    model, script = scripted(broken, said(entry()))
    seasoned.inner.app.build_fix_distiller(model).distill()
    assert now(seasoned, fix).content == GOOD
    assert len(script.asked) <= 2


@pytest.mark.parametrize(
    "useless",
    [
        said(),
        said(entry(number=7)),
        said(entry(quote="the moon is full")),
        said(entry("")),
    ],
)
def test_a_useless_answer_is_asked_for_again_with_a_visible_error(
    seasoned: Seasoned, useless: Mapping[str, Any]
) -> None:
    fix = learned(seasoned)
    worker = distiller(seasoned, useless, said(entry()))
    with pytest.raises(ModelError, match="told:model"):
        worker.work(8)
    assert now(seasoned, fix) == fix
    assert worker.work(8) == 1
    assert now(seasoned, fix).content == GOOD


def test_after_three_useless_answers_the_plain_words_stand(seasoned: Seasoned) -> None:
    fix = learned(seasoned)
    model, script = scripted(*["no idea"] * 20)
    (one,) = seasoned.inner.app.build_fix_distiller(model).distill()
    assert one.outcome == "plain"
    assert "no usable answer" in one.reason
    after = now(seasoned, fix)
    assert (after.content, after.status, after.belief) == (PLAIN, "active", fix.belief)
    asked = len(script.asked)
    assert seasoned.inner.app.build_fix_distiller(model).distill() == []
    assert len(script.asked) == asked


@pytest.mark.parametrize("away", [ModelUnavailable("away"), BudgetSpent("spent")])
def test_while_the_model_cannot_be_asked_the_fix_waits(seasoned: Seasoned, away: Exception) -> None:
    fix = learned(seasoned)
    worker = distiller(seasoned, *[away] * 5, said(entry()))
    for _ in range(5):
        with pytest.raises(type(away)):
            worker.work(8)
        assert now(seasoned, fix) == fix
    assert worker.work(8) == 1
    assert now(seasoned, fix).content == GOOD


def test_an_answer_about_words_that_changed_meanwhile_is_not_stored(seasoned: Seasoned) -> None:
    fix = learned(seasoned)

    class Slow(Told):
        def answer(self, question: Any) -> Any:
            seasoned.forget(fix.id)
            return super().answer(question)

    assert seasoned.inner.app.build_fix_distiller(Slow(said(entry()))).work(8) == 0
    after = now(seasoned, fix)
    assert (after.status, after.content) == ("retired", PLAIN)


def test_without_a_model_nothing_runs(seasoned: Seasoned) -> None:
    learned(seasoned)
    with pytest.raises(ConfigError, match=r"llm\.model"):
        seasoned.distill()
    assert seasoned.inner.app.fix_distiller.work(8) == 0
    assert seasoned.status()["fixes"]["by"] == "plain"


def test_a_configured_model_is_asked_in_the_background(
    tmp_path: Path, opened: Callable[..., Seasoned], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"data": {"distill_fixes": [said(entry())]}}), "utf-8")
    monkeypatch.setenv("SEASONED_LLM__MODEL", f"scripted:{script}")
    monkeypatch.setenv("SEASONED_BUFFER__FLUSH_SECONDS", "0.05")
    s = opened(str(tmp_path / "a.db"), session="s")
    fix = learned(s)
    deadline = time.monotonic() + 20
    while now(s, fix).content == PLAIN and time.monotonic() < deadline:
        time.sleep(0.02)
    assert now(s, fix).content == GOOD
    told = s.status()["fixes"]
    assert (told["by"], told["waiting"]) == (f"scripted:{script}", 0)
    assert s.distill() == []


def test_what_waits_is_taken_up_when_the_store_is_opened_with_a_model(
    tmp_path: Path, opened: Callable[..., Seasoned], monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(str(tmp_path / "a.db"), session="s") as s:
        fix = learned(s)
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"data": {"distill_fixes": [said(entry())]}}), "utf-8")
    monkeypatch.setenv("SEASONED_LLM__MODEL", f"scripted:{script}")
    monkeypatch.setenv("SEASONED_BUFFER__FLUSH_SECONDS", "0.05")
    s = opened(str(tmp_path / "a.db"), session="s")
    deadline = time.monotonic() + 20
    while now(s, fix).content == PLAIN and time.monotonic() < deadline:
        time.sleep(0.02)
    assert now(s, fix).content == GOOD


def test_an_unusable_model_is_shown_and_retried(
    tmp_path: Path, opened: Callable[..., Seasoned], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"data": {"distill_fixes": []}}), "utf-8")
    monkeypatch.setenv("SEASONED_LLM__MODEL", f"scripted:{script}")
    monkeypatch.setenv("SEASONED_BUFFER__FLUSH_SECONDS", "0.05")
    s = opened(str(tmp_path / "a.db"), session="s")
    fix = learned(s)
    deadline = time.monotonic() + 20
    while not s.status()["fixes"]["failed"] and time.monotonic() < deadline:
        time.sleep(0.02)
    told = s.status()["fixes"]
    assert told["failed"]
    assert told["last_error"]
    assert now(s, fix) == fix
