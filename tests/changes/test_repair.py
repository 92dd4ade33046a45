"""Repairs: found by comparing two calls, and applied to another call."""

import json

import pytest

from seasoned.changes.relatedness import Step
from seasoned.changes.repair import Repair, apply_repair, repair_between, steps_for

# failed call, repaired call, error | another failed call, its error, the repaired form
SHELL = {
    "the suggestion of the new error is taken, not the old one": (
        ("kubectl gte pods", "kubectl get pods", "unknown command 'gte'. Did you mean 'get'?"),
        ("kubectl lgos web", "unknown command 'lgos'. Did you mean 'logs'?", "kubectl logs web"),
    ),
    "a flag is put behind the subcommand": (
        ("helm delete web", "helm delete --purge web", "release web is in use"),
        ("helm delete api", "release api is in use", "helm delete --purge api"),
    ),
    "a word is put in front": (
        ("systemctl restart web", "sudo systemctl restart web", "Permission denied"),
        ("systemctl stop db", "Permission denied", "sudo systemctl stop db"),
    ),
    "a flag changes case": (
        ("tar -Xf a.tgz", "tar -xf a.tgz", "tar: invalid option -- 'X'"),
        ("tar -Xf b.tgz", "tar: invalid option -- 'X'", "tar -xf b.tgz"),
    ),
    "a module named by the error is installed first": (
        (
            "python run.py",
            "pip install attrs && python run.py",
            "ModuleNotFoundError: No module named 'attrs'",
        ),
        (
            "python -m app",
            "ModuleNotFoundError: No module named 'yaml'",
            "pip install yaml && python -m app",
        ),
    ),
    "the command the error quotes is run instead": (
        (
            "poetry shell",
            "poetry env activate",
            "shell was removed, use `poetry env activate` instead",
        ),
        ("poetry shell", "shell was removed, use `poetry env use` instead", "poetry env use"),
    ),
    "the program is another one": (
        ("python2 a.py", "python3 a.py", "python2: command not found"),
        ("python2 lib/b.py --fast", "python2: command not found", "python3 lib/b.py --fast"),
    ),
    "a scheme is put before the host the error names": (
        ("curlie example.org", "curlie https://example.org", "no scheme in 'example.org'"),
        ("curlie -v test.net", "no scheme in 'test.net'", "curlie -v https://test.net"),
    ),
    "white space and quotes of the other call stay as they are": (
        ("grpe foo  'a b.txt'", "grep foo  'a b.txt'", "grpe: not found, did you mean grep?"),
        ("grpe  'x  y' *.md", "grpe: not found, did you mean grep?", "grep  'x  y' *.md"),
    ),
    "words of any script are words": (
        ("öffne größe.txt", "öffne --alles größe.txt", "größe.txt ist gesperrt"),
        ("öffne 名前.txt", "名前.txt ist gesperrt", "öffne --alles 名前.txt"),
    ),
    "a column is corrected in a query": (
        (
            "SELECT id, nmae FROM users",
            "SELECT id, name FROM users",
            'column "nmae" does not exist. Perhaps you meant to use "name"',
        ),
        (
            "SELECT total, dte FROM orders WHERE dte > 3",
            'column "dte" does not exist. Perhaps you meant to use "date"',
            None,
        ),
    ),
}


@pytest.mark.parametrize("story", SHELL)
def test_a_fix_of_a_text_carries_over(story: str) -> None:
    (failed, worked, error), (other, other_error, expected) = SHELL[story]
    repair = repair_between({"command": failed}, {"command": worked}, error)
    assert repair is not None
    assert apply_repair(repair, {"command": failed}, error) == {"command": worked}
    made = apply_repair(repair, {"command": other}, other_error)
    if expected is not None:
        assert made == {"command": expected}
    else:
        assert made is None or made["command"].count("date") == 1


MISFITS = {
    "a constant does not replace another word": (
        ("make biuld", "make build", "no rule for biuld"),
        ("make tset", "no rule for tset"),
    ),
    "what is there already is not put there twice": (
        ("apt install jq", "sudo apt install jq", "are you root?"),
        ("sudo apt install jq", "are you root?"),
    ),
    "a position counts only for the same command": (
        ("rsync a b", "rsync a remote:b", "b is not a host"),
        ("cp x y z", "nothing of the kind"),
    ),
    "an option that is given already is not given again": (
        ("ship web", "ship --region eu web", "no region"),
        ("ship --region us web", "no region"),
    ),
    "what the error says as a whole does not lose an option of the call": (
        ("vc push", "vc push --up main", "no upstream, run `vc push --up main`"),
        ("vc push --quiet --up x", "no upstream, run `vc push --up main`"),
    ),
    "several edits that belong together need a call of the same form": (
        ("link a b", "link -s b a", "wrong order"),
        ("link -v a b c", "wrong order"),
    ),
    "a word put in front needs a command that looks alike": (
        ("git@host:me/repo.git", "vc clone git@host:me/repo.git", "No such file or directory"),
        ("touch a/b", "No such file or directory"),
    ),
    "a name that only resembles the right one stays": (
        ("pkg instal x", "pkg install x", "bad operation instal"),
        ("pkg uninstall x", "bad operation uninstall"),
    ),
    "a value of the error that is not there is not made up": (
        ("node a.js", "npm install left-pad && node a.js", "Cannot find module 'left-pad'"),
        ("node b.js", "something else went wrong"),
    ),
}


