"""What reaches the model of each assistant, at which event, in which words."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.assistants.hook_runner import Hooks

from seasoned import Seasoned

ERROR = "unknown flag: --stat"
FIX = "Pass `--name-only`; this version has no `--stat`."
RULE = "Use tabs in Makefiles."
COMMAND = {"command": "gh pr diff 88 --stat"}


@pytest.fixture
def taught(hooks: Hooks, project: str) -> str:
    """A project in which a fix of the shell and a rule are known."""
    with Seasoned(hooks.home / "seasoned.db", project=project) as s:
        s.teach(ERROR, fix=FIX, tool="Bash")
        s.teach(preference=RULE)
        s.teach("deploying to production", fact="Deployments to production need the VPN.")
    return project


def claude(event: str, session: str, folder: str, **more: Any) -> dict[str, Any]:
    return {"hook_event_name": event, "session_id": session, "cwd": folder, **more}


def failure(session: str, folder: str, call: str = "u1") -> dict[str, Any]:
    more = {"tool_name": "Bash", "tool_input": COMMAND, "tool_use_id": f"{session}-{call}"}
    return claude("PostToolUseFailure", session, folder, **more, error=f"Exit code 1\n{ERROR}")


def context(answer: dict[str, Any]) -> str:
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "")


def test_claude_code_reads_the_hint_in_the_turn_of_the_failure(hooks: Hooks, taught: str) -> None:
    answer = hooks.send("claude-code", **failure("told-1", taught))
    assert answer == {
        "hookSpecificOutput": {
            "hookEventName": "PostToolUseFailure",
            "additionalContext": f"About this error, the operator noted: {FIX} (confidence 0.90)",
        }
    }


def test_a_session_is_told_the_standing_rules_when_it_begins_and_when_it_forgot_them(
    hooks: Hooks, taught: str
) -> None:
    def start(source: str) -> str:
        event = claude("SessionStart", "told-2", taught, source=source)
        return context(hooks.send("claude-code", **event))

    first = start("startup")
    assert first.startswith("From earlier sessions here (recorded by Seasoned):\n")
    assert f"The operator set down: “{RULE}”" in first
    assert start("resume") == ""
    asked = claude("UserPromptSubmit", "told-2", taught, prompt="Add a target to the Makefile.")
    assert RULE not in context(hooks.send("claude-code", **asked))
    assert RULE in start("compact")
    assert RULE in start("clear")


def test_a_prompt_is_told_what_matters_for_it_once(hooks: Hooks, taught: str) -> None:
    prompt = "What do I need for deploying to production?"
    one = claude("UserPromptSubmit", "told-4", taught, prompt=prompt, prompt_id="p1")
    told = context(hooks.send("claude-code", **one))
    assert "The operator set down: “Deployments to production need the VPN.”" in told
    again = one | {"prompt_id": "p2"}
    assert context(hooks.send("claude-code", **again)) == ""


def test_commands_synthetic_prompts_and_sub_agents_are_no_word_of_the_user(
    hooks: Hooks, taught: str
) -> None:
    rule = "From now on, always write the commit message in French."
    for prompt in (
        f"/review {rule}",
        f"<command-name>/x</command-name> {rule}",
        f"<task-notification>{rule}</task-notification>",
        f"<environment_context>{rule}</environment_context>",
    ):
        event = claude("UserPromptSubmit", "told-5", taught, prompt=prompt)
        assert hooks.send("claude-code", **event) == {}
    sub = claude("UserPromptSubmit", "told-5", taught, prompt=rule, agent_id="a1")
    assert hooks.send("claude-code", **sub) == {}
    with Seasoned(hooks.home / "seasoned.db", project=taught) as s:
        assert s.corrections.pending() == []
        assert [rule.content for rule in s.rules.list()] == [RULE]


def test_a_sub_agent_gets_hints_and_learns_as_a_session_of_its_own(
    hooks: Hooks, taught: str
) -> None:
    event = failure("told-6", taught) | {"agent_id": "a7"}
    assert FIX in context(hooks.send("claude-code", **event))
    with Seasoned(hooks.home / "seasoned.db", project=taught) as s:
        (known,) = s.errors()
        samples = s.inner.app.db.run(_samples(s, known.id))
    assert [sample.session for sample in samples] == ["told-6/a7"]


async def _samples(s: Seasoned, error: str) -> Any:
    async with s.inner.app.db.read() as tx:
        return await s.inner.app.errors.samples(tx, error, 20)


def test_codex_gets_the_hint_with_the_result_that_is_an_error(hooks: Hooks, taught: str) -> None:
    event = claude("PostToolUse", "told-7", taught, turn_id="t1", model="gpt")
    event |= {"tool_name": "Bash", "tool_input": COMMAND, "tool_use_id": "told-7-1"}
    answer = hooks.send("codex", **event, tool_response=f"{ERROR}\n\nUsage:  gh pr diff\n")
    assert FIX in context(answer)
    assert answer["hookSpecificOutput"]["hookEventName"] == "PostToolUse"


def test_codex_finds_the_exit_code_in_the_records_of_the_session(
    hooks: Hooks, taught: str, tmp_path: Path
) -> None:
    rollout = tmp_path / "rollout.jsonl"
    event = claude("PostToolUse", "told-8", taught, transcript_path=str(rollout), turn_id="t1")
    event |= {"tool_name": "Bash", "tool_input": COMMAND, "tool_response": f"see {ERROR} above"}
    ends = [("told-8-good", 0), ("told-8-bad", 1)]
    records = [
        {
            "type": "event_msg",
            "payload": {"type": "exec_command_end", "call_id": call, "exit_code": code},
        }
        for call, code in ends
    ]
    rollout.write_text("".join(json.dumps(one) + "\n" for one in records) + '{"cut')
    assert hooks.send("codex", **event, tool_use_id="told-8-good") == {}
    assert FIX in context(hooks.send("codex", **event, tool_use_id="told-8-bad"))


def test_gemini_gets_a_hint_beside_a_command_and_in_place_of_an_error(
    hooks: Hooks, taught: str
) -> None:
    event = claude("AfterTool", "told-9", taught, tool_name="run_shell_command", tool_input=COMMAND)
    said = f"Command: gh\nDirectory: (root)\nOutput: {ERROR}\nError: (none)\nExit Code: 1"
    beside = hooks.send("gemini", **event, tool_response={"llmContent": said})
    assert FIX in context(beside)
    with Seasoned(hooks.home / "seasoned.db", project=taught) as s:
        s.teach("0 occurrences found", fix="Read the file again first.", tool="replace")
    event |= {"tool_name": "replace", "tool_input": {"file_path": "a.py"}}
    failed = {"llmContent": "no", "error": {"message": "0 occurrences found for old_string"}}
    instead = hooks.send("gemini", **event, tool_response=failed)
    assert instead["decision"] == "deny"
    assert instead["reason"].startswith("0 occurrences found for old_string\n\nAbout this error")


def test_cursor_is_told_about_a_failure_with_its_next_result(hooks: Hooks, taught: str) -> None:
    event = {
        "conversation_id": "told-10",
        "cursor_version": "2.1",
        "workspace_roots": [taught],
        "tool_name": "Shell",
        "tool_input": COMMAND,
    }
    failed = {"hook_event_name": "postToolUseFailure", "error_message": ERROR}
    assert hooks.send("cursor", **event, **failed, tool_use_id="told-10-1") == {}
    done = {"hook_event_name": "postToolUse", "tool_output": '{"exitCode": 0}'}
    next_one = event | {"tool_input": {"command": "ls"}, "tool_use_id": "told-10-2"}
    assert FIX in hooks.send("cursor", **next_one, **done)["additional_context"]
    last = next_one | {"tool_use_id": "told-10-3"}
    assert hooks.send("cursor", **last, **done) == {}


def test_copilot_and_cline_answer_in_their_own_words(hooks: Hooks, taught: str) -> None:
    call = {"sessionId": "told-11", "cwd": taught, "toolName": "bash", "toolArgs": COMMAND}
    answer = hooks.send("copilot", "postToolUseFailure", **call, error=ERROR)
    assert FIX in answer["additionalContext"]
    done = {"toolName": "execute_command", "parameters": COMMAND, "result": ERROR, "success": False}
    task = {"taskId": "told-12", "workspaceRoots": [taught]}
    begun = hooks.send("cline", hookName="TaskStart", **task)
    assert begun == {"cancel": False}
    answer = hooks.send("cline", hookName="PostToolUse", **task, postToolUse=done)
    assert answer["cancel"] is False
    assert FIX in answer["contextModification"]
    assert RULE in answer["contextModification"]  # it could not be told when the task began


def test_hidden_characters_and_long_lessons_do_not_reach_the_model(
    hooks: Hooks, project: str
) -> None:
    with Seasoned(hooks.home / "seasoned.db", project=project) as s:
        for number in range(40):
            s.teach(preference=f"Rule {number}\u200b\u202e: {'word ' * 90}")
    start = claude("SessionStart", "told-13", project, source="startup")
    told = context(hooks.send("claude-code", **start))
    assert told.isprintable() or "\n" in told
    assert not {"\u200b", "\u202e"} & set(told)
    assert 0 < len(told) < 2_600  # assistants.startTokens, at four characters each


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("grep -rn OldName src", "Exit code 1"),
        ("diff a b", "Exit code 1\n1c1\n< x\n---\n> y"),
        ("pytest", "Exit code 1\nFAILED tests/test_a.py::test_x - AssertionError\n1 failed"),
    ],
)
def test_nothing_found_and_failed_checks_open_no_episode(
    hooks: Hooks, project: str, command: str, output: str
) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": command}
    event = claude("PostToolUseFailure", "told-14", project, **call, error=output)
    assert hooks.send("claude-code", **event) == {}
    with Seasoned(hooks.home / "seasoned.db", project=project) as s:
        assert s.status()["episodes"] == {}


def test_a_refusal_and_an_interruption_are_no_errors_of_the_tool(
    hooks: Hooks, project: str
) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": "rm -r x"}}
    denied = claude("PermissionDenied", "told-15", project, **call, tool_use_id="d1", reason="no")
    stopped = claude("PostToolUseFailure", "told-15", project, **call, tool_use_id="d2")
    hooks.send("claude-code", **denied)
    hooks.send("claude-code", **stopped, error="stopped", is_interrupt=True)
    with Seasoned(hooks.home / "seasoned.db", project=project) as s:
        assert s.errors() == []
        assert [(tool.calls, tool.failures) for tool in s.tools()] == [(2, 2)]
