"""Each store over REST, from adding a thing to removing it."""

from typing import Any

from tests.server.rest.project import Project


def ids(page: Any) -> list[str]:
    return [one["id"] for one in page["items"]]


def test_lessons_are_listed_filtered_explained_and_forgotten(project: Project) -> None:
    fact = project.post("/teach", {"fact": "100%_sure: the otter cluster is staging."})
    fix = project.post("/teach", {"trigger": "no lane", "fix": "Open one.", "tool": "sync"})
    assert ids(project.get("/lessons")) == [fix["id"], fact["id"]]
    assert ids(project.get("/lessons", params={"kind": "fix", "tool": "sync"})) == [fix["id"]]
    assert ids(project.get("/lessons", params={"text": "OTTER"})) == [fact["id"]]
    assert ids(project.get("/lessons", params={"text": "100%_"})) == [fact["id"]]
    assert ids(project.get("/lessons", params={"text": "%"})) == [fact["id"]]
    assert ids(project.get("/lessons", params={"status": "retired"})) == []
    hits = project.get("/lessons/search", params={"query": "staging cluster"})["items"]
    assert hits[0]["lesson"]["id"] == fact["id"]
    why = project.get(f"/lessons/{fix['id']}/why")
    assert why["evidence"][0]["reason"] == "told by the operator"
    assert why["error"]["tool"] == "sync"
    assert project.delete(f"/lessons/{fact['id']}")["status"] == "retired"
    erased = project.delete(f"/lessons/{fix['id']}", params={"erase": True})
    assert erased["content"] == ""
    events = project.get(f"/lessons/{fact['id']}/history")["events"]
    assert [one["kind"] for one in events] == ["lesson.learned", "lesson.changed"]


def test_a_rule_is_edited_guarded_shared_and_switched_off(project: Project) -> None:
    rule = project.post("/rules", {"description": "Sign every commit."}, user="ana")
    path = f"/rules/{rule['id']}"
    edited = project.patch(path, {"description": "Sign releases.", "guard": "unsigned"})
    assert edited["content"] == "Sign releases."
    assert edited["rule"]["guard"] == {"kind": "text", "value": "unsigned"}
    [violation] = project.post("/rules/check", {"reply": "It is unsigned."}, user="ana")["items"]
    assert violation["rule"]["id"] == rule["id"]
    versions = project.get(f"/lessons/{rule['id']}/history")["versions"]
    assert [one["content"] for one in versions] == ["Sign every commit.", "Sign releases."]
    assert project.post(f"{path}/deactivate")["status"] == "suspended"
    assert project.post(f"{path}/activate")["status"] == "active"
    shared = project.post(f"{path}/share", {"reach": "project"})
    assert [shared["scope"][field] for field in ("project", "user", "session")] == ["shop", "", ""]
    story = project.get(f"/rules/{shared['id']}/story")
    assert story["rule"]["id"] == shared["id"]
    assert project.get("/rules/search", params={"query": "releases"})["items"]
    project.delete(f"/rules/{shared['id']}")
    assert project.send("GET", f"/rules/{shared['id']}").status_code == 404


def test_rules_are_found_by_their_words(project: Project) -> None:
    tabs = project.post("/rules", {"description": "Use TABS, 100%_ of them.", "when": "in Go"})
    project.post("/rules", {"description": "Sign every commit."})
    for words in ("tabs", "100%_", "in go"):
        assert ids(project.get("/rules", params={"text": words})) == [tabs["id"]], words
    assert ids(project.get("/rules", params={"text": "spaces"})) == []


def test_tools_have_a_record_of_each_day(project: Project) -> None:
    for error in (None, "no lane", "no lane"):
        project.post("/observe", {"tool": "sync", "params": {}, "error": error})
    [sync] = project.get("/performance/days", params={"days": 3, "kind": "tool"})["items"]
    assert sync["name"] == "sync"
    # Midnight may have passed since the first call.
    assert (len(sync["calls"]), sum(sync["calls"]), sum(sync["failed"])) == (3, 3, 2)
    assert sync["calls"][0] == 0
    assert project.get("/performance/days", params={"kind": "skill"})["items"] == []
    assert project.send("GET", "/performance/days", params={"days": 401}).status_code == 422


