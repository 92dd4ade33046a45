"""The background model, with servers that answer well, wrongly, late or not at all."""

import json
import socket
import time
from collections.abc import Callable, Generator
from dataclasses import asdict
from typing import Any

import pytest
from tests.json_service import CUT_OFF, SPOKEN, JsonService, Reply

from seasoned.config import load
from seasoned.core.errors import ConfigError, ModelError, ModelUnavailable
from seasoned.llm.model import AnswerSchema, Model, ModelQuestion

KEY = "sk-very-secret-key-0123456789"
COLOUR: dict[str, Any] = {
    "type": "object",
    "properties": {
        "colour": {"type": "string", "enum": ["red", "green"]},
        "why": {"type": ["string", "null"], "maxLength": 40},
        "sure": {"type": "number", "minimum": 0, "maximum": 1},
        "seen": {"type": "array", "items": {"type": "boolean"}, "maxItems": 3},
    },
    "required": ["colour", "why", "sure", "seen"],
    "additionalProperties": False,
}
UNBOUND: dict[str, Any] = {
    **COLOUR,
    "properties": {
        "colour": {"type": "string", "enum": ["red", "green"]},
        "why": {"type": ["string", "null"]},
        "sure": {"type": "number"},
        "seen": {"type": "array", "items": {"type": "boolean"}},
    },
}
QUESTION = ModelQuestion("You see.", "Which colour?", AnswerSchema("colour", COLOUR), 500)
GOOD = {"colour": "red", "why": None, "sure": 0.5, "seen": [True]}
Serve = Callable[..., JsonService]
Asking = Callable[..., Model]


@pytest.fixture
def serve() -> Generator[Serve]:
    there: list[JsonService] = []

    def start(*replies: Any) -> JsonService:
        there.append(JsonService(*replies))
        return there[-1]

    yield start
    for one in there:
        one.stop()


@pytest.fixture(params=list(SPOKEN))
def provider(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def asking(background: Callable[..., Model]) -> Asking:
    def build(server: JsonService | str, provider: str = "openai", **settings: Any) -> Model:
        url = server if isinstance(server, str) else server.url
        return background(**{"model": f"{provider}:m-1", "url": url, "key": KEY, **settings})

    return build


def told(provider: str, data: Any, **options: Any) -> Reply:
    return Reply(SPOKEN[provider](data, **options))


def test_every_provider_gives_data_and_says_what_it_took(
    asking: Asking, provider: str, serve: Serve
) -> None:
    server = serve(told(provider, GOOD, tokens=(120, 30)))
    model = asking(server, provider)
    answer = model.answer(QUESTION)
    assert model.name == f"{provider}:m-1"
    assert answer.data == GOOD
    assert (answer.input_tokens, answer.output_tokens) == (120, 30)


def test_the_query_of_an_address_is_sent(asking: Asking, provider: str, serve: Serve) -> None:
    server = serve(told(provider, GOOD))
    model = asking(f"{server.url}/x/v1?tenant=7", provider)
    for _ in range(2):  # each in its own loop
        assert model.answer(QUESTION).data == GOOD
    for asked in server.asked:
        path, _, query = asked.path.partition("?")
        assert path.startswith("/x/v1/")
        assert "tenant=7" in query.split("&")


def test_openai_is_asked_for_a_strict_schema(asking: Asking, serve: Serve) -> None:
    server = serve(told("openai", GOOD))
    asking(server).answer(QUESTION)
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert f"Bearer {KEY}" in asked.headers.values()
    assert asked.body == {
        "model": "m-1",
        "stream": False,
        "messages": [
            {"role": "system", "content": "You see."},
            {"role": "user", "content": "Which colour?"},
        ],
        "max_completion_tokens": 500,
        "temperature": 0,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "colour", "strict": True, "schema": UNBOUND},
        },
    }


def test_anthropic_is_asked_to_call_a_tool(asking: Asking, serve: Serve) -> None:
    server = serve(told("anthropic", GOOD))
    asking(server, "anthropic").answer(QUESTION)
    (asked,) = server.asked
    assert asked.path == "/v1/messages"
    assert KEY in str(asked.headers)
    (tool,) = asked.body["tools"]
    assert (tool["name"], tool["input_schema"]) == ("colour", UNBOUND)
    assert asked.body["tool_choice"] == {"type": "any"}
    assert (asked.body["max_tokens"], asked.body["temperature"]) == (500, 0)
    assert asked.body["system"][-1]["text"] == "You see."
    assert "Which colour?" in str(asked.body["messages"])


