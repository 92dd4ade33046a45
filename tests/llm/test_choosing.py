"""Tool calls of small models: a choice in JSON becomes a call or a text."""

import os
from pathlib import Path
from typing import Any

import anyio
import pytest
from pydantic_ai import Agent

from seasoned.llm.chat.choosing import Choosing
from seasoned.llm.chat.providers import ChatConfig, chat_model
from seasoned.llm.chat.scripted import Scripted

FOLDER = Path(os.environ.get("SEASONED_WEIGHTS") or "~/.cache/seasoned/weights").expanduser()
QWEN = FOLDER / "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"


class Weather:
    """An agent with one tool, and the cities that were asked for."""

    def __init__(self, model: Any, **settings: Any) -> None:
        self.cities: list[str] = []
        self.agent = Agent(model, instructions="Be brief.", model_settings=settings or None)  # pyright: ignore

        @self.agent.tool_plain
        def weather(city: str) -> str:  # pyright: ignore[reportUnusedFunction]
            """What the weather is like in a city."""
            self.cities.append(city)
            return "sunny, 24 degrees"

    def say(self, prompt: str, *, streaming: bool = False) -> str:
        async def run() -> str:
            async with self.agent:
                if not streaming:
                    return (await self.agent.run(prompt)).output
                async with self.agent.run_stream(prompt) as stream:
                    return "".join([one async for one in stream.stream_text(delta=True)])

        return anyio.run(run)


@pytest.mark.parametrize("streaming", [False, True], ids=["plain", "streamed"])
def test_a_choice_becomes_a_call_and_a_text_becomes_an_answer(streaming: bool) -> None:
    inner = Scripted('{"tool": "weather", "args": {"city": "Lisbon"}}', '{"say": "It is sunny."}')
    talk = Weather(Choosing(inner))
    assert talk.say("And in Lisbon?", streaming=streaming) == "It is sunny."
    assert talk.cities == ["Lisbon"]
    first, second = inner.asked
    assert first.tools == []
    told = "\n".join(part.content for part in first.parameters.instruction_parts or ())
    assert told.startswith("Be brief.")
    assert "- weather(city: string): What the weather is like in a city." in told
    wanted: Any = first.parameters.output_object
    call, say = wanted.json_schema["anyOf"]
    assert call["properties"]["args"]["properties"]["city"]["maxLength"] == 1000
    assert list(say["properties"]) == ["say"]
    assert "sunny, 24 degrees" in second.text


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Just a text.", "Just a text."),
        ('{"tool": "unknown", "args": {}}', '{"tool": "unknown", "args": {}}'),
        ('{"say": "cut o', "cut o"),
        ("[1, 2]", "[1, 2]"),
    ],
)
def test_an_answer_without_a_choice_is_a_text(answer: str, said: str) -> None:
    assert Weather(Choosing(Scripted(answer))).say("Hi") == said


def test_without_tools_nothing_changes() -> None:
    inner = Scripted("Hello.")

    async def run() -> str:
        return (await Agent(Choosing(inner)).run("Hi")).output

    assert anyio.run(run) == "Hello."
    assert inner.asked[0].parameters.output_mode == "text"


@pytest.mark.local_llm
@pytest.mark.timeout(600)
def test_a_real_small_model_uses_a_tool() -> None:
    if not QWEN.exists():
        pytest.skip(f"no weights at {QWEN}; `python scripts/fetch_weights.py qwen` gets them")
    chat = chat_model(f"local:{QWEN}", config=ChatConfig(threads=1))
    talk = Weather(chat.model, max_tokens=60, temperature=0)
    said = talk.say("What is the weather in Lisbon?")
    assert talk.cities == ["Lisbon"]
    assert "sunny" in said.lower()