def test_a_conflict_between_rules_is_resolved(project: Project) -> None:
    project.post("/rules", {"description": "Always use tabs in Python code."})
    project.post("/rules", {"description": "Never use tabs in Python code."}, user="ana")
    [found] = project.get("/rules/conflicts", user="ana")["items"]
    conflict = found["conflict"]
    assert found["later"]["content"] == "Never use tabs in Python code."
    waiting = project.get("/review", user="ana")["items"]
    assert waiting[0]["conflict"]["id"] == conflict["id"]
    resolved = project.post(
        f"/rules/conflicts/{conflict['id']}/resolve",
        {"keep": "later"},
        user="ana",
        headers={"If-Match": f'"{conflict["version"]}"'},
    )
    assert resolved["resolution"] == "later"
    assert project.get("/rules/conflicts", user="ana")["items"] == []


def test_candidates_wait_for_an_operator(project: Project) -> None:
    for session in ("one", "two"):
        wrong = {"tool": "deploy", "params": {"target": "prod"}, "session": session}
        right = {"tool": "deploy", "params": {"target": "prod", "force": True}, "session": session}
        project.post("/observe", wrong | {"error": "deploy refused: target is locked"})
        project.post("/observe", right | {"result": "deployed"})
    candidates = project.get("/lessons", params={"kind": "fix"})["items"]
    assert candidates, "a fix was learned from two sessions"
    fix = candidates[0]["id"]
    item = project.get(f"/review/{fix}")
    assert item["kind"] == "fix"
    assert item["repairs"][0]["failed"]["params"] == {"target": "prod"}
    words = {"words": "Unlock the target first."}
    assert project.post(f"/review/{fix}/edit", words)["content"] == words["words"]
    assert project.post(f"/review/{fix}/accept")["status"] == "active"
    assert project.post(f"/review/{fix}/reject")["status"] == "retired"


def test_errors_show_their_pattern_messages_and_fixes(project: Project) -> None:
    for place in ("/tmp/a1", "/tmp/b2"):
        failed = {"tool": "shell", "params": {"path": place}}
        project.post("/observe", failed | {"error": f"cannot open {place}: no such file"})
    [error] = project.get("/errors")["items"]
    assert (error["seen"], error["tool"]) == (2, "shell")
    assert project.get("/errors", params={"tool": "other"})["items"] == []
    assert project.get("/errors", params={"category": error["category"]})["items"] == [error]
    story = project.get(f"/errors/{error['id']}")
    assert {one["message"] for one in story["messages"]} == {
        "cannot open /tmp/a1: no such file",
        "cannot open /tmp/b2: no such file",
    }
    for tenant in ("", "evil"):  # who acts for everybody sees it by its id
        other = project.send("GET", f"/errors/{error['id']}", tenant=tenant)
        assert other.status_code == (404 if tenant else 200)


def test_corrections_wait_are_learned_and_stay_in_the_history(project: Project) -> None:
    report = {"message": "No, always answer in German.", "reply": "Hello", "request": "Hi"}
    case = project.post("/correct", report | {"session": "s1"})["case"]
    [waiting] = project.get("/corrections")["items"]
    assert (waiting["id"], waiting["case"]["message"]) == (case, report["message"])
    results = project.post("/corrections/learn")["items"]
    assert [one["outcome"] for one in results if one["case"]["id"] == case] == ["learned"]
    assert project.get("/corrections")["items"] == []
    [analysed] = project.get("/corrections/history")["items"]
    assert project.get(f"/corrections/{case}")["analysed"] == analysed
    assert project.get(f"/rules/{analysed['lesson']}")["content"] == "Always answer in German."
    assert project.get(f"/rules/{analysed['lesson']}/story")["corrections"] == [analysed]


def test_a_correction_that_waits_can_be_cleared(project: Project) -> None:
    case = project.post("/correct", {"message": "No, use tabs.", "session": "s1"})["case"]
    assert project.get("/corrections/status")["pending"] >= 1
    assert project.post("/corrections/retry")["count"] == 0
    assert project.post(f"/corrections/{case}/retry")["count"] == 1
    assert project.delete(f"/corrections/{case}")["count"] == 1
    project.post("/correct", {"message": "No, use spaces.", "session": "s1"})
    assert project.delete("/corrections", params={"archived": True})["count"] == 0
    assert project.delete("/corrections")["count"] == 1


