"""The first loop: a call fails, the agent repairs it, the next session gets the fix."""

from collections.abc import Callable
from pathlib import Path

import pytest

from seasoned import Hint, Seasoned
from seasoned.core.clock import FixedClock
from seasoned.core.errors import NotFound

MERGE = "error: The branch '{0}' is not fully merged.\nIf you are sure, run 'git branch -D {0}'."


def fail(s: Seasoned, session: str, command: str, error: str) -> Hint | None:
    return s.observe("shell", {"command": command}, error=error, session=session)


def work(s: Seasoned, session: str, command: str) -> None:
    assert s.observe("shell", {"command": command}, result="ok", session=session) is None


def podman_episode(s: Seasoned, session: str, image: str) -> Hint | None:
    hint = fail(s, session, f"docker run {image}", "bash: docker: command not found")
    work(s, session, f"podman run {image}")
    return hint


def test_the_fix_is_there_once_two_episodes_agree(seasoned: Seasoned) -> None:
    assert podman_episode(seasoned, "s1", "alpine") is None
    assert podman_episode(seasoned, "s2", "redis:7") is None
    hint = fail(seasoned, "s3", "docker run nginx", "bash: docker: command not found")
    assert hint is not None
    assert hint.params == {"command": "podman run nginx"}
    assert hint.confidence == pytest.approx(3 / 4)
    assert "podman" in str(hint)


def test_an_error_that_names_its_own_repair_needs_one_episode(seasoned: Seasoned) -> None:
    fail(seasoned, "s1", "git branch -d old", MERGE.format("old"))
    work(seasoned, "s1", "git branch -D old")
    hint = fail(seasoned, "s2", "git branch -d wip", MERGE.format("wip"))
    assert hint is not None
    assert hint.params == {"command": "git branch -D wip"}


def test_following_a_hint_successfully_raises_its_confidence(seasoned: Seasoned) -> None:
    for session in ("s1", "s2"):
        podman_episode(seasoned, session, "alpine")
    before = seasoned.lessons(kind="fix")[0]
    assert podman_episode(seasoned, "s3", "nginx") is not None
    after = seasoned.lesson(before.id)
    assert after.belief.worked == before.belief.worked + 1
    assert after.times_given == 1


def test_the_same_failure_after_a_hint_lowers_it_once_per_episode(seasoned: Seasoned) -> None:
    for session in ("s1", "s2"):
        podman_episode(seasoned, session, "alpine")
    before = seasoned.lessons(kind="fix")[0]
    error = "bash: docker: command not found"
    fail(seasoned, "s3", "docker run nginx", error)
    for _ in range(3):  # the hint was followed
        fail(seasoned, "s3", "podman run nginx", error)
    after = seasoned.lesson(before.id)
    assert after.belief.failed == before.belief.failed + 1
    assert after.confidence < 0.7
    assert after.status == "candidate"


def test_a_hint_that_nobody_followed_loses_nothing_and_is_given_again(seasoned: Seasoned) -> None:
    for session in ("s1", "s2"):
        podman_episode(seasoned, session, "alpine")
    before = seasoned.lessons(kind="fix")[0]
    given = [
        fail(seasoned, "s3", "docker run nginx", "bash: docker: command not found")
        for _ in range(3)
    ]
    assert [hint and hint.lesson for hint in given] == [before.id] * 3
    assert seasoned.lesson(before.id).belief == before.belief


def test_a_hint_that_just_failed_is_not_given_again_in_that_episode(seasoned: Seasoned) -> None:
    seasoned.teach("docker: command not found", fix="Use podman.", tool="shell")
    command, error = "docker run nginx", "docker: command not found"
    assert fail(seasoned, "s1", command, error) is not None
    assert fail(seasoned, "s1", command, error) is None
    assert fail(seasoned, "s2", command, error) is not None


