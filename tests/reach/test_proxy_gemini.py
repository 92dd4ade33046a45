"""An agent on Gemini learns by its base URL alone."""

from functools import partial
from typing import Any

import pytest
from google import genai
from google.genai import types
from tests.reach import story
from tests.reach.proxied import (
    gateway,  # noqa: F401  # pyright: ignore[reportUnusedImport]
    provider,  # noqa: F401  # pyright: ignore[reportUnusedImport]
    run_tool,
    tell_story,
)
from tests.server.proxies.provider import Provider
from tests.server.serving import Gateway


class GeminiAgent:
    """A loop over contents, with the tool called by hand."""

    def __init__(self, client: genai.Client, *, streams: bool) -> None:
        self.client: Any = client
        self.streams = streams
        self.contents: list[Any] = []

    def ask(self, message: str) -> str:
        self.contents.append(types.UserContent(parts=[types.Part(text=message)]))
        while True:
            parts = self._reply()
            self.contents.append(types.ModelContent(parts=parts))
            calls = [part.function_call for part in parts if part.function_call]
            if not calls:
                return "".join(part.text for part in parts)
            results = [self._result(call) for call in calls]
            self.contents.append(types.UserContent(parts=results))

    def _result(self, call: Any) -> types.Part:
        output, failed = run_tool(call.args)
        told = {"error": output} if failed else {"output": output}
        return types.Part.from_function_response(name=call.name, response=told)

    def _reply(self) -> list[Any]:
        declared = types.FunctionDeclaration(
            name=story.TOOL,
            description=story.DESCRIPTION,
            parameters_json_schema=story.PARAMETERS,
        )
        config = types.GenerateContentConfig(
            system_instruction="You book tables.",
            tools=[types.Tool(function_declarations=[declared])],
        )
        models: Any = self.client.models
        given = {"model": "gemini-3-flash", "contents": self.contents, "config": config}
        if not self.streams:
            return list(models.generate_content(**given).candidates[0].content.parts)
        chunks = list(models.generate_content_stream(**given))
        return [part for one in chunks for part in one.candidates[0].content.parts or ()]


@pytest.mark.parametrize("streams", [False, True])
def test_the_story_is_told(
    gateway: Gateway,  # noqa: F811
    provider: Provider,  # noqa: F811
    streams: bool,
) -> None:
    project = f"streams-{streams}"
    options = types.HttpOptions(base_url=f"{gateway.url}/p/{project}/gemini")
    with genai.Client(api_key="provider-key", http_options=options) as client:
        agent = partial(GeminiAgent, client, streams=streams)
        seen = tell_story(provider, agent, gateway.home, project)
    for one in seen:
        assert one.headers["x-goog-api-key"] == "provider-key"
        first, rules = one.json["systemInstruction"]["parts"]
        assert first == {"text": "You book tables."}
        assert story.RULE in rules["text"]
    (part,) = seen[2].json["contents"][2]["parts"]
    error = part["functionResponse"]["response"]["error"]
    assert error.startswith(f"Error: {story.ERROR}")
    assert story.HINT in error