@pytest.mark.parametrize("story", MISFITS)
def test_a_change_that_does_not_fit_gives_nothing(story: str) -> None:
    (failed, worked, error), (other, other_error) = MISFITS[story]
    repair = repair_between({"command": failed}, {"command": worked}, error)
    assert repair is not None
    assert apply_repair(repair, {"command": other}, other_error) is None


STRUCTURED = {
    "a string becomes a number": (
        ({"url": "u", "timeout": "5"}, {"url": "u", "timeout": 5}, "timeout must be a number"),
        ({"url": "v", "timeout": "30"}, {"url": "v", "timeout": 30}),
    ),
    "a single value becomes a list": (
        ({"ids": "a"}, {"ids": ["a"]}, "ids must be an array"),
        ({"ids": "b"}, {"ids": ["b"]}),
    ),
    "a string of JSON becomes what it says": (
        ({"filter": '{"a": 1}'}, {"filter": {"a": 1}}, "filter must be an object"),
        ({"filter": '{"b": [2]}'}, {"filter": {"b": [2]}}),
    ),
    "a key gets another name": (
        ({"file": "a.txt"}, {"path": "a.txt"}, "unexpected argument file"),
        ({"file": "b.txt", "n": 1}, {"path": "b.txt", "n": 1}),
    ),
    "a key is added": (
        ({"path": "a"}, {"path": "a", "encoding": "utf-8"}, "cannot decode"),
        ({"path": "b"}, {"path": "b", "encoding": "utf-8"}),
    ),
    "a key is left out": (
        ({"q": "x", "page": 1}, {"q": "x"}, "unknown parameter page"),
        ({"q": "y", "page": 7}, {"q": "y"}),
    ),
    "a nested value changes": (
        (
            {"body": {"user": {"age": "4"}, "tags": ["x"]}},
            {"body": {"user": {"age": 4}, "tags": ["x"]}},
            "age: not an integer",
        ),
        ({"body": {"user": {"age": "50"}}}, {"body": {"user": {"age": 50}}}),
    ),
    "true is not one": (
        ({"all": 1}, {"all": True}, "all must be a boolean"),
        ({"all": 0}, {"all": False}),
    ),
}


def as_json(value: object) -> str:
    return json.dumps(value, sort_keys=True)


@pytest.mark.parametrize("story", STRUCTURED)
def test_a_fix_of_parameters_carries_over(story: str) -> None:
    (failed, worked, error), (other, expected) = STRUCTURED[story]
    repair = repair_between(failed, worked, error)
    assert repair is not None
    assert as_json(apply_repair(repair, failed, error)) == as_json(worked)
    assert as_json(apply_repair(repair, other, error)) == as_json(expected)


def test_the_same_call_with_nothing_in_between_is_a_retry() -> None:
    repair = repair_between({"url": "u"}, {"url": "u"}, "timed out")
    assert repair is not None
    assert repair == Repair()
    assert repair.is_retry
    assert apply_repair(repair, {"url": "v"}, "timed out") is None


def test_a_step_in_between_is_the_fix_of_a_call_that_did_not_change() -> None:
    error = "ModuleNotFoundError: No module named 'flask'"
    call = {"command": "pytest -q"}
    repair = repair_between(call, call, error, [Step("shell", {"command": "pip install flask"})])
    assert repair is not None
    other = "ModuleNotFoundError: No module named 'httpx'"
    assert steps_for(repair, {"command": "python app.py"}, other) == (
        Step("shell", {"command": "pip install httpx"}),
    )


def test_a_step_that_acts_is_kept_before_steps_that_look() -> None:
    steps = [
        Step("shell", {"command": "npm install"}),
        Step("shell", {"command": "ls -la"}),
        Step("Read", {"path": "package.json"}),
        Step("Grep", {"pattern": "jest"}),
        Step("shell", {"command": "git status"}),
    ]
    repair = repair_between(
        {"command": "npm test"}, {"command": "npm test"}, "jest: not found", steps
    )
    assert repair is not None
    assert [step.tool for step in repair.steps] == ["shell"]
    assert steps_for(repair, {}, "") == (Step("shell", {"command": "npm install"}),)


def test_a_look_is_kept_when_nothing_else_was_done() -> None:
    failed = {"path": "a.py", "old_string": "x = 1"}
    worked = {"path": "a.py", "old_string": "x  =  1"}
    repair = repair_between(
        failed, worked, "old_string not found", [Step("Read", {"path": "a.py"})]
    )
    assert repair is not None
    assert [step.tool for step in repair.steps] == ["Read"]


def test_at_most_three_steps_are_kept() -> None:
    steps = [Step("shell", {"command": f"touch f{i}"}) for i in range(9)]
    repair = repair_between({"command": "make"}, {"command": "make"}, "missing", steps)
    assert repair is not None
    made = steps_for(repair, {}, "")
    assert made is not None
    assert [step.params["command"] for step in made] == ["touch f6", "touch f7", "touch f8"]


def test_texts_of_megabytes_are_not_compared_word_by_word() -> None:
    big = "x y " * 500_000
    repair = repair_between({"content": big}, {"content": big + "z"}, "too big")
    assert repair is not None
    assert len(repr(repair.to_json())) < 10_000
    assert apply_repair(repair, {"content": big}, "too big") is None
