"""An agent on OpenAI's responses learns by its base URL alone, whoever keeps the conversation."""

import json
from functools import partial
from typing import Any, Literal

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

Keeper = Literal["client", "streaming client", "provider"]


class ResponsesAgent:
    """A loop over items; if the provider keeps the conversation, it sends what is new."""

    def __init__(self, client: OpenAI, keeper: Keeper) -> None:
        self.client: Any = client
        self.keeper = keeper
        self.items: list[Any] = []
        self.previous = ""

    def ask(self, message: str) -> str:
        self.items.append({"role": "user", "content": message})
        while True:
            reply = self._reply()
            calls = [item for item in reply.output if item.type == "function_call"]
            if self.keeper == "provider":
                self.items, self.previous = [], reply.id
            else:
                self.items += [item.model_dump(exclude_none=True) for item in reply.output]
            if not calls:
                return reply.output_text
            for call in calls:
                output, _ = run_tool(json.loads(call.arguments))
                answer = {"type": "function_call_output", "call_id": call.call_id}
                self.items.append({**answer, "output": output})

    def _reply(self) -> Any:
        given: Any = {
            "model": "gpt-5.4-mini",
            "instructions": "You book tables.",
            "input": self.items,
            "tools": [
                {
                    "type": "function",
                    "name": story.TOOL,
                    "description": story.DESCRIPTION,
                    "parameters": story.PARAMETERS,
                    "strict": False,
                }
            ],
        }
        if self.previous:
            given["previous_response_id"] = self.previous
        if self.keeper == "streaming client":
            with self.client.responses.stream(**given) as stream:
                return stream.get_final_response()
        return self.client.responses.create(**given)


@pytest.mark.parametrize("keeper", ["client", "streaming client", "provider"])
def test_the_story_is_told(
    gateway: Gateway,  # noqa: F811
    provider: Provider,  # noqa: F811
    keeper: Keeper,
) -> None:
    project = keeper.replace(" ", "-")
    base = f"{gateway.url}/p/{project}/openai/v1"
    with OpenAI(base_url=base, api_key="sk-provider", max_retries=0) as client:
        agent = partial(ResponsesAgent, client, keeper)
        seen = tell_story(provider, agent, gateway.home, project)
    for one in seen:
        assert one.json["instructions"].startswith("You book tables.\n\n")
        assert story.RULE in one.json["instructions"]
    failed = next(one for one in seen[1].json["input"] if one.get("type") == "function_call_output")
    assert story.HINT in failed["output"]
    assert failed["output"].startswith(f"Error: {story.ERROR}")
    assert ("previous_response_id" in seen[1].json) == (keeper == "provider")
