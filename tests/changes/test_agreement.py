"""Agreement: several episodes of one error keep the changes they share."""

from seasoned.changes.agreement import common_repair
from seasoned.changes.relatedness import Step
from seasoned.changes.repair import Repair, apply_repair, repair_between, steps_for
from seasoned.changes.wording import sentence_for


def learned(failed: str, worked: str, error: str) -> Repair:
    repair = repair_between({"command": failed}, {"command": worked}, error)
    assert repair is not None
    return repair


def test_a_constant_that_both_share_survives_the_value_that_differs() -> None:
    one = learned("deploy web", "deploy --region eu web", "no region for web")
    two = learned("deploy db", "deploy --region eu db", "no region for db")
    both = common_repair(one, two)
    assert both is not None
    made = apply_repair(both, {"command": "deploy api"}, "no region for api")
    assert made == {"command": "deploy --region eu api"}


def test_a_second_episode_shows_that_a_value_comes_from_the_error() -> None:
    one = learned("run a", "run a --port 81", "port 80 is taken, 81 is free")
    two = learned("run b", "run b --port 92", "port 90 is taken, 92 is free")
    both = common_repair(one, two)
    assert both is not None
    made = apply_repair(both, {"command": "run c"}, "port 70 is taken, 75 is free")
    assert made == {"command": "run c --port 75"}


def test_a_second_episode_shows_that_a_word_keeps_its_end() -> None:
    one = learned("tool 0a", "tool -a", "bad flag")
    two = learned("tool 0v", "tool -v", "bad flag")
    both = common_repair(one, two)
    assert both is not None
    assert apply_repair(both, {"command": "tool 0x"}, "bad flag") == {"command": "tool -x"}


def test_another_program_in_the_second_episode_frees_the_position() -> None:
    one = learned("ox st all", "ox status all", "st?")
    two = learned("cow st all", "cow status all", "st?")
    both = common_repair(one, two)
    assert both is not None
    assert apply_repair(both, {"command": "hen st one"}, "st?") == {"command": "hen status one"}


def test_different_repairs_do_not_agree() -> None:
    one = learned("go biuld", "go build", "unknown")
    two = learned("go tset", "go test", "unknown")
    assert common_repair(one, two) is None


def test_a_retry_agrees_only_with_a_retry() -> None:
    assert common_repair(Repair(), Repair()) == Repair()
    assert common_repair(Repair(), learned("a b", "a c", "")) is None


def test_parameters_that_changed_in_one_episode_only_are_dropped() -> None:
    one = repair_between({"q": "a", "n": "1"}, {"q": "b", "n": 1}, "n: not an integer")
    two = repair_between({"q": "c", "n": "2"}, {"q": "c", "n": 2}, "n: not an integer")
    assert one is not None
    assert two is not None
    both = common_repair(one, two)
    assert both is not None
    assert [edit.path for edit in both.edits] == [("n",)]


def test_an_added_key_is_kept_when_its_values_differ() -> None:
    one = repair_between({}, {"region": "eu"}, "incomplete")
    two = repair_between({}, {"region": "us"}, "incomplete")
    assert one is not None
    assert two is not None
    both = common_repair(one, two)
    assert both is not None
    assert sentence_for(both, "deploy") == "Pass `region`, too."
    assert apply_repair(both, {}, "incomplete") is None


def test_steps_meet_by_tool_and_by_what_their_parameters_share() -> None:
    call = {"command": "pytest"}
    steps = [Step("shell", {"command": "pip install attrs"}), Step("notify", {"text": "hi"})]
    one = repair_between(call, call, "No module named 'attrs'", steps)
    two = repair_between(
        call, call, "No module named 'yaml'", [Step("shell", {"command": "pip install yaml"})]
    )
    assert one is not None
    assert two is not None
    both = common_repair(one, two)
    assert both is not None
    assert steps_for(both, call, "No module named 'rich'") == (
        Step("shell", {"command": "pip install rich"}),
    )