def test_examples_are_added_searched_and_deleted(project: Project) -> None:
    bad = {"request": "Greet Bob", "reply": "Yo", "polarity": "negative", "note": "too casual"}
    example = project.post("/examples", bad)
    assert example["example"]["polarity"] == "negative"
    assert ids(project.get("/examples", params={"polarity": "negative"})) == [example["id"]]
    assert ids(project.get("/examples", params={"polarity": "positive"})) == []
    assert project.get("/examples/search", params={"query": "greet bob"})["items"]
    assert project.get(f"/examples/{example['id']}")["example"]["note"] == "too casual"
    project.delete(f"/examples/{example['id']}")
    assert ids(project.get("/examples")) == []


def test_feedback_counts_once_and_adds_up(project: Project) -> None:
    given = {"polarity": "positive", "id": "f1", "tool": "search", "comment": "good"}
    assert project.post("/feedback", given)["accepted"] == 1
    assert project.post("/feedback", given)["duplicates"] == 1
    project.post("/feedback", {"polarity": "negative", "dimension": "tone", "source": "self"})
    assert [one["polarity"] for one in project.get("/feedback")["items"]] == [
        "negative",
        "positive",
    ]
    [own] = project.get("/feedback", params={"tool": "search"})["items"]
    assert own["attribution"]["tool"] == "search"
    later = project.get("/feedback", params={"since": "2100-01-01T00:00:00Z"})
    assert later["items"] == []
    totals = project.get("/feedback/stats", params={"by": "dimension"})["items"]
    assert {one["name"]: one["mean_score"] for one in totals} == {"helpfulness": 1.0, "tone": -1.0}
    lacking = project.send("POST", "/feedback", {"polarity": "corrective"})
    assert lacking.status_code == 400


def test_choices_follow_rewards(project: Project) -> None:
    rewards = [
        {"name": "search", "arm": arm, "value": value, "id": f"{arm}{number}"}
        for number in range(5)
        for arm, value in (("bm25", 0.0), ("vector", 1.0))
    ]
    assert all(project.post("/reward", one)["new"] for one in rewards)
    assert not project.post("/reward", rewards[0])["new"]
    decision = {"name": "search", "strategy": "epsilon_greedy", "params": {"epsilon": 0}}
    adapted = project.post("/adapt", decision)
    assert adapted["choice"]["arm"] == "vector"
    assert project.send("POST", "/adapt", {"strategy": "magic"}).status_code == 400
    step = {"id": "x1", "action": {"tool": "search", "success": True, "duration_ms": 5}}
    assert project.post("/experiences", {"experiences": [step, step]})["count"] == 1
    assert project.get("/experiences")["items"][0]["id"] == "x1"
    assert len(project.post("/experiences/sample", {"count": 3, "seed": 1})["items"]) == 3
    records = project.get("/performance", params={"kind": "tool"})["items"]
    assert [(one["name"], one["success_rate"]) for one in records] == [("search", 1.0)]


def test_skills_get_versions_and_are_retired(project: Project) -> None:
    skill = {"name": "release-notes", "description": "Write release notes.", "body": "Look at git."}
    assert project.post("/skills", skill)["version"] == 1
    assert project.post("/skills", skill | {"body": "Look at the tags."})["version"] == 2
    project.post("/skills/release-notes/used", {"success": True})
    [listed] = project.get("/skills")["items"]
    assert listed["record"] == {"succeeded": 1, "failed": 0}
    found = project.get("/skills/search", params={"query": "write the release notes"})["items"]
    assert found[0]["skill"]["name"] == "release-notes"
    assert project.post("/skills/release-notes/retire")["status"] == "retired"
    assert project.get("/skills", params={"status": "active"})["items"] == []
    assert project.post("/skills/release-notes/adopt")["status"] == "active"


def test_documents_are_added_found_and_removed(project: Project) -> None:
    text = {"name": "guides/otter.md", "text": "# Otter\n\nThe otter cluster runs in Oslo."}
    assert project.post("/knowledge", text)["added"] == 1
    assert project.post("/knowledge", text)["unchanged"] == 1
    [document] = project.get("/knowledge")["items"]
    assert document["passages"] == 1
    hits = project.get("/knowledge/search", params={"query": "Where does the otter cluster run?"})
    assert "Oslo" in hits["items"][0]["lesson"]["content"]
    read = project.get("/knowledge/guides/otter.md")
    assert read["document"]["id"] == document["id"]
    assert "Oslo" in read["passages"][0]["content"]
    assert project.delete(f"/knowledge/{document['id']}")["removed"] == 1
    assert project.get("/knowledge")["items"] == []


