"""Runs of OpenHands, SWE-agent, mini-swe-agent and Inspect."""

import json
import zipfile
from pathlib import Path
from typing import Any

from tests.transcripts.reading import (
    calls,
    document,
    folders,
    learnable,
    left_out,
    lines,
    outcomes,
    problems,
    said,
)

from seasoned.transcripts.files import transcript_files
from seasoned.transcripts.reader import STRAYS, UNANSWERED, format_of


def action(number: int, command: str) -> dict[str, Any]:
    called = {
        "function": {"name": "bash", "arguments": json.dumps({"command": command})},
        "id": "t",
    }
    response = {"choices": [{"message": {"tool_calls": [called]}}]}
    metadata = {"function_name": "bash", "tool_call_id": "t", "model_response": response}
    args = {"command": command, "thought": "hm", "blocking": False}
    return {
        "id": number,
        "source": "agent",
        "action": "run",
        "args": args,
        "tool_call_metadata": metadata,
    }


def observed(number: int, cause: int, content: str, code: int, kind: str = "run") -> dict[str, Any]:
    extras = {"metadata": {"exit_code": code}}
    return {"id": number, "cause": cause, "observation": kind, "content": content, "extras": extras}


EVENTS: list[dict[str, Any]] = [
    {"id": 0, "source": "user", "action": "message", "args": {"content": "build it"}},
    *(action(1, "ls"), observed(2, 1, "a", 0)),
    *(action(3, "make"), observed(4, 3, "no rule", 2)),
    *(action(5, "top"), observed(6, 5, "running", -1)),
    *(
        action(7, "rm x"),
        observed(8, 7, "Action has been rejected by the user!", 0, "user_rejected"),
    ),
    {"id": 9, "observation": "error", "content": "bad parameter", "extras": {}},
    {"id": 10, "source": "agent", "action": "finish", "args": {}},
]
ENDS = {"ls": "ok", "make": "failed", "top": "ok", "rm x": "refused"}


def test_openhands_pairs_by_cause(tmp_path: Path):
    path = lines(tmp_path, [{"instance_id": "i1", "history": EVENTS}])
    assert format_of(path) == "OpenHands run"
    assert outcomes(path) == ENDS
    assert (said(path), left_out(path)) == (["build it"], {STRAYS: 1})
    assert dict(calls(path)[0].params) == {"command": "ls"}


def test_older_openhands_histories_list_pairs_without_ids(tmp_path: Path):
    asked = {"action": "run", "command": "make", "thought": "hm"}
    told = {"observation": "run", "command": "make", "content": "no rule", "exit_code": 2}
    flat = lines(tmp_path, [{"instance_id": "i1", "history": [asked, told]}])
    pairs = lines(tmp_path, [{"instance_id": "i1", "history": [[asked, told]]}], "pairs.jsonl")
    assert outcomes(flat) == outcomes(pairs) == {"make": "failed"}


def test_the_events_of_a_conversation_are_one_session(tmp_path: Path):
    for event in EVENTS:
        document(tmp_path, event, f"sessions/s1/events/{event['id']}.json")
    (folder,) = transcript_files([tmp_path])
    assert folder.name == "events"
    assert outcomes(folder) == ENDS
    (tmp_path / "sessions/s1/events/11.json").write_text("{half")
    assert "events/11.json" in problems(folder)[0]
    assert outcomes(folder) == ENDS


def step(command: str, observation: str, state: Any = None) -> dict[str, Any]:
    where = {"working_dir": "/testbed"} if state is None else state
    return {"action": command + "\n", "observation": observation, "thought": "hm", "state": where}


def test_a_trajectory_of_swe_agent(tmp_path: Path):
    edit = "Your proposed edit has introduced new syntax error(s). Please read this"
    trace = "Traceback (most recent call last):\n  File x\nValueError: no"
    steps = [
        step("ls", "a", json.dumps({"working_dir": "/testbed"})),
        step("edit 1:1", edit),
        step("python x.py", trace),
        step("grep error x", "0 errors found"),
    ]
    path = document(tmp_path, {"trajectory": steps, "history": [], "info": {}}, "a.traj")
    assert format_of(path) == "SWE-agent trajectory"
    assert outcomes(path) == {
        "ls": "ok",
        "edit 1:1": "failed",
        "python x.py": "failed",
        "grep error x": "ok",
    }
    assert folders(path) == {"/testbed"}
    assert list(transcript_files([tmp_path])) == [path]