def test_a_success_with_no_failure_before_it_credits_nothing(seasoned: Seasoned) -> None:
    for session in ("s1", "s2"):
        podman_episode(seasoned, session, "alpine")
    before = seasoned.lessons(kind="fix")[0].belief
    for count in range(5):
        work(seasoned, "elsewhere", f"podman run alpine {count}")
    assert seasoned.lessons(kind="fix")[0].belief == before


def test_an_unrelated_success_is_not_taken_for_the_fix(seasoned: Seasoned) -> None:
    for session in ("s1", "s2"):
        fail(seasoned, session, "pytest -q tests/api", "bash: pytest: command not found")
        work(seasoned, session, "ls -la")
        work(seasoned, session, "python -m pytest -q tests/api")
    hint = fail(seasoned, "s3", "pytest -q tests/db", "bash: pytest: command not found")
    assert hint is not None
    assert hint.params == {"command": "python -m pytest -q tests/db"}
    assert "`ls" not in hint.text


def test_a_step_in_between_is_the_fix_when_the_same_call_then_works(seasoned: Seasoned) -> None:
    for session in ("s1", "s2"):
        fail(seasoned, session, "npm test", "sh: 1: vitest: not found")
        work(seasoned, session, "npm install")
        work(seasoned, session, "npm test")
    hint = fail(seasoned, "s3", "npm test", "sh: 1: vitest: not found")
    assert hint is not None
    assert "npm install" in hint.text


def test_a_changed_call_was_not_the_fix_when_the_first_one_works_soon_after(
    seasoned: Seasoned,
) -> None:
    error = "error: failed to push some refs to 'origin'"
    for session in ("s1", "s2"):
        fail(seasoned, session, "git push origin main", error)
        work(seasoned, session, "git push --dry-run origin main")
        work(seasoned, session, "git pull --rebase origin main")
        work(seasoned, session, "git push origin main")
    hint = fail(seasoned, "s3", "git push origin dev", error)
    assert hint is not None
    assert "git pull --rebase" in hint.text
    assert "try again" in hint.text
    assert ("shell", {"command": "git pull --rebase origin dev"}) in hint.steps


def test_a_parameter_that_was_missing_is_named_whatever_its_value(seasoned: Seasoned) -> None:
    for session, currency in (("s1", "EUR"), ("s2", "USD")):
        bad = {"customer": session, "total": 10}
        seasoned.observe("invoice", bad, error="missing field: currency", session=session)
        seasoned.observe("invoice", bad | {"currency": currency}, result="ok", session=session)
    hint = seasoned.observe("invoice", {"customer": "z"}, error="missing field: currency")
    assert hint is not None
    assert (hint.text, hint.params) == ("Pass `currency`, too.", None)


def test_fixes_that_turn_out_to_be_the_same_become_one(seasoned: Seasoned) -> None:
    names = ("shop", "blog", "wiki", "kiosk", "forum")
    for name in names:
        params = {"site": name}
        error = f"no region given for {name}"
        seasoned.observe("deploy", params, error=error, session=name)
        seasoned.observe("deploy", params | {"region": "eu"}, result="ok", session=name)
    (error,), fixes = seasoned.errors(), seasoned.lessons(kind="fix")
    assert len(fixes) == 1
    assert fixes[0].trigger == error.template
    why = seasoned.why(fixes[0].id)
    assert sum(one.worked for one in why.evidence) == fixes[0].belief.worked
    assert {one.session for one in why.evidence if one.quote} == set(names)


def test_a_retry_that_simply_works_teaches_nothing(seasoned: Seasoned) -> None:
    for session in ("s1", "s2"):
        params = {"url": f"https://example.com/{session}"}
        seasoned.observe("fetch", params, error="503 Service Unavailable", session=session)
        seasoned.observe("fetch", params, result="<html>", session=session)
    assert list(seasoned.lessons()) == []