def test_sessions_have_messages_turns_and_memory(project: Project) -> None:
    name = "https://chat.example/1 ü"  # names may be anything
    project.post("/turn", {"user": "I promise to pay.", "reply": "Fine.", "session": name})
    path = "/sessions/https%3A%2F%2Fchat.example%2F1%20%C3%BC"
    assert project.get(path)["name"] == name
    messages = project.get(f"{path}/messages")["items"]
    assert [(one["role"], one["text"]) for one in messages] == [
        ("user", "I promise to pay."),
        ("assistant", "Fine."),
    ]
    assert [one["status"] for one in project.get(f"{path}/turns")["items"]] == ["done"]
    [memory] = project.get("/memory")["items"]
    assert memory["session"]["name"] == name
    assert project.get(f"/memory{path.removeprefix('/sessions')}/observations")["items"] == []
    assert project.get(f"/memory{path.removeprefix('/sessions')}/reflections")["items"] == []
    assert project.get("/inquiries", params={"status": "pending"})["items"] == []
    assert project.delete(path)["name"] == name
    assert project.get("/sessions")["items"] == []


def test_the_graph_is_queried_walked_and_changed(project: Project) -> None:
    triples = [
        {"subject": "tool:a", "predicate": "relatedTo", "object": "tool:b", "weight": 0.5},
        {"subject": "tool:b", "predicate": "relatedTo", "object": "tool:c"},
    ]
    assert project.post("/graph/triples", {"triples": triples})["count"] == 2
    found = project.get("/graph/triples", params={"subject": "tool:a"})["items"]
    assert [(one["object"], one["weight"]) for one in found] == [("tool:b", 0.5)]
    near = project.get("/graph/neighbours", params={"node": "tool:a", "depth": 2})["near"]
    assert [(one["node"], one["steps"]) for one in near] == [("tool:b", 1), ("tool:c", 2)]
    ends = {"start": "tool:a", "end": "tool:c"}
    assert len(project.get("/graph/path", params=ends)["edges"]) == 2
    assert project.get("/graph/stats")["triples"] == 2
    assert project.delete("/graph/triples", params={"object": "tool:b"})["count"] == 1
    assert project.send("GET", "/graph/path", params=ends).status_code == 404
    assert project.send("DELETE", "/graph/triples").status_code == 400
    for_ana = project.send("POST", "/graph/triples", {"triples": triples}, user="ana")
    assert for_ana.status_code == 201, "the token's holder acts for the whole tenant"


def test_nodes_of_the_graph_have_readable_names(project: Project) -> None:
    wrong, right = {"day": "1 May 2027"}, {"day": "2027-05-01"}
    error = "day must be YYYY-MM-DD"
    project.post("/observe", {"tool": "book", "params": wrong, "error": error, "session": "s1"})
    project.post("/observe", {"tool": "book", "params": right, "result": "ok", "session": "s1"})
    [fix] = project.get("/lessons", params={"kind": "fix"})["items"]
    busiest = {one["node"]: one["label"] for one in project.get("/graph/stats")["busiest"]}
    assert busiest["tool:book"] is None
    [failed] = [node for node in busiest if node.startswith("error:")]
    assert busiest[failed] == error
    around = project.get("/graph/neighbours", params={"node": failed})
    names = {failed: error, f"fix:{fix['id']}": fix["content"]}
    assert around["labels"] == names
    ends = {"start": "tool:book", "end": f"fix:{fix['id']}"}
    assert project.get("/graph/path", params=ends)["labels"] == names


def test_the_audit_tells_what_was_done(project: Project) -> None:
    rule = project.post("/rules", {"description": "Sign every commit."})
    events = project.get("/audit", params={"subject": rule["id"]})["items"]
    assert [one["kind"] for one in events] == ["lesson.learned"]
    assert events[0]["detail"]["scope"][1:] == ["shop", "", ""]
    assert project.get("/audit", params={"kind": "lesson."})["items"] == events
    assert project.get("/audit", params={"kind": "skill."})["items"] == []
    assert project.get("/audit/verify")["intact"]


def test_the_overview_counts_and_names_scopes(project: Project) -> None:
    project.post("/teach", {"fact": "The sky is blue."}, user="ana")
    assert project.get("/status", user="ana")["lessons"]["fact"]["active"] == 1
    scopes = project.get("/scopes")
    assert scopes == {"projects": ["shop"], "users": ["ana"]}