def test_tools_that_were_called_by_name_keep_it(tmp_path: Path):
    named = {"function": {"name": "create", "arguments": '{"filename": "x.py"}'}, "id": "c"}
    history = [
        {"role": "assistant", "is_demo": True, "tool_calls": [named, named]},
        {"role": "assistant", "tool_calls": [named]},
    ]
    path = document(tmp_path, {"trajectory": [step("create x.py", "ok")], "history": history})
    assert [(call.tool, dict(call.params)) for call in calls(path)] == [
        ("create", {"filename": "x.py"})
    ]


def mini(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "content": content}


MINI = [
    mini("system", "You can use bash."),
    mini("user", "Please solve it"),
    mini("assistant", "I look.\n\n```mswea_bash_command\ncat x\n```"),
    mini("user", "<returncode>1</returncode>\n<output>\nno such file\n</output>"),
    mini("assistant", "Again.\n\n```mswea_bash_command\nls\n```"),
    mini("user", "<returncode>0</returncode>\n<output>\na\n</output>"),
    mini("assistant", "Slow.\n\n```mswea_bash_command\nsleep 99\n```"),
    mini("user", "<exception>timed out</exception>"),
    mini("assistant", "Done.\n\n```mswea_bash_command\necho SUBMIT\n```"),
]


def test_a_trajectory_of_mini_swe_agent(tmp_path: Path):
    path = document(tmp_path, MINI)
    assert format_of(path) == "SWE-agent trajectory"
    assert outcomes(path) == {"cat x": "failed", "ls": "ok", "sleep 99": "failed"}
    assert [call.error for call in calls(path)] == ["no such file", None, "timed out"]
    assert (said(path), left_out(path)) == (["Please solve it"], {UNANSWERED: 1})
    whole: dict[str, Any] = {
        "info": {},
        "messages": MINI,
        "trajectory_format": "mini-swe-agent-1.1",
    }
    assert outcomes(document(tmp_path, whole)) == outcomes(path)


def sample(number: int) -> dict[str, Any]:
    used = [
        {"id": f"c{number}-{name}", "function": "bash", "arguments": {"cmd": name}}
        for name in ("ls", "make", "rm x")
    ]
    told = [
        {
            "role": "tool",
            "tool_call_id": used[0]["id"],
            "function": "bash",
            "content": "attachment://k",
        },
        {
            "role": "tool",
            "tool_call_id": used[1]["id"],
            "content": "",
            "error": {"type": "timeout", "message": "timed out"},
        },
        {
            "role": "tool",
            "tool_call_id": used[2]["id"],
            "content": "",
            "error": {"type": "approval", "message": "no"},
        },
    ]
    events = [
        {
            "event": "tool",
            "id": used[0]["id"],
            "completed": "2025-05-12T20:27:44Z",
            "working_time": 4.5,
        }
    ]
    messages = [
        {"role": "user", "content": "build it"},
        {"role": "assistant", "content": "", "tool_calls": used},
        *told,
    ]
    kept = {"attachments": {"k": "a long text"}, "events": events}
    return {"id": number, "epoch": 1, "uuid": f"s{number}", "messages": messages, **kept}


def test_an_inspect_log_as_a_document_and_as_an_archive(tmp_path: Path):
    head = {"version": 2, "status": "success", "eval": {"run_id": "r1"}}
    path = document(tmp_path, {**head, "samples": [sample(1), sample(2)]})
    assert format_of(path) == "Inspect log"
    assert outcomes(path) == {"ls": "ok", "make": "failed", "rm x": "refused"}
    first = calls(path)[0]
    assert (first.result, first.duration_ms, first.at) == ("a long text", 4500, 1747081664000000)
    assert {call.session for call in calls(path)} == {"s1", "s2"}
    archive = tmp_path / "log.eval"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("header.json", json.dumps(head))
        packed.writestr("_journal/start.json", "{}")
        for number in (1, 2):
            packed.writestr(f"samples/{number}_epoch_1.json", json.dumps(sample(number)))
    assert learnable(archive) == learnable(path)
    archive.write_bytes(archive.read_bytes()[:400])
    assert "cannot be unpacked" in problems(archive)[0]
