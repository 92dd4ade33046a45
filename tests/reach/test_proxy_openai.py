"""An agent on OpenAI's chat completions learns by its base URL alone."""

import json
from functools import partial
from typing import Any

import pytest
from openai import OpenAI
from tests.reach import story
from tests.reach.proxied import (
    gateway,  # noqa: F401  # pyright: ignore[reportUnusedImport]
    provider,  # noqa: F401  # pyright: ignore[reportUnusedImport]
    run_tool,
    tell_story,
)
from tests.server.proxies.provider import Provider
from tests.server.serving import Gateway


class ChatAgent:
    """The plain loop that everybody writes."""

    def __init__(self, client: OpenAI, *, streams: bool) -> None:
        self.client: Any = client
        self.streams = streams
        self.messages: list[Any] = [{"role": "system", "content": "You book tables."}]

    def ask(self, message: str) -> str:
        self.messages.append({"role": "user", "content": message})
        while True:
            reply = self._reply()
            self.messages.append(reply)
            if not reply.get("tool_calls"):
                return reply["content"]
            for call in reply["tool_calls"]:
                output, _ = run_tool(json.loads(call["function"]["arguments"]))
                answer = {"role": "tool", "tool_call_id": call["id"], "content": output}
                self.messages.append(answer)

    def _reply(self) -> dict[str, Any]:
        function = {
            "name": story.TOOL,
            "description": story.DESCRIPTION,
            "parameters": story.PARAMETERS,
        }
        given: dict[str, Any] = {
            "model": "gpt-5.4-mini",
            "messages": self.messages,
            "tools": [{"type": "function", "function": function}],
        }
        if self.streams:
            with self.client.chat.completions.stream(**given) as stream:
                done = stream.get_final_completion()
        else:
            done = self.client.chat.completions.create(**given)
        return done.choices[0].message.model_dump(exclude_none=True, exclude={"parsed"})


@pytest.mark.parametrize("streams", [False, True])
def test_the_story_is_told(
    gateway: Gateway,  # noqa: F811
    provider: Provider,  # noqa: F811
    streams: bool,
) -> None:
    project = f"streams-{streams}"
    base = f"{gateway.url}/p/{project}/openai/v1"
    with OpenAI(base_url=base, api_key="sk-provider", max_retries=0) as client:
        agent = partial(ChatAgent, client, streams=streams)
        seen = tell_story(provider, agent, gateway.home, project)
    for one in seen:
        assert one.headers["authorization"] == "Bearer sk-provider"
        rules = one.json["messages"][0]
        assert rules["role"] == "system"
        assert rules["content"].startswith("You book tables.\n\n")
        assert story.RULE in rules["content"]
    results = [one for one in seen[2].json["messages"] if one["role"] == "tool"]
    assert story.HINT in results[0]["content"]
    assert results[0]["content"].startswith(f"Error: {story.ERROR}")
