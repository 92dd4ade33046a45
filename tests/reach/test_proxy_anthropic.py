"""An agent on Anthropic's messages learns by its base URL alone."""

from functools import partial
from typing import Any

import pytest
from anthropic import Anthropic
from tests.reach import story
from tests.reach.proxied import (
    gateway,  # noqa: F401  # pyright: ignore[reportUnusedImport]
    provider,  # noqa: F401  # pyright: ignore[reportUnusedImport]
    run_tool,
    tell_story,
)
from tests.server.proxies.provider import Provider
from tests.server.serving import Gateway


class MessagesAgent:
    """A loop with cache marks, as coding assistants set them."""

    def __init__(self, client: Anthropic, *, streams: bool) -> None:
        self.client: Any = client
        self.streams = streams
        self.messages: list[Any] = []

    def ask(self, message: str) -> str:
        self.messages.append({"role": "user", "content": [{"type": "text", "text": message}]})
        while True:
            reply = self._reply()
            self.messages.append({"role": "assistant", "content": reply.content})
            calls = [block for block in reply.content if block.type == "tool_use"]
            if not calls:
                return reply.content[0].text
            self.messages.append({"role": "user", "content": [self._result(one) for one in calls]})

    def _result(self, call: Any) -> dict[str, Any]:
        output, failed = run_tool(call.input)
        return {
            "type": "tool_result",
            "tool_use_id": call.id,
            "content": output,
            "is_error": failed,
        }

    def _reply(self) -> Any:
        mark = {"cache_control": {"type": "ephemeral"}}
        *earlier, last = self.messages
        marked = {**last, "content": [*last["content"][:-1], {**last["content"][-1], **mark}]}
        given: Any = {
            "model": "claude-sonnet-5",
            "max_tokens": 500,
            "system": [{"type": "text", "text": "You book tables.", **mark}],
            "messages": [*earlier, marked],
            "tools": [
                {
                    "name": story.TOOL,
                    "description": story.DESCRIPTION,
                    "input_schema": story.PARAMETERS,
                }
            ],
        }
        if self.streams:
            with self.client.messages.stream(**given) as stream:
                return stream.get_final_message()
        return self.client.messages.create(**given)


@pytest.mark.parametrize("streams", [False, True])
def test_the_story_is_told(
    gateway: Gateway,  # noqa: F811
    provider: Provider,  # noqa: F811
    streams: bool,
) -> None:
    project = f"streams-{streams}"
    base = f"{gateway.url}/p/{project}/anthropic"
    with Anthropic(base_url=base, api_key="sk-ant-provider", max_retries=0) as client:
        agent = partial(MessagesAgent, client, streams=streams)
        seen = tell_story(provider, agent, gateway.home, project)
    for one in seen:
        assert one.headers["authorization"] == "Bearer sk-ant-provider"
        first, rules = one.json["system"]
        assert first == {
            "type": "text",
            "text": "You book tables.",
            "cache_control": {"type": "ephemeral"},
        }
        assert story.RULE in rules["text"]
        assert '"cache_control"' in str(one.json["messages"][-1]).replace("'", '"')
    (result,) = seen[2].json["messages"][2]["content"]
    assert result["is_error"] is True
    assert story.HINT in result["content"]
