"""Schedules and jobs over REST: planned, started, seen to their end, and each its owner's alone."""

from typing import Any

import pytest
from tests.server.rest.project import Project
from tests.server.rest.test_resources import ids

from seasoned.security.api_keys import Role

DIGEST = {"name": "digest", "prompt": "Sum up the tickets", "cron": "30 7 * * 1-5"}
FLOW = "name: two\ninputs: [who]\nsteps:\n  a: {agent: 'Greet {{input.who}}'}\n"


def test_a_schedule_is_planned_paused_run_and_removed(project: Project) -> None:
    made = project.post("/schedules", DIGEST | {"timezone": "Europe/Berlin", "catch_up": "skip"})
    assert (made["name"], made["kind"], made["rule"]) == ("digest", "cron", "30 7 * * 1-5")
    assert (made["timezone"], made["catch_up"], made["retries"]) == ("Europe/Berlin", "skip", 2)
    assert made["next_at"].endswith(("5:30:00Z", "6:30:00Z"))
    assert project.get("/schedules/digest") == project.get(f"/schedules/{made['id']}") == made
    assert ids(project.get("/schedules")) == [made["id"]]
    assert project.post("/schedules/digest/pause")["paused"]
    assert not project.post("/schedules/digest/resume")["paused"]
    run = project.post("/schedules/digest/run")
    assert (run["status"], run["schedule"], run["queue"]) == ("waiting", made["id"], "cron")
    assert ids(project.get("/jobs", params={"schedule": made["id"]})) == [run["id"]]
    project.delete("/schedules/digest")
    assert project.send("GET", "/schedules/digest").status_code == 404
    assert project.get(f"/jobs/{run['id']}")["name"] == "digest"


def test_a_job_is_started_cancelled_and_restarted(project: Project) -> None:
    started = project.send("POST", "/jobs", {"prompt": "Compare the offers", "deliver": "none"})
    assert started.status_code == 202
    job = started.json()
    assert (job["status"], job["prompt"], job["result"]) == ("waiting", "Compare the offers", "")
    assert (job["started_at"], job["ended_at"], job["schedule"]) == (None, None, None)
    assert project.post(f"/jobs/{job['id']}/cancel")["status"] == "cancelled"
    assert ids(project.get("/jobs", params={"status": "cancelled"})) == [job["id"]]
    again = project.post(f"/jobs/{job['id']}/restart")
    assert (again["status"], again["ended_at"]) == ("waiting", None)
    assert project.send("POST", f"/jobs/{job['id']}/restart").status_code == 400
    assert project.get("/jobs", params={"queue": "workflow"})["items"] == []


def test_a_workflow_is_checked_and_started(project: Project) -> None:
    job = project.post("/workflows", {"text": FLOW, "values": {"who": "Ada"}})
    assert (job["queue"], job["name"], job["prompt"]) == ("workflow", "two", None)
    assert project.get(f"/jobs/{job['id']}/steps") == {"steps": {}}
    missing = project.send("POST", "/workflows", {"text": FLOW})
    assert (missing.status_code, "needs input 'who'" in missing.text) == (400, True)
    wrong = project.send("POST", "/workflows", {"text": "steps: {a: {agent: '{{b.result}}'}}"})
    assert (wrong.status_code, "workflow:1: step 'a'" in wrong.text) == (400, True)


def test_pages_of_jobs_and_schedules_show_each_once(project: Project) -> None:
    plans = [
        project.post("/schedules", DIGEST | {"name": f"plan {number}"})["id"] for number in range(5)
    ]
    jobs = [project.post("/jobs", {"prompt": f"Do {number}"})["id"] for number in range(5)]
    for path, made in (("/schedules", plans), ("/jobs", jobs[::-1])):
        pages = project.pages(path, 2)
        assert [len(page) for page in pages] == [2, 2, 1]
        assert [one["id"] for page in pages for one in page] == made


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/schedules", DIGEST | {"every": "1h"}, 400, "give one of cron, every and at"),
        ("/schedules", {"name": "x", "prompt": "x"}, 400, "give one of cron, every and at"),
        ("/schedules", DIGEST | {"cron": "61 * * * *"}, 400, "cannot be read"),
        ("/schedules", DIGEST | {"cron": "0 9 31 2 *"}, 400, "never comes"),
        ("/schedules", DIGEST | {"timezone": "Mars/Olympus"}, 400, "no time zone"),
        ("/schedules", {"name": "x", "prompt": "x", "at": "2020-01-01"}, 400, "is over"),
        ("/schedules", {"name": "x", "prompt": "x", "every": "soon"}, 400, "no duration"),
        ("/schedules", DIGEST | {"name": "a\nb"}, 400, "in one line"),
        ("/schedules", DIGEST | {"name": " "}, 400, "in one line"),
        ("/schedules", DIGEST | {"prompt": "  "}, 400, "prompt is empty"),
        ("/schedules", DIGEST | {"deliver": "pigeon:home"}, 400, "nothing delivers to"),
        ("/schedules", DIGEST | {"deliver": "session:"}, 400, "not whose"),
        ("/schedules", DIGEST | {"catch_up": "twice"}, 422, "catch_up"),
        ("/schedules", DIGEST | {"retries": 99}, 422, "retries"),
        ("/schedules", DIGEST | {"color": "red"}, 422, "color"),
        ("/jobs", {"prompt": ""}, 422, "prompt"),
        ("/jobs", {"prompt": "x", "deliver": "log\n"}, 400, "cannot be printed"),
        ("/workflows", {"text": "steps: []"}, 400, "must be a mapping"),
        ("/workflows", {"text": "steps: {a: !!python/name:os.system ''}"}, 400, "no YAML"),
    ],
)
def test_a_mistake_is_named(project: Project, path: str, body: Any, status: int, said: str) -> None:
    answer = project.send("POST", path, body)
    assert (answer.status_code, said in answer.text) == (status, True), answer.text


