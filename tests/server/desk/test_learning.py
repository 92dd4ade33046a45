"""A correction becomes a rule before the reader's eyes; switching it changes the next prompt."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.server.desk.visiting import Visits
from tests.server.live.scripts import Gate, calls, wait_until
from tests.server.live.serving import LiveGateway

pytestmark = pytest.mark.sqlite_only

CORRECTION = "No. Always answer in German."
RULE = "Always answer in German."


@pytest.fixture
def gateway(tmp_path: Path) -> Generator[LiveGateway]:
    steps = ("Good morning.", "Guten Morgen.", "Gern geschehen.")
    # Corrections are read in rounds; a test has less patience than a person.
    often: dict[str, Any] = {"SEASONED_BEHAVIORAL__INTERVAL_SECONDS": "0.1"}
    one = LiveGateway(tmp_path / "home", *steps, **often)
    yield one
    one.end()


def told(gateway: LiveGateway) -> str:
    """Return what the next prompt would get."""
    asked = {"query": "Good morning!", "given": False}
    return gateway.post("/v1/recall", asked).json()["text"]


def correct(gateway: LiveGateway) -> None:
    """Correct the agent, and wait until the rule holds."""
    gateway.say("Good morning!", "s1")
    gateway.say(CORRECTION, "s1")
    wait_until(lambda: RULE in told(gateway))


def say(page: Any, words: str, answer: str) -> None:
    page.get_by_label("Message").fill(words)
    page.get_by_label("Message").press("Enter")
    page.locator(".bubble.assistant", has_text=answer).wait_for()


def test_a_correction_in_the_chat_appears_as_a_rule_without_reload(
    gateway: LiveGateway, visits: Visits
) -> None:
    person = visits.open(gateway.url).log_in()
    rules = person.visit("/behavioral-rules", person.tab())
    assert rules.get_by_text("No rules yet.").is_visible()
    rules.evaluate("window.neverReloaded = true")

    chat = person.visit("/chat")
    say(chat, "Good morning!", "Good morning.")
    say(chat, CORRECTION, "Guten Morgen.")

    rules.get_by_role("link", name=RULE).wait_for()
    assert rules.evaluate("window.neverReloaded")
    side = chat.get_by_role("complementary", name="What is learned")
    side.get_by_role("link", name=RULE).first.wait_for()
    wait_until(lambda: RULE in told(gateway))  # for other sessions, once it is learned


def test_a_rule_that_is_switched_off_is_not_in_the_next_prompt(
    gateway: LiveGateway, visits: Visits
) -> None:
    correct(gateway)
    page = visits.open(gateway.url).log_in().visit("/behavioral-rules")
    switch = page.get_by_role("switch", name=f"In force: {RULE}")

    switch.click()
    page.get_by_text("Switched off").wait_for()
    assert switch.get_attribute("aria-checked") == "false"
    assert RULE not in told(gateway)

    page.get_by_role("button", name="Undo").click()
    wait_until(lambda: RULE in told(gateway))

    page.locator("[role=switch][aria-checked=true]").click()
    page.locator("[role=switch][aria-checked=false]").wait_for()
    assert RULE not in told(gateway)
    switch.click()
    page.locator("[role=switch][aria-checked=true]").wait_for()
    wait_until(lambda: RULE in told(gateway))  # for other sessions, once it is learned
    assert gateway.say("Thank you.", "s1")["reply"] == "Gern geschehen."


def test_the_edit_of_a_rule_holds_and_is_taken_back(gateway: LiveGateway, visits: Visits) -> None:
    correct(gateway)
    page = visits.open(gateway.url).log_in().visit("/behavioral-rules")
    page.get_by_role("link", name=RULE).click()
    page.get_by_role("button", name="Edit").click()
    page.get_by_role("textbox", name="The rule").fill("Always answer in Danish.")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", level=1, name="Always answer in Danish.").wait_for()
    assert "Always answer in Danish." in told(gateway)
    page.locator("ins", has_text="Danish").first.wait_for()

    page.get_by_role("button", name="Undo").click()
    page.get_by_role("heading", level=1, name=RULE).wait_for()
    assert "Danish" not in told(gateway)


def test_a_correction_is_shown_at_once_and_gives_way_to_what_is_learned(
    tmp_path: Path, visits: Visits
) -> None:
    """The learner is asked by hand here, as late as the test likes."""
    slow: dict[str, Any] = {"SEASONED_BEHAVIORAL__INTERVAL_SECONDS": "3600"}
    gateway = LiveGateway(tmp_path / "home", "Good morning.", "Guten Morgen.", **slow)
    try:
        person = visits.open(gateway.url).log_in()
        rules = person.visit("/behavioral-rules", person.tab())
        chat = person.visit("/chat")
        say(chat, "Good morning!", "Good morning.")
        say(chat, CORRECTION, "Guten Morgen.")

        row = rules.locator("li", has_text=RULE)
        row.get_by_text("provisional, this session").wait_for()
        assert gateway.get("/v1/rules").json()["items"] == []

        assert gateway.post("/v1/corrections/learn", {}).status_code == 200
        row.get_by_text("provisional, this session").wait_for(state="detached")
        row.wait_for()
        assert row.count() == 1
        assert len(gateway.get("/v1/rules").json()["items"]) == 1
    finally:
        gateway.end()


def test_the_chat_shows_what_the_agent_was_given_and_keeps_a_message_typed_ahead(
    tmp_path: Path, visits: Visits
) -> None:
    gate = Gate()
    gateway = LiveGateway(
        tmp_path / "home", calls("pass_gate"), "Guten Morgen.", "Gern.", tools=[gate.tool()]
    )
    try:
        assert gateway.post("/v1/rules", {"description": RULE}).status_code == 201
        page = visits.open(gateway.url).log_in().visit("/chat")
        box = page.get_by_label("Message")
        box.fill("Good morning!")
        box.press("Enter")
        side = page.get_by_role("complementary", name="What is learned")
        side.get_by_text("1 lesson given to the agent").wait_for()
        assert side.get_by_text("holds in every turn").is_visible()

        box.fill("Thank you.")
        box.press("Enter")
        page.get_by_text("Sent when this answer is done.").wait_for()
        assert page.locator(".bubble.user").count() == 1
        gate.free.set()
        page.locator(".bubble.assistant", has_text="Gern.").wait_for()
        assert page.locator(".bubble.user").all_inner_texts() == ["Good morning!", "Thank you."]

        page.reload()  # the conversation is still there, and goes on
        page.locator(".bubble.assistant", has_text="Gern.").wait_for()
        assert page.locator(".bubble.user").count() == 2
    finally:
        gate.free.set()
        gateway.end()


def test_a_transcript_tells_which_lessons_a_turn_was_given_and_why(
    gateway: LiveGateway, visits: Visits
) -> None:
    assert gateway.post("/v1/rules", {"description": RULE}).status_code == 201
    gateway.say("Good morning!", "s1")
    page = visits.open(gateway.url).log_in().visit("/sessions/s1")
    page.get_by_text("1 lesson given in this turn").click()
    given = page.locator("details.given li")
    assert given.get_by_role("link", name=RULE).is_visible()
    assert given.get_by_text("in the prompt").is_visible()
    assert given.get_by_text("holds in every turn").is_visible()

    gateway.say("Thank you.", "s1")  # the page follows
    page.locator(".bubble.user", has_text="Thank you.").wait_for()


def test_a_lesson_tells_where_it_was_given_and_is_switched_and_worded_by_a_person(
    gateway: LiveGateway, visits: Visits
) -> None:
    fact = {"fact": "The cafeteria closes at 14:00."}
    lesson = gateway.post("/v1/teach", fact).json()
    asked = {"query": "When does the cafeteria close?", "session": "lunch"}
    assert "14:00" in gateway.post("/v1/recall", asked).json()["text"]
    why = f"/v1/lessons/{lesson['id']}/why"
    wait_until(lambda: gateway.get(why).json()["uses"])
    page = visits.open(gateway.url).log_in().visit(f"/lessons/{lesson['id']}")
    assert page.get_by_role("link", name="lunch").is_visible()

    page.get_by_role("button", name="Switch off").click()
    page.get_by_role("button", name="Switch on").wait_for()
    assert "14:00" not in gateway.post("/v1/recall", asked).json()["text"]
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Switch off").wait_for()
    assert "14:00" in gateway.post("/v1/recall", asked).json()["text"]

    page.get_by_role("button", name="Edit").click()
    page.get_by_role("textbox", name="The lesson").fill("The cafeteria closes at 15:00.")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", level=1, name="The cafeteria closes at 15:00.").wait_for()
    assert "15:00" in gateway.post("/v1/recall", asked).json()["text"]
    page.keyboard.press("u")
    page.get_by_role("heading", level=1, name="The cafeteria closes at 14:00.").wait_for()
    assert "14:00" in gateway.post("/v1/recall", asked).json()["text"]

    page.get_by_role("button", name="Forget").click()
    page.get_by_text("Forgotten.").wait_for()
    assert "14:00" not in gateway.post("/v1/recall", asked).json()["text"]
