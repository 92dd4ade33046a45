"""`seasoned teach`, `observe`, `recall`, `history`, `show`, `why` and `forget`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Answer = Callable[..., Any]
Call = Callable[..., Result]


@pytest.fixture
def taught(answer: Answer) -> str:
    """The id of a taught fix."""
    told = ("podman: command not found", "--fix", "Use docker.", "--tool", "shell")
    return answer("teach", *told)["id"]


def test_what_was_taught_is_the_hint_for_the_next_failure(seasoned: Call, taught: str) -> None:
    failed = ("--params", '{"command": "podman ps"}', "--error", "podman: command not found")
    result = seasoned("observe", "shell", *failed)
    assert result.exit_code == 0
    assert result.stdout == "Known fix (told by the operator): Use docker.\n"


def test_a_hint_for_machines_names_its_lesson(answer: Answer, taught: str) -> None:
    told = answer("observe", "shell", "--error", "podman: command not found", "--session", "s1")
    assert told["hint"]["lesson"] == taught
    assert told["session"] == "s1"


def test_nothing_is_printed_when_there_is_no_hint(seasoned: Call, answer: Answer) -> None:
    result = seasoned("observe", "shell", "--result", '{"exit_code": 0}')
    assert (result.exit_code, result.stdout) == (0, "")
    assert answer("observe", "shell", "--error", "never seen")["hint"] is None


def test_calls_from_one_shell_belong_together(seasoned: Call, answer: Answer) -> None:
    for team in ("web", "api", "data"):
        params = {"team": team}
        told = f"deploy: no region given for {team}"
        seasoned("observe", "deploy", "--params", json.dumps(params), "--error", told)
        works = json.dumps(params | {"region": "eu-west"})
        seasoned("observe", "deploy", "--params", works, "--result", "deployed")
    known = answer("lessons", "list", "--kind", "fix")
    assert {fix["status"] for fix in known} == {"candidate"}  # one shell is one witness
    for team in ("ops", "labs"):
        params, session = {"team": team}, ("--session", team)
        told = f"deploy: no region given for {team}"
        seasoned("observe", "deploy", "--params", json.dumps(params), "--error", told, *session)
        works = json.dumps(params | {"region": "eu-west"})
        seasoned("observe", "deploy", "--params", works, "--result", "deployed", *session)
    failed = ("--params", '{"team": "mail"}', "--error", "deploy: no region given for mail")
    hint = answer("observe", "deploy", *failed)["hint"]
    assert hint["params"] == {"team": "mail", "region": "eu-west"}


def deployed(seasoned: Call) -> None:
    """Let two sessions teach that a deployment needs a region."""
    for team in ("ops", "labs"):
        params, session = {"team": team}, ("--session", team)
        told = f"no region given for '{team}'"
        seasoned("observe", "deploy", "--params", json.dumps(params), "--error", told, *session)
        works = json.dumps(params | {"region": "eu-west"})
        seasoned("observe", "deploy", "--params", works, "--result", "deployed", *session)


def distilled(sentence: str | None) -> dict[str, Any]:
    return {
        "number": 1,
        "quote": "no region given",
        "nothing": sentence is None,
        "sentence": sentence,
        "when": None,
        "why": "It has no default.",
    }


def model_of(tmp_path: Path, sentence: str | None) -> str:
    """Name a scripted model that distills one fix into this sentence."""
    path = tmp_path / "script.json"
    data = {"distill_fixes": [{"lessons": [distilled(sentence)]}]}
    path.write_text(json.dumps({"data": data}), "utf-8")
    return f"scripted:{path}"


def test_a_model_words_fixes_on_demand(
    seasoned: Call, answer: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployed(seasoned)
    refused = seasoned("lessons", "distill")
    assert (refused.exit_code, "llm.model" in refused.stderr) == (2, True)
    words = "Name the `region` of each deployment: `eu-west`."
    monkeypatch.setenv("SEASONED_LLM__MODEL", model_of(tmp_path, words))
    (told,) = answer("lessons", "distill")
    assert (told["outcome"], told["lesson"]["content"]) == ("worded", words)
    assert told["before"] == "Add `region=eu-west`."
    assert "nothing to distill" in seasoned("lessons", "distill").stderr
    assert "worded by  scripted:" in seasoned("lessons", "status").stdout


def test_a_veto_is_said_with_its_reason(
    seasoned: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployed(seasoned)
    monkeypatch.setenv("SEASONED_LLM__MODEL", model_of(tmp_path, None))
    told = seasoned("lessons", "distill").stdout
    assert "nothing to learn; it waits for an operator (It has no default.)" in told
    assert "seasoned review" in told


def test_an_exit_code_in_the_result_is_a_failure(answer: Answer, taught: str) -> None:
    result = json.dumps({"exit_code": 127, "stderr": "podman: command not found"})
    assert answer("observe", "shell", "--result", result)["hint"]["lesson"] == taught


@pytest.mark.parametrize("option", ["--params", "--result", "--error"])
def test_stdin_is_read_for_a_dash(answer: Answer, option: str) -> None:
    told = {"--params": '{"command": "ls"}', "--result": "a.txt", "--error": "no such file: é"}
    answer("observe", "shell", option, "-", input=told[option].encode())
    assert answer("lessons", "status")["calls"] == 1


@pytest.mark.parametrize(
    "args",
    [
        ("--params", "{broken"),
        ("--params", '["not", "an", "object"]'),
        ("--params", "-", "--error", "-"),
        ("--duration-ms", "soon"),
    ],
)
def test_bad_arguments_of_observe_are_refused(
    seasoned: Call, answer: Answer, args: tuple[str, ...]
) -> None:
    result = seasoned("observe", "shell", *args)
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert answer("lessons", "status")["calls"] == 0


def test_observe_says_when_learning_is_off(seasoned: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEASONED_KNOWLEDGE__ENABLED", "false")
    result = seasoned("observe", "shell", "--error", "x")
    assert "learning is off" in result.stderr


def test_recall_prints_the_prompt_block_and_why(seasoned: Call, taught: str) -> None:
    assert seasoned("recall", "start podman").stdout == (
        "## Knowledge Context\n"
        "• [fix] When shell fails with `podman: command not found`: Use docker.\n"
    )
    explained = seasoned("recall", "start", "podman", "--explain")
    headings, _, line, *_ = explained.stdout.partition("Why these\n")[2].splitlines()
    assert headings.split() == ["layer", "score", "conf.", "source", "id", "reason"]
    assert line.split()[0] == "lessons"
    assert line.split()[2:5] == ["0.90", "operator", taught]
    assert "of the request's words" in explained.stdout
    # The table may fold its last column.
    assert "similarity 0." in " ".join(explained.stdout.split())


def test_recall_shows_machines_what_stays_what_changes_and_why(
    seasoned: Call, answer: Answer, taught: str
) -> None:
    seasoned("teach", "--rule", "Be kind.")
    told = answer("recall", "start podman")
    assert told["stable"] == "[LEARNED BEHAVIORAL RULES]\n• [rule] Be kind."
    assert told["text"] == f"{told['stable']}\n\n{told['turn']}"
    standing, fix = told["entries"]
    assert (standing["layer"], standing["why"]) == ("lessons", "holds in every turn")
    assert (fix["lesson"], fix["source"], fix["confidence"]) == (taught, "operator", 0.9)
    assert (fix["line"] in told["turn"], fix["covered"]) == (True, 0.5)
    assert 0 < fix["likeness"] < 1
    assert [lesson["id"] for lesson in told["lessons"]][1] == taught
    assert told["notes"] == []


def test_recall_reports_missing_parts_on_stderr(
    seasoned: Call, answer: Answer, taught: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEASONED_EMBEDDING__PROVIDER", "none")
    said = "went by words alone: embedding.provider is none"
    result = seasoned("recall", "podman")
    assert "Use docker." in result.stdout
    assert said not in result.stdout
    assert result.stderr == f"{said}\n"
    assert answer("recall", "podman")["notes"] == [said]


def test_recall_of_nothing_leaves_stdout_empty(seasoned: Call, answer: Answer) -> None:
    result = seasoned("recall", "bake a cake")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "no relevant lessons" in result.stderr
    told = answer("recall", "bake a cake")
    assert (told["text"], told["entries"], told["lessons"]) == ("", [], [])


def test_a_negative_limit_is_refused(seasoned: Call) -> None:
    assert seasoned("recall", "x", "--limit", "-1").exit_code == 2


def test_teach_takes_exactly_one_lesson(seasoned: Call) -> None:
    for args in ((), ("--fix", "a", "--rule", "b"), ("--rule", " "), ("--rule", "x" * 5000)):
        result = seasoned("teach", "when", *args)
        assert result.exit_code == 2, args
        assert result.stderr.startswith("error: ")
    assert seasoned("teach", "--as", "nobody", "--rule", "x").exit_code == 2


def test_a_user_may_teach_a_preference_of_theirs(answer: Answer) -> None:
    told = answer("teach", "--preference", "Metric units.", "--as", "user", "--user", "ana")
    assert (told["kind"], told["source"], told["scope"]["user"]) == ("preference", "user", "ana")
    assert answer("--user", "ana", "recall", "metric or imperial units")["lessons"]
    assert not answer("--user", "bob", "recall", "metric or imperial units")["lessons"]


def test_history_shows_the_newest_first_and_filters(
    seasoned: Call, answer: Answer, taught: str
) -> None:
    rule = answer("teach", "commits", "--rule", "Sign every commit.")["id"]
    assert [one["id"] for one in answer("lessons", "list")] == [rule, taught]
    assert [one["id"] for one in answer("lessons", "list", "--kind", "fix")] == [taught]
    assert [one["id"] for one in answer("lessons", "list", "--tool", "shell")] == [taught]
    assert answer("lessons", "list", "--status", "retired") == []
    shown = seasoned("lessons", "list").stdout
    for told in (rule, "just now", "active", "0.90", "Sign every commit."):
        assert told in shown
    assert seasoned("lessons", "list", "--kind", "nonsense").exit_code == 2


def test_show_and_why_take_the_beginning_of_an_id(
    seasoned: Call, answer: Answer, taught: str
) -> None:
    assert answer("lessons", "show", taught[:5])["content"] == "Use docker."
    assert "podman: command not found" in seasoned("lessons", "show", taught).stdout
    why = answer("lessons", "why", taught)
    assert why["evidence"][0]["reason"] == "told by the operator"
    assert why["events"][0]["kind"] == "lesson.learned"
    assert "told by the operator" in seasoned("lessons", "why", taught).stdout


@pytest.mark.parametrize("verb", ["show", "why", "forget"])
def test_a_lesson_that_is_not_there_is_not_found(seasoned: Call, verb: str) -> None:
    seasoned("teach", "--rule", "Be brief.")
    result = seasoned("lessons", verb, "nosuchlesson")
    assert result.exit_code == 3
    assert result.stderr.startswith("error: no lesson 'nosuchlesson'")


def test_a_forgotten_lesson_is_not_recalled(seasoned: Call, answer: Answer, taught: str) -> None:
    assert "Forgot fix" in seasoned("lessons", "forget", taught).stdout
    assert answer("lessons", "show", taught)["status"] == "retired"
    assert answer("recall", "podman")["lessons"] == []


def test_an_erased_lesson_has_no_words_left(
    seasoned: Call, answer: Answer, taught: str, home: Path
) -> None:
    assert seasoned("lessons", "forget", taught, "--erase", "--yes").exit_code == 0
    told = answer("lessons", "show", taught)
    assert (told["trigger"], told["content"], told["status"]) == ("", "", "retired")
    assert seasoned("audit", "verify").exit_code == 0


def test_projects_do_not_share_what_they_learned(answer: Answer) -> None:
    answer("teach", "--rule", "Use tabs.", "--project", "web")
    assert answer("recall", "tabs or spaces", "--project", "web")["lessons"]
    assert answer("recall", "tabs or spaces", "--project", "api")["lessons"] == []
