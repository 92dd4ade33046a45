"""Run the stand-in for Claude's command-line program behind the real SDK."""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage

PROGRAM = Path(__file__).with_name("claude_cli.py")


class ClaudeStandIn:
    def __init__(self, folder: Path, session: str) -> None:
        self.folder = folder / session
        self.folder.mkdir()
        self.session = session
        self.program = self.folder / "claude"
        self.program.write_text(f'#!/bin/sh\nexec {sys.executable} {PROGRAM} "$@"\n')
        self.program.chmod(0o700)

    def script(self, answers: Sequence[Any], results: Sequence[tuple[Any, Any]]) -> None:
        """Give its answers, and the outcome of each call."""
        by_input = {json.dumps(given, sort_keys=True): outcome for given, outcome in results}
        text = json.dumps({"answers": list(answers), "results": by_input})
        (self.folder / "script.json").write_text(text)

    async def converse(self, options: ClaudeAgentOptions, *said: str) -> list[str]:
        """Say something, and return the replies."""
        environment = {
            "CLAUDE_STAND_IN": str(self.folder),
            "CLAUDE_SESSION": self.session,
            "CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK": "1",
        }
        changed = replace(options, cli_path=self.program, env=environment)
        replies: list[str] = []
        async with ClaudeSDKClient(changed) as client:
            for message in said:
                await client.query(message)
                received = [one async for one in client.receive_response()]
                replies += [str(one.result) for one in received if isinstance(one, ResultMessage)]
        return replies

    @property
    def sent(self) -> list[list[str]]:
        """What a model was sent, request by request."""
        return [json.loads(line) for line in (self.folder / "sent.jsonl").read_text().splitlines()]
