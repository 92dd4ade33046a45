"""ETags: nobody overwrites a change that was not seen."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.server.rest.conftest import Project


def etag(project: Project, path: str) -> str:
    return project.send("GET", path).headers["etag"]


def rule(project: Project) -> str:
    return f"/rules/{project.post('/rules', {'description': 'Sign every commit.'})['id']}"


def skill(project: Project) -> str:
    project.post("/skills", {"name": "walk", "description": "Walk.", "body": "Go."})
    return "/skills/walk"


def edited(project: Project, path: str) -> None:
    project.patch(path, {"description": "Sign releases."})


def new_version(project: Project, path: str) -> None:
    project.post("/skills", {"name": "walk", "description": "Walk.", "body": "Go on."})


def example(project: Project) -> str:
    return f"/examples/{project.post('/examples', {'request': 'a', 'reply': 'b'})['id']}"


def document(project: Project) -> str:
    project.post("/knowledge", {"name": "a.md", "text": "one"})
    return "/knowledge/a.md"


def other_text(project: Project, path: str) -> None:
    project.post("/knowledge", {"name": "a.md", "text": "two"})


def session(project: Project) -> str:
    project.post("/turn", {"user": "hello", "reply": "hi", "session": "s1"})
    return "/sessions/s1"


def another_turn(project: Project, path: str) -> None:
    project.post("/turn", {"user": "hello", "reply": "hi", "session": "s1"})


def forgotten(project: Project, path: str) -> None:
    project.delete(path.replace("/examples", "/lessons"))


Make = Callable[[Project], str]
Change = Callable[[Project, str], None]
CASES: dict[str, tuple[Make, Change, str, str, Any]] = {
    "edit": (rule, edited, "PATCH", "", {"when": "always"}),
    "share": (rule, edited, "POST", "/share", {"reach": "tenant"}),
    "deactivate": (rule, edited, "POST", "/deactivate", None),
    "activate": (rule, edited, "POST", "/activate", None),
    "delete": (rule, edited, "DELETE", "", None),
    "retire": (skill, new_version, "POST", "/retire", None),
    "adopt": (skill, new_version, "POST", "/adopt", None),
    "example": (example, forgotten, "DELETE", "", None),
    "document": (document, other_text, "DELETE", "", None),
    "session": (session, another_turn, "DELETE", "", None),
}


@pytest.mark.parametrize("name", CASES)
def test_a_change_of_what_was_changed_meanwhile_is_refused(project: Project, name: str) -> None:
    make, change, method, below, body = CASES[name]
    project = Project(project.gateway, f"etag of {name}")
    path = make(project)
    seen = etag(project, path)
    change(project, path)
    now = etag(project, path)
    assert now != seen
    late = project.send(method, f"{path}{below}", body, headers={"If-Match": seen})
    assert late.status_code == 412, late.text
    assert late.json()["error"]["type"] == "Changed"
    assert "read it again" in late.json()["error"]["message"]
    assert etag(project, path) == now
    done = project.send(method, f"{path}{below}", body, headers={"If-Match": now})
    assert done.is_success, done.text


def test_the_review_and_forgetting_heed_it_too(project: Project) -> None:
    path = rule(project)
    review, lesson = (path.replace("/rules", room) for room in ("/review", "/lessons"))
    seen = etag(project, review)
    assert seen == etag(project, lesson) == etag(project, path)
    edited(project, path)
    for method, late, body in (
        ("POST", f"{review}/accept", None),
        ("POST", f"{review}/edit", {"words": "Sign."}),
        ("POST", f"{review}/reject", None),
        ("DELETE", lesson, None),
    ):
        answer = project.send(method, late, body, headers={"If-Match": seen})
        assert answer.status_code == 412, late


def test_evidence_and_use_change_no_etag(project: Project) -> None:
    path = rule(project)
    seen = etag(project, path)
    project.post("/rules", {"description": "Sign every commit."})  # said again: more belief
    project.post("/recall", {"query": "hello"})
    assert project.get(path)["belief"]["worked"] > 9
    assert etag(project, path) == seen


def test_any_version_will_do_without_one(project: Project) -> None:
    path = rule(project)
    project.send("PATCH", path, {"when": "often"}, headers={"If-Match": "*"}).raise_for_status()
    for odd in ("unquoted", 'W/"weak"', '"a", "b"', '""'):
        refused = project.send("PATCH", path, {"when": "now"}, headers={"If-Match": odd})
        assert refused.status_code == 400, odd


def test_an_answer_to_a_change_has_the_new_etag(project: Project) -> None:
    path = rule(project)
    changed = project.send("PATCH", path, {"description": "Sign releases."})
    assert changed.headers["etag"] == etag(project, path)
    assert changed.json()["version"] == changed.headers["etag"].strip('"')
