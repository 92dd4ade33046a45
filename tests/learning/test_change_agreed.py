"""Several episodes of one error keep what they have in common."""

from seasoned.learning.change import Change, Step
from seasoned.learning.change_agreed import agreed
from seasoned.learning.change_applied import applied, prepared
from seasoned.learning.change_between import change_between
from seasoned.learning.change_phrases import described


def learned(failed: str, worked: str, error: str) -> Change:
    change = change_between({"command": failed}, {"command": worked}, error)
    assert change is not None
    return change


def test_a_constant_that_both_share_survives_the_value_that_differs() -> None:
    one = learned("deploy web", "deploy --region eu web", "no region for web")
    two = learned("deploy db", "deploy --region eu db", "no region for db")
    both = agreed(one, two)
    assert both is not None
    made = applied(both, {"command": "deploy api"}, "no region for api")
    assert made == {"command": "deploy --region eu api"}


def test_a_second_episode_shows_that_a_value_comes_from_the_error() -> None:
    one = learned("run a", "run a --port 81", "port 80 is taken, 81 is free")
    two = learned("run b", "run b --port 92", "port 90 is taken, 92 is free")
    both = agreed(one, two)
    assert both is not None
    made = applied(both, {"command": "run c"}, "port 70 is taken, 75 is free")
    assert made == {"command": "run c --port 75"}


def test_a_second_episode_shows_that_a_word_keeps_its_end() -> None:
    one = learned("tool 0a", "tool -a", "bad flag")
    two = learned("tool 0v", "tool -v", "bad flag")
    both = agreed(one, two)
    assert both is not None
    assert applied(both, {"command": "tool 0x"}, "bad flag") == {"command": "tool -x"}


def test_another_program_in_the_second_episode_frees_the_position() -> None:
    one = learned("ox st all", "ox status all", "st?")
    two = learned("cow st all", "cow status all", "st?")
    both = agreed(one, two)
    assert both is not None
    assert applied(both, {"command": "hen st one"}, "st?") == {"command": "hen status one"}


def test_different_repairs_do_not_agree() -> None:
    one = learned("go biuld", "go build", "unknown")
    two = learned("go tset", "go test", "unknown")
    assert agreed(one, two) is None


def test_a_retry_agrees_only_with_a_retry() -> None:
    assert agreed(Change(), Change()) == Change()
    assert agreed(Change(), learned("a b", "a c", "")) is None


def test_parameters_that_changed_in_one_episode_only_are_dropped() -> None:
    one = change_between({"q": "a", "n": "1"}, {"q": "b", "n": 1}, "n: not an integer")
    two = change_between({"q": "c", "n": "2"}, {"q": "c", "n": 2}, "n: not an integer")
    assert one is not None
    assert two is not None
    both = agreed(one, two)
    assert both is not None
    assert [edit.path for edit in both.edits] == [("n",)]


def test_of_an_added_key_with_two_values_the_key_is_kept() -> None:
    one = change_between({}, {"region": "eu"}, "incomplete")
    two = change_between({}, {"region": "us"}, "incomplete")
    assert one is not None
    assert two is not None
    both = agreed(one, two)
    assert both is not None
    assert described(both, "deploy") == "Add `region`."
    assert applied(both, {}, "incomplete") is None


def test_steps_meet_by_tool_and_by_what_their_parameters_share() -> None:
    call = {"command": "pytest"}
    steps = [Step("shell", {"command": "pip install attrs"}), Step("notify", {"text": "hi"})]
    one = change_between(call, call, "No module named 'attrs'", steps)
    two = change_between(
        call, call, "No module named 'yaml'", [Step("shell", {"command": "pip install yaml"})]
    )
    assert one is not None
    assert two is not None
    both = agreed(one, two)
    assert both is not None
    assert prepared(both, call, "No module named 'rich'") == (
        Step("shell", {"command": "pip install rich"}),
    )
