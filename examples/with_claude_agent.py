"""An agent of the Claude Agent SDK that learns; it needs Claude's program, and a key or a login."""

import asyncio
import os
import shutil

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query

from seasoned import AsyncSeasoned
from seasoned.adapters.claude_agent import learning_options


async def main() -> None:
    async with AsyncSeasoned(":memory:") as s:
        await s.teach("podman: command not found", fix="Use docker.", tool="Bash")
        await s.teach(rule="Always answer in German.")
        options = learning_options(s, ClaudeAgentOptions(allowed_tools=["Bash"]))  # the one line
        print("the model reads:", options.system_prompt)
        print("hooks:", ", ".join(options.hooks or {}))
        if not os.environ.get("ANTHROPIC_API_KEY") or not shutil.which("claude"):
            return  # this is as far as it goes without them
        async for message in query(prompt="Which containers run here?", options=options):
            if isinstance(message, ResultMessage):
                print(message.result)


asyncio.run(main())
