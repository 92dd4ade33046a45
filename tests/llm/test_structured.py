"""Structured answers: almost-valid JSON is repaired, anything else is asked for again."""

import contextlib
import json
from collections.abc import Callable, Generator
from typing import Any, Literal

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field
from tests.json_service import JsonService, Reply
from tests.llm.wire_formats import WIRES, Called

from seasoned.core.errors import ModelError, ModelUnavailable
from seasoned.llm.chat.background import BackgroundModel
from seasoned.llm.chat.credentials import Credentials, ModelEndpoint
from seasoned.llm.chat.near_json import near_json
from seasoned.llm.chat.providers import chat_model
from seasoned.llm.chat.scripted import Call, Fail, Say, Scripted
from seasoned.llm.chat.structured import answer_to, ask_for
from seasoned.llm.chat.supervisor import Supervised
from seasoned.llm.model import AnswerSchema, ModelQuestion

COLOUR: dict[str, Any] = {
    "type": "object",
    "properties": {
        "colour": {"type": "string", "enum": ["red", "green"]},
        "why": {"type": "string", "maxLength": 20},
    },
    "required": ["colour", "why"],
    "additionalProperties": False,
}
QUESTION = ModelQuestion("You see.", "Which colour?", AnswerSchema("colour", COLOUR), 500)
GOOD = {"colour": "red", "why": "it is"}


@pytest.mark.parametrize(
    "text",
    [
        '{"colour": "red", "why": "it is"}',
        '```json\n{"colour": "red", "why": "it is"}\n```',
        'Here you are:\n{"colour": "red", "why": "it is"}\nAnything else?',
        "{'colour': 'red', 'why': 'it is'}",
        '{"colour": "red", "why": "it is",}',
        '{colour: "red", why: "it is"}',
        '{"colour": "red", "why": "it is"',
        '{"colour": "red" "why": "it is"}',
        '{"colour": "red", // of course\n "why": "it is"}',
        "{“colour”: “red”, “why”: “it is”}",
    ],
)
def test_what_is_nearly_json_is_read(text: str) -> None:
    assert near_json(text) == GOOD


def test_python_literals_inner_quotes_and_truncated_json_are_repaired() -> None:
    assert near_json("[True, None, 'it''s', -1.5e3]")[:2] == [True, None]
    assert near_json('{"said": "she said "no" and left", "n": 2}')["n"] == 2
    assert near_json("{'a': 'don't', 'b': 1}") == {"a": "don't", "b": 1}
    assert near_json('{"a": [1, {"b": "c') == {"a": [1, {"b": "c"}]}
    assert near_json('{"a": 1, "b":') == {"a": 1}
    assert near_json('{"a": "\\u00e9\\n"') == {"a": "é\n"}


@pytest.mark.parametrize("text", ["", "no", "I cannot do that."])
def test_a_text_without_json_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="there is no"):
        near_json(text)


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(VALUES)
def test_json_is_read_as_it_is(value: Any) -> None:
    assert near_json(json.dumps({"value": value})) == {"value": value}


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(ValueError):
        near_json("{" + text)


def answered(model: Any) -> dict[str, Any]:
    return anyio.run(answer_to, model, QUESTION).data


def test_a_text_or_a_tool_that_was_called_both_will_do() -> None:
    assert answered(Scripted(json.dumps(GOOD))) == GOOD
    assert answered(Scripted(Say(calls=(Call("colour", GOOD),)))) == GOOD
    assert (
        answered(Scripted(Say(calls=(Call("colour", '{"colour": "red", why: "it is",'),)))) == GOOD
    )


def test_what_is_wrong_is_said_and_asked_for_again() -> None:
    model = Scripted('{"colour": "blue", "why": "it is"}', json.dumps(GOOD))
    assert answered(model) == GOOD
    assert "the answer.colour is 'blue', not one of ['red', 'green']" in model.asked[1].text


def test_it_is_asked_a_few_times_and_then_told_what_was_spent() -> None:
    bad = Say('{"colour": "blue", "why": ""}', input_tokens=10, output_tokens=3)
    with pytest.raises(ModelError, match=r"asked 2 times: the answer\.colour is 'blue'") as raised:
        answered(Scripted(bad, bad, "never said"))
    assert (raised.value.input_tokens, raised.value.output_tokens) == (20, 6)


class Fruit(BaseModel):
    name: str
    kind: Literal["apple", "pear"]
    seeds: int = Field(ge=0)


def test_a_type_may_be_asked_for() -> None:
    model = Scripted(
        '{"name": "Alma", "kind": "plum", "seeds": 3}',
        "```\n{'name': 'Alma', 'kind': 'apple', 'seeds': '3'}\n```",
    )

    async def run() -> Fruit:
        return await ask_for(model, "A fruit?", Fruit, system="You know fruit.")

    assert anyio.run(run) == Fruit(name="Alma", kind="apple", seeds=3)
    assert "the answer.kind: Input should be 'apple' or 'pear'" in model.asked[1].text


def test_a_list_may_be_asked_for() -> None:
    async def run(answer: Any) -> list[int]:
        return await ask_for(Scripted(answer), "Numbers?", list[int])

    assert anyio.run(run, "[1, 2, 3]") == [1, 2, 3]
    assert anyio.run(run, Say(calls=(Call("list", {"response": [4]}),))) == [4]


@pytest.fixture
def serve() -> Generator[Callable[..., JsonService]]:
    there: list[JsonService] = []

    def start(*replies: Reply) -> JsonService:
        there.append(JsonService(*replies))
        return there[-1]

    yield start
    for one in there:
        one.stop()


@pytest.mark.parametrize("provider", list(WIRES))
def test_every_provider_can_be_asked_in_the_background(
    serve: Callable[..., JsonService], provider: str
) -> None:
    wire = WIRES[provider]
    server = serve(wire.plain([Called("call_1", "colour", GOOD)]))
    places = Credentials({provider: ModelEndpoint(server.url, "key")})
    model = BackgroundModel("m", lambda: Supervised([chat_model(f"{provider}:m-1", places)]))
    for _ in range(2):  # each in its own loop
        answer = model.answer(QUESTION)
        assert (answer.data, answer.input_tokens, answer.output_tokens) == (GOOD, 120, 30)
    told = server.asked[0].raw.decode()
    assert "You see." in told
    assert '"enum"' in told


def test_a_background_model_that_is_down_may_be_asked_later() -> None:
    model = BackgroundModel("x", lambda: Supervised([Scripted(Fail(401))]))
    with pytest.raises(ModelError) as raised:
        model.answer(QUESTION)
    assert not isinstance(raised.value, ModelUnavailable)
    slow = BackgroundModel("x", lambda: Supervised([Scripted(Fail(429, retry_after=999))]))
    with pytest.raises(ModelUnavailable):
        slow.answer(QUESTION)
