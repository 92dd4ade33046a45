"""The scripted model: answers in order, and records what it was asked."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelConnectionError, ModelRateLimitError

from seasoned.core.errors import ConfigError, ModelError
from seasoned.llm.chat.background import BackgroundModel
from seasoned.llm.chat.providers import chat_model
from seasoned.llm.chat.scripted import Call, Fail, Say, Scripted, ScriptedRequest
from seasoned.llm.chat.supervisor import Supervised
from seasoned.llm.model import AnswerSchema, Model, ModelQuestion

COLOUR = AnswerSchema(
    "colour",
    {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]},
)
QUESTION = ModelQuestion("You see.", "Which colour?", COLOUR)


def said(model: Any, prompt: str = "Hi") -> str:
    async def run() -> str:
        return (await Agent(model, instructions="Be brief.").run(prompt)).output

    return anyio.run(run)


def test_answers_come_in_their_order_and_what_was_asked_is_kept() -> None:
    model = Scripted("One.", "Two.")
    assert [said(model, "first"), said(model, "second")] == ["One.", "Two."]
    assert [asked.prompt for asked in model.asked] == ["first", "second"]
    assert model.asked[0].instructions == "Be brief."
    assert "second" in model.asked[1].text


def test_when_the_script_runs_out_the_error_says_what_was_asked() -> None:
    model = Scripted("One.", name="short")
    said(model)
    with pytest.raises(ModelError, match=r"scripted:short .*\(asked: 'more of it'\)"):
        said(model, "more of it")
    model.add("Another.")
    assert said(model) == "Another."


def test_tools_are_called_in_parallel_and_their_results_come_back() -> None:
    calls = (
        Call("add", {"a": 1, "b": 2}, id="one"),
        Call("add", {"a": 3, "b": 4}, id="two"),
    )
    model = Scripted(Say("Let me see.", calls=calls), "3 and 7.")
    agent = Agent(model)

    @agent.tool_plain
    def add(a: int, b: int) -> int:  # pyright: ignore[reportUnusedFunction]
        return a + b

    async def run() -> str:
        return (await agent.run("Sums?")).output

    assert anyio.run(run) == "3 and 7."
    assert model.asked[0].tools == ["add"]
    assert "content=7" in model.asked[1].text


def test_a_stream_comes_in_pieces_and_knows_what_it_took() -> None:
    model = Scripted(Say("A long enough answer.", input_tokens=11, output_tokens=5), chunk=4)

    async def run() -> tuple[list[str], int, int]:
        async with Agent(model).run_stream("Hi") as stream:
            pieces = [one async for one in stream.stream_text(delta=True, debounce_by=None)]
            return pieces, stream.usage.input_tokens, stream.usage.output_tokens

    pieces, asked, given = anyio.run(run)
    assert pieces == ["A lo", "ng e", "noug", "h an", "swer", "."]
    assert (asked, given) == (11, 5)
    assert model.asked[0].streamed


def test_failures_are_those_of_real_clients() -> None:
    with pytest.raises(ModelRateLimitError) as raised:
        said(Scripted(Fail(429, retry_after=3)))
    assert raised.value.retry_after == 3
    with pytest.raises(ModelConnectionError):
        said(Scripted(Fail()))


def test_an_answer_can_be_delayed() -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    assert said(Scripted(Say("Late.", delay_seconds=9), sleep=sleep)) == "Late."
    assert waits == [9]


def test_an_answer_may_depend_on_what_was_asked() -> None:
    def shout(asked: ScriptedRequest) -> str:
        return asked.prompt.upper()

    assert said(Scripted(shout), "hello") == "HELLO"


def test_background_questions_are_answered_by_schema() -> None:
    script = Scripted("never said", data={"colour": [{"colour": "red"}, {"colour": "green"}]})
    model = BackgroundModel("script", lambda: Supervised([script]))
    assert [model.answer(QUESTION).data["colour"] for _ in range(2)] == ["red", "green"]
    assert [asked.prompt for asked in script.asked] == ["Which colour?"] * 2
    with pytest.raises(ModelError, match="no more answers for 'colour'"):
        model.answer(QUESTION)
    assert script.left == 1


def test_data_that_violates_the_schema_is_an_error() -> None:
    script = Scripted(data={"colour": [{"hue": "red"}] * 2})
    with pytest.raises(ModelError, match="lacks the key 'colour'"):
        BackgroundModel("script", lambda: Supervised([script])).answer(QUESTION)


def test_a_script_is_a_file_of_json(tmp_path: Path, background: Callable[..., Model]) -> None:
    file = tmp_path / "script.json"
    steps = [
        "Hello.",
        {"calls": [{"tool": "add", "args": {"a": 1, "b": 1}}], "thinking": "hm"},
        {"fail": 503, "message": "busy"},
        {"say": "Bye.", "output_tokens": 3},
    ]
    file.write_text(json.dumps({"answers": steps, "data": {"colour": {"colour": "blue"}}}))
    chat = chat_model(f"scripted:{file}")
    assert chat.name == f"scripted:{file}"
    assert chat.price.free
    assert said(chat.model) == "Hello."
    assert background(model=f"scripted:{file}").answer(QUESTION).data == {"colour": "blue"}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "is not JSON"),
        ("3", "must be a list of steps"),
        ('{"steps": []}', "must be a list of steps"),
        ("[3]", "step 1 is 3; it must be a text or an object"),
        ('["a", {"sey": "b"}]', "step 2 has sey; known are"),
        ('[{"calls": [{"args": {}}]}]', "step 1 lacks something"),
    ],
)
def test_a_script_that_cannot_be_read_is_told_with_its_place(
    tmp_path: Path, content: str, told: str
) -> None:
    file = tmp_path / "script.json"
    file.write_text(content)
    with pytest.raises(ConfigError, match=told):
        chat_model(f"scripted:{file}")


def test_a_script_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        chat_model("scripted:/nowhere/script.json")
