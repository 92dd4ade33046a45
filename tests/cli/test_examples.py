"""`seasoned examples`: exchanges to follow and to avoid."""

from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import Result

Answer = Callable[..., Any]
Call = Callable[..., Result]

GOOD = ("How do I undo the last commit?", "git reset --soft HEAD~1")
BAD = ("Which tests fail?", "All of them pass.")


def test_examples_are_kept_listed_found_and_deleted(seasoned: Call, answer: Answer) -> None:
    good = answer("examples", "add", *GOOD, "--note", "short, and it worked")
    bad = answer("examples", "add", *BAD, "--negative")
    assert (good["polarity"], bad["polarity"]) == ("positive", "negative")
    listed = seasoned("examples", "list").stdout
    for told in (good["id"], bad["id"], *GOOD, "“short, and it worked”", "negative"):
        assert told in listed
    assert [one["id"] for one in answer("examples", "list", "--negative")] == [bad["id"]]
    assert [one["id"] for one in answer("examples", "list", "--positive")] == [good["id"]]
    assert answer("examples", "search", "undo", "a", "commit")[0]["id"] == good["id"]
    assert "→ git reset" in seasoned("examples", "search", "undo a commit").stdout
    shown = seasoned("examples", "show", good["id"][:5]).stdout
    for told in ("positive", "short, and it worked", "everybody", *GOOD):
        assert told in shown
    assert "Deleted example" in seasoned("examples", "delete", bad["id"]).stdout
    assert answer("examples", "list", "--negative") == []


def test_an_example_says_what_it_is_for(seasoned: Call) -> None:
    assert "to follow" in seasoned("examples", "add", *GOOD).stdout
    assert "to avoid" in seasoned("examples", "add", *BAD, "--negative").stdout


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("add", "only a request"), 2, "REPLY"),
        (("add", " ", "a reply"), 2, "one of them is empty"),
        (("show", "nothing"), 3, "'nothing'"),
        (("delete", "nothing"), 3, "'nothing'"),
        (("search",), 2, "QUERY"),
    ],
)
def test_errors_have_their_exit_codes(
    seasoned: Call, args: tuple[str, ...], code: int, told: str
) -> None:
    result = seasoned("examples", *args)
    assert result.exit_code == code, result.output
    assert told in result.stderr
    assert "Traceback" not in result.output


def test_a_rule_is_no_example(seasoned: Call, answer: Answer) -> None:
    rule = answer("rules", "add", "Be brief.")["id"]
    result = seasoned("examples", "show", rule)
    assert result.exit_code == 3
    assert "not an example" in result.stderr


def test_an_empty_list_says_how_to_get_examples(seasoned: Call) -> None:
    result = seasoned("examples", "list")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "seasoned examples add" in result.stderr
