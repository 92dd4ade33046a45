"""What people say to an agent: wishes hold, one-off corrections end, sarcasm teaches nothing."""

import pytest

from seasoned import Seasoned

pytestmark = pytest.mark.sqlite_only


@pytest.mark.parametrize(
    ("message", "rule"),
    [
        ("We use yarn, not npm.", "Use yarn, not npm."),
        ("No, we use yarn, not npm.", "Use yarn, not npm."),
        ("Please keep your answers short.", "Keep your answers short."),
        ("in future always pin the exact version", "Always pin the exact version."),
    ],
)
def test_a_plain_wish_holds_at_once_and_for_good(seasoned: Seasoned, message: str, rule: str):
    seasoned.replied("install left-pad", "I ran npm install left-pad.", session="one")
    noticed = seasoned.turn(message, session="one")
    assert noticed.rule is not None
    assert noticed.rule.content == rule
    assert rule in seasoned.recall("anything", session="one").stable
    seasoned.corrections.learn()
    assert [one.content for one in seasoned.rules.list() if one.status == "active"] == [rule]
    told = seasoned.recall("install yarn and pin the exact version with npm", session="two")
    assert rule in told.stable + told.turn


def test_a_wish_blames_nobody(seasoned: Seasoned):
    seasoned.replied("install left-pad", "I ran npm install left-pad.", session="one")
    assert not seasoned.turn("We use yarn, not npm.", session="one")
    seasoned.corrections.learn()
    assert seasoned.examples.list(polarity="negative") == []


@pytest.mark.parametrize("message", ["I meant 7pm, not 7am", "No, Saturday, not Friday"])
def test_a_one_off_correction_ends_with_its_session(seasoned: Seasoned, message: str):
    seasoned.replied("set an alarm for 7", "Set for 7am on Friday.", session="one")
    noticed = seasoned.turn(message, session="one")
    assert noticed
    assert noticed.rule is not None
    assert noticed.rule.content in seasoned.recall("set it", session="one").stable
    seasoned.corrections.learn()
    assert seasoned.rules.list() == []
    assert noticed.rule.content not in seasoned.recall("set an alarm", session="two").text


@pytest.mark.parametrize("message", ["Thanks for nothing", "thx", "thank you"])
def test_sarcasm_and_manners_teach_nothing(seasoned: Seasoned, message: str):
    seasoned.replied("clean up the sessions", "DELETE FROM sessions;", session="one")
    noticed = seasoned.turn(message, session="one")
    assert noticed.approval is None
    assert seasoned.examples.list() == []


@pytest.mark.parametrize(
    "message",
    [
        "Always a pleasure!",
        "Immer das Gleiche mit dir.",
        "Always use tabs, said nobody ever.",
    ],
)
def test_what_commands_nothing_makes_no_rule(seasoned: Seasoned, message: str) -> None:
    seasoned.turn("do the build with npm", reply="I ran npm install.", session="c")
    seasoned.turn(message, session="c")
    seasoned.corrections.learn()
    assert list(seasoned.rules.list()) == []