def test_parameters_of_structured_tools_are_repaired_too(seasoned: Seasoned) -> None:
    hint = None
    for number, session in enumerate(("s1", "s2", "s3")):
        bad = {"order": f"A{number}", "amount": f"{number}0"}
        good = {"order": f"A{number}", "amount": number * 10}
        hint = seasoned.observe("refund", bad, error="amount must be an integer", session=session)
        seasoned.observe("refund", good, result={"ok": True}, session=session)
    assert hint is not None
    assert hint.params == {"order": "A2", "amount": 20}


def test_what_was_taught_beats_what_was_inferred(seasoned: Seasoned) -> None:
    for session in ("s1", "s2", "s3", "s4"):
        podman_episode(seasoned, session, "alpine")
    seasoned.teach("bash: docker: command not found", fix="Use nerdctl.", tool="shell")
    hint = fail(seasoned, "s9", "docker run x", "bash: docker: command not found")
    assert hint is not None
    assert hint.text == "Use nerdctl."
    assert hint.source == "operator"


def test_a_fix_taught_for_any_tool_helps_every_tool(seasoned: Seasoned) -> None:
    seasoned.teach("connection refused by example.com:5432", fix="Start the tunnel first.")
    error = "connection refused by example.com:6543"
    assert seasoned.observe("psql", {}, error=error) is not None
    assert seasoned.observe("migrate", {}, error=error) is not None


def test_a_later_statement_supersedes_the_earlier_which_is_kept(seasoned: Seasoned) -> None:
    first = seasoned.teach("disk full", fix="Delete the cache.", tool="shell")
    second = seasoned.teach("disk full", fix="Ask for a bigger disk.", tool="shell")
    hint = fail(seasoned, "s1", "make", "disk full")
    assert hint is not None
    assert hint.lesson == second.id
    old = seasoned.lesson(first.id)
    assert (old.status, old.superseded_by) == ("superseded", second.id)


def test_telling_the_same_twice_adds_evidence_not_a_row(seasoned: Seasoned) -> None:
    first = seasoned.teach("disk full", fix="Delete the cache.", tool="shell")
    second = seasoned.teach("disk full", fix="Delete the cache.", tool="shell")
    assert second.id == first.id
    assert second.belief.worked == first.belief.worked + 1
    assert len(seasoned.lessons()) == 1


def test_recurring_errors_are_one_row_with_a_count(seasoned: Seasoned) -> None:
    for number in range(30):
        fail(
            seasoned, f"s{number}", "curl x", f"connect to 10.0.0.{number}:80{number:02}: timed out"
        )
    (error,) = seasoned.errors()
    assert error.seen == 30
    assert error.category == "timeout"


def test_a_forgotten_fix_is_not_given_and_does_not_come_back_by_itself(seasoned: Seasoned) -> None:
    for session in ("s1", "s2"):
        podman_episode(seasoned, session, "alpine")
    seasoned.forget(seasoned.lessons(kind="fix")[0].id)
    for session in ("s3", "s4", "s5"):
        assert podman_episode(seasoned, session, "nginx") is None
    assert [lesson.status for lesson in seasoned.lessons(kind="fix")] == ["retired"]


def test_erasing_leaves_no_word_of_it(seasoned: Seasoned) -> None:
    lesson = seasoned.teach("the vault code", fact="it is 4711-swordfish")
    erased = seasoned.forget(lesson.id, erase=True)
    assert (erased.content, erased.trigger, erased.status) == ("", "", "retired")
    assert not seasoned.recall("swordfish vault code")
    assert seasoned.why(lesson.id).evidence == []


def test_one_projects_lessons_do_not_reach_another(
    database_url: str, opened: Callable[..., Seasoned], clock: FixedClock
) -> None:
    web = opened(database_url, project="web", clock=clock)
    data = opened(database_url, project="data", clock=clock)
    for session in ("s1", "s2"):
        podman_episode(web, session, "alpine")
    error = "bash: docker: command not found"
    assert fail(web, "s3", "docker run x", error) is not None
    assert fail(data, "s3", "docker run x", error) is None
    opened(database_url, clock=clock).teach(error, fix="Ask ops.", tool="shell")
    hint = fail(opened(database_url, project="third", clock=clock), "s4", "docker run x", error)
    assert hint is not None
    assert hint.text == "Ask ops."


