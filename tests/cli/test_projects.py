"""`seasoned learn`: sessions teach their own project and user, and commands find both again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from seasoned.config import system_user

pytestmark = pytest.mark.sqlite_only

Answer = Callable[..., Any]
Call = Callable[..., Result]


def claude_session(
    folder: Path, cwd: str, session: str, *turns: tuple[str, str | None], branch: str = "main"
) -> Path:
    """Write a Claude Code session: shell commands, each with its error or None."""
    records: list[dict[str, Any]] = []
    base = {"sessionId": session, "cwd": cwd, "gitBranch": branch}
    for number, (command, error) in enumerate(turns):
        use = f"toolu_{session}{number:02}a8d7f6e5c4b3"
        call = {"type": "tool_use", "id": use, "name": "Bash", "input": {"command": command}}
        done: dict[str, Any] = {"type": "tool_result", "tool_use_id": use, "content": "done"}
        if error:
            done |= {"content": error, "is_error": True}
        for role, block in (("assistant", call), ("user", done)):
            message = {"role": role, "content": [block]}
            uuid = f"{session}-{number}-{role}"
            records.append({"type": role, "uuid": uuid, "message": message, **base})
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{session}.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def repaired(folder: Path, cwd: str, prefix: str, good: str, **kwargs: Any) -> None:
    """Write two sessions in which `npm` is not there and another tool does the work."""
    for number, target in enumerate(("build", "start")):
        claude_session(
            folder,
            cwd,
            f"{prefix}{number}",
            (f"npm run {target}", "bash: npm: command not found"),
            (f"{good} run {target}", None),
            **kwargs,
        )


@pytest.fixture
def two_projects(tmp_path: Path) -> Path:
    """A folder as ~/.claude/projects is: sessions of two repositories that no longer exist."""
    top = tmp_path / "projects"
    repaired(top / "-gone-shop", "/gone/work/shop", "a1", "yarn")
    repaired(top / "-gone-blog", "/gone/work/blog", "b1", "bun")
    return top


def hint(seasoned: Call, *options: str) -> str:
    error = ("--error", "bash: npm: command not found")
    params = ("--params", '{"command": "npm run lint"}', "--session", "now")
    return seasoned("observe", "Bash", *params, *error, *options).stdout


def test_what_one_project_taught_does_not_reach_another(
    seasoned: Call, answer: Answer, two_projects: Path
) -> None:
    told = answer("learn", two_projects)
    assert [(one["project"], one["name"], one["calls"]) for one in told["projects"]] == [
        ("/gone/work/blog", "blog", 4),
        ("/gone/work/shop", "shop", 4),
    ]
    assert "yarn" in hint(seasoned, "--project", "shop")
    assert "bun" in hint(seasoned, "--project", "blog")
    assert hint(seasoned, "--project", "wiki") == ""
    assert hint(seasoned) == ""


def test_a_subfolder_of_a_repository_is_the_same_project(answer: Answer, tmp_path: Path) -> None:
    top = tmp_path / "projects"
    repaired(top / "sub", "/gone/work/shop/api", "s1", "yarn")
    repaired(top / "root", "/gone/work/shop", "r1", "yarn")
    repaired(top / "other", "/gone/work", "w1", "make", branch="")
    told = answer("learn", top)
    assert [one["project"] for one in told["projects"]] == ["/gone/work", "/gone/work/shop"]
    later = tmp_path / "later"
    repaired(later, "/gone/work/shop/web", "v1", "yarn")
    told = answer("learn", top, later)
    assert [one["project"] for one in told["projects"]] == ["/gone/work/shop"]


def test_a_folder_that_exists_belongs_to_its_repository(answer: Answer, tmp_path: Path) -> None:
    root = tmp_path / "src" / "shop"
    (root / ".git").mkdir(parents=True)
    (root / "api").mkdir()
    tree = tmp_path / "trees" / "shop-fix"
    tree.mkdir(parents=True)
    (tree / ".git").write_text(f"gitdir: {root}/.git/worktrees/shop-fix\n")
    repaired(tmp_path / "p" / "1", str(root / "api"), "s1", "yarn")
    repaired(tmp_path / "p" / "2", str(tree), "t1", "yarn")
    told = answer("learn", tmp_path / "p")
    assert [one["project"] for one in told["projects"]] == [str(root)]


def test_project_puts_all_sessions_into_one(answer: Answer, two_projects: Path) -> None:
    told = answer("learn", two_projects, "--project", "everything")
    assert [one["project"] for one in told["projects"]] == ["everything"]


def test_commands_in_a_projects_folder_work_on_that_project(
    seasoned: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "src" / "shop"
    (root / ".git").mkdir(parents=True)
    (root / "api").mkdir()
    repaired(tmp_path / "p", str(root), "s1", "yarn")
    seasoned("learn", tmp_path / "p")
    assert hint(seasoned) == ""
    monkeypatch.chdir(root / "api")
    assert "yarn" in hint(seasoned)
    assert "yarn" in seasoned("recall", "npm", "--tool", "Bash").stdout
    assert hint(seasoned, "--project", "") == ""


def test_a_named_project_is_found_by_the_folders_name(
    seasoned: Call, three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seasoned("learn", three, "--project", "desk-app")
    (tmp_path / "desk-app").mkdir()
    monkeypatch.chdir(tmp_path / "desk-app")
    assert "eu-west" in seasoned("lessons", "list").stdout


def test_an_ambiguous_name_is_refused_with_the_projects(seasoned: Call, tmp_path: Path) -> None:
    repaired(tmp_path / "p", "/gone/a/web", "s1", "yarn")
    repaired(tmp_path / "p", "/gone/b/web", "t1", "bun")
    seasoned("learn", tmp_path / "p")
    result = seasoned("lessons", "list", "--project", "web")
    assert result.exit_code == 2
    assert "/gone/a/web, /gone/b/web" in result.stderr
    assert "yarn" in seasoned("lessons", "list", "--project", "a/web").stdout


def test_a_lesson_is_found_by_its_id_from_anywhere(
    seasoned: Call, answer: Answer, two_projects: Path
) -> None:
    told = answer("learn", two_projects)
    lesson = told["projects"][0]["active"][0]["id"]
    assert "--project NAME shows them: blog, shop" in seasoned("lessons", "list").stderr
    assert "bun" in seasoned("lessons", "why", lesson).stdout
    assert seasoned("lessons", "forget", lesson).exit_code == 0


def test_plain_calls_name_their_project_and_user(answer: Answer, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"tool": "ping", "result": "ok", "session": "s1", "project": "shop", "user": "ana"},
        {"role": "user", "text": "thanks", "session": "s1"},
        {"tool": "ping", "result": "ok", "session": "s2", "project": "blog", "user": 17},
        {"tool": "ping", "result": "ok", "session": "s3"},
    ]
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = answer("learn", path)
    assert [(one["project"], one["users"]) for one in told["projects"]] == [
        ("", []),
        ("blog", ["17"]),
        ("shop", ["ana"]),
    ]


def test_the_sessions_of_a_coding_assistant_are_its_users(
    answer: Answer, two_projects: Path
) -> None:
    told = answer("learn", two_projects)
    assert {tuple(one["users"]) for one in told["projects"]} == {(system_user(),)}


def test_the_user_option_names_whose_sessions_they_are(answer: Answer, two_projects: Path) -> None:
    told = answer("learn", two_projects, "--user", "bea")
    assert {tuple(one["users"]) for one in told["projects"]} == {("bea",)}


def test_what_is_taught_in_a_projects_folder_is_for_all_its_users(
    seasoned: Call, answer: Answer, two_projects: Path
) -> None:
    seasoned("learn", two_projects)
    told = answer("teach", "--rule", "Sign every commit.", "--project", "shop")
    assert told["scope"]["project"] == "/gone/work/shop"
    assert told["scope"]["user"] == ""


def test_the_report_says_per_project_what_is_active_what_waits_and_what_was_ignored(
    seasoned: Call, two_projects: Path
) -> None:
    claude_session(
        two_projects / "-gone-shop",
        "/gone/work/shop",
        "c1",
        ("pytest -q", "2 failed, 3 passed in 0.5s"),
        ("make deploy", "The user doesn't want to proceed with this tool use."),
        ("terraform apply", "Error: no workspace selected"),
        ("terraform apply -workspace staging", None),
    )
    result = seasoned("learn", two_projects)
    assert result.exit_code == 0, result.output
    shop = result.stdout.partition("\nshop")[2]
    assert "active   1 fix" in shop
    assert "waiting  1 fix: `seasoned review --project shop`" in shop
    assert "ignored  2 of 5 failures (1 check of the work, 1 refused call)" in shop
    assert "yarn" not in result.stdout.partition("\nshop")[0]
