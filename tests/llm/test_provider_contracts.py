"""Every provider through its real client; a server on the loopback speaks its format."""

import json
import random
from collections.abc import Callable, Generator
from typing import Any

import anyio
import pytest
from pydantic_ai import Agent
from tests.json_service import JsonService, Reply
from tests.llm.wire_formats import EVENTS, JSON, USAGE, WIRES, Called, Wire

from seasoned.core.errors import ModelError, ModelUnavailable
from seasoned.llm.chat.credentials import Credentials, ModelEndpoint
from seasoned.llm.chat.providers import ChatConfig, ChatModel, chat_model
from seasoned.llm.chat.supervisor import Supervised

KEY = "sk-very-secret-key-0123456789"
Serve = Callable[..., JsonService]


@pytest.fixture
def serve() -> Generator[Serve]:
    there: list[JsonService] = []

    def start(*replies: Reply) -> JsonService:
        there.append(JsonService(*replies))
        return there[-1]

    yield start
    for one in there:
        one.stop()


@pytest.fixture(params=list(WIRES))
def provider(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def wire(provider: str) -> Wire:
    return WIRES[provider]


@pytest.fixture(params=[False, True], ids=["plain", "streamed"])
def streaming(request: pytest.FixtureRequest) -> bool:
    return request.param


def asking(server: JsonService, provider: str, **config: Any) -> ChatModel:
    places = Credentials({provider: ModelEndpoint(server.url, KEY)})
    return chat_model(f"{provider}:m-1", places, ChatConfig(**config))


class Waits(list[float]):
    async def sleep(self, seconds: float) -> None:
        self.append(seconds)


class Talk:
    """An agent with two tools on supervised models, with a record of what it saw."""

    def __init__(self, *models: ChatModel) -> None:
        self.waits = Waits()
        self.model = Supervised(models, sleep=self.waits.sleep, rng=random.Random(1))
        self.pieces: list[str] = []
        self.called: list[str] = []
        self.usage: Any = None
        agent = Agent(self.model, instructions="Be brief.")

        @agent.tool_plain
        def weather(city: str) -> str:  # pyright: ignore[reportUnusedFunction]
            """What the weather is like."""
            self.called.append(city)
            return f"sunny in {city}"

        self.agent = agent

    def say(self, prompt: str, *, streaming: bool) -> str:
        async def plain() -> str:
            async with self.agent:  # closes the connections on exit
                result = await self.agent.run(prompt)
            self.usage = result.usage
            return result.output

        async def stream() -> str:
            async with self.agent, self.agent.run_stream(prompt) as stream:
                async for piece in stream.stream_text(delta=True, debounce_by=None):
                    self.pieces.append(piece)
                self.usage = stream.usage
            return "".join(self.pieces)

        return anyio.run(stream if streaming else plain)


def replied(wire: Wire, said: Any, *, streaming: bool) -> Reply:
    return wire.stream(said) if streaming else wire.plain(said)


TEXT = "It is sunny, and it stays so."
ONE = [Called("call_1", "weather", {"city": "Lisbon"})]
TWO = [*ONE, Called("call_2", "weather", {"city": "Porto"})]


def test_a_text_is_returned_with_its_usage(
    serve: Serve, provider: str, wire: Wire, streaming: bool
) -> None:
    server = serve(replied(wire, TEXT, streaming=streaming))
    talk = Talk(asking(server, provider))
    assert talk.say("Well?", streaming=streaming) == TEXT
    assert (talk.usage.input_tokens, talk.usage.output_tokens) == USAGE
    (asked,) = server.asked
    assert asked.path == (wire.streamed_path if streaming else wire.path)
    assert KEY in str(asked.headers)
    assert "Be brief." in asked.raw.decode()
    assert "Well?" in asked.raw.decode()
    if streaming:
        assert len(talk.pieces) > 3


def test_one_tool_is_called(serve: Serve, provider: str, wire: Wire, streaming: bool) -> None:
    server = serve(
        replied(wire, ONE, streaming=streaming), replied(wire, TEXT, streaming=streaming)
    )
    talk = Talk(asking(server, provider))
    assert talk.say("Lisbon?", streaming=streaming) == TEXT
    assert talk.called == ["Lisbon"]
    first, second = server.asked
    assert "What the weather is like." in first.raw.decode()
    assert "sunny in Lisbon" in second.raw.decode()


def test_several_tools_are_called_in_parallel(
    serve: Serve, provider: str, wire: Wire, streaming: bool
) -> None:
    server = serve(
        replied(wire, TWO, streaming=streaming), replied(wire, TEXT, streaming=streaming)
    )
    talk = Talk(asking(server, provider))
    assert talk.say("Both?", streaming=streaming) == TEXT
    assert sorted(talk.called) == ["Lisbon", "Porto"]
    told = server.asked[1].raw.decode()
    assert "sunny in Lisbon" in told
    assert "sunny in Porto" in told


@pytest.mark.parametrize("status", [400, 401])
def test_a_refusal_is_told_and_not_repeated(
    serve: Serve, provider: str, wire: Wire, streaming: bool, status: int
) -> None:
    server = serve(wire.no(status, f"no good: {KEY}"))
    talk = Talk(asking(server, provider))
    with pytest.raises(
        ModelError, match=f"{provider}:m-1 at http://[^ ]+: it answered {status}: no good"
    ) as raised:
        talk.say("Well?", streaming=streaming)
    assert not isinstance(raised.value, ModelUnavailable)
    assert KEY not in str(raised.value)
    assert len(server.asked) == 1


def test_a_limit_is_waited_for(serve: Serve, provider: str, wire: Wire, streaming: bool) -> None:
    limit = wire.no(429, "slow down", **{"Retry-After": "7"})
    server = serve(limit, replied(wire, TEXT, streaming=streaming))
    talk = Talk(asking(server, provider))
    assert talk.say("Well?", streaming=streaming) == TEXT
    (waited,) = talk.waits
    assert 7 <= waited <= 7.5


def test_a_server_that_stumbles_is_asked_again(
    serve: Serve, provider: str, wire: Wire, streaming: bool
) -> None:
    stumble = wire.no(500, "ouch")
    server = serve(stumble, stumble, replied(wire, TEXT, streaming=streaming))
    talk = Talk(asking(server, provider))
    assert talk.say("Well?", streaming=streaming) == TEXT
    assert (len(server.asked), len(talk.waits)) == (3, 2)


def test_a_server_that_stays_down_is_unavailable(
    serve: Serve, provider: str, wire: Wire, streaming: bool
) -> None:
    server = serve(wire.no(500, "ouch"))
    talk = Talk(asking(server, provider))
    with pytest.raises(ModelUnavailable, match="answered 500: ouch"):
        talk.say("Well?", streaming=streaming)
    assert len(server.asked) == 3


def test_a_server_that_times_out_is_asked_again(
    serve: Serve, provider: str, wire: Wire, streaming: bool
) -> None:
    late = Reply(delay_seconds=5)
    server = serve(late, replied(wire, TEXT, streaming=streaming))
    talk = Talk(asking(server, provider, timeout_seconds=0.3))
    assert talk.say("Well?", streaming=streaming) == TEXT
    assert len(talk.waits) == 1


def test_nobody_there_is_unavailable(provider: str, streaming: bool) -> None:
    there = JsonService()
    there.stop()
    talk = Talk(asking(there, provider))
    with pytest.raises(ModelUnavailable, match=f"{provider}:m-1 at http://[^ ]+: "):
        talk.say("Well?", streaming=streaming)
    assert len(talk.waits) == 2


def test_a_stream_that_breaks_at_once_is_begun_anew(
    serve: Serve, provider: str, wire: Wire
) -> None:
    server = serve(wire.broken(TEXT, 0), wire.stream(TEXT))
    talk = Talk(asking(server, provider))
    assert talk.say("Well?", streaming=True) == TEXT


def test_a_stream_that_breaks_in_the_middle_says_so(
    serve: Serve, provider: str, wire: Wire
) -> None:
    server = serve(wire.broken(TEXT, 5), wire.stream("never said"))
    talk = Talk(asking(server, provider))
    with pytest.raises(ModelUnavailable, match=f"{provider}:m-1 at http://[^ ]+ broke off"):
        talk.say("Well?", streaming=True)
    assert TEXT.startswith("".join(talk.pieces))
    assert talk.pieces
    assert len(server.asked) == 1


def test_a_stream_that_ends_too_early_without_a_word_is_not_taken_as_whole(
    serve: Serve, provider: str, wire: Wire
) -> None:
    server = serve(wire.silent(TEXT, 5))
    talk = Talk(asking(server, provider))
    with pytest.raises(ModelUnavailable, match=r"broke off .* ended (too early|without a)"):
        talk.say("Well?", streaming=True)


@pytest.mark.parametrize("body", [b"<html>hi</html>", b"[]", b"{oops", b""])
def test_a_garbled_response_is_an_error_and_the_next_model_answers(
    serve: Serve, provider: str, streaming: bool, body: bytes
) -> None:
    garbled = serve(Reply(body, headers=EVENTS if streaming else JSON))
    good = serve(replied(WIRES["openai"], TEXT, streaming=streaming))
    talk = Talk(asking(garbled, provider), asking(good, "openai"))
    if provider == "gemini" and body in (b"[]", b"") and not streaming:
        return  # its client accepts this as an empty answer
    assert talk.say("Well?", streaming=streaming) == TEXT


def test_another_provider_goes_on_in_the_middle_of_a_conversation(
    serve: Serve, provider: str, wire: Wire, streaming: bool
) -> None:
    following = list(WIRES)[(list(WIRES).index(provider) + 1) % len(WIRES)]
    other = WIRES[following]
    first = serve(replied(wire, TWO, streaming=streaming), wire.no(401, "expired"))
    second = serve(replied(other, TEXT, streaming=streaming))
    talk = Talk(asking(first, provider), asking(second, following))
    assert talk.say("Both?", streaming=streaming) == TEXT
    (asked,) = second.asked
    told = json.dumps(asked.body)
    assert "sunny in Lisbon" in told
    assert "sunny in Porto" in told
    assert sorted(talk.called) == ["Lisbon", "Porto"]