def test_a_prompt_of_odd_characters_is_kept(project: Project) -> None:
    job = project.post("/jobs", {"prompt": "a\x00b\u202ec\n\U0001f33b"})
    found = project.get(f"/jobs/{job['id']}")
    assert found["prompt"] == "a\ufffdb\u202ec\n\U0001f33b"


def test_only_who_runs_the_installation_sends_to_the_world(project: Project) -> None:
    body = {"prompt": "Hello", "deliver": "webhook:https://hooks.example.com/secret"}
    flow = {"text": f"deliver: telegram:42\n{FLOW}", "values": {"who": "Ada"}}
    for path, content in (("/jobs", body), ("/schedules", DIGEST | body), ("/workflows", flow)):
        assert project.send("POST", path, content).status_code == 403, path
    operator = Project(project.gateway, project.name, "")
    job = operator.post("/jobs", body)
    assert job["deliver"] == "webhook:https://hooks.example.com/…"
    operator.post(f"/jobs/{job['id']}/cancel")


@pytest.mark.parametrize(("role", "sees", "changes"), [("read", 200, 403), ("learn", 200, 403)])
def test_a_key_that_only_reads_starts_nothing(
    project: Project, role: Role, sees: int, changes: int
) -> None:
    key = project.post("/keys", {"name": f"{role} only", "role": role})["key"]
    job = project.post("/jobs", {"prompt": "Hello"})["id"]
    assert project.send("GET", f"/jobs/{job}", token=key).status_code == sees
    for method, path, body in (
        ("POST", "/jobs", {"prompt": "x"}),
        ("POST", f"/jobs/{job}/cancel", None),
        ("POST", "/schedules", DIGEST),
        ("POST", "/workflows", {"text": FLOW, "values": {"who": "x"}}),
        ("DELETE", "/schedules/digest", None),
    ):
        assert project.send(method, path, body, token=key).status_code == changes, path


def test_users_of_one_project_see_their_own_jobs(project: Project) -> None:
    ana = project.post("/jobs", {"prompt": "Private"}, user="ana")
    for user, found in (("ana", [ana["id"]]), ("bob", [])):
        key = project.post("/keys", {"name": user, "role": "operate", "user": user})["key"]
        assert ids(project.get("/jobs", token=key)) == found
        status = project.send("POST", f"/jobs/{ana['id']}/cancel", token=key).status_code
        assert status == (200 if found else 404)


def test_a_schedule_named_like_anothers_id_does_not_take_its_place(project: Project) -> None:
    made = project.post("/schedules", DIGEST)
    project.post("/schedules", DIGEST | {"name": made["id"], "prompt": "Do harm"})
    assert project.get(f"/schedules/{made['id']}")["prompt"] == DIGEST["prompt"]
    project.delete(f"/schedules/{made['id']}")
    assert project.get("/schedules")["items"][0]["prompt"] == "Do harm"


@pytest.mark.parametrize(
    "text",
    [
        "steps: {a: {tool: hi, with: {x: [" + "a," * 7_000 + "]}}}",
        "inputs: [0x" + "f" * 9000 + "]\nsteps: {a: {tool: hi}}",
        "0x" + "f" * 9000 + ": 1\nsteps: {a: {tool: hi}}",
    ],
    ids=["many values", "a huge number", "a huge key"],
)
def test_a_costly_workflow_is_refused(project: Project, text: str) -> None:
    refused = project.send("POST", "/workflows", {"text": text})
    assert refused.status_code == 400, refused.text