def test_gemini_is_asked_for_a_schema(asking: Asking, serve: Serve) -> None:
    server = serve(told("gemini", GOOD))
    asking(server, "gemini").answer(QUESTION)
    (asked,) = server.asked
    assert asked.path.endswith("/models/m-1:generateContent")
    assert KEY in asked.headers.values()
    config = asked.body["generationConfig"]
    assert config["responseJsonSchema"] == {**UNBOUND, "title": "colour"}
    assert (config["temperature"], config["maxOutputTokens"]) == (0, 500)
    assert asked.body["systemInstruction"]["parts"][-1] == {"text": "You see."}


def test_ollama_is_asked_by_its_openai_format(asking: Asking, serve: Serve) -> None:
    server = serve(told("ollama", GOOD))
    asking(server, "ollama", model="ollama:qwen3:4b", key="").answer(QUESTION)
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert KEY not in str(asked.headers)
    assert asked.body["model"] == "qwen3:4b"
    assert asked.body["response_format"]["json_schema"]["schema"]["required"] == list(GOOD)


REFUSALS: dict[str, tuple[str, str, Callable[[Any], bool]]] = {
    "openai temperature": (
        "openai",
        "Unsupported value: 'temperature' does not support 0 with this model.",
        lambda body: "temperature" not in body and "response_format" in body,
    ),
    "openai limit": (
        "openai",
        "extra inputs are not permitted: max_completion_tokens",
        lambda body: body.get("max_tokens") == 500 and "max_completion_tokens" not in body,
    ),
    "openai schema": (
        "openai",
        "response_format: json_schema is not supported",
        lambda body: (
            body["response_format"] == {"type": "json_object"} and '"enum"' in str(body["messages"])
        ),
    ),
    "anthropic temperature": (
        "anthropic",
        "`temperature` is deprecated for this model.",
        lambda body: "temperature" not in body and body["tool_choice"] == {"type": "any"},
    ),
    "anthropic forcing": (
        "anthropic",
        'tool_choice: type "tool" and "any" are not supported for this model.',
        lambda body: body["tool_choice"] == {"type": "auto"} and "calling" in str(body["system"]),
    ),
    "gemini schema": (
        "gemini",
        "Unknown name \"responseJsonSchema\" at 'generation_config': Cannot find field.",
        lambda body: (
            "responseJsonSchema" not in body["generationConfig"]
            and '"enum"' in str(body["systemInstruction"])
        ),
    ),
    "ollama schema": (
        "ollama",
        "invalid format: expected json",
        lambda body: body["response_format"] == {"type": "json_object"},
    ),
}


@pytest.mark.parametrize("kind", REFUSALS)
@pytest.mark.parametrize("status", [400, 422])
def test_what_a_server_does_not_take_is_left_out_from_then_on(
    asking: Asking, serve: Serve, kind: str, status: int
) -> None:
    provider, refusal, conceded = REFUSALS[kind]
    server = serve(Reply({"error": {"message": refusal}}, status), told(provider, GOOD))
    model = asking(server, provider)
    assert model.answer(QUESTION).data == GOOD
    assert model.answer(QUESTION).data == GOOD
    first, second, third = (asked.body for asked in server.asked)
    assert not conceded(first)
    assert conceded(second)
    assert third == second


def test_a_server_that_takes_no_format_at_all_is_told_the_schema(
    asking: Asking, serve: Serve
) -> None:
    refusal = Reply({"error": {"message": "unknown field response_format"}}, 400)
    fenced = f"Sure!\n```json\n{json.dumps(GOOD)}\n```"
    server = serve(refusal, refusal, told("openai", fenced))
    assert asking(server).answer(QUESTION).data == GOOD
    assert "response_format" not in server.asked[2].body


def test_a_refusal_for_good_is_told_and_does_not_change_the_next_question(
    asking: Asking, serve: Serve
) -> None:
    server = serve(Reply({"error": {"message": "the prompt was filtered"}}, 400))
    model = asking(server)
    with pytest.raises(ModelError, match="it answered 400: the prompt was filtered"):
        model.answer(QUESTION)
    server.replies = [told("openai", GOOD)]
    model.answer(QUESTION)
    assert server.asked[-1].body["response_format"]["type"] == "json_schema"


