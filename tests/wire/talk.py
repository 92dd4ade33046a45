"""Conversations in the wire formats, and a companion that sees them pass by."""

import json
from typing import Any

from seasoned import AsyncSeasoned
from seasoned.wire import openai_chat
from seasoned.wire.companion import Companion, CompanionConfig, Passage

TOOLS = [{"type": "function", "function": {"name": "shell", "description": "Run a command."}}]


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def calls(*commands: str, at: int = 1) -> dict[str, Any]:
    """The assistant runs commands."""
    made = [
        {
            "id": f"call_{at}{number}Qx7Lk2Pz9Tr4Ws8V",
            "type": "function",
            "function": {"name": "shell", "arguments": json.dumps({"command": command})},
        }
        for number, command in enumerate(commands)
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


def result(text: str, number: int = 0, at: int = 1) -> dict[str, Any]:
    name = f"call_{at}{number}Qx7Lk2Pz9Tr4Ws8V"
    return {"role": "tool", "tool_call_id": name, "content": text}


class Talk:
    """Passes requests by a companion, as a client sends them."""

    def __init__(self, s: AsyncSeasoned, companion: Companion | None = None) -> None:
        self.s = s
        self.companion = companion or Companion(CompanionConfig(deadline_seconds=20))

    async def send(self, *messages: Any, session: str = "", **more: Any) -> list[Any]:
        """Send a request; return its messages as the provider sees them."""
        return (await self.request(*messages, session=session, **more))["messages"]

    async def request(self, *messages: Any, session: str = "", **more: Any) -> Any:
        return json.loads((await self.pass_by(*messages, session=session, **more)).body)

    async def pass_by(self, *messages: Any, session: str = "", **more: Any) -> Passage:
        body = json.dumps({"model": "m", "messages": messages, **more}).encode()
        return await self.companion.before(self.s, openai_chat, body, session)

    async def answered(self, reply: str, *messages: Any, **more: Any) -> list[Any]:
        """Send a request and get a reply; return the messages as the provider sees them."""
        passage = await self.pass_by(*messages, **more)
        choice = {"index": 0, "message": assistant(reply), "finish_reason": "stop"}
        body = json.dumps({"choices": [choice]}).encode()
        await self.companion.after(passage, body, streamed=False)
        return json.loads(passage.body)["messages"]
