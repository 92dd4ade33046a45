"""A stand-in for Claude's command-line program, which speaks its control protocol over stdio.

It plays a model that answers as the file `script.json` says, runs the tool of the story, fires the
hooks that the SDK registered, and writes down in `sent.jsonl` what a model would have read.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any, cast

FOLDER = Path(os.environ.get("CLAUDE_STAND_IN", ""))
SESSION = os.environ.get("CLAUDE_SESSION", "")


class StandIn:
    def __init__(self) -> None:
        script: dict[str, Any] = json.loads((FOLDER / "script.json").read_text())
        self.answers: list[Any] = script["answers"]
        self.results: dict[str, dict[str, Any]] = script["results"]  # of calls, by their input
        self.hooks: dict[str, list[str]] = {}
        self.asked = 0
        self.read: list[str] = [*self._system(sys.argv)]

    def serve(self) -> None:
        while line := sys.stdin.readline():
            message = json.loads(line)
            if message["type"] == "control_request":
                self._control(message)
            elif message["type"] == "user":
                self._turn(message["message"]["content"])

    def _system(self, argv: list[str]) -> list[str]:
        flags = ("--system-prompt", "--append-system-prompt")
        return [f"{flag}: {argv[argv.index(flag) + 1]}" for flag in flags if flag in argv]

    def _control(self, message: dict[str, Any]) -> None:
        request = message["request"]
        if request["subtype"] == "initialize":
            hooks = cast("dict[str, list[Any]]", request.get("hooks") or {})
            for event, matchers in hooks.items():
                self.hooks[event] = [name for one in matchers for name in one["hookCallbackIds"]]
        self._say(
            {
                "type": "control_response",
                "response": {
                    "subtype": "success",
                    "request_id": message["request_id"],
                    "response": {"commands": []},
                },
            }
        )

    def _turn(self, prompt: str) -> None:
        self.read.append(f"user: {prompt}")
        self._hook("UserPromptSubmit", {"prompt": prompt})
        while True:
            with (FOLDER / "sent.jsonl").open("a") as sent:
                sent.write(json.dumps(self.read) + "\n")
            answer = self.answers.pop(0)
            if isinstance(answer, str):
                break
            self._call(answer)
        self.read.append(f"assistant: {answer}")
        self._hook("Stop", {"stop_hook_active": False, "last_assistant_message": answer})
        content = [{"type": "text", "text": answer}]
        reply = {"role": "assistant", "content": content, "model": "stand-in"}
        self._say({"type": "assistant", "message": reply, "session_id": SESSION})
        self._say(
            {
                "type": "result",
                "subtype": "success",
                "duration_ms": 1,
                "duration_api_ms": 1,
                "is_error": False,
                "num_turns": 1,
                "session_id": SESSION,
                "total_cost_usd": 0,
                "result": answer,
            }
        )

    def _call(self, call: dict[str, Any]) -> None:
        outcome = self.results[json.dumps(call["input"], sort_keys=True)]
        told = {"tool_name": call["tool"], "tool_input": call["input"], "tool_use_id": "t1"}
        if "error" in outcome:
            self.read.append(f"error: {outcome['error']}")
            self._hook("PostToolUseFailure", {**told, "error": outcome["error"], "duration_ms": 3})
        else:
            self.read.append(f"result: {json.dumps(outcome['result'])}")
            self._hook("PostToolUse", {**told, "tool_response": outcome["result"]})

    def _hook(self, event: str, told: dict[str, Any]) -> None:
        common = {
            "session_id": SESSION,
            "transcript_path": "/nowhere",
            "cwd": str(FOLDER),
            "hook_event_name": event,
        }
        for callback in self.hooks.get(event, []):
            self.asked += 1
            name = f"ask-{self.asked}"
            request = {"subtype": "hook_callback", "callback_id": callback, "tool_use_id": None}
            self._say(
                {
                    "type": "control_request",
                    "request_id": name,
                    "request": {**request, "input": {**common, **told}},
                }
            )
            answer = self._answer_to(name)
            more = cast("dict[str, Any]", answer.get("hookSpecificOutput") or {})
            if more:
                assert more["hookEventName"] == event
                self.read.append(f"hook: {more['additionalContext']}")

    def _answer_to(self, name: str) -> dict[str, Any]:
        while line := sys.stdin.readline():
            message = json.loads(line)
            if message["type"] == "control_response":
                response = message["response"]
                assert response["request_id"] == name
                assert response["subtype"] == "success", response
                return response.get("response") or {}
        raise EOFError("the SDK went away before it answered")

    def _say(self, message: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    StandIn().serve()
