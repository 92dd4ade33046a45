"""The story, told by the hooks of the other assistants, each by its own events and fields."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.assistants.hook_runner import Hooks
from tests.reach import story


@dataclass
class Teller:
    """Speaks the language of one assistant; each method returns what the model reads."""

    hooks: Hooks
    folder: str

    def begin(self, session: str) -> str:
        raise NotImplementedError

    def say(self, session: str, text: str) -> str:
        raise NotImplementedError

    def call(self, session: str, call: str, params: Any) -> str:
        try:
            return self.worked(session, call, params, story.book_table(**params))
        except ValueError as error:
            return self.failed(session, call, params, str(error))

    def worked(self, session: str, call: str, params: Any, said: str) -> str:
        raise NotImplementedError

    def failed(self, session: str, call: str, params: Any, error: str) -> str:
        raise NotImplementedError

    def reply(self, session: str, text: str) -> None: ...

    def end(self, session: str) -> None:
        raise NotImplementedError


class Gemini(Teller):
    def fire(self, event: str, session: str, **more: Any) -> str:
        common = {"session_id": session, "cwd": self.folder, "timestamp": "2026-08-21T10:00:00Z"}
        answer = self.hooks.send("gemini", hook_event_name=event, **common, **more)
        if answer.get("decision") == "deny":
            return answer["reason"]
        return answer.get("hookSpecificOutput", {}).get("additionalContext", "")

    def begin(self, session: str) -> str:
        return self.fire("SessionStart", session, source="startup")

    def say(self, session: str, text: str) -> str:
        return self.fire("BeforeAgent", session, prompt=text)

    def worked(self, session: str, call: str, params: Any, said: str) -> str:
        return self._after(session, params, {"llmContent": [{"text": said}]})

    def failed(self, session: str, call: str, params: Any, error: str) -> str:
        return self._after(session, params, {"llmContent": "x", "error": {"message": error}})

    def _after(self, session: str, params: Any, response: Any) -> str:
        use = {"tool_name": f"mcp_restaurant_{story.TOOL}", "tool_input": params}
        return self.fire("AfterTool", session, **use, tool_response=response)

    def reply(self, session: str, text: str) -> None:
        self.fire("AfterAgent", session, prompt="x", prompt_response=text)

    def end(self, session: str) -> None:
        self.fire("SessionEnd", session, reason="exit")


class Cursor(Teller):
    def fire(self, event: str, session: str, **more: Any) -> str:
        common = {
            "conversation_id": session,
            "cursor_version": "2",
            "workspace_roots": [self.folder],
        }
        answer = self.hooks.send("cursor", hook_event_name=event, **common, **more)
        return answer.get("additional_context", "")

    def begin(self, session: str) -> str:
        return self.fire("sessionStart", session)

    def say(self, session: str, text: str) -> str:
        return self.fire("beforeSubmitPrompt", session, prompt=text)

    def worked(self, session: str, call: str, params: Any, said: str) -> str:
        use = {"tool_name": f"MCP:{story.TOOL}", "tool_input": params, "tool_use_id": call}
        return self.fire("postToolUse", session, **use, tool_output=f'{{"content": "{said}"}}')

    def failed(self, session: str, call: str, params: Any, error: str) -> str:
        use = {"tool_name": f"MCP:{story.TOOL}", "tool_input": params, "tool_use_id": call}
        more = {"error_message": error, "failure_type": "error"}
        assert self.fire("postToolUseFailure", session, **use, **more) == ""  # it hears nothing
        other = {"tool_name": "Read", "tool_input": {"path": "a"}, "tool_use_id": f"{call}-next"}
        return self.fire("postToolUse", session, **other, tool_output='"text"')

    def reply(self, session: str, text: str) -> None:
        self.fire("afterAgentResponse", session, text=text)

    def end(self, session: str) -> None:
        self.fire("sessionEnd", session, reason="completed")


class Copilot(Teller):
    def fire(self, event: str, session: str, **more: Any) -> str:
        common = {"sessionId": session, "cwd": self.folder, "timestamp": 1}
        return self.hooks.send("copilot", event, **common, **more).get("additionalContext", "")

    def begin(self, session: str) -> str:
        return self.fire("sessionStart", session, source="new")

    def say(self, session: str, text: str) -> str:
        return self.fire("userPromptSubmitted", session, prompt=text)

    def worked(self, session: str, call: str, params: Any, said: str) -> str:
        result = {"resultType": "success", "textResultForLlm": said}
        use = {"toolName": story.TOOL, "toolArgs": params}
        return self.fire("postToolUse", session, **use, toolResult=result)

    def failed(self, session: str, call: str, params: Any, error: str) -> str:
        use = {"toolName": story.TOOL, "toolArgs": params}
        return self.fire("postToolUseFailure", session, **use, error=error)

    def end(self, session: str) -> None:
        self.fire("sessionEnd", session, reason="complete")


class Cline(Teller):
    def fire(self, event: str, session: str, **more: Any) -> str:
        common = {"hookName": event, "taskId": session, "workspaceRoots": [self.folder]}
        answer = self.hooks.send("cline", **common, **more)
        assert answer["cancel"] is False
        return answer.get("contextModification", "")

    def begin(self, session: str) -> str:
        assert self.fire("TaskStart", session) == ""  # it can be told at the first call only
        return self.fire("PreToolUse", session, preToolUse={"toolName": "read_file"})

    def say(self, session: str, text: str) -> str:
        return self.fire("UserPromptSubmit", session, userPromptSubmit={"prompt": text})

    def worked(self, session: str, call: str, params: Any, said: str) -> str:
        done = {"toolName": story.TOOL, "parameters": params, "result": said, "success": True}
        return self.fire("PostToolUse", session, postToolUse=done)

    def failed(self, session: str, call: str, params: Any, error: str) -> str:
        done = {"toolName": story.TOOL, "parameters": params, "result": error, "success": False}
        return self.fire("PostToolUse", session, postToolUse=done)

    def end(self, session: str) -> None:
        self.fire("TaskComplete", session)


TELLERS: dict[str, Callable[[Hooks, str], Teller]] = {
    "gemini": Gemini,
    "cursor": Cursor,
    "copilot": Copilot,
    "cline": Cline,
}


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hooks]:
    there = Hooks(tmp_path_factory.mktemp("others") / "home")
    there.start()
    yield there
    there.end()


@pytest.mark.parametrize("name", TELLERS)
def test_the_assistant_tells_the_story(hooks: Hooks, tmp_path: Path, name: str) -> None:
    teller = TELLERS[name](hooks, str(tmp_path))
    one, two = f"{name}-one", f"{name}-two"
    assert teller.begin(one) == ""
    teller.say(one, story.REQUEST)
    assert story.HINT not in teller.call(one, f"{name}-c1", story.WRONG)
    assert teller.call(one, f"{name}-c2", story.RIGHT) == ""
    teller.reply(one, story.REPLY)
    teller.say(one, story.CORRECTION)
    teller.end(one)

    begun = teller.begin(two)
    assert story.RULE in begun
    assert story.NOTE in begun
    teller.say(two, story.LATER_REQUEST)
    assert story.HINT in teller.call(two, f"{name}-c3", story.LATER_WRONG)
    assert teller.call(two, f"{name}-c4", story.LATER_RIGHT) == ""
