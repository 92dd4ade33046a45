"""What a client sends and gets through a proxy is what it would send and get without it."""

import base64
import gzip
import json
import socket
from collections.abc import Generator
from typing import Any

import httpx
import openai
import pytest
from anthropic import Anthropic
from google import genai
from google.genai import types
from openai import OpenAI
from pydantic import BaseModel
from tests.server.proxies.conftest import variables
from tests.server.proxies.provider import HOLD, Call, Provider, Raw, Reply, sse
from tests.server.serving import Gateway

PIXEL = base64.b64encode(b"\x89PNG not really").decode()


@pytest.fixture(scope="module")
def provider() -> Generator[Provider]:
    there = Provider()
    yield there
    there.close()


@pytest.fixture(scope="module")
def gateway(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Generator[Gateway]:
    there = Gateway(tmp_path_factory.mktemp("gateway") / "home", **variables(provider))
    yield there
    there.end()


@pytest.fixture
def client(gateway: Gateway) -> Generator[OpenAI]:
    base = f"{gateway.url}/openai/v1"
    with OpenAI(base_url=base, api_key="sk-provider", max_retries=0) as made:
        yield made


# Spaces, escapes, an order and members of its own: nothing of it is written anew.
ODD = (
    '{ "x_unknown" : {"b":1e5, "a":[1.0,-0,""]},\n\t"messages":[{"role":"user",'
    '"name":"ana","content":"caf\\u00e9 \\ud83d\\ude00 – ß"} ],"model" :"m", "temperature":0.50 }'
).encode()
PATHS = ("/openai/v1/chat/completions", "/openai/v1/responses", "/anthropic/v1/messages")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("headers", [{"X-Seasoned-Off": "1"}, {}], ids=["off", "nothing to say"])
def test_the_bytes_pass_as_they_are(
    gateway: Gateway, provider: Provider, path: str, headers: dict[str, str]
) -> None:
    body = gzip.compress(b'{"id": "x",  "unknown":\t[1.00]}')
    sent = {"content-encoding": "gzip", "content-type": "application/json", "x-request-id": "r9"}
    provider.say(Raw(body=body, headers={**sent, "set-cookie": "a=b"}))
    url = f"{gateway.url}{path}?beta=true&x=%20y"
    with httpx.stream("POST", url, content=ODD, headers=headers) as answer:
        assert b"".join(answer.iter_raw()) == body
    assert provider.seen[-1].body == ODD
    assert (
        provider.seen[-1].path
        == path.replace("/openai", "").replace("/anthropic", "") + "?beta=true&x=%20y"
    )
    assert answer.headers["x-request-id"] == "r9"
    assert answer.headers["set-cookie"] == "a=b"
    assert not [name for name in provider.seen[-1].headers if name.startswith("x-seasoned")]


def test_learning_can_be_turned_off(provider: Provider, tmp_path: Any) -> None:
    off = {**variables(provider), "SEASONED_PROXY__LEARNING": "false"}
    gateway = Gateway(tmp_path / "home", **off)
    try:
        body = json.dumps({"messages": [{"role": "user", "content": "No, always use tabs."}]})
        gateway.client.post("/openai/v1/chat/completions", content=body)
        assert provider.seen[-1].body == body.encode()
    finally:
        gateway.end()


def test_other_paths_pass(gateway: Gateway, provider: Provider, client: OpenAI) -> None:
    assert client.models.list().data == []
    assert provider.seen[-1].path == "/v1/models"
    assert provider.seen[-1].headers["authorization"] == "Bearer sk-provider"
    client.embeddings.with_raw_response.create(model="e", input="text")
    assert provider.seen[-1].path == "/v1/embeddings"
    client.files.delete("file-1")
    assert (provider.seen[-1].method, provider.seen[-1].path) == ("DELETE", "/v1/files/file-1")
    provider.say(Raw(body=b'{"input_tokens": 7}', headers={"content-type": "application/json"}))
    with Anthropic(base_url=f"{gateway.url}/anthropic", api_key="k", max_retries=0) as anthropic:
        counted = anthropic.messages.count_tokens(
            model="m", messages=[{"role": "user", "content": "Hi"}]
        )
    assert counted.input_tokens == 7


def test_errors_pass_with_their_headers(
    gateway: Gateway, provider: Provider, client: OpenAI
) -> None:
    told = {"error": {"message": "slow down", "type": "rate_limit", "code": "limit"}}
    headers = {
        "retry-after": "7",
        "x-ratelimit-remaining-requests": "0",
        "x-request-id": "req_limited",
        "content-type": "application/json",
    }
    provider.say(Raw(429, json.dumps(told).encode(), headers))
    with pytest.raises(openai.RateLimitError) as caught:
        _ask(client)
    assert caught.value.response.headers["retry-after"] == "7"
    assert caught.value.response.headers["x-ratelimit-remaining-requests"] == "0"
    assert caught.value.request_id == "req_limited"
    assert caught.value.code == "limit"
    for status, kind in ((400, openai.BadRequestError), (503, openai.InternalServerError)):
        provider.say(Raw(status, b'{"error": {"message": "no"}}'))
        with pytest.raises(kind):
            _ask(client)


def test_a_stream_passes_chunk_by_chunk(provider: Provider, client: OpenAI) -> None:
    provider.going.clear()
    first = sse({"choices": [{"index": 0, "delta": {"content": "One"}}]})
    rest = sse({"choices": [{"index": 0, "delta": {"content": "Two"}, "finish_reason": "stop"}]})
    kind = {"content-type": "text/event-stream"}
    provider.say(Raw(headers=kind, chunks=[first, HOLD, rest, b"data: [DONE]\n\n"]))
    with _streamed(client) as stream:
        chunks = iter(stream)
        assert next(chunks).choices[0].delta.content == "One"  # the provider holds the rest
        provider.going.set()
        assert [one.choices[0].delta.content for one in chunks] == ["Two"]


def test_a_client_that_leaves_takes_its_request_with_it(provider: Provider, client: OpenAI) -> None:
    provider.going.clear()
    provider.left.clear()
    first = sse({"choices": [{"index": 0, "delta": {"content": "One"}}]})
    provider.say(Raw(headers={"content-type": "text/event-stream"}, chunks=[first, HOLD]))
    with _streamed(client) as stream:
        next(iter(stream))
    assert provider.left.wait(30)
    provider.going.set()


def test_a_client_that_leaves_before_the_answer_takes_its_request_with_it(
    gateway: Gateway, provider: Provider
) -> None:
    provider.going.clear()
    provider.left.clear()
    before = len(provider.seen)
    provider.say(Raw(chunks=[b"x", HOLD]))
    with socket.create_connection(("127.0.0.1", gateway.port), 10) as line:
        line.sendall(
            b"POST /openai/v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Length: 2\r\n\r\n{}"
        )
        assert line.recv(5) == b"HTTP/"
    assert provider.left.wait(30)
    assert len(provider.seen) == before + 1
    provider.going.set()


@pytest.mark.parametrize("chunked", [True, False])
def test_a_response_that_breaks_off_breaks_off_for_the_client(
    gateway: Gateway, provider: Provider, chunked: bool
) -> None:
    part = b"data: {}\n\n"
    provider.say(Raw(breaks=True, chunks=[part]) if chunked else Raw(breaks=True, body=part))
    url = f"{gateway.url}/openai/v1/chat/completions"
    with (
        httpx.stream("POST", url, json={"messages": []}) as answer,
        pytest.raises(httpx.HTTPError),
    ):
        list(answer.iter_raw())
    assert gateway.get("/health/live").status_code == 200


def test_a_provider_that_cannot_be_reached_is_told_as_such(tmp_path: Any) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
        gateway = Gateway(tmp_path / "home", SEASONED_PROXY__OPENAI=address)
        try:
            answer = gateway.client.get("/openai/v1/models")
            assert answer.status_code == 502
            assert "settings of `proxy`" in answer.json()["error"]["message"]
        finally:
            gateway.end()


def test_a_kept_connection_that_the_provider_closed_is_replaced(
    gateway: Gateway, provider: Provider
) -> None:
    for _ in range(3):
        provider.say(Raw(headers={"connection": "close"}))
        assert gateway.client.get("/openai/v1/models").status_code == 200


class City(BaseModel):
    name: str
    people: int


def test_structured_output_and_images_pass(provider: Provider, client: OpenAI) -> None:
    provider.say('{"name": "Paris", "people": 2100000}')
    image: Any = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}
    content: Any = [{"type": "text", "text": "Which city is this?"}, image]
    done = client.chat.completions.parse(
        model="m", messages=[{"role": "user", "content": content}], response_format=City
    )
    assert done.choices[0].message.parsed == City(name="Paris", people=2_100_000)
    assert provider.seen[-1].json["messages"][-1]["content"][:2] == content
    assert provider.seen[-1].json["response_format"]["type"] == "json_schema"


