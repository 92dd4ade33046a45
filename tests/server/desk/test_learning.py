"""A correction becomes a rule before the reader's eyes; switching it changes the next prompt."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.server.desk.visiting import Visits
from tests.server.live.scripts import wait_until
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
