"""Lists have pages: nothing is lost or repeated, even while things are added."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.server.rest.conftest import Project


def test_a_walk_through_the_pages_sees_each_lesson_once(project: Project) -> None:
    first = [project.post("/teach", {"fact": f"Fact number {n}."})["id"] for n in range(23)]
    seen: list[str] = []
    cursor: str | None = None
    added: list[str] = []
    while True:
        params = {"limit": 5, **({"cursor": cursor} if cursor else {})}
        page = project.get("/lessons", params=params)
        seen += [one["id"] for one in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
        assert len(page["items"]) == 5
        added.append(project.post("/teach", {"fact": f"Added {len(added)}."})["id"])
    assert seen == first[::-1], "newest first; what was added came before the first page"


def test_a_page_may_end_with_a_thing_that_vanishes(project: Project) -> None:
    rules = [
        project.post("/rules", {"description": f"Rule {word} holds."})["id"]
        for word in ("alpha", "bravo", "charlie", "delta", "echo")
    ]
    page = project.get("/rules", params={"limit": 2})
    project.delete(f"/rules/{page['items'][-1]['id']}")
    rest = project.get("/rules", params={"limit": 50, "cursor": page["next"]})
    assert [one["id"] for one in rest["items"]] == rules[::-1][2:]


def many_sessions(project: Project) -> None:
    for number in range(7):
        said = {"user": "hello", "reply": "hi", "session": f"session {number}"}
        project.post("/turn", said)


def many_messages(project: Project) -> None:
    for _ in range(4):
        project.post("/turn", {"user": "hello", "reply": "hi", "session": "one"})


def many_feedback(project: Project) -> None:
    for number in range(7):
        project.post("/feedback", {"polarity": "positive", "id": f"f{number}"})


def many_experiences(project: Project) -> None:
    steps = [{"id": f"x{number}", "action": {"skill": "s", "arm": "a"}} for number in range(7)]
    project.post("/experiences", {"experiences": steps})


def many_skills(project: Project) -> None:
    for name in "abcdefg":
        skill = {"name": name, "description": "Do it.", "body": "So."}
        project.post("/skills", skill)
        project.post("/skills", skill, user="ana")  # the same name: one of them is shown


def many_documents(project: Project) -> None:
    for name in "abcdefg":
        project.post("/knowledge", {"name": f"{name}.md", "text": f"# {name}\n\nText of {name}."})


def many_triples(project: Project) -> None:
    triples = [
        {"subject": f"n{number}", "predicate": "relatedTo", "object": "hub"} for number in range(7)
    ]
    project.post("/graph/triples", {"triples": triples})


def many_errors(project: Project) -> None:
    for number, word in enumerate(("disk", "lane", "port", "door", "tree", "moon", "salt")):
        for _ in range(1 + number % 3):
            project.post("/observe", {"tool": f"tool {word}", "error": f"the {word} is missing"})


def many_examples(project: Project) -> None:
    for number in range(7):
        project.post("/examples", {"request": f"request {number}", "reply": "reply"})


def many_corrections(project: Project) -> None:
    for number in range(7):
        said = {"message": f"No, use variant {number}.", "session": f"s{number}"}
        project.post("/correct", said)


def many_analysed(project: Project) -> None:
    many_corrections(project)
    project.post("/corrections/learn")


MAKERS: dict[str, Callable[[Project], None]] = {
    "/sessions": many_sessions,
    "/memory": many_sessions,
    "/sessions/one/messages": many_messages,
    "/sessions/one/turns": many_messages,
    "/feedback": many_feedback,
    "/experiences": many_experiences,
    "/experiences?name=s": many_experiences,
    "/skills": many_skills,
    "/knowledge": many_documents,
    "/graph/triples": many_triples,
    "/graph/triples?predicate=relatedTo": many_triples,
    "/graph/triples?object=hub": many_triples,
    "/errors": many_errors,
    "/tools": many_errors,
    "/examples": many_examples,
    "/corrections": many_corrections,
    "/corrections/history": many_analysed,
    "/audit?kind=lesson.": many_examples,
}


@pytest.mark.parametrize("path", MAKERS)
def test_every_list_gives_the_same_in_pages_as_at_once(project: Project, path: str) -> None:
    project = Project(project.gateway, f"pages of {path}")
    MAKERS[path](project)
    plain, _, query = path.partition("?")
    filters = dict([query.split("=")]) if query else {}
    whole = project.get(plain, params=filters | {"limit": "200"}, user="")["items"]
    assert len(whole) >= 4
    pages = project.pages(plain, 2, **filters)
    assert [one for page in pages for one in page] == whole
    assert all(len(page) == 2 for page in pages[:-1])


def test_a_cursor_of_another_list_is_refused(project: Project) -> None:
    for number in range(3):
        project.post("/teach", {"rule": f"Rule {number}."})
    cursor = project.get("/lessons", params={"limit": 1})["next"]
    told = project.send("GET", "/rules", params={"cursor": cursor})
    assert told.status_code == 400
    assert "not one of rules" in told.json()["error"]["message"]


@pytest.mark.parametrize("cursor", ["x", "W10", "WyJsZXNzb25zIiwxXQ", "é", "W1tbW1tb", "e30"])
def test_a_made_up_cursor_is_refused(project: Project, cursor: str) -> None:
    assert project.send("GET", "/lessons", params={"cursor": cursor}).status_code == 400


@pytest.mark.parametrize("limit", ["0", "-1", "201", "many", "1e3"])
def test_a_limit_has_bounds(project: Project, limit: str) -> None:
    refused: Any = project.send("GET", "/lessons", params={"limit": limit})
    assert refused.status_code == 422
    assert refused.json()["error"]["faults"][0]["at"] == "query.limit"
