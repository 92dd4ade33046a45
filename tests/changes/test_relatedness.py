"""Relatedness: a later success repairs the failed call, or is another call."""

from typing import Any

import pytest

from seasoned.changes.relatedness import Step, are_related, looks_only, relation

SAME = [
    ("pythn a.py", "python a.py"),
    ("cat a.txt", "cat src/a.txt"),
    ("docker ps", "podman ps"),
    ("git push", "git push --set-upstream origin main"),
    ("grep foo x", "rg foo x"),
    ("acme logs -f", "acme login && acme logs -f"),
    ("apt install jq", "sudo apt install jq"),
    ("pytest -q", "python -m pytest -q"),
    ("pip install sklearn", "pip install scikit-learn"),
    ("npm run biuld", "npm run build"),
    ("git branch -d old-work", "git branch -D old-work"),
    ("SELECT nme FROM users", "SELECT name FROM users"),
]
OTHER = [
    ("pytest -q", "ls"),
    ("npm test", "npm install"),
    ("git push", "git status"),
    ("git commit -m 'x'", "git add ."),
    ("cat a.txt", "cat b.txt"),
    ("make build", "cat Makefile"),
    ("pip install numpy", "pip install flask"),
    ("python app.py", "git log"),
]


@pytest.mark.parametrize(("failed", "worked"), SAME)
def test_a_repaired_attempt_is_related(failed: str, worked: str) -> None:
    assert are_related({"command": failed}, {"command": worked})


@pytest.mark.parametrize(("failed", "worked"), OTHER)
def test_another_command_is_not_related(failed: str, worked: str) -> None:
    assert not are_related({"command": failed}, {"command": worked})


STRUCTURED: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    ({"path": "/a/x.py"}, {"path": "/a/src/x.py"}, True),
    ({"path": "/a/x.py"}, {"path": "/b/readme.md"}, False),
    ({"url": "http://h/a", "timeout": "5"}, {"url": "http://h/a", "timeout": 5}, True),
    ({"file": "a.py"}, {"path": "a.py"}, True),
    ({"path": "a.py", "old_string": "x"}, {"path": "a.py", "old_string": "yy"}, True),
    ({"id": 7, "fields": "a"}, {"id": 7, "fields": ["a"]}, True),
    ({"id": 7}, {"id": 8}, False),
    ({}, {"region": "eu"}, True),
]


@pytest.mark.parametrize(("failed", "worked", "expected"), STRUCTURED)
def test_calls_of_a_structured_tool_are_related_by_their_target(
    failed: dict[str, Any], worked: dict[str, Any], expected: bool
) -> None:
    assert are_related(failed, worked) is expected


def test_the_same_parameters_are_wholly_related() -> None:
    assert relation({"command": "x"}, {"command": "x"}) == 1.0


LOOKS = [
    Step("shell", {"command": "ls -la src | head"}),
    Step("bash", {"command": "cd app && git diff HEAD~1"}),
    Step("bash", {"command": ["cat", "a.txt"]}),
    Step("Grep", {"pattern": "x"}),
    Step("readFile", {"path": "x"}),
    Step("get_weather", {}),
    Step("mcp__files__list_directory", {}),
]
ACTS = [
    Step("shell", {"command": "npm install"}),
    Step("shell", {"command": "cat a > b"}),
    Step("shell", {"command": "ls && rm x"}),
    Step("shell", {"command": "find . -name x -delete"}),
    Step("Write", {"path": "x"}),
    Step("create_table", {}),
    Step("login", {}),
]


@pytest.mark.parametrize("step", LOOKS)
def test_a_step_that_reads_only_looks(step: Step) -> None:
    assert looks_only(step)


@pytest.mark.parametrize("step", ACTS)
def test_a_step_that_changes_something_acts(step: Step) -> None:
    assert not looks_only(step)
