"""The inbox: candidates by the keyboard alone, and conflicts that are decided and reopened."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.server.desk.visiting import Visitor, Visits
from tests.server.live.scripts import wait_until
from tests.server.live.serving import LiveGateway

from seasoned import Seasoned
from seasoned.db.unit import Change

pytestmark = pytest.mark.sqlite_only

DOCKER, PODMAN = "Deploy with docker, not podman.", "Deploy with podman, not docker."


@pytest.fixture
def gateway(tmp_path: Path) -> Generator[LiveGateway]:
    one = LiveGateway(tmp_path / "home", "Nobody told me.")
    yield one
    one.end()


def repair(gateway: LiveGateway, tool: str, **added: str) -> None:
    """Let a call fail, then work with one value more: a candidate, as nobody else saw it."""
    call = {"tool": tool, "session": f"session of {tool}"}
    error = {"error": f"{tool} found no free lane"}
    calls = ({"params": {"parcel": "p1"}} | error, {"params": {"parcel": "p1"} | added})
    for one in calls:
        assert gateway.post("/v1/observe", call | one).status_code == 200


def waiting(gateway: LiveGateway) -> list[str]:
    return [one["lesson"]["content"] for one in gateway.get("/v1/review").json()["items"]]


def status(gateway: LiveGateway, content: str) -> str:
    lessons: list[dict[str, Any]] = gateway.get("/v1/lessons").json()["items"]
    return next(one["status"] for one in lessons if one["content"] == content)


def chosen(visitor: Visitor) -> str:
    return visitor.page.locator("li.chosen a.title").first.inner_text()


def press(visitor: Visitor, *keys: str) -> None:
    for key in keys:
        visitor.page.keyboard.press(key)


def test_candidates_are_decided_with_the_keyboard_alone(
    gateway: LiveGateway, visits: Visits
) -> None:
    repair(gateway, "sync", lane="slow")
    repair(gateway, "mail", stamp="blue")
    first, second = waiting(gateway)
    person = visits.open(gateway.url).log_in()
    page = person.page
    press(person, "g", "i")
    page.get_by_role("heading", level=1, name="Inbox").wait_for()
    wait_until(lambda: chosen(person) == first)  # a fact that comes in draws the list anew
    press(person, "j")
    wait_until(lambda: chosen(person) == second)
    press(person, "k")
    wait_until(lambda: chosen(person) == first)

    press(person, "a")
    page.get_by_text("Accepted: it is active now.").wait_for()
    assert (status(gateway, first), waiting(gateway)) == ("active", [second])
    wait_until(lambda: chosen(person) == second)
    press(person, "u")
    wait_until(lambda: len(waiting(gateway)) == 2)
    assert status(gateway, first) == "candidate"
    page.locator("#inbox-count", has_text="2").wait_for()

    page.locator("li a.title", has_text=second).wait_for()
    while chosen(person) != second:
        press(person, "j")
    press(person, "r")
    page.get_by_text("Rejected: it will not come back.").wait_for()
    assert (status(gateway, second), waiting(gateway)) == ("retired", [first])


def test_a_candidate_is_accepted_in_other_words(gateway: LiveGateway, visits: Visits) -> None:
    repair(gateway, "sync", lane="slow")
    person = visits.open(gateway.url).log_in()
    person.visit("/inbox")
    press(person, "e")
    person.page.get_by_role("textbox").fill("Name the lane: slow.")
    press(person, "Control+Enter")
    person.page.get_by_text("Accepted in your words.").wait_for()
    assert status(gateway, "Name the lane: slow.") == "active"
    person.page.get_by_text("Nothing waits for you.").wait_for()


def test_a_conflict_is_resolved_and_undone(gateway: LiveGateway, visits: Visits) -> None:
    for words in (DOCKER, PODMAN):
        assert gateway.post("/v1/rules", {"description": words}).status_code == 201
    page = visits.open(gateway.url).log_in().visit("/inbox")
    before = (status(gateway, DOCKER), status(gateway, PODMAN))
    assert page.get_by_role("link", name=DOCKER).is_visible()
    assert page.get_by_role("link", name=PODMAN).is_visible()

    page.get_by_role("button", name="Keep the earlier").click()
    page.get_by_text("Nothing waits for you.").wait_for()
    assert status(gateway, DOCKER) == "active"
    assert status(gateway, PODMAN) != "active"

    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Both hold").wait_for()
    assert (status(gateway, DOCKER), status(gateway, PODMAN)) == before

    page.get_by_role("button", name="Both hold").click()
    page.get_by_text("Nothing waits for you.").wait_for()
    assert (status(gateway, DOCKER), status(gateway, PODMAN)) == ("active", "active")


def test_enter_presses_the_button_that_has_the_focus(gateway: LiveGateway, visits: Visits) -> None:
    """Beside the list's own meaning of Enter, which opens what is chosen."""
    repair(gateway, "sync", lane="slow")
    person = visits.open(gateway.url).log_in()
    page = person.visit("/inbox")
    page.get_by_role("button", name="Accept").focus()
    press(person, "Enter")
    page.get_by_text("Accepted: it is active now.").wait_for()
    assert page.url.endswith("/inbox")


def test_a_question_of_the_librarian_is_answered(gateway: LiveGateway, visits: Visits) -> None:
    gateway.say("Who approves refunds?", "s1")
    with Seasoned(gateway.database) as s:
        app, (session,) = s.inner.app, s.sessions.list()
        ask = app.librarian.inquiries.add

        async def asked(change: Change) -> None:
            await ask(change.tx, session, "Who approves refunds?", "it came up", change.at)

        app.unit.drive(app.unit.change(asked))
    page = visits.open(gateway.url).log_in().visit("/inbox")
    page.get_by_role("button", name="Answer").click()
    page.get_by_role("textbox", name="Who approves refunds?").fill("Mara does.")
    page.get_by_role("dialog").get_by_role("button", name="Answer").click()
    page.get_by_text("Answered.").wait_for()
    assert gateway.get("/v1/inquiries?status=pending").json()["items"] == []
