"""The routes that agents call in every turn."""

from tests.server.rest.conftest import Project


def test_a_known_fix_comes_back_with_the_failed_call(project: Project) -> None:
    taught = project.post(
        "/teach", {"trigger": "podman: command not found", "fix": "Use docker.", "tool": "shell"}
    )
    call = {"tool": "shell", "params": {"command": "podman ps"}, "session": "s1"}
    hint = project.post("/observe", call | {"error": "podman: command not found"})["hint"]
    assert hint["lesson"] == taught["id"]
    assert hint["text"] == "Known fix (told by the operator): Use docker."
    assert hint["fix"] == "Use docker."
    assert project.post("/observe", call | {"result": "ok", "duration_ms": 12.5})["hint"] is None
    [tool] = project.get("/tools")["items"]
    assert (tool["name"], tool["calls"], tool["failures"]) == ("shell", 2, 1)
    assert tool["average_ms"] == 12.5


def test_refused_and_cancelled_calls_are_no_errors(project: Project) -> None:
    for how in ("refused", "cancelled"):
        call = {"tool": "shell", "error": "the user said no", how: True}
        assert project.post("/observe", call)["hint"] is None
    assert project.get("/errors")["items"] == []


def test_recall_gives_text_sections_and_entries(project: Project) -> None:
    rule = project.post("/rules", {"description": "Answer in German."})
    project.post("/teach", {"fact": "The staging cluster is called otter."})
    asked = {"query": "Where is the staging cluster?", "explain": True, "session": "s1"}
    recalled = project.post("/recall", asked)
    assert "Answer in German." in recalled["stable"]
    assert "otter" in recalled["turn"]
    assert recalled["text"] == f"{recalled['stable']}\n\n{recalled['turn']}"
    assert [one["title"] for one in recalled["sections"]] == ["Knowledge Context"]
    by_lesson = {one["lesson"]: one for one in recalled["entries"]}
    assert by_lesson[rule["id"]]["why"]
    found = next(one for one in recalled["entries"] if "otter" in one["line"])
    assert 0 < found["covered"] <= 1
    assert found["score"] > 0
    plain = project.post("/recall", asked | {"explain": False})["entries"]
    assert all(one["why"] is None for one in plain)


def test_a_look_does_not_count_as_given(project: Project) -> None:
    rule = project.post("/rules", {"description": "Answer in German."})
    for _ in range(3):
        project.post("/recall", {"query": "hello", "given": False})
    assert project.get(f"/lessons/{rule['id']}")["times_given"] == 0


def test_a_turn_that_corrects_makes_a_rule_at_once(project: Project) -> None:
    said = {"user": "List the files.", "reply": "Here they are.", "session": "s1"}
    assert not project.post("/turn", said)["corrects"]
    reaction = project.post("/turn", {"user": "No. Always answer in German.", "session": "s1"})
    assert reaction["corrects"]
    assert reaction["correction"]["kind"] in ("wrong", "instruction", "replacement")
    assert reaction["rule"]["scope"]["session"] == "s1"
    asked = {"query": "And the folders?", "session": "s1"}
    assert "Always answer in German." in project.post("/recall", asked)["text"]
    assert project.post("/recall", asked | {"session": "s2"})["text"] == ""


def test_a_correction_is_taken_as_one_however_it_is_worded(project: Project) -> None:
    report = {"message": "tabs, please", "request": "Format it.", "reply": "Done with spaces."}
    reaction = project.post("/correct", report | {"session": "s1"})
    assert reaction["corrects"]
    assert reaction["case"]
    found = project.get(f"/corrections/{reaction['case']}")
    assert (found["pending"] or found["analysed"])["case"]["message"] == "tabs, please"


def test_signs_without_words_count_as_reactions(project: Project) -> None:
    said = {"user": "Write to Bob.", "reply": "Dear Bob", "session": "s1"}
    assert project.post("/turn", said | {"edited": "Hi Bob"})["corrects"]
    denial = {"tool": "send_mail", "reason": "not yet"}
    assert project.post("/turn", said | {"denied": denial})["correction"]["kind"] == "denied"
    lonely = project.send("POST", "/turn", {"user": "Write to Bob.", "edited": "Hi Bob"})
    assert lonely.status_code == 400


def test_the_header_names_the_session(project: Project) -> None:
    project.post("/turn", {"user": "hello", "reply": "hi"}, session="from-header")
    assert [one["name"] for one in project.get("/sessions")["items"]] == ["from-header"]
    assert project.post("/sessions/from-header/end")["ended"]
    ended = project.get("/sessions/from-header")
    assert ended["ended_at"] is not None
    assert ended["messages"] == 2


def test_an_operator_ends_the_session_of_a_user(project: Project) -> None:
    project.post("/turn", {"user": "hello", "reply": "hi", "session": "hers"}, user="ana")
    assert project.post("/sessions/hers/end")["ended"]
    assert not project.post("/sessions/hers/end")["ended"]
    assert project.send("POST", "/sessions/nobodys/end").status_code == 404


def test_nothing_of_one_project_reaches_another(project: Project) -> None:
    rule = project.post("/rules", {"description": "Answer in German."}, tenant="acme")
    other = {"tenant": "evil", "project": project.name}
    assert project.get("/rules", **other)["items"] == []
    assert project.send("GET", f"/rules/{rule['id']}", **other).status_code == 404
    assert project.send("DELETE", f"/rules/{rule['id']}", **other).status_code == 404
    assert project.post("/recall", {"query": "hello"}, **other)["text"] == ""
    assert project.get("/audit", **other)["items"] == []
