"""Wording: a fix is one plain sentence."""

from typing import Any

import pytest

from seasoned.changes.named_by_error import named_by_error
from seasoned.changes.relatedness import Step
from seasoned.changes.repair import repair_between
from seasoned.changes.wording import sentence_for

SENTENCES: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "Pass `timeout` as a whole number.": ({"timeout": "5"}, {"timeout": 5}, "bad"),
    "Use `path` instead of `file`.": ({"file": "a"}, {"path": "a"}, "bad"),
    "Leave out `page`.": ({"q": 1, "page": 2}, {"q": 1}, "bad"),
    "Add `encoding=utf-8`.": ({}, {"encoding": "utf-8"}, "bad"),
    "Set `mode` to `w` instead of `null`.": ({"mode": None}, {"mode": "w"}, "bad"),
    "It is transient: try the same call again.": ({"a": 1}, {"a": 1}, "timed out"),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_change_is_told_plainly(sentence: str) -> None:
    repair = repair_between(*SENTENCES[sentence])
    assert repair is not None
    assert sentence_for(repair, "http") == sentence


def test_a_step_is_told_before_the_call() -> None:
    call = {"command": "npm test"}
    steps = [Step("shell", {"command": "npm install"})]
    repair = repair_between(call, call, "jest: not found", steps)
    assert repair is not None
    assert sentence_for(repair, "shell") == "First run `npm install`, then try again."


def test_a_flag_in_a_command_is_told_with_its_neighbour() -> None:
    repair = repair_between({"command": "git branch -d x"}, {"command": "git branch -D x"}, "no")
    assert repair is not None
    assert "`-D`" in sentence_for(repair, "shell")
    assert "`-d`" in sentence_for(repair, "shell")


def test_a_secret_is_not_told() -> None:
    token = "sk-" + "a1B2c3D4" * 5
    repair = repair_between({}, {"api_key": "hunter2", "url": f"x?k={token}"}, "unauthorised")
    assert repair is not None
    text = sentence_for(repair, "http")
    assert "hunter2" not in text
    assert token not in text


def test_a_sentence_is_short_whatever_the_values() -> None:
    repair = repair_between({}, {f"key{i}" * 9: "v" * 300 for i in range(10)}, "missing")
    assert repair is not None
    assert len(sentence_for(repair, "t")) < 300


NAMED: dict[str, tuple[dict[str, Any], dict[str, Any], str, bool]] = {
    "a suggestion": ({"c": "git psuh"}, {"c": "git push"}, "Did you mean 'push'?", True),
    "a flag": ({"c": "rm x"}, {"c": "rm --force x"}, "use --force to remove", True),
    "a type": ({"n": "1"}, {"n": 1}, "n must be an integer", True),
    "a key but not its value": ({}, {"region": "eu"}, "missing region", False),
    "a key and its value": ({}, {"region": "eu"}, "set region to eu", True),
    "nothing": ({"c": "run a"}, {"c": "run --safe a"}, "it went wrong", False),
}


@pytest.mark.parametrize("what", NAMED)
def test_the_error_may_name_the_repair(what: str) -> None:
    failed, worked, error, expected = NAMED[what]
    repair = repair_between(failed, worked, error)
    assert repair is not None
    assert named_by_error(repair, error) is expected