def test_an_answer_in_words_is_read_where_no_tool_was_called(asking: Asking, serve: Serve) -> None:
    server = serve(told("anthropic", json.dumps(GOOD), ended="end_turn"))
    assert asking(server, "anthropic").answer(QUESTION).data == GOOD


WRONG: dict[str, tuple[Any, str]] = {
    "cut off": ('{"colour": "red", ', "lacks the key 'why'"),
    "words": ("It is red.", "no JSON"),
    "nothing": ("", "no JSON"),
    "a list": ('["red"]', "no JSON|type object"),
    "NaN": ('{"colour": "red", "why": null, "sure": NaN, "seen": []}', "'NaN', not of type number"),
    "deep nesting": ("{" + '"a":{' * 20_000 + "}" * 20_001, "nested more than 50 deep"),
    "another colour": ({**GOOD, "colour": "blue"}, "'blue', not one of"),
    "a missing key": ({"colour": "red"}, "lacks the key 'why'"),
    "a strange key": ({**GOOD, "more": 1}, "key 'more', which is not asked for"),
    "another type": ({**GOOD, "why": 7}, "not of type string or null"),
    "truth for a number": ({**GOOD, "sure": True}, "not of type number"),
    "too much": ({**GOOD, "sure": 1.5}, r"1\.5, above 1"),
    "too little": ({**GOOD, "sure": -1}, "-1, below 0"),
    "too long": ({**GOOD, "why": "x" * 41}, "41 characters, more than 40"),
    "too many": ({**GOOD, "seen": [True] * 4}, "4 items, more than 3"),
    "a wrong item": ({**GOOD, "seen": [True, "no"]}, r"seen\[1\] is 'no'"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_an_unusable_answer_is_asked_for_once_more_and_then_told(
    asking: Asking, serve: Serve, kind: str
) -> None:
    wrong, complaint = WRONG[kind]
    server = serve(told("openai", wrong, tokens=(100, 10)))
    with pytest.raises(ModelError, match=complaint) as failed:
        asking(server).answer(QUESTION)
    assert len(server.asked) == 2
    assert (failed.value.input_tokens, failed.value.output_tokens) == (200, 20)


def test_the_second_question_says_what_was_wrong_with_the_first_answer(
    asking: Asking, provider: str, serve: Serve
) -> None:
    server = serve(told(provider, {**GOOD, "sure": 7}), told(provider, GOOD))
    answer = asking(server, provider).answer(QUESTION)
    assert answer.data == GOOD
    assert (answer.input_tokens, answer.output_tokens) == (240, 60)
    assert "sure is 7, above 1" in json.dumps(server.asked[1].body)


def test_an_answer_that_is_cut_off_gets_more_room(
    asking: Asking, provider: str, serve: Serve
) -> None:
    half = {"colour": "red"} if provider == "anthropic" else '{"colour": "re'
    server = serve(told(provider, half, ended=CUT_OFF[provider]), told(provider, GOOD))
    assert asking(server, provider).answer(QUESTION).data == GOOD
    assert "500" in json.dumps(server.asked[0].body)
    assert "1000" in json.dumps(server.asked[1].body)
    assert "cut off" in json.dumps(server.asked[1].body)


def test_a_refusal_by_the_model_is_an_error(asking: Asking, serve: Serve) -> None:
    refused = SPOKEN["openai"]("")
    refused["choices"][0]["message"] = {"role": "assistant", "refusal": "I cannot look."}
    server = serve(Reply(refused))
    with pytest.raises(ModelError, match="I cannot look"):
        asking(server).answer(QUESTION)


def test_a_blocked_prompt_is_an_error(asking: Asking, serve: Serve) -> None:
    server = serve(Reply({"promptFeedback": {"blockReason": "SAFETY"}}))
    with pytest.raises(ModelError, match="blocked: SAFETY"):
        asking(server, "gemini").answer(QUESTION)


@pytest.mark.parametrize("body", [{}, [], None, {"choices": []}, {"content": "x"}, b"<h1>Hi</h1>"])
def test_an_unknown_response_format_is_an_error(
    asking: Asking, provider: str, serve: Serve, body: Any
) -> None:
    with pytest.raises(ModelError, match=r"llm\.url"):
        asking(serve(Reply(body)), provider).answer(QUESTION)


def test_tokens_are_estimated_if_the_server_does_not_count(asking: Asking, serve: Serve) -> None:
    server = serve(Reply({**SPOKEN["openai"](GOOD), "usage": None}))
    answer = asking(server).answer(QUESTION)
    assert answer.input_tokens > 0
    assert answer.output_tokens > 0


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_key_or_a_model_that_is_refused_is_told_at_once(
    asking: Asking, provider: str, serve: Serve, status: int
) -> None:
    server = serve(Reply({"error": {"message": f"no {KEY}"}}, status))
    with pytest.raises(ModelError, match=rf"answered {status}.*Check llm\.key") as failed:
        asking(server, provider).answer(QUESTION)
    assert not isinstance(failed.value, ModelUnavailable)
    assert KEY not in str(failed.value)
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_a_busy_service_is_asked_again(
    asking: Asking, provider: str, serve: Serve, status: int
) -> None:
    busy = Reply({"error": {"message": "overloaded"}}, status, {"Retry-After": "0"})
    server = serve(busy, told(provider, GOOD))
    assert asking(server, provider).answer(QUESTION).data == GOOD


def test_a_service_that_stays_busy_is_unavailable(asking: Asking, serve: Serve) -> None:
    server = serve(Reply({"error": {"message": "overloaded"}}, 500))
    with pytest.raises(ModelUnavailable, match="answered 500: overloaded"):
        asking(server).answer(QUESTION)
    assert len(server.asked) == 3


def test_a_body_that_breaks_off_is_unavailable(asking: Asking, serve: Serve) -> None:
    half = Reply(b'{"choices":', headers={"Content-Length": "100", "Connection": "close"})
    with pytest.raises(ModelUnavailable, match="peer closed connection"):
        asking(serve(half), timeout_seconds=3).answer(QUESTION)


def test_one_deadline_holds_for_all_that_is_asked(asking: Asking, serve: Serve) -> None:
    slow = Reply(SPOKEN["openai"]("no JSON"), delay_seconds=0.5)
    start = time.monotonic()
    with pytest.raises(ModelUnavailable, match=r"no whole answer within 0\.8 s"):
        asking(serve(slow), timeout_seconds=0.8).answer(QUESTION)
    assert time.monotonic() - start < 3


def test_nobody_there_is_unavailable_and_costs_nothing(asking: Asking) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(
        ModelUnavailable, match=r"check that it runs, and its address \(llm\.url\)"
    ) as failed:
        asking(url).answer(QUESTION)
    assert failed.value.input_tokens == 0


def test_no_model_is_asked_by_default(background: Callable[..., Model | None]) -> None:
    assert background() is None


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"model": "gpt-5.4-mini"}, "a provider and a model"),
        ({"model": "openai:"}, "a provider and a model"),
        ({"model": "closedai:x"}, "the providers are openai, anthropic, gemini, ollama"),
        ({"model": "openai:x"}, r"llm\.key or OPENAI_API_KEY"),
        ({"model": "anthropic:x"}, r"llm\.key or ANTHROPIC_API_KEY"),
        ({"model": "openai:x", "url": "localhost"}, r"llm\.url is 'localhost'"),
        ({"model": "openai:x", "url": "http://a:b@c"}, r"put the key in llm\.key"),
        ({"model": "openai:x", "key": "schlüssel-0123"}, r"llm\.key holds characters"),
    ],
)
def test_unusable_settings_are_errors(
    background: Callable[..., Model], given: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ConfigError, match=complaint):
        background(**given)


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
def test_the_usual_variable_gives_the_key(background: Callable[..., Model], provider: str) -> None:
    variables = {"SEASONED_LLM__MODEL": f"{provider}:m", f"{provider.upper()}_API_KEY": KEY}
    config = load(variables)
    assert config.settings.llm.key == KEY
    assert background(**asdict(config.settings.llm)).name == f"{provider}:m"
    rows = {key: (value, origin) for key, value, origin in config.rows()}
    assert rows["llm.key"][0] == "(set, not shown)"
    assert KEY not in f"{config}"


def test_the_usual_key_is_not_sent_to_another_server() -> None:
    variables = {"SEASONED_LLM__MODEL": "openai:m", "SEASONED_LLM__URL": "http://example.com"}
    assert load({**variables, "OPENAI_API_KEY": KEY}).settings.llm.key == ""


def test_a_schema_with_unsupported_keywords_is_refused() -> None:
    with pytest.raises(ValueError, match="nobody checks oneOf, pattern"):
        AnswerSchema(
            "x", {"type": "array", "items": {"type": "string", "pattern": "a", "oneOf": []}}
        )