def test_gemini_passes_whole_in_events_and_as_a_list(gateway: Gateway, provider: Provider) -> None:
    options = types.HttpOptions(base_url=f"{gateway.url}/gemini")
    with genai.Client(api_key="key", http_options=options) as client:
        models: Any = client.models
        provider.say("It is Paris, of course.", "It is Paris, of course.")
        image = types.Part.from_bytes(data=b"png", mime_type="image/png")
        asked = {"model": "gemini-3-flash", "contents": ["Which city?", image]}
        assert models.generate_content(**asked).text == "It is Paris, of course."
        said = [one.text or "" for one in models.generate_content_stream(**asked)]
        assert "".join(said) == "It is Paris, of course."
        assert len(said) > 2
    provider.say("It is Paris.")
    path = "/gemini/v1beta/models/gemini-3-flash:streamGenerateContent"
    answer = gateway.client.post(path, json={"contents": [{"parts": [{"text": "Which city?"}]}]})
    assert "".join(
        part["text"] for one in answer.json() for part in one["candidates"][0]["content"]["parts"]
    ) == "It is Paris."  # fmt: skip


def test_parallel_calls_pass_in_a_stream(gateway: Gateway, provider: Provider) -> None:
    calls = [Call("add", {"a": 1, "b": 2}), Call("add", {"a": 3, "b": 4})]
    provider.say(Reply("Let me see.", calls))
    with Anthropic(base_url=f"{gateway.url}/anthropic", api_key="k", max_retries=0) as client:
        tool: Any = {"name": "add", "input_schema": {"type": "object"}}
        asked: Any = [{"role": "user", "content": "Add them up."}]
        given: Any = {"model": "m", "max_tokens": 99, "messages": asked, "tools": [tool]}
        with client.messages.stream(**given) as stream:
            content = stream.get_final_message().content
    assert [block.type for block in content] == ["text", "tool_use", "tool_use"]
    assert [getattr(block, "input", None) for block in content[1:]] == [
        {"a": 1, "b": 2},
        {"a": 3, "b": 4},
    ]


def _ask(client: OpenAI) -> Any:
    return client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "Sort the list."}]
    )


def _streamed(client: OpenAI) -> Any:
    return client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "Sort the list."}], stream=True
    )