def test_one_users_lesson_does_not_reach_another(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    ana = opened(database_url, user="ana")
    bob = opened(database_url, user="bob")
    ana.teach("deploying", preference="Deploy to staging first.")
    assert ana.recall("deploying the app to staging")
    assert not bob.recall("deploying the app to staging")


def test_why_names_every_piece_of_evidence(seasoned: Seasoned) -> None:
    for session in ("s1", "s2"):
        podman_episode(seasoned, session, "alpine")
    lesson = seasoned.lessons(kind="fix")[0]
    why = seasoned.why(lesson.id[:6])
    assert sum(one.worked for one in why.evidence) == lesson.belief.worked
    assert sum(one.failed for one in why.evidence) == lesson.belief.failed
    assert {one.session for one in why.evidence if one.session} == {"s1", "s2"}
    assert [event.kind for event in why.events] == ["lesson.learned", "lesson.changed"]
    assert len(why.episodes) == 2
    assert "0.75" in why.text


def test_hints_can_be_switched_off(database_url: str, opened: Callable[..., Seasoned]) -> None:
    quiet = opened(database_url, environment={"SEASONED_AGENT__ERROR_CORRECTION_ENABLED": "false"})
    for session in ("s1", "s2", "s3", "s4"):
        assert podman_episode(quiet, session, "alpine") is None
    assert quiet.lessons(kind="fix")[0].belief.worked == 5


def test_learning_can_be_switched_off(database_url: str, opened: Callable[..., Seasoned]) -> None:
    off = opened(database_url, environment={"SEASONED_KNOWLEDGE__ENABLED": "false"})
    podman_episode(off, "s1", "alpine")
    assert off.status()["calls"] == 0


def test_the_next_page_is_not_the_fix_of_this_one(seasoned: Seasoned) -> None:
    for session in ("s1", "s2", "s3"):
        for page in (1, 2, 3):
            params = {"url": "https://example.com/items", "page": page}
            error = "upstream hung up" if page == 2 else None
            seasoned.observe("fetch", params, "ok", error, session=session)
    assert seasoned.lessons(kind="fix") == []


def test_a_number_that_the_error_tells_is_taken_from_it(seasoned: Seasoned) -> None:
    hint = None
    for number in range(3):
        limit, error = 50 + number, f"amount exceeds the paid total of {50 + number}"
        bad = {"order": f"o{number}", "amount": 100 + number}
        hint = seasoned.observe("refund", bad, error=error, session=f"s{number}")
        seasoned.observe("refund", bad | {"amount": limit}, "ok", session=f"s{number}")
    assert hint is not None
    assert hint.params == {"order": "o2", "amount": 52}


def test_a_wrong_password_is_not_learned_as_transient(seasoned: Seasoned) -> None:
    for session in ("s1", "s2", "s3"):
        wrong, right = ({"user": "ana", "password": word} for word in ("hunter", "hunted"))
        assert (
            seasoned.observe("login", wrong, error="invalid credentials", session=session) is None
        )
        seasoned.observe("login", right, "ok", session=session)
    assert all("try" not in lesson.content for lesson in seasoned.lessons())


def test_a_call_that_works_with_another_value_speaks_against_the_hint(seasoned: Seasoned) -> None:
    for session in ("s1", "s2", "s3"):
        seasoned.observe("deploy", {"app": session}, error="no region given", session=session)
        seasoned.observe("deploy", {"app": session, "region": "eu"}, "ok", session=session)
    before = seasoned.lessons(kind="fix")[0]
    assert seasoned.observe("deploy", {"app": "x"}, error="no region given", session="x")
    seasoned.observe("deploy", {"app": "x", "region": "us"}, "ok", session="x")
    after = seasoned.lesson(before.id)
    assert (after.content, after.belief) == (before.content, before.belief.plus(failed=1))


def test_fixes_told_for_different_names_stand_side_by_side(seasoned: Seasoned) -> None:
    seasoned.teach("port 8080 is already in use", fix="Stop webpack.", tool="shell")
    seasoned.teach("port 5432 is already in use", fix="Stop Postgres.", tool="shell")
    for port, text in ((8080, "Stop webpack."), (5432, "Stop Postgres.")):
        hint = fail(seasoned, f"s{port}", "make up", f"port {port} is already in use")
        assert hint is not None
        assert hint.text == text


def test_each_hint_is_tried_once_in_an_episode(seasoned: Seasoned) -> None:
    seasoned.teach("disk full on /a", fix="Empty the bin.", tool="shell")
    seasoned.teach("disk full", fix="Ask for more.", tool="shell", source="user")
    given = [fail(seasoned, "s1", "make", "disk full on /a") for _ in range(5)]
    texts = [hint.text for hint in given if hint]
    assert sorted(texts) == ["Ask for more.", "Empty the bin."]
    assert all(lesson.belief.failed == 2 for lesson in seasoned.lessons())


def test_one_tenant_cannot_look_at_anothers_lesson(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    acme = opened(database_url, tenant="acme", user="ana")
    other = opened(database_url, tenant="other")
    lesson = acme.teach("salary", fact="Ana earns 100")
    for look in (other.lesson, other.why, other.forget):
        with pytest.raises(NotFound):
            look(lesson.id)
    assert acme.lesson(lesson.id).status == "active"


def test_tenants_do_not_crowd_one_another_out(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    crowd, lonely = opened(database_url, tenant="a"), opened(database_url, tenant="b")
    for number in range(130):
        crowd.teach("staging", fact=f"staging deploy number {number}")
    lonely.teach("staging", fact="staging deploy of ours")
    assert [one.lesson.content for one in lonely.recall("staging deploy").lessons] == [
        "staging deploy of ours"
    ]


def test_no_secret_stands_anywhere_in_the_database(
    tmp_path: Path, opened: Callable[..., Seasoned]
) -> None:
    s = opened(tmp_path / "x.db")
    error = "login failed: password=hunterzwei rejected for token: abcde12fghij"
    for session in ("s1", "s2"):
        params = {"u": 1, "cookie": "crumbly", "Authorization": "zzzz"}
        s.observe("http", params, error=error, session=session)
        s.observe("http", params | {"retry": True}, "ok", session=session)
    s.teach("when password=hunterdrei fails", fix="use token=klmno34pqrst")
    s.close()
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    for secret in (
        b"hunterzwei",
        b"abcde12fghij",
        b"crumbly",
        b"zzzz",
        b"hunterdrei",
        b"klmno34pqrst",
    ):
        assert secret not in content


def test_what_is_erased_stands_nowhere_and_can_be_told_anew(
    tmp_path: Path, opened: Callable[..., Seasoned]
) -> None:
    s = opened(tmp_path / "x.db")
    lesson = s.teach("the grumbling vault", fix="say swordfish", tool="vault")
    s.forget(lesson.id, erase=True)
    for table in ("lessons", "lesson_versions", "errors", "audit", "evidence"):
        rows = s.inner.app.db.run(_all_of(s, table))
        assert "swordfish" not in str(rows)
        assert "grumbling" not in str(rows)
    again = s.teach("the grumbling vault", fix="say swordfish", tool="vault")
    assert again.id != lesson.id
    hint = s.observe("vault", {}, error="the grumbling vault")
    assert hint is not None
    assert hint.text == "say swordfish"


async def _all_of(s: Seasoned, table: str) -> object:
    async with s.inner.app.db.read() as tx:
        return await tx.fetch(f"SELECT * FROM {table}")
