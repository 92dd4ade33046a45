"""`seasoned rules`: list, edit, resolve conflicts, check a reply."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from seasoned import Seasoned

Answer = Callable[..., Any]
Call = Callable[..., Result]
Process = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def rule(answer: Answer) -> str:
    """The id of a rule that an operator added."""
    return answer(
        "rules", "add", "Use tabs in Makefiles.", "--when", "makefile", "--poison", "four spaces"
    )["id"]


@pytest.fixture
def disputed(answer: Answer) -> dict[str, Any]:
    answer("rules", "add", "Use podman, not docker.")
    answer("rules", "add", "Use docker, not podman.")
    (conflict,) = answer("rules", "conflicts")
    return conflict


def test_a_rule_that_is_added_holds_in_the_next_prompt(seasoned: Call) -> None:
    added = seasoned("rules", "add", "Answer", "in", "British", "English.")
    assert added.exit_code == 0, added.output
    assert "applies (confidence 0.90)" in added.stdout
    assert "• [preference] Answer in British English." in seasoned("recall", "anything").stdout


def test_the_list_shows_type_status_and_what_not_to_do(seasoned: Call, rule: str) -> None:
    seasoned("rules", "add", "コミットは日本語で。", "--type", "missing_context")
    listed = seasoned("rules", "list").stdout
    for told in (rule, "Use tabs in Makefiles.", "✗ four spaces", "active", "missing_context"):
        assert told in listed
    assert "コミットは日本語で。" in listed
    only = seasoned("rules", "list", "--type", "missing_context").stdout
    assert "日本語" in only
    assert "tabs" not in only


def test_looking_at_recalled_rules_does_not_count_as_use(
    seasoned: Call, answer: Answer, rule: str
) -> None:
    assert "Use tabs" in seasoned("recall", "write a makefile").stdout
    assert answer("rules", "show", rule)["times_given"] == 0


def test_a_repeated_rule_gains_confidence(seasoned: Call, answer: Answer, rule: str) -> None:
    again = seasoned("rules", "add", "Use tabs in Makefiles.", "--when", "makefile")
    assert f"Rule {rule} exists; its confidence rose (confidence 0.9" in again.stdout
    assert len(answer("rules", "list")) == 1


def test_a_rule_is_edited_switched_off_and_on_and_deleted(
    seasoned: Call, answer: Answer, rule: str
) -> None:
    changed = answer(
        *("rules", "edit", rule, "--text", "Use tabs.", "--type", "wrong_skill"),
        *("--when", "", "--poison", "", "--guard-text", "four spaces"),
    )
    assert (changed["content"], changed["type"], changed["trigger"]) == (
        *("Use tabs.", "wrong_skill"),
        "",
    )
    assert changed["poison"] is None
    assert changed["guard"] == {"kind": "text", "value": "four spaces"}
    assert answer("rules", "edit", rule, "--no-guard")["guard"] is None
    assert answer("rules", "deactivate", rule[:6])["status"] == "suspended"
    assert seasoned("recall", "anything").stdout == ""
    assert answer("rules", "activate", rule)["status"] == "active"
    assert f"Deleted rule {rule}" in seasoned("rules", "delete", rule).stdout
    assert seasoned("rules", "show", rule).exit_code == 3


def test_a_deactivated_rule_is_not_reported_as_active(seasoned: Call, rule: str) -> None:
    seasoned("rules", "deactivate", rule)
    again = seasoned("rules", "add", "Use tabs in Makefiles.", "--when", "makefile")
    assert f"`seasoned rules activate {rule}` activates it" in again.stdout


def test_a_contradiction_is_told_shown_side_by_side_and_decided(
    seasoned: Call, answer: Answer
) -> None:
    earlier = answer("rules", "add", "Use podman, not docker.")["id"]
    added = seasoned("rules", "add", "Use docker, not podman.")
    assert f"It contradicts {earlier}: Use podman, not docker." in added.stdout
    (conflict,) = answer("rules", "conflicts")
    later = conflict["later"]["id"]
    assert (conflict["earlier"]["id"], conflict["followed"]) == (earlier, later)
    lines = seasoned("rules", "conflicts").stdout.splitlines()
    assert any("earlier" in line and "later, applies" in line for line in lines)
    assert any(earlier in line and later in line for line in lines)
    assert any(line.strip().startswith("because ") for line in lines)
    done = seasoned("rules", "resolve", conflict["id"], "--keep", "earlier").stdout
    assert "the earlier one applies" in done
    assert "no conflicts" in seasoned("rules", "conflicts").stderr
    (decided,) = answer("rules", "conflicts", "--resolved")
    assert decided["kept"] == "earlier"
    assert "resolved: keep earlier" in seasoned("rules", "conflicts", "--resolved").stdout


def test_show_tells_what_a_rule_took_the_place_of(
    seasoned: Call, answer: Answer, disputed: dict[str, Any]
) -> None:
    earlier, later = disputed["earlier"]["id"], disputed["later"]["id"]
    assert f"supersedes  {earlier}: Use podman" in seasoned("rules", "show", later).stdout
    shown = seasoned("rules", "show", earlier).stdout
    assert f"superseded by  {later}: Use docker" in shown
    assert "that one applies meanwhile" in " ".join(shown.split())
    assert answer("rules", "show", later)["supersedes"] == [earlier]


def test_show_tells_the_corrections_and_the_examples_of_a_rule(
    seasoned: Call, answer: Answer
) -> None:
    seasoned(
        *("corrections", "add", "No, use podman, not docker.", "--request", "List the containers"),
        *("--reply", "Run docker ps.", "--session", "chat-7"),
    )
    (rule,) = answer("rules", "list")
    shown = seasoned("rules", "show", rule["id"]).stdout
    for told in ("“No, use podman, not docker.”", "session chat-7", "Run docker ps.", "negative"):
        assert told in shown
    story = answer("rules", "show", rule["id"])
    assert story["corrections"][0]["session"] == "chat-7"
    assert story["examples"][0]["polarity"] == "negative"


def test_search_finds_by_meaning_and_says_when_nothing_is_there(seasoned: Call, rule: str) -> None:
    assert rule in seasoned("rules", "search", "makefile", "indentation").stdout


def test_a_reply_is_checked_by_its_guards(seasoned: Call, answer: Answer, rule: str) -> None:
    answer("rules", "edit", rule, "--guard-pattern", r"all \w+ pass")
    found = seasoned("rules", "check", "Yes: all tests pass.")
    assert found.exit_code == 1
    assert "✗ contains “all tests pass”" in found.stdout
    assert rule in found.stdout
    assert seasoned("rules", "check", input="all bets pass").exit_code == 1
    fine = seasoned("rules", "check", "Two tests fail.")
    assert (fine.exit_code, fine.stdout) == (0, "✓ no guard forbids it\n")
    machine = seasoned("rules", "check", "all tests pass", "--json")
    assert machine.exit_code == 1
    assert json.loads(machine.stdout)[0]["found"] == "all tests pass"


def test_a_rule_reaches_only_its_audience(seasoned: Call, answer: Answer) -> None:
    answer("rules", "add", "Deploy on Fridays.", "--reach", "project", "--project", "web")
    assert answer("rules", "list") == []
    assert len(answer("rules", "list", "--project", "web", "--user", "ana")) == 1
    said = answer("rules", "add", "Be brief.", "--reach", "session", "--session", "s1")
    assert said["scope"]["session"] == "s1"
    assert "for session s1" in seasoned("rules", "list").stdout
    assert "Be brief" not in seasoned("recall", "anything").stdout


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("add", "  "), 2, "error: the rule is empty"),
        (("add",), 2, "TEXT"),
        (("add", "x" * 601), 2, "say it shorter"),
        (("add", "Be brief.", "--type", "odd"), 2, "error: 'odd' is not a type of rule"),
        (("add", "Be brief.", "--reach", "moon"), 2, "not for 'moon'"),
        (("add", "Be brief.", "--reach", "user"), 2, "needs the user's name"),
        (("add", "Be brief.", "--session", "s1"), 2, "--reach session"),
        (("list", "--type", "odd"), 2, "error: 'odd' is not a type of rule"),
        (("list", "--status", "odd"), 2, "error: status is 'odd'"),
        (("list", "--limit", "0"), 2, "--limit"),
        (("show", "nothing"), 3, "'nothing'"),
        (("show", ""), 3, "error: "),
        (("edit", "nothing", "--text", "x"), 3, "'nothing'"),
        (("delete", "nothing"), 3, "'nothing'"),
        (("activate", "nothing"), 3, "'nothing'"),
        (("deactivate", "nothing"), 3, "'nothing'"),
        (("resolve", "nothing", "--keep", "both"), 3, "error: no conflict 'nothing'"),
        (("resolve", "nothing", "--keep", "odd"), 2, "error: keep is 'odd'"),
        (("resolve", "nothing"), 2, "--keep"),
        (("search",), 2, "QUERY"),
        (("check", " "), 2, "error: the reply is empty"),
    ],
)
def test_errors_have_their_exit_codes(
    seasoned: Call, args: tuple[str, ...], code: int, told: str
) -> None:
    result = seasoned("rules", *args)
    assert result.exit_code == code, result.output
    assert told in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((), "error: nothing to change"),
        (("--text", " "), "error: a rule cannot be empty"),
        (("--type", "odd"), "error: 'odd' is not a type of rule"),
        (("--guard-text", " "), "error: --guard-text is empty"),
        (("--guard-text", "a", "--no-guard"), "error: give only one of --guard-text"),
        (("--guard-pattern", "(a"), "error: '(a' is not a valid pattern"),
        (("--guard-pattern", ".*"), "matches every reply"),
        (("--guard-pattern", r"(a+a+)+\."), "takes too long on some texts"),
    ],
)
def test_an_invalid_edit_is_refused_and_changes_nothing(
    seasoned: Call, answer: Answer, rule: str, given: tuple[str, ...], told: str
) -> None:
    before = answer("rules", "show", rule)
    result = seasoned("rules", "edit", rule, *given)
    assert result.exit_code == 2
    assert told in result.stderr
    assert answer("rules", "show", rule) == before


def test_another_lesson_is_no_rule(seasoned: Call, answer: Answer) -> None:
    fact = answer("teach", "the office", "--fact", "It is in Lyon.")["id"]
    result = seasoned("rules", "show", fact)
    assert result.exit_code == 3
    assert "is a fact, not a rule" in result.stderr


def test_a_real_process_prints_one_json_document(process: Process) -> None:
    added = process("rules", "add", "Antworte kurz.", "--json")
    assert added.returncode == 0, added.stderr
    listed = process("rules", "list", "--json")
    assert json.loads(listed.stdout)[0]["id"] == json.loads(added.stdout)["id"]
    assert process("rules", "delete", json.loads(added.stdout)["id"]).returncode == 0
    assert json.loads(process("rules", "list", "--json").stdout) == []


def test_the_operator_edits_a_rule_of_everybody_from_a_projects_folder(
    seasoned: Call, answer: Answer
) -> None:
    shared = answer("rules", "add", "Sign every commit.")["id"]
    own = answer("--project", "shop", "--user", "ana", "rules", "add", "Be brief.")["id"]
    inside = ("--project", "shop", "--user", "ana")
    assert seasoned(*inside, "rules", "edit", shared, "--text", "Sign releases.").exit_code == 0
    assert seasoned(*inside, "lessons", "forget", shared).exit_code == 0
    assert seasoned("rules", "deactivate", own).exit_code == 0
    assert answer("rules", "show", own)["status"] == "suspended"


def test_a_tenant_is_a_wall(seasoned: Call, answer: Answer) -> None:
    everybodys = answer("rules", "add", "Sign every commit.")["id"]
    theirs = answer("--tenant", "acme", "rules", "add", "Be brief.")["id"]
    evil = ("--tenant", "evil")
    refused = seasoned(*evil, "rules", "delete", everybodys, "--yes")
    assert refused.exit_code == 77
    assert f"error: rule {everybodys} belongs to everybody" in refused.stderr
    assert seasoned(*evil, "rules", "delete", theirs, "--yes").exit_code == 3
    assert seasoned(*evil, "rules", "show", everybodys).exit_code == 0
    assert answer("rules", "show", theirs)["status"] == "active"


def test_rules_are_found_by_words_that_stand_in_them(home: Path) -> None:
    with Seasoned() as s:
        for words in ("Sign releases.", "Answer in 100% plain words."):
            s.rules.add(words)
        s.rules.add("Wait for the tests.", when="you sign something")
        found = {one.content for one in s.rules.list(text="SIGN")}
        assert found == {"Sign releases.", "Wait for the tests."}
        assert [one.content for one in s.rules.list(text="100%")] == ["Answer in 100% plain words."]
        assert s.rules.list(text="0% p%n") == []
